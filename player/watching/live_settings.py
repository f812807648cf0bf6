"""config.toml while Earmark runs: what is saved applies at once where that can be; what needs a restart is named."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from player.configuration.effect import changes, waiting
from player.configuration.file_watch import FileWatch
from player.events import Bus, Notice, SettingsChanged
from player.integrations.desktop.headphones import Headphones
from player.model.playback import Severity
from player.playback.engines.outputs import SoundOutput
from player.services import skip_rules
from player.settings import Settings
from player.settings_file import sentence
from player.text.sentences import _
from player.text.sizes import parse_size

if TYPE_CHECKING:
    from player.services import Services

_MOST_NAMED = 8


class LiveSettings:
    """`look` is called now and then, by one thread."""

    def __init__(self, path: Path, services: "Services", bus: Bus, use: Callable[[Settings], None]) -> None:
        """`use` is called with other settings before all else."""
        self._path = path
        self._services = services
        self._bus = bus
        self._use = use
        self._watch = FileWatch(path)

    def look(self) -> None:
        before = self._services.settings
        read = self._watch.look(before)
        if read is None:
            return
        for problem in read.problems:
            self._bus.publish(Notice(sentence(self._path, problem), Severity.WARNING))
        if changed := changes(before, read.settings):
            self._use(read.settings)
            follow(self._services, self._bus, before, read.settings)
            self._bus.publish(SettingsChanged(changed))
            self._bus.publish(Notice(words_about(changed)))


def words_about(changed: tuple[str, ...]) -> str:
    """What was changed takes effect, and when."""
    later = waiting(changed)
    if not later:
        return _("config.toml was read again.")
    named = ", ".join(later[:_MOST_NAMED]) + (" …" if len(later) > _MOST_NAMED else "")
    if len(later) == len(changed):
        return _("These take effect when Earmark is restarted: {names}", names=named)
    return _("config.toml was read again. These take effect when Earmark is restarted: {names}", names=named)


def follow(services: "Services", bus: Bus, before: Settings, after: Settings) -> None:
    """Each part gets what is other than before. It may wait for threads to end, 0.5 s each."""
    services.settings = after

    def differs(*parts: Callable[[Settings], object]) -> bool:
        return any(part(before) != part(after) for part in parts)

    services.media.limit = parse_size(after.media.cache_limit)
    services.attachments.prefer(after.transcripts.language)
    services.jobs.uses_inbox = after.inbox.enabled
    if differs(lambda one: one.audio):
        services.output.configure(SoundOutput(after.audio.output, after.audio.device))
        services.session.reopen()
    if differs(lambda one: (one.playback, one.queue, one.chapters, one.sleep)):
        services.session.configured.replace(after.playback, after.queue, skip_rules(after), after.sleep)
        if (episode := services.session.status.episode) is not None:
            services.session.settings_changed(episode.podcast_id)
    if differs(lambda one: (one.downloads, one.media)):
        services.file_maker.configure(after)
        services.downloads.run_at_once(after.downloads.at_once)
        services.rules.follow(after)
    keys = differs(lambda one: one.desktop, lambda one: (one.playback.seek_back, one.playback.seek_forward))
    unplugging = differs(lambda one: one.desktop.pause_unplugged)
    waves = differs(lambda one: one.appearance.waveform)
    if keys:
        services.media_keys.close()
    if unplugging:
        services.headphones.close()
    if waves:
        services.measuring.close()
    with services.unless_closed() as alive:
        if not alive:
            return
        if differs(lambda one: one.directories):
            services.forget_directories()
        if differs(lambda one: one.hooks):
            if services.hooks is None:
                services.start_hooks()
            else:
                services.hooks.follow(after.hooks)
        if waves:
            services.measuring = services.make_measuring()
            services.start_measuring()
        if keys:
            services.media_keys = services.make_media_keys()
            services.media_keys.start()
        if unplugging:
            services.headphones = Headphones(bus, services.session)
            services.start_headphones()
