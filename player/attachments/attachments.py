"""Chapters and transcripts of episodes, for any thread: those that are here, and fetching the others."""

import logging
from collections.abc import Callable
from datetime import UTC, datetime

from player.attachments.episode_transcripts import Transcripts
from player.attachments.fetch_queue import Want, Worker
from player.attachments.now_playing_chapters import Following, OnChapters
from player.attachments.stored import missing_chapters
from player.chapters.best import FoundChapters
from player.errors import AttachmentError
from player.events import AttachmentsChanged, Bus, PlaybackChanged
from player.library import Attachment, AttachmentKind, Library
from player.media import MediaStore
from player.media.fetching.media_errors import host_of
from player.model.chapters import Chapters
from player.model.episode import Episode, EpisodeId
from player.model.playback import ACTIVE, PlaybackState
from player.model.transcript import Transcript, TranscriptRef
from player.text.sentences import _

log = logging.getLogger(__name__)

CHAPTERS_LIMIT, TRANSCRIPT_LIMIT = 4 * 1024**2, 16 * 1024**2
"""Most bytes, decompressed."""


class Attachments:
    """Reading may raise LibraryError and reads the disk: call it on a thread. `want` returns at once."""

    def __init__(
        self,
        library: Library,
        media: MediaStore,
        bus: Bus,
        *,
        language: str = "",
        on_chapters: OnChapters = lambda _episode_id, _chapters: None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`language` is a tag such as `en`: transcripts in it come first; "" for the language of this computer.

        `on_chapters` is called on another thread with the chapters of what plays, and again when they change.
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
        self._following = Following(self.find_chapters, on_chapters, bus)
        self._now = now
        self._playing: EpisodeId | None = None
        self._waited = False
        bus.subscribe(PlaybackChanged, self._on_playback)

    # -- what is here --------------------------------------------------------------------------------------

    def chapters(self, episode: Episode) -> Chapters:
        """From the feed and this disk; none if none are known yet."""
        return self.find_chapters(episode).chapters

    def find_chapters(self, episode: Episode) -> FoundChapters:
        """The same, and whether bytes that aren't cached yet could bring better ones."""
        from player.attachments.chapter_sources import ChapterSources

        return ChapterSources(self._library, self._media.available).find(episode)

    def missing(self, episode_id: EpisodeId) -> frozenset[AttachmentKind]:
        """The files that the feed names and `want` would fetch."""
        return frozenset(want.kind for want in self._wants(episode_id))

    def transcripts(self, episode_id: EpisodeId) -> tuple[TranscriptRef, ...]:
        """Those that the feed names and those that the listener added; the best first."""
        return tuple(self._transcripts.refs(episode_id))

    def prefer(self, language: str) -> None:
        """Another language of the listener, as `language` above."""
        self._transcripts.prefer(language)

    def transcript(self, episode_id: EpisodeId, language: str = "") -> Transcript | None:
        """The best one stored: in that language, else the listener's own, else in the listener's language; or None."""
        return self._transcripts.get(episode_id, language)

    # -- fetching -----------------------------------------------------------------------------------------------

    def want(self, episode_id: EpisodeId) -> None:
        """Fetches missing files in the background; publishes AttachmentsChanged when one arrives or fails."""
        self._worker.want(episode_id)

    def fetch(self, episode_id: EpisodeId, kind: AttachmentKind | None = None) -> str:
        """Like `want`, for one kind or all, but returns when done: `trouble`. For commands."""
        self._worker.fetch(episode_id, kind)
        return self.trouble(episode_id)

    def fetched_chapters(self, episode: Episode) -> Chapters:
        """Like `chapters`, once the chapters that the feed names were fetched, or failed to be."""
        if AttachmentKind.CHAPTERS in self.missing(episode.id):
            self.fetch(episode.id, AttachmentKind.CHAPTERS)
        return self.chapters(episode)

    def trouble(self, episode_id: EpisodeId, kind: AttachmentKind | None = None) -> str:
        """Why the last fetch (of that kind) failed, a sentence; "" when it didn't."""
        return self._worker.trouble(episode_id, kind)

    def network_is_back(self) -> None:
        """What couldn't be fetched may be fetched now: at once for what plays, else when it is wanted."""
        self._worker.forget_failures()
        if self._playing is not None:
            self.want(self._playing)

    def close(self) -> None:
        self._worker.close()
        self._following.close()

    # -- inside -------------------------------------------------------------------------------------------------

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
            # There is a network again: what failed without one needn't wait for its next try.
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
        """Stores a file. Raises AttachmentError for what can't be read, such as a sign-in page."""
        try:
            if companion.kind is AttachmentKind.CHAPTERS:
                from player.chapters.json_chapters import read_json_chapters

                read_json_chapters(companion.body)
                self._library.attachments.put(episode_id, companion, self._now())
            else:
                self._transcripts.keep(episode_id, companion, self._now())
        except ValueError as error:
            raise AttachmentError(
                _("The {what} from {host} can't be read", host=host_of(companion.url), what=companion.kind)
            ) from error
