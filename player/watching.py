"""Changes on the disk that a running player notices: config.toml was saved, or another process wrote to the library."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from player.configuration.catalogue import changes, waiting
from player.events import Bus, LibraryChanged, Notice, SettingsChanged
from player.integrations.desktop.headphones import Headphones
from player.library import Library
from player.model.playback import Severity
from player.paths import Paths
from player.playback.outputs import SoundOutput
from player.processes.scheduler import SHARED
from player.services import Services, skip_rules
from player.settings import Settings
from player.settings_file import Read, read_settings, sentence
from player.text.sentences import _
from player.text.sizes import parse_size

if TYPE_CHECKING:
    from player.services import Services


State = tuple[int, int, int] | None
"""When the file was changed, its size and its inode number; None if there is no such file."""


class FileWatch:
    """Watches from its creation on; `look` is for one thread."""

    def __init__(self, path: Path, state: Callable[[Path], State] | None = None) -> None:
        self._path = path
        self._state = state or state_of
        self._read = self._seen = self._state(path)

    def look(self, before: Settings, *, whole: bool = False) -> Read | None:
        """The contents of a changed file once two looks have found it the same, or it is known to be `whole`; None
        while it is unchanged or being written.

        A wrong value stays as it was `before`.
        """
        now = self._state(self._path)
        last, self._seen = self._seen, now
        # An editor moves the old file away, or writes the new one in parts, so it has to be the same twice.
        if now == self._read or (now != last and not whole):
            return None
        self._read = now
        return read_settings(self._path, before)


def state_of(path: Path) -> State:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


_MOST_NAMED = 8


class LiveSettings:
    """`look` is called from time to time, by one thread."""

    def __init__(self, path: Path, services: "Services", bus: Bus, use: Callable[[Settings], None]) -> None:
        """`use` is called with the changed settings before anything else."""
        self._path = path
        self._services = services
        self._bus = bus
        self._use = use
        self._watch = FileWatch(path)
        self.written_here = False
        """Whether this Earmark has written the file since the last look: it is whole, and needs no announcement."""

    def look(self) -> None:
        before = self._services.settings
        own, self.written_here = self.written_here, False
        read = self._watch.look(before, whole=own)
        if read is None:
            return
        for problem in () if own else read.problems:
            self._bus.publish(Notice(sentence(self._path, problem), Severity.WARNING))
        if changed := changes(before, read.settings):
            self._use(read.settings)
            follow(self._services, self._bus, before, read.settings)
            self._bus.publish(SettingsChanged(changed))
            if not own or waiting(changed):
                self._bus.publish(Notice(words_about(changed)))


def words_about(changed: tuple[str, ...]) -> str:
    """A sentence that says which changes take effect, and when."""
    later = waiting(changed)
    if not later:
        return _("config.toml was read again.")
    named = ", ".join(later[:_MOST_NAMED]) + (" …" if len(later) > _MOST_NAMED else "")
    if len(later) == len(changed):
        return _("These take effect when Earmark is restarted: {names}", names=named)
    return _("config.toml was read again. These take effect when Earmark is restarted: {names}", names=named)


def follow(services: "Services", bus: Bus, before: Settings, after: Settings) -> None:
    """Each part gets its changed settings. This may wait for threads to end, 0.5 s each."""
    services.settings = after

    def differs(*parts: Callable[[Settings], object]) -> bool:
        return any(part(before) != part(after) for part in parts)

    services.media.limit = parse_size(after.media.cache_limit)
    services.attachments.prefer(after.transcripts.language)
    services.attachments.backlog.follow(after.transcripts.fetch)
    services.comments.wanted = after.feeds.comments
    services.jobs.uses_inbox = after.inbox.enabled
    if differs(lambda one: (one.audio.output, one.audio.device)):
        services.output.configure(SoundOutput(after.audio.output, after.audio.device))
        services.session.reopen()
    if differs(lambda one: (one.playback, one.queue, one.chapters, one.sleep, one.audio)):
        services.session.configured.replace(after.playback, after.queue, skip_rules(after), after.sleep, after.audio)
        if (episode := services.session.status.episode) is not None:
            services.session.settings_changed(episode.podcast_id)
    if differs(lambda one: (one.downloads, one.media)):
        services.file_maker.configure(after)
        services.downloads.run_at_once(after.downloads.at_once)
        services.transcript_files.follow(after.downloads.transcripts)
        services.rules.follow(after)
    if differs(lambda one: one.transcribe):
        services.transcriber.configure(after.transcribe)
        services.downloads.reload()
    services.summaries.configure(after.summarise)
    services.viewer.configure(after.video, after.queue)
    keys = differs(lambda one: one.desktop, lambda one: (one.playback.seek_back, one.playback.seek_forward))
    unplugging = differs(lambda one: one.desktop.pause_unplugged)
    if keys:
        services.media_keys.close()
    if unplugging:
        services.headphones.close()
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
        if keys:
            services.media_keys = services.make_media_keys()
            services.media_keys.start()
        if unplugging:
            services.headphones = Headphones(bus, services.session)
            services.start_headphones()


WATCH_S = 1.0


class Watcher:
    """From now on until `close`. `changed` is called on a thread of the scheduler. While `busy`, the process that
    writes publishes its changes itself. `live` looks, too."""

    def __init__(
        self,
        library: Library,
        busy: Callable[[], bool],
        changed: Callable[[], None],
        live: LiveSettings,
    ) -> None:
        self._library = library
        self._busy = busy
        self._changed = changed
        self._live = live
        self._seen = library.version()
        self._task = SHARED.every(WATCH_S, self._look, "watch")

    def settings_written(self) -> None:
        """This Earmark has written config.toml, which applies at once."""
        self._live.written_here = True
        self._task.soon()

    def close(self) -> None:
        self._task.close()

    def _look(self) -> None:
        self._live.look()
        now = self._library.version()
        if now != self._seen and not self._busy():
            self._seen = now
            self._changed()


def watching(paths: Paths, library: Library, services: Services, bus: Bus, use: Callable[[Settings], None]) -> Watcher:
    """Begins at once. Changes written by another process are published, and its settings of podcasts apply to the
    current episode; `use` is called with the settings of config.toml, before they are applied to the `services`."""

    def changed() -> None:
        bus.publish(LibraryChanged())
        if (episode := services.session.status.episode) is not None:
            services.session.settings_changed(episode.podcast_id)

    live = LiveSettings(paths.settings, services, bus, use)
    return Watcher(library, lambda: services.jobs.busy, changed, live)
