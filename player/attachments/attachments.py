"""Chapters and transcripts of episodes, for any thread: at once from this disk, and better ones once they are
fetched."""

import logging
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

from player.attachments.backlog import Backlog
from player.attachments.episode_transcripts import Transcripts, file_name, missing_chapters
from player.attachments.fetch_queue import Want, Worker
from player.chapters.best import FoundChapters
from player.errors import AttachmentError, LibraryError
from player.events import AttachmentsChanged, Bus, PlaybackChanged
from player.library import Attachment, AttachmentKind, Library
from player.links.addresses import is_file_address
from player.media import MediaStore
from player.model.episode import Chapters, Episode, EpisodeId, Transcript, TranscriptRef
from player.model.playback import ACTIVE, PlaybackState
from player.net.failures import server_name
from player.processes.threads import Lane
from player.text.sentences import _

log = logging.getLogger(__name__)

SOONEST_S, LATEST_S = 0.2, 2.0
"""Seconds between two looks at a file that is being fetched: at first, when the bytes matter most, and later."""
_CLOSE_S = 1.0

OnChapters = Callable[[EpisodeId, Chapters], None]


class Following:
    """Follows the chapters of the current episode. `find` looks at the disk, in a lane of this object; `on_chapters` is
    called there when the chapters have changed.

    A status arrives several times a second, on the thread that saves positions: that thread only decides whether a look
    is worthwhile, and leaves the look to the lane. Of several waiting looks, only the newest is done.
    """

    def __init__(self, find: Callable[[Episode], FoundChapters], on_chapters: OnChapters, bus: Bus) -> None:
        self._find = find
        self._on_chapters = on_chapters
        self._bus = bus
        self._lock = threading.Lock()
        self._episode: Episode | None = None
        self._published: Chapters | None = None
        self._settled = False
        self._cached: object = ()
        self._next_look = float("-inf")
        self._pause_s = SOONEST_S
        self._lane = Lane("chapters")
        bus.subscribe(PlaybackChanged, self._played)
        bus.subscribe(AttachmentsChanged, self._changed)

    def close(self) -> None:
        self._lane.close(_CLOSE_S)

    # -- events -------------------------------------------------------------------------------------------------

    def _played(self, event: PlaybackChanged) -> None:
        status = event.status
        with self._lock:
            if status.episode is None:
                self._episode = None
                return
            if self._episode is None or self._episode.id != status.episode.id:
                self._published, self._settled, self._pause_s = None, False, SOONEST_S
            elif self._settled or status.cached == self._cached or status.measured_at < self._next_look:
                return
            self._episode, self._cached = status.episode, status.cached
            self._next_look = status.measured_at + self._pause_s
            self._pause_s = min(2 * self._pause_s, LATEST_S)
        self._look(status.episode)

    def _changed(self, event: AttachmentsChanged) -> None:
        with self._lock:
            episode = self._episode
        if episode is not None and episode.id == event.episode_id:
            self._look(episode)

    def _look(self, episode: Episode) -> None:
        self._lane.put(partial(self._look_at, episode), "look")

    # -- the lane -----------------------------------------------------------------------------------------------

    def _look_at(self, episode: Episode) -> None:
        try:
            found = self._find(episode)
        except LibraryError as error:
            log.info("the chapters of %s can't be read: %s", episode.id, error)
            return
        except Exception:
            log.exception("looking for the chapters of %s failed", episode.id)
            return
        with self._lock:
            if self._episode is None or self._episode.id != episode.id:
                return
            first, same = self._published is None, self._published == found.chapters
            self._published, self._settled = found.chapters, found.settled
        if not same:
            self._on_chapters(episode.id, found.chapters)
            if not first:
                self._bus.publish(AttachmentsChanged(episode.id))


CHAPTERS_LIMIT, TRANSCRIPT_LIMIT = 4 * 1024**2, 16 * 1024**2
"""Most bytes of a file, decompressed."""


