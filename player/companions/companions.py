"""The companions of episodes, for any thread: what is known of them now, and the fetching of the rest."""

import logging
from collections.abc import Callable
from datetime import UTC, datetime

from player.companions.chapters import best
from player.companions.chapters_json import read_json_chapters
from player.companions.chapters_podlove import read_podlove_chapters
from player.companions.transcripts import read_transcript, wanted
from player.companions.worker import Want, Worker
from player.errors import CompanionError, NotFound
from player.events import Bus, CompanionsChanged, PlaybackChanged
from player.library import Companion, CompanionKind, EpisodeDetails, Library
from player.media import MediaStore
from player.media.failures import host_of
from player.model import WELCOME_URL, Chapter, Chapters, ChapterSource, Episode, EpisodeId, Transcript, TranscriptRef
from player.playback.states import ACTIVE
from player.welcome import resource

log = logging.getLogger(__name__)

CHAPTERS_LIMIT, TRANSCRIPT_LIMIT = 4 * 1024**2, 16 * 1024**2
"""Bytes, unpacked."""


class Companions:
    """Reads may raise LibraryError, and read the disk: call them in a thread. `want` returns at once."""

    def __init__(
        self,
        library: Library,
        media: MediaStore,
        bus: Bus,
        *,
        language: str = "",
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`language` is a tag such as `en`: transcripts in it come first."""
        self._library = library
        self._media = media
        self._language = language
        self._worker = Worker(self._wants, self._keep, lambda id_: bus.publish(CompanionsChanged(id_)), media.login)
        self._now = now
        self._playing: EpisodeId | None = None
        bus.subscribe(PlaybackChanged, self._hear)

    # -- what is known now --------------------------------------------------------------------------------------

    def chapters(self, episode: Episode) -> Chapters:
        """From what the feed says and what is on this disk; none where nothing is known, or not yet."""
        details = self._details(episode.id)
        return best(
            (
                (ChapterSource.JSON, lambda: self._from_json(episode.id, details.chapters_url)),
                (ChapterSource.PODLOVE, lambda: read_podlove_chapters(details.extra)),
            )
        )

    def transcripts(self, episode_id: EpisodeId) -> tuple[TranscriptRef, ...]:
        """Those that the feed names, and those that were given by hand."""
        named = self._details(episode_id).transcripts
        known = {ref.url for ref in named}
        kept = self._library.companions.listed(episode_id, CompanionKind.TRANSCRIPT)
        given = (TranscriptRef(one.url, one.media_type, one.language) for one in kept if one.url not in known)
        return (*named, *given)

    def transcript(self, episode_id: EpisodeId, language: str = "") -> Transcript | None:
        """The one in that language, else the listener's, else any; None while none is kept."""
        refs = wanted(self.transcripts(episode_id), language or self._language)
        for ref in refs:
            kept = self._kept(episode_id, CompanionKind.TRANSCRIPT, ref.url)
            if kept:
                try:
                    return read_transcript(kept.body, kept.media_type or ref.media_type)
                except ValueError as error:
                    log.info("a kept transcript of %s can't be read: %s", episode_id, error)
        return None

    # -- the rest -----------------------------------------------------------------------------------------------

    def want(self, episode_id: EpisodeId) -> None:
        """Fetches what isn't here, in the background; CompanionsChanged tells when something came, or failed to."""
        self._worker.want(episode_id)

    def trouble(self, episode_id: EpisodeId) -> str:
        """Why the last fetch came to nothing, a sentence; "" when it didn't."""
        return self._worker.trouble(episode_id)

    def close(self) -> None:
        self._worker.close()

    # -- inside -------------------------------------------------------------------------------------------------

    def _hear(self, event: PlaybackChanged) -> None:
        status = event.status
        if status.episode and status.state in ACTIVE and status.episode.id != self._playing:
            self._playing = status.episode.id
            self.want(status.episode.id)

    def _wants(self, episode_id: EpisodeId) -> list[Want]:
        """What the feed names of this episode and isn't kept, the most wanted first."""
        details = self._details(episode_id)
        wants = []
        if details.chapters_url:
            wants.append(Want(CompanionKind.CHAPTERS, details.chapters_url, CHAPTERS_LIMIT))
        for ref in wanted(details.transcripts, self._language):
            wants.append(Want(CompanionKind.TRANSCRIPT, ref.url, TRANSCRIPT_LIMIT, ref.media_type, ref.language))
        return [want for want in wants if self._kept(episode_id, want.kind, want.url) is None]

    def _keep(self, episode_id: EpisodeId, companion: Companion) -> None:
        """Raises CompanionError for what can't be read: a page to sign in to must not stay in its place."""
        try:
            if companion.kind is CompanionKind.CHAPTERS:
                read_json_chapters(companion.body)
            else:
                read_transcript(companion.body, companion.media_type)
        except ValueError as error:
            raise CompanionError(f"{host_of(companion.url)} sent something else than the {companion.kind}") from error
        self._library.companions.put(episode_id, companion, self._now())

    def _from_json(self, episode_id: EpisodeId, url: str) -> tuple[Chapter, ...]:
        kept = self._kept(episode_id, CompanionKind.CHAPTERS, url) if url else None
        try:
            return read_json_chapters(kept.body) if kept else ()
        except ValueError as error:
            log.info("the kept chapters of %s can't be read: %s", episode_id, error)
            return ()

    def _kept(self, episode_id: EpisodeId, kind: CompanionKind, url: str) -> Companion | None:
        if url.startswith(f"{WELCOME_URL}/"):
            try:
                return Companion(kind, url, resource(url.removeprefix(f"{WELCOME_URL}/")))
            except FileNotFoundError:
                return Companion(kind, url)
        return self._library.companions.get(episode_id, kind, url)

    def _details(self, episode_id: EpisodeId) -> EpisodeDetails:
        """Empty for an episode that is gone."""
        try:
            return self._library.episodes.details(episode_id)
        except NotFound:
            return EpisodeDetails()
