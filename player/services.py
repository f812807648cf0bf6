"""Everything in a player that isn't needed to show its library: the sound, the bytes, the jobs and the remote control.

It is a third of the imports of a start. `Player` loads it at first use, which is after the first frame.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from player.acts import Acts
from player.artwork.artwork import Arts
from player.artwork.cache import CoverCache
from player.artwork.cover_file import CoverFile
from player.attachments.attachments import Attachments
from player.attachments.fetch_queue import Fetcher
from player.comments.comments import EpisodeComments
from player.downloads.downloader import Downloader
from player.downloads.files import kept_episodes
from player.downloads.making import ConfiguredMaker
from player.downloads.ruling import RunningRules as DownloadRules
from player.downloads.transcript_files import TranscriptFiles
from player.errors import ControlError, EarmarkError
from player.events import (
    AttachmentsChanged,
    Bus,
    CachedChanged,
    Cause,
    EpisodeMeasured,
    Notice,
    PodcastsArranged,
    QuitAsked,
    SoundMoved,
)
from player.integrations.control_socket import ControlServer
from player.integrations.desktop.headphones import Headphones
from player.integrations.desktop.media_keys import MediaKeys, episode_at, track_of
from player.integrations.followers import Followers
from player.integrations.handover.giver import Giver
from player.integrations.requests import Asked
from player.integrations.single_instance import Claim
from player.jobs.runner import JobRunner, follow_library
from player.library import Library
from player.library.loudness import MeasuredLoudness
from player.library.search.index import SearchIndexer
from player.measuring.kept_sounds import KeptSounds
from player.measuring.kinds.loudness import MEASUREMENT as LOUDNESS
from player.measuring.kinds.pauses import MEASUREMENT as PAUSES
from player.measuring.kinds.waveform import MEASUREMENT as WAVEFORM
from player.measuring.kinds.waveform import Waveform
from player.measuring.measuring import Measuring
from player.measuring.others import Others
from player.media import MediaStore
from player.media.available import key_for
from player.media.fetching.media_errors import disk_error
from player.model.downloads import Download
from player.model.episode import Episode, EpisodeId
from player.model.playback import ACTIVE, PlaybackState, Role, Running, Severity
from player.net.credentials import Credentials
from player.offline import OfflineMode
from player.paths import Paths
from player.playback.engine import EngineFactory
from player.playback.engine_choice import engine_factory
from player.playback.outputs import REMEMBERED_AS, OutputChoice, SoundOutput
from player.playback.rules import SkipRules
from player.playback.service import PlaybackService
from player.processes.threads import Closing
from player.settings import Settings
from player.sounds.finding import SegmentFinder
from player.sounds.moving import MarkMover
from player.sources import all_pages
from player.summaries import Summaries
from player.sync.automatic import AutomaticSync
from player.text.sentences import _
from player.text.sizes import parse_size
from player.transcribing.automatic import AutomaticTranscripts
from player.transcribing.engines import engine_for
from player.transcribing.transcriber import EpisodeTranscriber
from player.video.viewer import Viewer

if TYPE_CHECKING:
    from player.artwork.maker import CoverMaker
    from player.directory.directories import Directories
    from player.integrations.hooks.event_hooks import EventHooks

log = logging.getLogger(__name__)

_SESSION_FIRST_S = 0.7
_STARTING_S = 0.2
_PAUSE_S = 2.0
_SYNC_LAST_S, _AFTER_SYNC_S = 1.0, 0.7
"""How many seconds the last sending of listening may take at the end, and how many are left for everything that closes
after it."""


class Services:
    """The parts, at rest until `start`. `library` is open, and closed after this; other programs change it through
    `acts`. `claim`: the right to play from it, or a sound from the process that has it."""

    def __init__(
        self,
        paths: Paths,
        settings: Settings,
        library: Library,
        bus: Bus,
        engine: EngineFactory | None,
        acts: Acts,
        claim: Claim,
    ) -> None:
        self.running = Running(claim.role, os.getpid(), datetime.now(UTC))
        self._paths = paths
        self._library = library
        self._bus = bus
        self.settings = settings
        """The present settings of config.toml; `player/watching.py` updates the parts."""
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
            pages=all_pages(self.credentials),
        )
        self.attachments = Attachments(
            library,
            self.media,
            bus,
            language=settings.transcripts.language,
            offline=lambda: self.offline.on,
            on_chapters=lambda episode_id, chapters: self.session.set_chapters(episode_id, chapters),
        )
        self.comments = EpisodeComments(
            self.media.network, lambda id_: bus.publish(AttachmentsChanged(id_)), wanted=settings.feeds.comments
        )
        self.file_maker = ConfiguredMaker(
            paths, settings, library, self.media, self.attachments.fetched_chapters, self._fetcher
        )
        self.transcriber = EpisodeTranscriber(
            library,
            self.media,
            bus,
            settings.transcribe,
            self._heard,
            lambda chosen: engine_for(chosen, self.media.network, self.credentials.find),
        )
        self.downloads = Downloader(
            library,
            bus,
            self.file_maker,
            at_once=settings.downloads.at_once,
            downloaded=self.attachments.want,
            transcriber=self.transcriber,
        )
        self.transcripts = AutomaticTranscripts(library, bus, self.downloads)
        self.summaries = Summaries(library, self.attachments, bus, settings.summarise)
        self.transcript_files = TranscriptFiles(library, self.attachments.transcript, bus)
        self.jobs = JobRunner(paths, bus, uses_inbox=settings.inbox.enabled)
        self.offline.attach(self.media, self.attachments, self.jobs)
        self.output = OutputChoice(SoundOutput(settings.audio.output, settings.audio.device))
        self.session = PlaybackService(
            library,
            self.media,
            bus,
            settings.playback,
            engine or engine_factory(settings.playback.engine, self.output),
            queue=settings.queue,
            skip=skip_rules(settings),
            sleep=settings.sleep,
            audio=settings.audio,
        )
        self.viewer = Viewer(
            library,
            bus,
            settings.video,
            settings.queue,
            paths.runtime,
            file_of=self.media.file_of,
            login=self.credentials.find,
            hush=self._hush,
            sounds=lambda episode_id: self.session.status.state in ACTIVE and self._in_player() == episode_id,
        )
        self.rules = DownloadRules(paths, settings, library, bus, self.downloads, self._in_player)
        self.sync = AutomaticSync(
            library,
            bus,
            paths,
            self.session,
            offline=lambda: self.offline.on,
            read=lambda ids: self.jobs.refresh(ids, by_person=False),
            unsubscribe=lambda podcast_id, at: acts.unsubscribe(podcast_id, cause=Cause.SYNC, at=at),
            credentials=self.credentials,
            network=self.media.network,
        )
        self.rules.runner.wait_for(lambda: self.sync.is_settled and not self.jobs.busy)
        self.index = SearchIndexer()
        self.kept_sounds = KeptSounds(paths.sounds)
        self.measuring = Measuring(
            self.media.available,
            paths.waveforms,
            bus,
            self._draws_waveforms,
            self.kept_sounds,
            Others(library, lambda: self.media.whole.keys, paths.media),
        )
        self.mark_mover = MarkMover(
            library, bus, self.measuring.sound, self.kept_sounds, self.session.open_version, self.session.moved
        )
        self.segment_finder = SegmentFinder(library, bus, self.measuring.sound)
        bus.subscribe(EpisodeMeasured, self._measured)
        bus.subscribe(SoundMoved, self.transcriber.audio_moved)
        bus.subscribe(PodcastsArranged, self._podcasts_arranged)
        self._claim = claim
        self.giver = claim.giver = Giver(claim.lock, claim.role, gone=self.ask_to_quit)
        self.asked = Asked(library, self.session, lambda: self.settings.playback, self._notify)
        self._control = ControlServer(
            paths.socket,
            self.session,
            lambda: library.queue.ranks(),
            acts,
            tell=self._notify,
            offline=lambda: self.offline.on,
            downloads=self.downloads,
            machine=self,
            followers=Followers(
                bus, self.session, lambda: library.queue.ranks(), lambda: self.offline.on, self.running
            ),
            hands_over=self.giver.serve,
        )
        self.giver.attach(self.session, self, self._control)
        self.hooks: EventHooks | None = None
        self._cover = CoverFile(paths.shown_cover, CoverCache(paths.covers), Arts(library))
        self.media_keys = self.make_media_keys()
        self.headphones = Headphones(bus, self.session)
        self._has_sound = engine is None and settings.playback.engine != "silent"
        self._life = threading.Lock()
        self._closed = False

    # -- what is made anew when settings change -----------------------------------------------------------------

    def make_media_keys(self) -> MediaKeys:
        return MediaKeys(
            self._bus,
            self.session,
            self.settings,
            find=lambda address: episode_at(self._library, address),
            known=lambda episode: track_of(self._library, self._cover.address, episode),
            quit=self.ask_to_quit,
            asked=self.asked,
        )

    def _measured(self, event: EpisodeMeasured) -> None:
        """The library keeps how loud an episode is, and the session levels it and trims its pauses."""
        loudness = self.measuring.known(event.episode_id, LOUDNESS)
        pauses = self.measuring.known(event.episode_id, PAUSES)
        own = None
        if loudness is not None and loudness.lufs is not None:
            own = MeasuredLoudness(loudness.lufs, loudness.peak_db, loudness.heard_ms, event.is_whole)
            try:
                if self._library.loudness.of(event.episode_id) != own:
                    self._library.loudness.put(event.episode_id, own)
            except EarmarkError as error:
                log.warning("how loud an episode is can't be saved: %s", error)
        self.session.measured(event.episode_id, own, pauses.spans if pauses else ())

    def waveform(self, episode_id: EpisodeId) -> Waveform | None:
        """The loudness of the current episode over time, as far as it is known. Never waits."""
        return self.measuring.known(episode_id, WAVEFORM)

    @contextmanager
    def unless_closed(self) -> Iterator[bool]:
        """Whether parts may still be started; they aren't closed while this is held."""
        with self._life:
            yield not self._closed

    def keep_recent(self) -> tuple[Path, str]:
        """A file with the last minutes of the live stream that plays, for the caller to delete, and its format. Raises
        ControlError."""
        status = self.session.status
        if status.episode is None or not status.live:
            raise ControlError(_("No live stream is playing"))
        try:
            kept = self.media.keep_recent(status.episode)
        except OSError as error:
            raise ControlError(str(disk_error(error, _("The stream can't be kept")))) from error
        if kept is None:
            raise ControlError(_("Nothing is kept of this stream"), _("Only MP3 and AAC streams can be clipped."))
        return kept

    # -- life -------------------------------------------------------------------------------------------------

    def _fetcher(self) -> Fetcher:
        return Fetcher(self.media.network, self.credentials.find)

    def cover_maker(self) -> CoverMaker:
        """Makes the pictures of covers; the caller closes it."""
        from player.artwork.image_fetcher import ImageFetcher
        from player.artwork.maker import CoverMaker

        return CoverMaker(self._paths.covers, lambda: ImageFetcher(self.media.network, self.credentials.find))

    def start(self) -> None:
        """Starts the threads; when this returns the last episode is in the session, paused at its position, or the
        sound of another Earmark continues. Raises AlreadyRunning if that doesn't hand over.

        Nothing is started once `close` has been called, even if it is called meanwhile.
        """
        for part in (
            self._restore_output,
            self.start_hooks,
            self.measuring.start,
            self.mark_mover.start,
            self.segment_finder.start,
            self.start_headphones,
            lambda: self._claim.begin(self.session, self.offline, self.output),
            self._start_control,
            self._claim.wait_for_others,
            self.media_keys.start,
            self.sync.start,
            self.downloads.start,
            self.rules.runner.start,
            self.transcripts.start,
            lambda: follow_library(self.index, self._library, self.jobs, self._bus),
            self._scan_cache,
            lambda: self.attachments.backlog.follow(self.settings.transcripts.fetch),
            lambda: self.transcript_files.follow(self.settings.downloads.transcripts),
        ):
            with self._life:
                if self._closed:
                    return
                part()

    @property
    def directories(self) -> Directories:
        """The directories in which podcasts are found; loaded at first use."""
        with self._life:
            if self._directories is None:
                from player.directory.directories import Directories
                from player.library.subscriptions import subscriptions

                self._directories = Directories(
                    self.settings.directories,
                    lambda: subscriptions(self._library.podcasts),
                    self.credentials.find,
                    self.media.network,
                )
                if self._closed:
                    self._directories.close()
            return self._directories

    def forget_directories(self) -> None:
        """They are loaded again at their next use; searches under way end."""
        self._close_directories()
        self._directories = None

    def _restore_output(self) -> None:
        """Called before there is any sound, but not before `start`, because a key press may be waiting for these parts
        to be built."""
        self.output.restore(self._library.state.get(REMEMBERED_AS))

    def start_hooks(self) -> None:
        """Called before the first event of the session."""
        if self.settings.hooks.programs:
            from player.integrations.hooks.event_hooks import EventHooks

            self.hooks = EventHooks(self.settings.hooks, self._library, self._bus, self._paths.hook_failures)
            self.hooks.start()

    def _podcasts_arranged(self, event: PodcastsArranged) -> None:
        """The current episode's podcast may have another title now."""
        for podcast_id in event.podcast_ids:
            self.session.settings_changed(podcast_id)

    def _draws_waveforms(self) -> bool:
        looks = self.settings.appearance
        return self.running.role is Role.SCREEN and looks.waveform and not looks.ascii

    def start_headphones(self) -> None:
        if self._has_sound and self.settings.desktop.pause_unplugged:
            self.headphones.start()

    def _start_control(self) -> None:
        try:
            self._control.start(self._claim.listener)
        except (EarmarkError, OSError) as error:
            self._notify(_("Earmark can't be controlled from other programs: {error}", error=error), Severity.WARNING)

    def _scan_cache(self) -> None:
        threading.Thread(target=self.media.whole.scan, name="earmark-cached", daemon=True).start()

    def close(self, closing: Closing) -> None:
        """Saves the position and goes silent, then ends everything else. Returns before all has ended.

        The session has a moment for itself; after that, a part that hangs or raises doesn't keep the others from
        ending.
        """
        self._closed = True
        self.offline.close()
        closing.begin({"session": lambda: self.session.close(closing.left_s)})
        closing.wait(_SESSION_FIRST_S)
        # A part that is being started can't be closed before it has started.
        if self._life.acquire(timeout=min(_STARTING_S, closing.left_s)):
            self._life.release()
        if self.hooks is not None:
            self.hooks.close()
        closing.begin(
            {
                "download rules": self.rules.runner.close,
                "downloads": self.downloads.close,
                "transcriber": self.transcriber.close,
                "transcripts": self.transcripts.close,
                "transcript files": self.transcript_files.close,
                "summaries": self.summaries.close,
                "videos": self.viewer.close,
                "jobs": self.jobs.close,
                "attachments": self.attachments.close,
                "comments": self.comments.close,
                "index": self.index.close,
                "measuring": self.measuring.close,
                "marks": self.mark_mover.close,
                "segments": self.segment_finder.close,
                "network": lambda: self._close_network(closing),
                "directories": self._close_directories,
                "control socket": self._control.close,
                "media keys": self.media_keys.close,
                "headphones": self.headphones.close,
            }
        )

    def _close_network(self, closing: Closing) -> None:
        """Called after the last listening has been sent; a process that plays on sends it otherwise."""
        self.sync.close(min(_SYNC_LAST_S, closing.left_s - _AFTER_SYNC_S), sends=not self._claim.is_gone)
        self.media.close()

    def _close_directories(self) -> None:
        if self._directories is not None:
            self._directories.close()

    def ask_to_quit(self) -> None:
        self._bus.publish(QuitAsked())

    def cached_ids(self) -> frozenset[EpisodeId]:
        """The completely cached episodes. Raises LibraryError."""
        whole = self.media.whole.keys
        if not whole:
            return frozenset()
        return frozenset(
            one for one, guid, url in self._library.episodes.heard_or_queued() if key_for(guid, url) in whole
        )

    def choose_output(self, output: SoundOutput, title: str = "") -> Callable[[], None]:
        """Playback continues on that output, at the same position; `title` is what it is called. The returned write
        makes the choice last beyond this run."""
        text = self.output.choose(output, title)
        self.session.reopen()
        return lambda: self._library.state.set(REMEMBERED_AS, text)

    def _heard(self) -> tuple[EpisodeId, int] | None:
        """The episode in the player and the position in it."""
        status = self.session.status
        return (status.episode.id, status.position_ms) if status.episode else None

    def _hush(self, episode_id: EpisodeId) -> int | None:
        """Pauses, and returns the position in that episode if it is the one in the player."""
        with suppress(TimeoutError):
            self.session.pause().result(_PAUSE_S)
        status = self.session.status
        if status.episode is None or status.episode.id != episode_id or status.state is PlaybackState.ENDED:
            return None
        return status.position_ms

    def _in_player(self) -> EpisodeId | None:
        """The episode that is playing or paused: no rule deletes its file."""
        episode = self.session.status.episode
        return episode.id if episode else None

    def _notify(self, text: str, severity: Severity = Severity.INFORMATION) -> None:
        self._bus.publish(Notice(text, severity))

    def _downloaded(self, episode: Episode) -> Download | None:
        return self._library.downloads.get(episode.id) if episode.downloaded else None


def skip_rules(settings: Settings) -> SkipRules:
    return SkipRules(settings.chapters.skip, settings.chapters.skip_in)
