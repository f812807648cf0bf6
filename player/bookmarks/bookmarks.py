"""Bookmarks for the screen and the commands: made and deleted as acts that can be undone."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol, TypeVar

from msgspec import Struct

from player.errors import EarmarkError
from player.events import Bookmarked, BookmarksChanged, Bus, Cause, Notice
from player.library import Library
from player.library.listening.bookmarks import Put
from player.model.acts import ActKind
from player.model.bookmark import BookmarkId, Moment
from player.model.episode import Episode
from player.model.playback import PlaybackStatus, Severity
from player.processes.threads import DaemonThreads
from player.settings import BookmarksFile

if TYPE_CHECKING:
    from player.attachments.attachments import Attachments

T = TypeVar("T")

_SAID_MS = 15_000
"""A line of the transcript belongs to a moment for so long after it has ended."""


class Writes(Protocol):
    """Runs work on the thread that writes, and notifies the listener when it fails."""

    def __call__(self, work: Callable[[], T]) -> Future[T]: ...


class Here(Struct, frozen=True):
    """A position in an episode."""

    episode: Episode
    position_ms: int


def heard_now(status: PlaybackStatus) -> Here | None:
    """What is heard at this moment; None for nothing, and for a stream, which has no positions."""
    if status.episode is None or status.live:
        return None
    return Here(status.episode, status.at(time.monotonic()).position_ms)


class Bookmarks:
    """Every command returns at once. Its future is done when what changed is on the disk, and published."""

    def __init__(
        self,
        library: Library,
        bus: Bus,
        write: Writes,
        settings: BookmarksFile,
        attachments: Callable[[], "Attachments"],
    ) -> None:
        self._library = library
        self._bus = bus
        self._write = write
        self.settings = settings
        self._attachments = attachments
        self._file = DaemonThreads(1, "earmark-bookmarks")

    def add(self, here: Here, note: str = "") -> Future[Put]:
        """Keeps the position, its chapter and what is said there. The future raises NotFound when the episode is gone.

        A Notice says so when the Markdown file can't be written.
        """

        def work() -> Put:
            moment = self._moment(here, note)
            near = self._library.bookmarks.near(here.episode.id, here.position_ms)
            with self._library.acts.recorded_bookmarks(ActKind.BOOKMARKED, [near.id] if near else []):
                put = self._library.bookmarks.put(here.episode.id, moment)
            self._bus.publish(BookmarksChanged(Cause.PERSON))
            self._bus.publish(Bookmarked(put.bookmark, Cause.PERSON))
            if self.settings.file:
                self._file.submit(self._append, put)
            return put

        return self._write(work)

    def delete(self, ids: Sequence[BookmarkId]) -> Future[list[BookmarkId]]:
        """Those that were there. The Markdown file is the listener's own: what it says of them stays."""

        def work() -> list[BookmarkId]:
            with self._library.acts.recorded_bookmarks(ActKind.BOOKMARK_DELETED, ids):
                deleted = self._library.bookmarks.delete(ids)
            if deleted:
                self._bus.publish(BookmarksChanged(Cause.PERSON))
            return deleted

        return self._write(work)

    def close(self) -> None:
        """Waits a moment for what is to be appended to the file."""
        self._file.shutdown()

    def _moment(self, here: Here, note: str) -> Moment:
        """With what is known on this disk of that position. A bookmark doesn't fail for want of it."""
        chapter = line = ""
        with suppress(EarmarkError):
            attachments = self._attachments()
            if (found := attachments.chapters(here.episode).at(here.position_ms)) is not None:
                chapter = found.title
            transcript = attachments.transcript(here.episode.id)
            row = transcript.at(here.position_ms) if transcript else None
            if transcript and row is not None:
                transcript_line = transcript.lines[row]
                ended = transcript_line.end_ms if transcript_line.end_ms is not None else transcript_line.start_ms or 0
                line = transcript_line.text if here.position_ms <= ended + _SAID_MS else ""
        return Moment(here.position_ms, chapter, line, note)

    def _append(self, put: Put) -> None:
        from player.bookmarks.markdown import markdown
        from player.bookmarks.markdown_file import append, path_of

        text = markdown(put.bookmark, self.settings.template)
        before = markdown(put.before, self.settings.template) if put.before else ""
        if before and put.bookmark.note == put.before.note:  # type: ignore[union-attr]
            return
        try:
            append(path_of(self.settings.file), text, instead_of=before)
        except EarmarkError as error:
            self._bus.publish(Notice(str(error), Severity.ERROR))
