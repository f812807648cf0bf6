"""What is looked at once a second while a player runs."""

from collections.abc import Callable

from player.events import Bus, LibraryChanged
from player.jobs.watcher import Watcher
from player.library import Library
from player.paths import Paths
from player.services import Services
from player.settings import Settings
from player.watching.live_settings import LiveSettings


def watching(paths: Paths, library: Library, services: Services, bus: Bus, use: Callable[[Settings], None]) -> Watcher:
    """Begins at once. What another process wrote is published, and its settings of podcasts apply to what plays; `use`
    is called with what config.toml says, before the `services` follow it."""

    def changed() -> None:
        bus.publish(LibraryChanged())
        if (episode := services.session.status.episode) is not None:
            services.session.settings_changed(episode.podcast_id)

    live = LiveSettings(paths.settings, services, bus, use)
    return Watcher(library, lambda: services.jobs.busy, changed, live.look)
