"""A running Earmark: the library it opens, the functions it offers a screen, and the order in which it starts and
closes."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from player.acts import Acts
from player.artwork.artwork import Artwork
from player.bookmarks import Bookmarks, Here
from player.errors import DamagedLibrary, EarmarkError, LibraryError
from player.events import (
    Bus,
    Cause,
    EpisodeStarted,
    Notice,
)
from player.feeds.refresh_summary import RefreshSummary
from player.feeds.welcome_podcast import unpack_welcome
from player.integrations.single_instance import Claim
from player.library import Library, Remembered
from player.lists import Lists
from player.model.episode import EpisodeId
from player.model.playback import PlaybackStatus, Role, Severity
from player.model.podcast import Podcast, PodcastId
from player.network import Network
from player.new_podcasts import NewPodcasts, Previews
from player.paths import Paths
from player.playback.last_session import last_session
from player.processes.scheduler import SharedThreads
from player.processes.threads import Closing, on_own_thread
from player.settings import Settings
from player.shelf import Shelf, apply_podcast_settings
from player.text.sentences import _

if TYPE_CHECKING:
    from player.attachments.attachments import Attachments
    from player.directory.directories import Directories
    from player.downloads.downloader import Downloader
    from player.feeds.source import Offered
    from player.measuring.kinds.waveform import Waveform
    from player.model.foreign import ForeignLibrary
    from player.model.podcast_settings import PodcastSettings
    from player.net.credentials import Credentials
    from player.playback.engine import EngineFactory
    from player.playback.outcomes import Outcome
    from player.playback.outputs import FoundOutput, OutputChoice, SoundOutput
    from player.playback.service import PlaybackService
    from player.services import Services
    from player.transfer.bring import Arrived
    from player.watching import Watcher

log = logging.getLogger(__name__)
T = TypeVar("T")

_CLOSE_S, _CLOSE_LANES_S, _CLOSE_LIBRARY_S = 1.5, 0.2, 0.3
"""How many seconds the end may take at most, and how much of that is left for subscribers in lanes, after all
publishers have ended, and for the library, which closes last."""
_BUILD_S = 0.2


class Player:
    """One running Earmark: a library, and the machinery around it, which is loaded when it is first needed.

    `role`: the role in which it plays, which decides which processes may take over. `open` may raise LibraryError or
    AlreadyRunning. Commands return at once; their effects are published on the bus, and their futures are for callers
    that want to wait. A command that fails for a reason outside Earmark publishes a Notice.
    """

    def __init__(
        self, paths: Paths, settings: Settings, *, engine: EngineFactory | None = None, role: Role = Role.SCREEN
    ) -> None:
        self.paths = paths
        self.settings = settings
        """The present settings of config.toml: replaced once it is saved (SettingsChanged)."""
        self.bus = Bus()
        self.library = Library(paths, on_damage=self._notify_damage, uses_inbox=lambda: self.settings.inbox.enabled)
        self.artwork = Artwork(self.library, lambda: self.services.cover_maker())
        self.welcome: Podcast | None = None
        self.segment_begun: Here | None = None
        """Where a segment begins whose end the listener hasn't marked yet."""
        self._engine = engine
        self.claim = Claim(paths, role)
        self._life = threading.RLock()
        self._services: Services | None = None
        self._last_session = PlaybackStatus()
        self._new_podcasts = NewPodcasts(self.library, self.bus, lambda: self.services.jobs)
        self._started = False
        self._remembered = Remembered(self.library)
        self._writes = SharedThreads(1, "earmark-writes")
        self._network = SharedThreads(4, "earmark-feeds")
        self._closing = threading.Event()
        self._ending = threading.RLock()
        self.acts = Acts(self.library, self.bus, self._write, lambda podcast_id: self.session.forget(podcast_id))
        self.bookmarks = Bookmarks(self.library, self.bus, self._write, settings.bookmarks, lambda: self.attachments)
        self.lists = Lists(self.library, self.bus, self._write)
        self.shelf = Shelf(self.library, self.bus, self._write)
        self.network = Network(lambda: self._services, lambda: self.services)
        self.previews = Previews(self.library, self.bus, self._network.submit, self._write, self._new_podcasts)
        self.bus.subscribe(EpisodeStarted, self.previews.started)
        self._watcher: Watcher | None = None

    # -- its parts --------------------------------------------------------------------------------------------

    @property
    def services(self) -> Services:
        """The first caller waits for them to be loaded, 0.05 s; `start` loads them after the first frame.

        Raises LibraryError if it is too late for that.
        """
        with self._life:
            if self._services is None:
                if self._closing.is_set():
                    raise LibraryError("Earmark is ending")
                from player.services import Services

                self._services = Services(
                    self.paths, self.settings, self.library, self.bus, self._engine, self.acts, self.claim
                )
            return self._services

    @property
    def session(self) -> PlaybackService:
        return self.services.session

    @property
    def status(self) -> PlaybackStatus:
        """The playback status; before `start`, where the listener left off. Never waits."""
        services = self._services
        return services.session.status if services and self._started else self._last_session

    def waveform(self, episode_id: EpisodeId) -> Waveform | None:
        """The loudness of the current episode over time, as far as it is known. Never waits."""
        return self._services.waveform(episode_id) if self._services else None

    @property
    def downloads(self) -> Downloader:
        return self.services.downloads

    @property
    def attachments(self) -> Attachments:
        return self.services.attachments

    @property
    def credentials(self) -> Credentials:
        return self.services.credentials

    @property
    def directories(self) -> Directories:
        """The directories in which podcasts are found. Loading them takes 0.03 s, once."""
        return self.services.directories

    @property
    def output(self) -> OutputChoice:
        return self.services.output

    # -- life -------------------------------------------------------------------------------------------------

    def open(self) -> None:
        """Takes the lock and opens the library. Raises AlreadyRunning or LibraryError; then nothing is held.

        If another Earmark that plays offers its sound, `start` takes it over, together with the lock.
        """
        self.claim.make()
        try:
            self.library.open()
            self.welcome = unpack_welcome(self.library)
            self._remembered.load()
            self._last_session = self.claim.expected(last_session(self.library), self.library.episodes.rows)
        except BaseException:
            self.library.close()
            self.claim.release()
            raise

    def start(self) -> None:
        """Starts the threads; the last episode is in the bar, paused at its position. Any thread may call.

        Raises AlreadyRunning if the sound of another Earmark was to be taken over, but couldn't be; then `close` must
        be called.
        """
        with self._life:
            if self._closing.is_set():
                return
            services = self.services
        services.start()
        from player.watching import watching

        with self._life:
            if not self._closing.is_set():
                self._started = True
                self._watcher = watching(self.paths, self.library, services, self.bus, self._use)
                self._write(self.previews.clear)

    def save_position(self, timeout_s: float) -> None:
        """Returns when the position is on disk, or after that time. Also for signal handlers."""
        if self._services is not None:
            self._services.session.save_now(timeout_s)

    def close(self) -> None:
        """Saves the position, goes silent, then ends all threads. Never raises, may be called twice, from any thread.

        It takes 1.5 s at most, even if something hangs: that is left to the end of the process, which no thread of
        Earmark's delays.
        """
        with self._ending:
            if self._closing.is_set():
                return
            self._closing.set()
            self.claim.closing()
            closing = Closing(_CLOSE_S)
            self._network.shutdown(wait=False, cancel_futures=True)
            if self._life.acquire(timeout=_BUILD_S):  # it may be under construction just now
                self._life.release()
            if self._services is not None:
                self._services.close(closing)
            closing.begin(
                {"writes": self._end_writing, "watcher": self._watcher.close if self._watcher else (lambda: None)}
            )
            closing.begin({"covers": self.artwork.pictures.close, "remembered": self._remembered.close})
            closing.wait(closing.left_s - _CLOSE_LANES_S - _CLOSE_LIBRARY_S)
            closing.begin({"listeners": lambda: self.bus.close(closing.left_s - _CLOSE_LIBRARY_S)})
            closing.wait(closing.left_s - _CLOSE_LIBRARY_S)
            closing.begin({"library": self.library.close})
            closing.finish()
            self.claim.release()

    # -- commands ---------------------------------------------------------------------------------------------

    def add(self, url: str) -> Future[Podcast]:
        """Subscribes. The future raises FeedError with a sentence for each way it can fail; there is no Notice."""
        return self._network.submit(self._new_podcasts.adding(url))

    def cancel_add(self, url: str) -> None:
        """The podcast at that address isn't wanted any more. Its future raises Cancelled, and nothing of it stays,
        unless it is already done."""
        self._new_podcasts.cancel(url)

    def remove(self, podcast_id: PodcastId) -> Future[str | None]:
        return self.acts.unsubscribe(podcast_id)

    def bring(self, read: ForeignLibrary) -> Future[Arrived]:
        """Imports what another app knew, and reads the feeds of new podcasts. A Notice reports the outcome."""
        return self._watched(self._network.submit(lambda: self._new_podcasts.bring(read, self.services.credentials)))

    def subscribe(self, offered: Sequence[Offered]) -> Future[None]:
        """Subscribes to podcasts that a source offered, and reads them. A Notice reports the outcome."""
        return self._watched(self._network.submit(lambda: self._new_podcasts.subscribe(offered)))

    def export_podcasts(self, path: Path) -> Future[int]:
        """Writes the list of all podcasts. The future raises OpmlError; no Notice."""
        from player.feeds.opml import save_opml

        return self._writes.submit(lambda: save_opml(path, self.library.podcasts.all(), datetime.now(UTC)))

    def refresh(
        self, podcast_ids: Sequence[PodcastId] | None = None, *, by_person: bool = True
    ) -> Future[RefreshSummary]:
        """Refreshes these podcasts, or all; unless `by_person`, only those that are due."""

        from player.feeds.schedule import anything_due

        def work() -> RefreshSummary:
            if not by_person and (
                self.network.offline or not anything_due(self.library, podcast_ids, datetime.now(UTC))
            ):
                return RefreshSummary()
            return self.services.jobs.refresh(podcast_ids, by_person=by_person)

        return self._watched(self._network.submit(work))

    def cancel_refresh(self) -> bool:
        """Stops the running refresh at once; the next one continues from there. False if none is running."""
        return self.services.jobs.cancel()

    def skip(self) -> Future[Outcome]:
        """Plays the next episode now, after any changes of the queue requested just before have been written."""
        skipped: Future[Outcome] = Future()

        def skip(_written: Future[None]) -> None:
            self.session.skip().add_done_callback(lambda done: skipped.set_result(done.result()))

        self._writes.submit(lambda: None).add_done_callback(skip)
        return skipped

    def download(self, episode_id: EpisodeId, *, cause: Cause = Cause.PERSON) -> None:
        """Downloads the episode as a file of the listener's own, when its turn comes; Notices report the outcome."""
        self.downloads.download(episode_id, cause=cause)

    def delete_download(self, episode_id: EpisodeId) -> Future[None]:
        return self._write(lambda: self.downloads.delete(episode_id))

    def change_podcast_settings(
        self, podcast_id: PodcastId, change: Callable[[PodcastSettings], PodcastSettings]
    ) -> Future[PodcastSettings]:
        """Changes the settings with `change`; they apply at once to the current episode. The future raises NotFound
        when the podcast is gone."""

        return self._write(lambda: apply_podcast_settings(self.library, self.bus, self.services, podcast_id, change))

    def change_setting(
        self, name: str, words: Sequence[str] | None, mistake: Callable[[str], str] = lambda _text: ""
    ) -> Future[None]:
        """Changes a setting in config.toml, or takes it out (None), and applies it at once. `mistake`: what else is
        wrong with it in the changed text."""
        from player.configuration.changing import change

        return self.write_settings(lambda path: change(path, name, words, mistake))

    def write_settings(self, write: Callable[[Path], object]) -> Future[None]:
        """Changes config.toml with `write`, and applies the changes at once."""

        def work() -> None:
            write(self.paths.settings)
            if self._watcher is not None:
                self._watcher.settings_written()

        return self._write(work)

    def remember_login(self, address: str, name: str, password: str) -> Future[None]:
        """Stores a login for the server of a podcast, or of an episode's audio; signs in there if it gives tokens in
        place of a password. A keyring may ask the user first. The future raises FeedError."""
        from player.sources import all_sources

        def work() -> None:
            sources = all_sources(credentials=self.credentials)
            if not sources.sign_in(address, name, password, self.services.media.network):
                self.credentials.remember(address, name, password)

        return self._watched(self._network.submit(work))

    def find_outputs(self) -> Future[tuple[FoundOutput, ...]]:
        """The available sound outputs. The future raises NoSoundLibrary; a sound server may delay it."""
        from player.playback.vlc.instance import find_outputs

        return on_own_thread(find_outputs, "earmark-outputs")

    def find_devices(self) -> Future[tuple[FoundOutput, ...]]:
        """The devices on the local network that can play, which takes a few seconds; none where the settings don't want
        them to be looked for."""
        if not self.settings.audio.network:
            nothing: Future[tuple[FoundOutput, ...]] = Future()
            nothing.set_result(())
            return nothing
        from player.playback.casting.finding import find_devices

        return on_own_thread(find_devices, "earmark-devices")

    def choose_output(self, output: SoundOutput, title: str = "") -> Future[None]:
        """Playback continues on that output, at the same position. `title` is what it is called."""
        return self._write(self.services.choose_output(output, title))

    def remember(self, key: str, value: str) -> None:
        """Stores a small value for the next start, such as what the screen shows. Returns at once and reports nothing
        if it can't be written; a power cut soon afterwards may undo it."""
        self._remembered.put(key, value)

    def remembered(self, key: str) -> str:
        """The value stored last, now or in an earlier run; "" for none. Never waits."""
        return self._remembered.get(key)

    def notify(self, text: str, severity: Severity = Severity.INFORMATION) -> None:
        self.bus.publish(Notice(text, severity))

    # -- inside -----------------------------------------------------------------------------------------------

    def _write(self, work: Callable[[], T]) -> Future[T]:
        return self._watched(self._writes.submit(work))

    def _watched(self, future: Future[T]) -> Future[T]:
        def done(ended: Future[T]) -> None:
            if ended.cancelled():
                return
            error = ended.exception()
            if isinstance(error, EarmarkError):
                self.notify(str(error), Severity.ERROR)
            elif error is not None:
                log.error("a command failed", exc_info=error)
                self.notify(_("Something went wrong inside Earmark. See the log."), Severity.ERROR)

        future.add_done_callback(done)
        return future

    def _end_writing(self) -> None:
        self._writes.shutdown()
        self.bookmarks.close()

    def _notify_damage(self, damage: DamagedLibrary) -> None:
        text = _("{what}. Quit and restart Earmark to restore your latest backup.", what=damage.what)
        self.notify(text, Severity.ERROR)

    def _use(self, settings: Settings) -> None:
        self.settings, self.bookmarks.settings = settings, settings.bookmarks
