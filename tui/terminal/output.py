"""Writes frames to the terminal on a separate thread, so that the app never waits for a terminal that doesn't read.

While the terminal is behind (a slow line, flow control, a suspended client), further frames are dropped whole; as soon
as it has read everything that was sent, the app is asked to redraw the screen.
"""

import os
import select
import signal
import sys
import termios
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from tui.terminal.capabilities import in_foreground

_BEHIND = 64 * 1024
"""How many bytes may be waiting before frames are dropped: a few frames of a large screen."""
_SHORT = 64
"""A text of up to this many characters is a mode or a query rather than a frame, and is never dropped ..."""
_FULL = 1024 * 1024
"""... until this many bytes are waiting: such a terminal has been stopped for hours."""
_PIECE = 16 * 1024
"""The most bytes written at once to a descriptor of our own; to a shared descriptor, on which a write may block, only
`_SHORT` are."""
_LOOK_S = 0.1
"""How often the thread that waits for the terminal checks whether to stop waiting."""
_FLUSHED_S = 0.1
_FINISH_S = 0.5
"""How long `finish` waits for a terminal that doesn't read."""
_CANCEL = b"\x18"
"""CAN (ECMA-48) ends an escape sequence that was cut in the middle."""


class TerminalOutput:
    """Writes to the terminal of `descriptor`, which is left open. Both callbacks run on the writing thread.

    `lost` is called once, when the terminal is gone; `caught_up` after frames were dropped, when the terminal has read
    the frames before them.
    """

    def __init__(self, descriptor: int, *, lost: Callable[[], None], caught_up: Callable[[], None]) -> None:
        self._lost = lost
        self._caught_up = caught_up
        self._descriptor, self._own = _reopened(descriptor)
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._dropped = False
        self._partial = False
        """Whether the terminal has received the beginning of a text whose rest is the first in the queue."""
        self._ending = False
        self._gone = False
        self._change = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="earmark-screen", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def write(self, text: str) -> None:
        """Never waits. May be called from any thread."""
        with self._change:
            if self._ending or self._gone:
                return
            if self._size > (_BEHIND if len(text) > _SHORT else _FULL):
                self._dropped = True
                return
            self._put(text.encode("utf-8", "replace"))

    def finish(self, text: str) -> None:
        """Writes `text` in place of all waiting texts, and accepts no more. Returns within 0.6 s.

        May be called several times, and from any thread.
        """
        with self._change:
            if not self._ending:
                self._ending = True
                self._clear()
                self._put(text.encode())
        if threading.current_thread() is not self._thread:
            self._thread.join(_FINISH_S)
        self._discard(text.encode())

    # -- with the lock held -----------------------------------------------------------------------------------

    def _put(self, data: bytes) -> None:
        self._waiting.append(data)
        self._size += len(data)
        self._change.notify_all()

    def _clear(self) -> None:
        """Drops the waiting texts. If one was written in part, its escape sequence is cancelled, so that the next text
        isn't taken as its continuation."""
        self._waiting.clear()
        self._size = 0
        if self._partial:
            self._partial = False
            self._put(_CANCEL)

    # -- the writing thread -----------------------------------------------------------------------------------

    def _run(self) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})  # else `stty tostop` stops us at the last write
        try:
            while self._next():
                if _ready(self._descriptor, _LOOK_S):
                    self._write_piece()
        except OSError:
            self._gone = True
            self._lost()
        finally:
            self._close()

    def _next(self) -> bool:
        """Waits for something to write; False when everything is written."""
        with self._change:
            caught_up = self._dropped and not self._waiting and not self._ending
            if caught_up:
                self._dropped = False
        if caught_up:
            self._caught_up()
        with self._change:
            self._change.wait_for(lambda: self._waiting or self._ending)
            return bool(self._waiting)

    def _write_piece(self) -> None:
        with self._change:
            if not self._waiting:
                return
            data = self._waiting[0]
            piece = data[: _PIECE if self._own else _SHORT]
        try:
            written = os.write(self._descriptor, piece)
        except BlockingIOError:
            return
        with self._change:
            if not self._waiting or self._waiting[0] is not data:  # `finish` was called meanwhile
                self._partial = False
                if written < len(data):
                    self._waiting.appendleft(_CANCEL)
                return
            self._waiting.popleft()
            self._size -= written
            self._partial = written < len(data)
            if self._partial:
                self._waiting.appendleft(data[written:])

    def _discard(self, text: bytes) -> None:
        """Discards the sent text that a stopped terminal hasn't read, to make room for `text`."""
        with self._change:
            if self._gone or not self._thread.is_alive() or not self._own or not in_foreground(self._descriptor):
                return
            with suppress(OSError, termios.error):
                termios.tcflush(self._descriptor, termios.TCOFLUSH)
                if _ready(self._descriptor, _FLUSHED_S):  # on a busy computer it takes a moment
                    os.write(self._descriptor, _CANCEL + text)
            self._waiting.clear()
            self._size = 0

    def _close(self) -> None:
        with self._change:
            self._gone = True
            if self._own:
                self._own = False
                with suppress(OSError):
                    os.close(self._descriptor)


def _ready(descriptor: int, wait_s: float) -> bool:
    """Whether the terminal accepts more within `wait_s` seconds. Raises OSError if it is gone."""
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    for _, happened in poll.poll(wait_s * 1000):
        if happened & (select.POLLHUP | select.POLLERR | select.POLLNVAL):
            raise OSError("the terminal is gone")
        return True
    return False


def _reopened(descriptor: int) -> tuple[int, bool]:
    """A descriptor of the same terminal to which writing doesn't block, and whether it is a new one.

    Whether writes block is a property of the open file, which is shared with the shell and all other programs there. So
    the terminal is opened once more; where that isn't allowed (after `su`, say), the shared descriptor is used.
    """
    flags = os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC
    with suppress(OSError):
        if os.isatty(descriptor):
            path = f"/proc/self/fd/{descriptor}" if sys.platform == "linux" else os.ttyname(descriptor)
            return os.open(path, flags), True
    return descriptor, False
