"""All of a player that its library can be shown without: the sound, the bytes, the jobs and the remote control.

It is a third of what a start has to import. `Player` loads it when it is first needed, which is after the first frame.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from player.attachments.attachments import Attachments
from player.attachments.fetch import Fetcher
from player.downloads.files import folder_of
from player.downloads.kept import kept_episodes
from player.downloads.making import FileMaker, FileRules
from player.downloads.queue import Downloader
from player.downloads.ruling.wiring import DownloadRules
from player.downloads.tagging.tagger import ProcessTagger
from player.errors import EarmarkError
from player.events import (
    AttachmentsChanged,
    Bus,
    CachedChanged,
    LibraryChanged,
    Notice,
    PodcastAdded,
    PodcastRefreshed,
    PodcastRemoved,
    PodcastsArranged,
    PodcastsImported,
)
from player.integrations.act_orders import Acting
from player.integrations.control_socket import ControlServer
from player.jobs.runner import JobRunner
from player.library import Library
from player.library.search.indexer import SearchIndexer
from player.library.search.search import EpisodeSearch
from player.media import MediaStore
from player.media.available import key_for
from player.model.downloads.download import Download
from player.model.episode import Episode, EpisodeId
from player.model.playback import Severity
from player.net.credentials import Credentials
from player.offline import OfflineMode
from player.paths import Paths
from player.playback.engines.engine import Engine, EngineFactory, Listener
from player.playback.engines.outputs import OutputChoice, SoundOutput
from player.playback.rules.skipping import SkipRules
from player.playback.service import PlaybackService
from player.processes.threads import Closing
from player.settings import Settings
from player.sources.youtube.videos import Videos
from player.text.sentences import _
from player.text.sizes import parse_size

if TYPE_CHECKING:
    from player.directory.directories import Directories

_OUTPUT = "output"
"""The chosen output's key in the library's state."""
_SESSION_FIRST_S = 0.7
_STARTING_S = 0.2


class Services:
    """The parts, at rest until `start`. `library` is open, and closed after this; other programs change it by
    `acts`."""

    def __init__(
        self, paths: Paths, settings: Settings, library: Library, bus: Bus, engine: EngineFactory | None, acts: Acting
    ) -> None:
        self._library = library
        self._bus = bus
        self._directory_settings = settings.directories
        self._directories: Directories | None = None
        self.credentials = Credentials(paths.logins)
        self.offline = OfflineMode(bus, lambda: [podcast.url for podcast in library.podcasts.all()])
        self.media = MediaStore(
            paths,
            parse_size(settings.media.cache_limit),
            protected=lambda: kept_episodes(library),
            notify=self._notify,
            login=self.credentials.find,
            downloaded=self._downloaded,
            lost=lambda download: self.downloads.lost(download),
            feed=lambda episode: library.podcasts.get(episode.podcast_id).url,
            watch=self.offline.watch,
            cached_changed=lambda: bus.publish(CachedChanged()),
            now_at=lambda episode: library.episodes.get(episode.id).url,
            pages=Videos(),
        )
        self.attachments = Attachments(
            library,
            self.media,
            bus,
            language=settings.transcripts.language,
            on_chapters=lambda episode_id, chapters: self.session.set_chapters(episode_id, chapters),
        )
        self.downloads = Downloader(
            library,
            bus,
            FileMaker(
                library,
                self.media,
                FileRules(folder_of(settings.media.downloads, paths.data), settings.downloads.name),
                self._tagger() if settings.downloads.tags else None,
            ),
            at_once=settings.downloads.at_once,
            downloaded=self.attachments.want,
        )
        self.jobs = JobRunner(paths, bus, uses_inbox=settings.inbox.enabled)
        self.offline.attach(self.media, self.attachments, self.jobs)
        self.output = OutputChoice(SoundOutput(settings.audio.output, settings.audio.device))
        self.session = PlaybackService(
            library,
            self.media,
            bus,
            settings.playback,
            engine or engine_factory(settings.playback.engine, lambda: self.output.now),
            queue=settings.queue,
            skip=SkipRules(settings.chapters.skip, settings.chapters.skip_in),
            sleep=settings.sleep,
        )
        self.rules = DownloadRules(paths, settings, library, bus, self.downloads, self._in_player)
        self.rules.runner.wait_for(lambda: not self.jobs.busy)
        self.index = SearchIndexer()
        bus.subscribe(PodcastsArranged, self._podcasts_arranged)
        self._control = ControlServer(
            paths.socket,
            self.session,
            lambda: library.queue.ranks(),
            acts,
            tell=self._notify,
            offline=lambda: self.offline.on,
            downloads=self.downloads,
        )
        self._life = threading.Lock()
        self._closed = False

    def _tagger(self) -> ProcessTagger:
        return ProcessTagger(
            self._library,
            self.attachments.fetched_chapters,
            lambda: Fetcher(self.media.network, self.credentials.find),
        )

    def start(self) -> None:
        """Starts the threads; when this returns the last episode stands in the session, paused at its position.

        Nothing is started once `close` was called, also when that is called meanwhile.
        """
        for part in (
            self._restore_output,
            self.session.start,
            self._start_control,
            self.downloads.start,
            self.rules.runner.start,
            self._start_index,
            self._scan_cache,
        ):
            with self._life:
                if self._closed:
                    return
                part()

    @property
    def directories(self) -> Directories:
        """Where podcasts are found; loaded when it is first needed."""
        with self._life:
            if self._directories is None:
                from player.directory.directories import Directories
                from player.library.subscriptions.known_as import subscriptions

                self._directories = Directories(
                    self._directory_settings,
                    lambda: subscriptions(self._library.podcasts),
                    self.credentials.find,
                    self.media.network,
                )
                if self._closed:
                    self._directories.close()
            return self._directories

    def _restore_output(self) -> None:
        """Before there is any sound; and not before `start`, for a key may be waiting for these parts to be built."""
        self.output.restore(self._library.state.get(_OUTPUT))

    def _podcasts_arranged(self, event: PodcastsArranged) -> None:
        """What plays may go by another title now."""
        for podcast_id in event.podcast_ids:
            self.session.settings_changed(podcast_id)

    def _start_control(self) -> None:
        try:
            self._control.start()
        except (EarmarkError, OSError) as error:
            self._notify(_("Earmark can't be controlled from other programs: {error}", error=error), Severity.WARNING)

    def _start_index(self) -> None:
        self.index.start(_Indexing(self._library.search, self.jobs))
        for kind in (
            PodcastAdded,
            PodcastsImported,
            PodcastRefreshed,
            PodcastRemoved,
            AttachmentsChanged,
            LibraryChanged,
        ):
            self._bus.subscribe(kind, self.index.poke)

    def _scan_cache(self) -> None:
        threading.Thread(target=self.media.whole.scan, name="earmark-cached", daemon=True).start()

    def close(self, closing: Closing) -> None:
        """Saves the position and goes silent, then ends everything else. Returns before all has ended.

        The session has a moment for itself; from then on a part that hangs or raises keeps no other from ending.
        """
        self._closed = True
        self.offline.close()
        closing.begin({"session": lambda: self.session.close(closing.left_s)})
        closing.wait(_SESSION_FIRST_S)
        # A part that is being started just now can't be closed before it has started.
        if self._life.acquire(timeout=min(_STARTING_S, closing.left_s)):
            self._life.release()
        closing.begin(
            {
                "download rules": self.rules.runner.close,
                "downloads": self.downloads.close,
                "jobs": self.jobs.close,
                "attachments": self.attachments.close,
                "index": self.index.close,
                "network": self.media.close,
                "directories": self._close_directories,
                "control socket": self._control.close,
            }
        )

    def _close_directories(self) -> None:
        if self._directories is not None:
            self._directories.close()

    def cached_ids(self) -> frozenset[EpisodeId]:
        """The episodes that are cached whole. Raises LibraryError."""
        whole = self.media.whole.keys
        if not whole:
            return frozenset()
        return frozenset(
            one for one, guid, url in self._library.episodes.heard_or_queued() if key_for(guid, url) in whole
        )

    def choose_output(self, output: SoundOutput) -> Callable[[], None]:
        """Playback continues there, at the same position. The returned write makes it outlast this run."""
        text = self.output.choose(output)
        self.session.reopen()
        return lambda: self._library.state.set(_OUTPUT, text)

    def _in_player(self) -> EpisodeId | None:
        """What plays, or is paused: no rule deletes its file."""
        episode = self.session.status.episode
        return episode.id if episode else None

    def _notify(self, text: str, severity: Severity = Severity.INFORMATION) -> None:
        self._bus.publish(Notice(text, severity))

    def _downloaded(self, episode: Episode) -> Download | None:
        return self._library.downloads.get(episode.id) if episode.downloaded else None


class _Indexing:
    """Takes in a few changes here; many in a process beside, for the screen's interpreter has better things to do."""

    FEW = 50

    def __init__(self, searches: EpisodeSearch, jobs: JobRunner) -> None:
        self._searches = searches
        self._jobs = jobs

    def catch_up(self, enough: Callable[[], bool]) -> bool:
        if self._searches.left() > self.FEW:
            return self._jobs.index()
        return self._searches.catch_up(enough)


def engine_factory(name: str, output: Callable[[], SoundOutput] = SoundOutput) -> EngineFactory:
    """The engine of that name (`vlc`, `silent`); its module, and libvlc, are loaded when it is first needed.

    `output` tells where the sound is to go.
    """

    def make(listener: Listener) -> Engine:
        if name == "silent":
            from player.playback.engines.silent_engine import SilentEngine

            return SilentEngine(listener)
        from player.playback.vlc.engine import VlcEngine

        return VlcEngine(listener, output)

    return make