class Attachments:
    """Reading may raise LibraryError; as it reads the disk, it must not be done on the screen's thread. `want` returns
    at once."""

    def __init__(
        self,
        library: Library,
        media: MediaStore,
        bus: Bus,
        *,
        language: str = "",
        on_chapters: OnChapters = lambda _episode_id, _chapters: None,
        offline: Callable[[], bool] = lambda: False,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`language` is a tag such as `en`: transcripts in it come first; "" for the language of this computer.

        `on_chapters` is called on another thread with the chapters of the current episode, and again when they change.
        """
        self._library = library
        self._media = media
        self._transcripts = Transcripts(library, language)
        self._worker = Worker(
            self._wants,
            self._keep,
            lambda id_: bus.publish(AttachmentsChanged(id_)),
            media.network,
            media.login,
            pages=media.pages,
        )
        self.backlog = Backlog(
            library,
            self._transcripts,
            lambda episode_id: self.fetch(episode_id, AttachmentKind.TRANSCRIPT),
            bus,
            offline=offline,
            now=now,
        )
        self._following = Following(self.find_chapters, on_chapters, bus)
        self._now = now
        self._playing: EpisodeId | None = None
        self._waited = False
        bus.subscribe(PlaybackChanged, self._on_playback)

    # -- on this disk -------------------------------------------------------------------------------------------

    def chapters(self, episode: Episode) -> Chapters:
        """The chapters from the feed and this disk; none if none are known yet."""
        return self.find_chapters(episode).chapters

    def find_chapters(self, episode: Episode) -> FoundChapters:
        """The same, and whether bytes that aren't cached yet could yield better chapters."""
        from player.attachments.chapter_sources import ChapterSources

        return ChapterSources(self._library, self._transcripts, self._media.available).find(episode)

    def missing(self, episode_id: EpisodeId) -> frozenset[AttachmentKind]:
        """The files that the feed names and `want` would fetch."""
        return frozenset(want.kind for want in self._wants(episode_id))

    def transcripts(self, episode_id: EpisodeId) -> tuple[TranscriptRef, ...]:
        """All transcripts, stored or not, best first."""
        return tuple(self._transcripts.refs(episode_id))

    def stored_transcripts(self, episode_id: EpisodeId) -> tuple[TranscriptRef, ...]:
        """The transcripts on this disk, best first."""
        return tuple(self._transcripts.stored(episode_id))

    def prefer(self, language: str) -> None:
        """Changes the listener's language, given as in `__init__`."""
        self._transcripts.prefer(language)

    def transcript(self, episode_id: EpisodeId, language: str = "", url: str = "") -> Transcript | None:
        """The best stored transcript: the one at `url`, else in that language, else by source (TranscriptSource), else
        in the listener's language; None if none is stored."""
        return self._transcripts.get(episode_id, language, url)

    # -- fetching -----------------------------------------------------------------------------------------------

    def want(self, episode_id: EpisodeId) -> None:
        """Fetches missing files in the background; publishes AttachmentsChanged when one arrives or fails."""
        self._worker.want(episode_id)

    def fetch(self, episode_id: EpisodeId, kind: AttachmentKind | None = None) -> str:
        """Like `want`, for one kind or all, but returns only when it is done, with the result of `trouble`. For
        commands."""
        self._worker.fetch(episode_id, kind)
        return self.trouble(episode_id)

    def fetched_chapters(self, episode: Episode) -> Chapters:
        """Like `chapters`, once the chapters that the feed names have been fetched, or have failed."""
        if AttachmentKind.CHAPTERS in self.missing(episode.id):
            self.fetch(episode.id, AttachmentKind.CHAPTERS)
        return self.chapters(episode)

    def trouble(self, episode_id: EpisodeId, kind: AttachmentKind | None = None) -> str:
        """A sentence that says why the last fetch (of that kind) failed; "" if it didn't."""
        return self._worker.trouble(episode_id, kind)

    def network_is_back(self) -> None:
        """Files that couldn't be fetched may be fetched now: at once for the current episode, otherwise on request."""
        self._worker.forget_failures()
        self.backlog.go_on()
        if self._playing is not None:
            self.want(self._playing)

    def close(self) -> None:
        self.backlog.close()
        self._worker.close()
        self._following.close()

    # -- internals ----------------------------------------------------------------------------------------------

    def _on_playback(self, event: PlaybackChanged) -> None:
        status = event.status
        if status.episode is None or status.state not in ACTIVE:
            return
        if status.episode.id != self._playing:
            self._playing, self._waited = status.episode.id, False
            self.want(status.episode.id)
        if status.waiting is not None:
            self._waited = True
        elif self._waited and status.state is PlaybackState.PLAYING:
            # The network is back, so files that failed without it needn't wait for their next attempt.
            self._waited = False
            self._worker.want(status.episode.id, at_once=True)

    def _wants(self, episode_id: EpisodeId) -> list[Want]:
        """The files that the feed names and that aren't stored yet, the most useful first."""
        wants = []
        if url := missing_chapters(self._library, episode_id):
            wants.append(Want(AttachmentKind.CHAPTERS, url, CHAPTERS_LIMIT))
        for ref in self._transcripts.missing(episode_id):
            wants.append(Want(AttachmentKind.TRANSCRIPT, ref.url, TRANSCRIPT_LIMIT, ref.media_type, ref.language))
        return wants

    def _keep(self, episode_id: EpisodeId, companion: Attachment) -> None:
        """Stores a file. Raises AttachmentError for a file that can't be read, such as a sign-in page."""
        try:
            if companion.kind is AttachmentKind.CHAPTERS:
                from player.chapters.texts import read_json_chapters

                read_json_chapters(companion.body)
                self._library.attachments.put(episode_id, companion, self._now())
            else:
                self._transcripts.keep(episode_id, companion, self._now())
        except ValueError as error:
            if is_file_address(companion.url):
                raise AttachmentError(
                    _("{file} isn't a transcript", file=file_name(companion.url)),
                    _("Earmark reads WebVTT, SubRip, JSON and plain text."),
                ) from error
            host = server_name(companion.url)
            raise AttachmentError(
                _("The chapters from {host} can't be read", host=host)
                if companion.kind is AttachmentKind.CHAPTERS
                else _("The transcript from {host} can't be read", host=host)
            ) from error
