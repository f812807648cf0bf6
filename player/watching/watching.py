"""What is looked at once a second while a player runs: what another process (`earmark add`, `earmark refresh`) writes
to the library, and config.toml."""

import threading
from collections.abc import Callable

from player.events import Bus, LibraryChanged
from player.library import Library
from player.paths import Paths
from player.services import Services
from player.settings import Settings
from player.watching.live_settings import LiveSettings

WATCH_S = 1.0


class Watcher:
    """From now on until `close`. `changed` is called on its thread. While `busy`, whoever writes publishes that.
    `look_too` is called at each look."""

    def __init__(
        self,
        library: Library,
        busy: Callable[[], bool],
        changed: Callable[[], None],
        look_too: Callable[[], None] = lambda: None,
    ) -> None:
        self._library = library
        self._busy = busy
        self._changed = changed
        self._look_too = look_too
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="earmark-watch", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._closing.set()
        self._thread.join()

    def _watch(self) -> None:
        seen = self._library.version()
        while not self._closing.wait(WATCH_S):
            self._look_too()
            now = self._library.version()
            if now != seen and not self._busy():
                seen = now
                self._changed()


def watching(paths: Paths, library: Library, services: Services, bus: Bus, use: Callable[[Settings], None]) -> Watcher:
    """Begins at once. What another process wrote is published, and its settings of podcasts apply to what plays; `use`
    is called with what config.toml says, before the `services` follow it."""

    def changed() -> None:
        bus.publish(LibraryChanged())
        if (episode := services.session.status.episode) is not None:
            services.session.settings_changed(episode.podcast_id)

    live = LiveSettings(paths.settings, services, bus, use)
    return Watcher(library, lambda: services.jobs.busy, changed, live.look)
