"""The sources of an episode's chapters on this disk."""

import json
import logging
from collections.abc import Callable
from contextlib import AbstractContextManager

from msgspec.structs import replace

from player.attachments.episode_transcripts import Transcripts, details_of, stored_attachment
from player.chapters.best import FoundChapters, best
from player.chapters.file_bytes import FileBytes, NotHere
from player.chapters.in_file import read_file_chapters
from player.chapters.texts import read_json_chapters, read_notes_chapters, read_podlove_chapters
from player.library import AttachmentKind, Library
from player.library.attachments import OWN_CHAPTERS
from player.media.available import AvailableBytes
from player.model.episode import Chapter, ChapterSource, Episode, EpisodeId

Available = Callable[[Episode], AbstractContextManager[AvailableBytes | None]]

_OF_PODCAST = (ChapterSource.JSON, ChapterSource.PODLOVE, ChapterSource.NOTES)
"""Chapters whose times aren't those of this audio file."""

log = logging.getLogger(__name__)


class ChapterSources:
    """Any thread. May raise LibraryError."""

    def __init__(self, library: Library, transcripts: Transcripts, available: Available) -> None:
        self._library = library
        self._transcripts = transcripts
        self._available = available

    def find(self, episode: Episode) -> FoundChapters:
        """The chapters from the best source that has any now."""
        details = details_of(self._library, episode.id)
        found = best(
            {
                ChapterSource.JSON: lambda: self._in_json(episode.id, details.chapters_url),
                ChapterSource.PODLOVE: lambda: read_podlove_chapters(details.extra),
                ChapterSource.FILE: lambda: self._in_file(episode),
                ChapterSource.NOTES: lambda: read_notes_chapters(details.notes, episode.duration_ms),
                ChapterSource.HERE: lambda: self._in_json(episode.id, OWN_CHAPTERS),
            }
        )
        if found.chapters.source in _OF_PODCAST and (by := self._transcripts.shifts(episode.id)):
            from player.transcripts.shift import most, moved_chapters

            items = moved_chapters(found.chapters.items, by)
            return found._replace(chapters=replace(found.chapters, items=items, moved_ms=most(by)))
        if found.chapters.source is not ChapterSource.HERE:
            return found
        return found._replace(chapters=replace(found.chapters, made_by=self._made_by(episode.id)))

    def _made_by(self, episode_id: EpisodeId) -> str:
        kept = self._library.attachments.get(episode_id, AttachmentKind.CHAPTERS, OWN_CHAPTERS)
        return str(json.loads(kept.body)["made_by"]) if kept else ""

    def _in_json(self, episode_id: EpisodeId, url: str) -> tuple[Chapter, ...]:
        kept = stored_attachment(self._library, episode_id, AttachmentKind.CHAPTERS, url) if url else None
        try:
            return read_json_chapters(kept.body) if kept else ()
        except ValueError as error:
            log.info("the stored chapters of %s can't be read: %s", episode_id, error)
            return ()

    def _in_file(self, episode: Episode) -> tuple[Chapter, ...]:
        """Raises NotHere while the required bytes aren't cached."""
        try:
            with self._available(episode) as available:
                if available is None:
                    raise NotHere
                return read_file_chapters(FileBytes(available.read, available.size))
        except OSError as error:
            log.info("the audio file of %s can't be read: %s", episode.id, error)
            return ()
