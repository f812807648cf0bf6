"""Media in files: a download, or audio that belongs to the listener and to a podcast of local files."""

import errno
import os
import stat
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TypeVar

from player import regular_file
from player.errors import MediaError
from player.links.addresses import belongs_to, path_of
from player.media.available import version_of_file
from player.media.formats import sniff as formats
from player.media.formats.audio_length import duration_ms
from player.media.formats.mpeg import empty_tag
from player.media.protocol import never
from player.model.downloads import Original
from player.processes.threads import DaemonThreads
from player.text.cleaning import clean_line
from player.text.sentences import _

_NEARLY = 0.95
"""The fraction of its size that a download may shrink to when another program writes tags into it."""


class _Opened:
    """A descriptor that is closed with its last user."""

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def __del__(self) -> None:
        os.close(self.fd)


class LocalMedia:
    """Implements player.media.protocol.Media. Raises OSError where the file can't be read."""

    def __init__(self, path: Path, original: Original | None = None) -> None:
        """`original` is the file as it was before tags were written into it; None where nothing is known of that."""
        fd = regular_file.descriptor(path)
        self._opened: _Opened | None = _Opened(fd)
        self.version = version_of_file(path, fd)
        self._cancelled = False
        self.file_size = os.fstat(fd).st_size
        self._whole: bool | None = None
        self._head, self._moved_by = b"", 0
        if original is not None:
            self._look_at_tags(original)
        self.size = self.file_size - self._moved_by
        self.seekable = True
        self.format = formats.sniff(self._part(0, formats.HEAD)) or formats.sniff(self._part(0, formats.LONG_HEAD))
        self._duration: tuple[int | None] | None = None
        self.cached = ((0.0, 1.0),)
        self.complete = True
        self.reached_end = False
        self.error: MediaError | None = None
        self.trouble: MediaError | None = None
        self.stream = ""

    def damaged(self, size: int | None) -> bool:
        """Whether it is no audio, or lacks some of what it had as a download of `size` bytes."""
        if not self.format or self._whole is False:
            return True
        return self._whole is None and size is not None and self.file_size < size * _NEARLY

    @property
    def duration_ms(self) -> int | None:
        if self._duration is None:
            self._duration = (duration_ms(self._part, self.size, complete=True),)
        return self._duration[0]

    def read(self, offset: int, count: int, given_up: Callable[[], bool] = never) -> bytes:
        if self._cancelled or given_up():
            raise MediaError("Reading was stopped")
        try:
            data = self._part(offset, count)
        except OSError as error:
            self.error = MediaError(
                _("The downloaded file can't be read: {reason}", reason=error.strerror),
                _("Delete the download, then download the episode again."),
            )
            raise self.error from error
        if self._opened is None:
            raise MediaError("Reading was stopped")
        self.reached_end = offset + len(data) >= self.size
        return data

    def available(self, offset: int, count: int) -> bytes:
        return self._part(offset, count)

    def wake(self) -> None: ...

    def cancel(self) -> None:
        self._cancelled = True

    def close(self) -> None:
        """A read in progress ends first. Callbacks for libvlc may keep this object for long, and the space of a deleted
        file is free only once nobody has it open."""
        self._cancelled, self._opened = True, None

    def _part(self, offset: int, count: int) -> bytes:
        """The bytes at that position of the original, with an empty tag in place of its tags; none after `close`."""
        opened = self._opened
        if opened is None:
            return b""
        head = self._head[offset : offset + count]
        rest = count - len(head)
        return head + os.pread(opened.fd, rest, offset + len(head) + self._moved_by) if rest > 0 else head

    def _look_at_tags(self, original: Original) -> None:
        now = formats.tags_length(self._part)
        audio = original.length - original.head
        self._whole = None if self.file_size - now > audio else self.file_size - now == audio
        if self._whole and self.file_size != original.length:
            self._head, self._moved_by = empty_tag(original.head), now - original.head


T = TypeVar("T")

_PATIENCE_S = 20.0
_SLOW_S = 2.0
"""After this time listeners are shown what is being waited for."""


def own_file(address: str, podcast: str) -> Path | None:
    """The file at `address`, if the podcast at the address `podcast` may name files: one that is a folder or file on
    this computer itself, and has this file in it."""
    return path_of(address) if belongs_to(address, podcast) else None


