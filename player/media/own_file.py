"""Media in a file that belongs to the listener and to a podcast of local audio: read where it is, never changed.

Its disk may be slow, or gone: whatever looks at it runs on a thread that nobody waits for longer than `_PATIENCE_S`.
"""

import errno
import os
import stat
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TypeVar

from player.errors import MediaError
from player.links.local_files import belongs_to, path_of
from player.media.formats import sniff as formats
from player.media.formats.durations import duration_ms
from player.media.protocol import never
from player.processes.threads import DaemonThreads
from player.text.cleaning import clean_line
from player.text.sentences import _

T = TypeVar("T")

_PATIENCE_S = 20.0
_SLOW_S = 2.0
"""After this time listeners are shown what is being waited for."""


def own_file(address: str, podcast: str) -> Path | None:
    """The file at `address`, if the podcast at the address `podcast` may name files: one that is a folder or file on
    this computer itself, and has this file in it."""
    return path_of(address) if belongs_to(address, podcast) else None


class OwnFile:
    """Implements player.media.store.EpisodeMedia. The file is opened on another thread; what fails is in `error`."""

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
        self.stream = ""
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
