"""Single keys from a terminal, without the app."""

import errno
import os
import re
import signal
import sys
import termios
import tty
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any

from tui.terminal.capabilities import is_terminal

_KEY = re.compile(rb"\x1b\[[0-?]*[ -/]*[@-~]|\x1bO.|\x1b(?=[^\[O])|[^\x1b]", re.DOTALL)
_NAMES = {
    b"\x1b[D": "left", b"\x1bOD": "left", b"\x1b[1;2D": "shift+left",
    b"\x1b[C": "right", b"\x1bOC": "right", b"\x1b[1;2C": "shift+right",
    b" ": "space", b"\x04": "ctrl+d",
}  # fmt: skip


def split_keys(received: bytes) -> tuple[list[str], bytes]:
    """The keys in these bytes, and the beginning of one that isn't whole yet. Unknown sequences are dropped."""
    keys, end = [], 0
    while found := _KEY.match(received, end):
        end = found.end()
        code = found.group()
        if name := _NAMES.get(code) or (chr(code[0]) if code[0] != 0x1B and code[0] < 0x80 else ""):
            keys.append(name)
    return keys, received[end:]


class Keyboard:
    """`with Keyboard() as keyboard:` keys come one by one and aren't echoed, while this process is in the foreground.

    In the background (`earmark play &`) it leaves the terminal alone; brought back, it takes it again.
    """

    def __init__(self) -> None:
        self._handle = sys.stdin.fileno() if is_terminal(sys.stdin) else None
        self._before: list[Any] | None = None
        self._pending = b""
        self._front = False
        self._continued: Any = None
        self.lost = False
        """Whether the terminal has gone away."""

    def __enter__(self) -> "Keyboard":
        if self._handle is not None:
            self._continued = signal.signal(signal.SIGCONT, self._on_continue)
            self.handle()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._handle is None:
            return
        signal.signal(signal.SIGCONT, self._continued)
        if self._before is not None and self._in_front():
            with suppress(termios.error):
                termios.tcsetattr(self._handle, termios.TCSADRAIN, self._before)

    def handle(self) -> int | None:
        """The descriptor to wait on for keys, None while in the background. Call it before each wait."""
        was_in_front, self._front = self._front, self._in_front()
        if self._front and not was_in_front:
            self._take()  # `fg` sends no SIGCONT to a job that was running in the background.
        return self._handle if self._front else None

    def read(self) -> list[str]:
        """The keys pressed since; none once the terminal is gone."""
        if self._handle is None:
            return []
        try:
            received = os.read(self._handle, 1024)
        except OSError:
            received = b""
        if not received:
            self._handle = None
            self.lost = True
        keys, self._pending = split_keys(self._pending + received)
        return keys

    def _on_continue(self, _number: int, _frame: FrameType | None) -> None:
        self._take()

    def _take(self) -> None:
        if self._handle is not None and self._in_front():
            with suppress(termios.error):  # The terminal is gone.
                if self._before is None:
                    self._before = termios.tcgetattr(self._handle)
                tty.setcbreak(self._handle, termios.TCSADRAIN)

    def _in_front(self) -> bool:
        if self._handle is None:
            return False
        try:
            return os.tcgetpgrp(self._handle) == os.getpgrp()
        except OSError as error:
            self.lost = self.lost or error.errno == errno.EIO  # of a terminal that was hung up
            return False