class OwnFile:
    """Implements player.media.store.EpisodeMedia. The file is opened on another thread; a failure is stored in
    `error`."""

    def __init__(self, path: Path, on_change: Callable[[], None], patience_s: float = _PATIENCE_S) -> None:
        self._path = path
        self._on_change = on_change
        self._patience_s = patience_s
        self._fd = -1
        self._news = threading.Condition()
        self._cancelled = self._closed = False
        self._duration: int | None = None
        self._format: str | None = None
        self._size = 0
        self.stream = self.version = ""
        self.complete = True
        self.reached_end = False
        self.cached: tuple[tuple[float, float], ...] = ((0.0, 1.0),)
        self.error: MediaError | None = None
        self.trouble: MediaError | None = None
        self._threads = DaemonThreads(1, "earmark-own-file")
        self._opened = self._begin(self._open)
        self._begin(self._measure)

    # -- what an engine sees --------------------------------------------------------------------------------------

    @property
    def size(self) -> int | None:
        """Waits until the file is open; None if it can't be opened."""
        return self._size if self._is_open() else None

    @property
    def seekable(self) -> bool:
        """Waits like `size`."""
        return self._is_open()

    @property
    def format(self) -> str:
        if self._format is None:
            heads = (self.read(0, count) for count in formats.HEADS)
            self._format = next(filter(None, map(formats.sniff, heads)), "")
        return self._format

    @property
    def duration_ms(self) -> int | None:
        return self._duration

    def read(self, offset: int, count: int, given_up: Callable[[], bool] = never) -> bytes:
        self._wait(self._opened, given_up)
        data = self._wait(self._begin(lambda: os.pread(self._fd, count, offset)), given_up)
        self.reached_end = offset + len(data) >= self._size
        return data

    def available(self, offset: int, count: int) -> bytes:
        """All of it, unless the disk is slow."""
        if not self._opened.done() or self._opened.exception() is not None or self._closed:
            return b""
        try:
            return self._begin(lambda: os.pread(self._fd, count, offset)).result(_SLOW_S)
        except (OSError, TimeoutError, MediaError):
            return b""

    def wake(self) -> None:
        with self._news:
            self._news.notify_all()

    def cancel(self) -> None:
        self._cancelled = True
        self.wake()

    def close(self) -> None:
        with self._news:
            if self._closed:
                return
            self._cancelled = self._closed = True
            self._news.notify_all()
        self._threads.submit(self._release)
        self._threads.shutdown(wait=False)

    # -- on the file's thread -------------------------------------------------------------------------------------

    def _open(self) -> None:
        fd = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            os.close(fd)
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        self._fd, self._size = fd, status.st_size
        self.version = version_of_file(self._path, fd)

    def _measure(self) -> None:
        if self._fd >= 0 and not self._closed:
            self._duration = duration_ms(lambda at, count: os.pread(self._fd, count, at), self._size, complete=True)
            self._on_change()

    def _release(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    # -- waiting for it -------------------------------------------------------------------------------------------

    def _begin(self, work: Callable[[], T]) -> Future[T]:
        try:
            future = self._threads.submit(work)
        except RuntimeError as error:
            raise MediaError("Reading was stopped") from error
        future.add_done_callback(lambda _done: self.wake())
        return future

    def _is_open(self) -> bool:
        try:
            self._wait(self._opened, never)
        except MediaError:
            return False
        return True

    def _wait(self, future: Future[T], given_up: Callable[[], bool]) -> T:
        """The result, as soon as it is there. Raises MediaError."""
        began = time.monotonic()
        with self._news:
            while not future.done():
                if self._cancelled or given_up():
                    raise MediaError("Reading was stopped")
                waited = time.monotonic() - began
                if waited >= self._patience_s:
                    raise self._failed(self._slow())
                if waited >= _SLOW_S and self.trouble is None:
                    self.trouble = self._slow()
                self._news.wait((_SLOW_S if waited < _SLOW_S else self._patience_s) - waited)
        if self._cancelled or given_up():
            raise MediaError("Reading was stopped")
        self.trouble = None
        try:
            return future.result()
        except OSError as error:
            raise self._failed(_unreadable(self._path, error)) from error

    def _failed(self, error: MediaError) -> MediaError:
        self.error = error
        return error

    def _slow(self) -> MediaError:
        return MediaError(
            _("The disk with “{file}” doesn't respond", file=_shown(self._path)),
            _("Check its connection, then play the episode again."),
        )


def _unreadable(path: Path, error: OSError) -> MediaError:
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return MediaError(
            _("“{file}” isn't there", file=_shown(path)),
            _("Connect the disk it is on; if it has another name now, refresh the podcast."),
        )
    return MediaError(
        _("“{file}” can't be read: {reason}", file=_shown(path), reason=error.strerror or _("disk error")),
        _("Check its permissions and the disk it is on."),
    )


def _shown(path: Path) -> str:
    return clean_line(os.fsencode(path).decode("utf-8", "replace"), 200)
