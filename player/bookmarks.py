"""Bookmarks for the screen and the commands: made and deleted as acts that can be undone, and appended to a Markdown
file by the listener's template.
"""

import os
import re
import stat
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

from player.acts import Writes
from player.errors import EarmarkError
from player.events import Bookmarked, BookmarksChanged, Bus, Cause, Notice
from player.library import Library
from player.library.listening.bookmarks import Put
from player.links.addresses import below_home
from player.links.urls import link_at
from player.model.episode import Episode
from player.model.listening import ActKind, Bookmark, BookmarkId, Moment
from player.model.playback import PlaybackStatus, Severity
from player.processes.scheduler import SharedThreads
from player.settings import BookmarksFile
from player.text.durations import clock
from player.text.sentences import _

if TYPE_CHECKING:
    from player.attachments.attachments import Attachments


T = TypeVar("T")


class Here(Struct, frozen=True):
    """A position in an episode, or a clip that begins there."""

    episode: Episode
    position_ms: int
    length_ms: int = 0


def heard_now(status: PlaybackStatus) -> Here | None:
    """The position being heard at this moment; None for nothing, and for a stream, which has no positions."""
    if status.episode is None or status.live:
        return None
    return Here(status.episode, status.at(time.monotonic()).position_ms)


class Bookmarks:
    """Every command returns at once. Its future is done when the change is on the disk, and published."""

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
        self._file = SharedThreads(1, "earmark-bookmarks")

    def add(self, here: Here, note: str = "") -> Future[Put]:
        """Stores the position, its chapter and the sentence that is said there. The future raises NotFound when the
        episode is gone.

        If the Markdown file can't be written, a Notice says so.
        """

        def work() -> Put:
            moment = self._moment(here, note)
            near = self._library.bookmarks.near(here.episode.id, here.position_ms, here.length_ms)
            with self._library.acts.recorded_bookmarks(ActKind.BOOKMARKED, [near.id] if near else []):
                put = self._library.bookmarks.put(here.episode.id, moment)
            self._bus.publish(BookmarksChanged(Cause.PERSON))
            self._bus.publish(Bookmarked(put.bookmark, Cause.PERSON))
            if self.settings.file:
                self._file.submit(self._append, put)
            return put

        return self._write(work)

    def delete(self, ids: Sequence[BookmarkId]) -> Future[list[BookmarkId]]:
        """Deletes the given bookmarks that exist. The Markdown file is the listener's own: its text about them
        stays."""

        def work() -> list[BookmarkId]:
            with self._library.acts.recorded_bookmarks(ActKind.BOOKMARK_DELETED, ids):
                deleted = self._library.bookmarks.delete(ids)
            if deleted:
                self._bus.publish(BookmarksChanged(Cause.PERSON))
            return deleted

        return self._write(work)

    def close(self) -> None:
        """Waits a moment for text that is still to be appended to the file."""
        self._file.shutdown()

    def _moment(self, here: Here, note: str) -> Moment:
        """The moment with everything that this disk has about that position. Missing details don't keep a bookmark from
        being made."""
        chapter = line = ""
        with suppress(EarmarkError):
            attachments = self._attachments()
            if (found := attachments.chapters(here.episode).at(here.position_ms)) is not None:
                chapter = found.title
            if (transcript := attachments.transcript(here.episode.id)) is not None:
                from player.transcripts import sentence_at

                line = sentence_at(transcript, here.position_ms)
        return Moment(here.position_ms, chapter, line, note, here.length_ms)

    def _append(self, put: Put) -> None:

        text = markdown(put.bookmark, self.settings.template)
        before = markdown(put.before, self.settings.template) if put.before else ""
        if before and put.bookmark.note == put.before.note:  # type: ignore[union-attr]
            return
        try:
            append(path_of(self.settings.file), text, instead_of=before)
        except EarmarkError as error:
            self._bus.publish(Notice(str(error), Severity.ERROR))


_FIELD = re.compile(r"\{(\w+)\}")
_SIGN = re.compile(r"([\\`*\[\]<>~|#]|(?<![^\W_])_|_(?![^\W_]))")
_AT_START = re.compile(r"(\d*)([-+.)=])")


def markdown(bookmark: Bookmark, template: str) -> str:
    """The template, its fields filled in. A line of it in which every field is empty is left out. Ends with a newline.

    Titles, lines and notes come from strangers or keyboards: characters with a meaning in Markdown are escaped.
    """
    time, link = clock(bookmark.position_ms), link_at(bookmark.link, bookmark.position_ms)
    end = f"–{clock(bookmark.end_ms)}" if bookmark.length_ms else ""
    values = {
        "date": bookmark.created_at.astimezone().date().isoformat(),
        "time": time,
        "moment": (f"[{time}](<{link}>)" if link else time) + end,
        "length": clock(bookmark.length_ms) if bookmark.length_ms else "",
        "episode": escaped(bookmark.episode),
        "podcast": escaped(bookmark.podcast),
        "chapter": escaped(bookmark.chapter),
        "line": escaped(bookmark.line),
        "note": escaped(bookmark.note),
        "link": link,
    }
    lines = []
    for line in template.strip("\n").split("\n"):
        names = _FIELD.findall(line)
        if not names or any(values.get(name) for name in names):
            lines.append(_FIELD.sub(lambda found: values.get(found[1], found[0]), line).rstrip())
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """A line with all characters escaped that have a meaning in Markdown."""
    line = _SIGN.sub(r"\\\1", text)
    return _AT_START.sub(r"\1\\\2", line, count=1) if _AT_START.match(line) else line


class CannotWrite(EarmarkError):
    """The file can't be written to."""


def path_of(setting: str) -> Path:
    """The file in the settings: a relative path is relative to the home folder."""
    return below_home(setting)


def append(path: Path, text: str, *, instead_of: str = "") -> None:
    """Appends whole lines; if the file ends with `instead_of`, they replace it.

    The file is created if it is missing, its folder isn't. A write that fails leaves the file as it was. Raises
    CannotWrite.
    """
    try:
        _append(path, text.encode(), instead_of.encode())
    except OSError as error:
        reason = error.strerror or _("disk error")
        raise CannotWrite(
            _("Can't write the bookmark to {file}: {reason}", file=path, reason=reason), _("It's kept in Earmark.")
        ) from error


def _append(path: Path, added: bytes, instead_of: bytes) -> None:
    # O_NONBLOCK: opening a pipe that nobody reads must not block.
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise OSError(0, _("it isn't a file"))
        size = os.fstat(file).st_size
        end = size - len(instead_of)
        if not (instead_of and end >= 0 and os.pread(file, len(instead_of), end) == instead_of):
            end = size
        if end and os.pread(file, 1, end - 1) != b"\n":
            added = b"\n" + added
        before = os.pread(file, size - end, end)
        try:
            _write_at(file, added, end)
            os.ftruncate(file, end + len(added))
        except OSError:
            os.ftruncate(file, end)
            _write_at(file, before, end)
            raise
    finally:
        os.close(file)


def _write_at(file: int, data: bytes, offset: int) -> None:
    while data:
        written = os.pwrite(file, data, offset)
        data, offset = data[written:], offset + written
