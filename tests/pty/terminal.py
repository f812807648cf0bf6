"""A real terminal around the real command: keys go in through a pty, an emulator says what a person would see."""

import os
import re
import select
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType

import pyte
from ptyprocess import PtyProcess

from player.paths import Paths

DEADLINE_S = 40.0

KEYS = {
    "enter": "\r", "escape": "\x1b", "tab": "\t", "space": " ", "backspace": "\x7f", "delete": "\x1b[3~",
    "up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D",
    "shift+right": "\x1b[1;2C", "shift+left": "\x1b[1;2D",
    "ctrl+a": "\x01", "ctrl+c": "\x03", "ctrl+d": "\x04", "ctrl+f": "\x06", "ctrl+o": "\x0f", "ctrl+p": "\x10",
    "ctrl+r": "\x12", "ctrl+s": "\x13", "ctrl+u": "\x15",
}  # fmt: skip


def _environ() -> dict[str, str]:
    """What a terminal gives to its programs."""
    return dict(os.environ) | {"TERM": "xterm-256color", "COLORTERM": "truecolor"}


def _heed_interrupts() -> None:
    """A shell makes what it runs in the background ignore them, tests too."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


_ASKS_FOR_FRAMES, _HAS_FRAMES = b"\x1b[?2026$p", b"\x1b[?2026;2$y"
_FRAME, _FRAME_END = b"\x1b[?2026h", b"\x1b[?2026l"


class Terminal:
    """`with Terminal(columns=80, rows=24) as terminal: terminal.press("j"); terminal.wait_for("Notes")`.

    `in_frames`: it is one of those that show a frame as a whole (mode 2026). Unless `last_frame`, Earmark doesn't begin
    with what it showed last, so that what a test sees is the app.
    """

    def __init__(
        self,
        *arguments: str,
        columns: int = 120,
        rows: int = 40,
        environ: Mapping[str, str] | None = None,
        in_frames: bool = False,
        last_frame: bool = False,
        command: Sequence[str] = (sys.executable, "-m", "tui"),
    ) -> None:
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._in_frames = in_frames
        self._begun = b""
        """The frame that isn't whole yet."""
        self._lines: list[str] = []
        self.raw = bytearray()
        self.environ = _environ() | dict(environ or {})
        if not last_frame:
            Paths.of(self.environ).last_frame.unlink(missing_ok=True)
        self.process = PtyProcess.spawn(
            [*command, *arguments],
            dimensions=(rows, columns),
            env=self.environ,
            preexec_fn=_heed_interrupts,
        )
        self.process.delayafterclose = 0.0  # of 0.1 s; it is waited for before

    def press(self, *keys: str) -> None:
        """Types each key: a name of KEYS, or text as it is."""
        for key in keys:
            self.process.write(KEYS.get(key, key).encode())

    def click(self, column: int, row: int) -> None:
        """A left click at a cell, counted from 0 (SGR mouse reports)."""
        self.process.write(f"\x1b[<0;{column + 1};{row + 1}M\x1b[<0;{column + 1};{row + 1}m".encode())

    def drag(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        """The left button from one cell (column, row) to another, counted from 0."""
        (x, y), (to_x, to_y) = start, end
        moves = (
            (0, x, y, "M"),
            (32, (x + to_x) // 2, (y + to_y) // 2, "M"),
            (32, to_x, to_y, "M"),
            (0, to_x, to_y, "m"),
        )
        self.process.write("".join(f"\x1b[<{code};{x + 1};{y + 1}{end}" for code, x, y, end in moves).encode())

    def resize(self, columns: int, rows: int) -> None:
        self._screen.resize(rows, columns)
        self._lines = []
        self.process.setwinsize(rows, columns)

    @property
    def columns(self) -> int:
        return int(self._screen.columns)

    @property
    def lines(self) -> list[str]:
        """As pyte's `display`, but only lines that have changed are made anew: that was a third of a test's work."""
        if not self._lines:
            self._lines = [""] * self._screen.lines
            self._screen.dirty.update(range(self._screen.lines))
        for y in self._screen.dirty & set(range(self._screen.lines)):  # one that was taller may have had more
            self._lines[y] = self._line(y)
        self._screen.dirty.clear()
        return list(self._lines)

    def _line(self, y: int) -> str:
        cells = self._screen.buffer[y]
        # The second cell of a wide character is empty.
        return "".join([cells[x].data for x in range(self.columns)]).rstrip()

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def cursor(self) -> tuple[int, int]:
        """The column and row of the terminal's own cursor, counted from 0."""
        return int(self._screen.cursor.x), int(self._screen.cursor.y)

    @property
    def shows_cursor(self) -> bool:
        return not self._screen.cursor.hidden

    def wait_for(self, wanted: str, *, deadline_s: float = DEADLINE_S) -> str:
        """Reads until the screen matches the regular expression `wanted`; returns what matched."""
        found: list[str] = []

        def shown() -> bool:
            match = re.search(wanted, self.text)
            if match:
                found.append(match.group(match.lastindex or 0))
            return bool(match)

        self.wait_until(shown, f"/{wanted}/ to be shown", deadline_s=deadline_s)
        return found[-1]

    def wait_gone(self, unwanted: str, *, deadline_s: float = DEADLINE_S) -> None:
        self.wait_until(lambda: not re.search(unwanted, self.text), f"/{unwanted}/ to be gone", deadline_s=deadline_s)

    def wait_until(self, holds: Callable[[], bool], what: str, *, deadline_s: float = DEADLINE_S) -> None:
        end = time.monotonic() + deadline_s
        while not holds():
            left = end - time.monotonic()
            if left <= 0 or not self._read(min(left, 0.1)):
                if holds():
                    return
                at = f"the cursor is at {self.lines[self.cursor[1]]!r}"
                raise AssertionError(f"waited in vain for {what}; {at}; the screen:\n{self.text}")

    def wait_exit(self, *, deadline_s: float = DEADLINE_S) -> int:
        """Reads until the process has ended; its exit code, or the negative number of the signal that ended it."""
        end = time.monotonic() + deadline_s
        while self._read(0.05):
            if time.monotonic() > end:
                raise AssertionError(f"still running; the screen:\n{self.text}")
        self.process.wait()
        status: int | None = self.process.exitstatus
        return status if status is not None else -int(self.process.signalstatus)

    def close(self) -> None:
        """Closes the terminal's window, so to speak, with the process in it."""
        self.process.fileobj.close()

    def kill(self, number: int = signal.SIGKILL) -> None:
        self.process.kill(number)

    def _read(self, wait_s: float) -> bool:
        """Shows what the process printed; False when it has ended."""
        if not select.select([self.process.fd], [], [], wait_s)[0]:
            return True
        try:
            printed = self.process.read(65536)
        except EOFError:
            return False
        self.raw += printed
        self.feed(self._whole_frames(printed) if self._in_frames else printed)
        return True

    def _whole_frames(self, printed: bytes) -> bytes:
        if _ASKS_FOR_FRAMES in self.raw[-len(printed) - len(_ASKS_FOR_FRAMES) + 1 :]:  # it may come in two pieces
            self.process.write(_HAS_FRAMES)
        shown = self._begun + printed
        begins = shown.rfind(_FRAME)
        whole = len(shown) if begins < 0 or _FRAME_END in shown[begins:] else begins
        self._begun = shown[whole:]
        return shown[:whole]

    def pump(self) -> None:
        """Reads what has been printed already."""
        while select.select([self.process.fd], [], [], 0)[0] and self._read(0):
            pass

    def read_all(self, quiet_s: float = 0.5) -> None:
        """Reads until nothing has been printed for a while."""
        while select.select([self.process.fd], [], [], quiet_s)[0] and self._read(0):
            pass

    def feed(self, printed: bytes) -> None:
        """Shows output, of any program."""
        # pyte takes the private form of SGR (modifyOtherKeys) for colours; no emulator shows anything for it.
        self._stream.feed(re.sub(rb"\x1b\[>[0-9;]*[a-zA-Z]", b"", printed))

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.isalive():
            self.process.kill(signal.SIGKILL)
            self.process.wait()
        self.process.close(force=True)
