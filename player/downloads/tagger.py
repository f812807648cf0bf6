"""Gives downloads the tags that they lack: gathers the data about an episode, and starts the process that writes."""

import logging
import os
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from player.attachments.fetch_queue import Fetcher
from player.downloads.tags import Mark, Picture, Tags, picture_of, tagged
from player.errors import AttachmentError, NotFound
from player.library import EpisodeDetails, Library
from player.model.episode import Chapters, ChapterSource, Episode
from player.processes.sandbox import Sandbox, SandboxError
from player.processes.threads import CancelToken
from player.text.cleaning import clean_line
from player.text.sentences import mark

log = logging.getLogger(__name__)

MEMORY = 512 * 1024 * 1024
"""Most bytes for the process: a tag with the largest cover takes a tenth of that."""
_SLOWEST = 4 << 20
"""Bytes a second that every disk writes at least."""
_STARTING_S = 20.0
_LARGEST_PICTURE = 4 << 20
_MOST_CHAPTERS = 500
_LONGEST = 300
_KEPT_PICTURES = 4
_FORMATS = ("mp3", "mp4", "ogg", "flac")
_FROM_THE_FEED = (ChapterSource.JSON, ChapterSource.PODLOVE)


class ProcessTagger:
    """Any thread. `chapters` fetches and reads an episode's chapters; `fetcher` creates the fetcher of a picture."""

    def __init__(
        self,
        library: Library,
        chapters: Callable[[Episode], Chapters],
        fetcher: Callable[[], Fetcher],
    ) -> None:
        self._library = library
        self._chapters = chapters
        self._fetcher = fetcher
        self._lock = threading.Lock()
        self._pictures: dict[str, Picture | None] = {}

    def write(self, episode: Episode, source: Path, form: str, part: Path, cancel: CancelToken) -> bool:
        """Makes `part` a copy of `source`, a file of the format `form`, with the tags that it lacks.

        False if it lacks none, or if they can't be written; then there is no `part`. May raise LibraryError and
        OSError.
        """
        if form not in _FORMATS:
            return False
        tags = self._tags(episode, cancel)
        written = False
        try:
            seconds = _STARTING_S + source.stat().st_size / _SLOWEST
            sandbox = Sandbox(tagged, memory=MEMORY, seconds=seconds, writes=True)
            with closing(sandbox), cancel.ending(sandbox.close):
                written = sandbox.call(os.fsencode(source), os.fsencode(part), form, tags)
        except SandboxError as error:
            log.info("no tags for %s: %s", source, error)
        finally:
            if not written:
                part.unlink(missing_ok=True)
        return written

    # -- what is known ----------------------------------------------------------------------------------------

    def _tags(self, episode: Episode, cancel: CancelToken) -> Tags:
        try:
            details = self._library.episodes.details(episode.id)
            podcast = self._library.podcasts.get(episode.podcast_id)
        except NotFound:
            return Tags()
        title, day = clean_line(podcast.title, _LONGEST), episode.published
        return Tags(
            clean_line(episode.title, _LONGEST),
            title,
            clean_line(podcast.author, _LONGEST) or title,
            f"{day.astimezone():%Y-%m-%d}" if day else "",
            self._picture(details, podcast.image_url, cancel),
            self._marks(episode),
        )

    def _marks(self, episode: Episode) -> tuple[Mark, ...]:
        """The chapters from the feed; those that were in the file are there already."""
        chapters = self._chapters(episode)
        if chapters.source not in _FROM_THE_FEED:
            return ()
        marks = []
        for one in chapters.listed[:_MOST_CHAPTERS]:
            end = chapters.end_of(one, episode.duration_ms) or one.start_ms
            if 0 <= one.start_ms <= end < 1 << 32:
                marks.append(Mark(one.start_ms, end, clean_line(one.title, _LONGEST)))
        return tuple(marks)

    def _picture(self, details: EpisodeDetails, of_podcast: str, cancel: CancelToken) -> Picture | None:
        for url in (details.image_url, of_podcast):
            if url and not cancel.is_set:
                with self._lock:
                    known, picture = url in self._pictures, self._pictures.get(url)
                if not known:
                    picture = self._fetched(url, cancel)
                    self._keep(url, picture)
                if picture:
                    return picture
        return None

    def _keep(self, url: str, picture: Picture | None) -> None:
        with self._lock:
            while len(self._pictures) >= _KEPT_PICTURES:
                del self._pictures[next(iter(self._pictures))]
            self._pictures[url] = picture

    def _fetched(self, url: str, cancel: CancelToken) -> Picture | None:
        fetcher = self._fetcher()
        try:
            with cancel.ending(fetcher.abort):
                return picture_of(fetcher.fetch(url, mark("the picture"), _LARGEST_PICTURE).body)
        except AttachmentError as error:
            log.info("no cover: %s", error)
            return None
