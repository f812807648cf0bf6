"""Somebody who hits keys, clicks and resizes the terminal without looking: the same for the same seed."""

import json
import os
import random
import select
import signal
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from ptyprocess import PtyProcess

from tests.pty.census import Held
from tests.pty.hostile import BIDI, EMOJI, ZALGO
from tests.pty.levels import Levels, at_rest
from tests.pty.terminal import KEYS
from tui.actions.table import ACTIONS

FROZEN_S = 30.0
"""What is asked for with a change of size is drawn by then, even on a machine with much else to do."""

_ALONE_S = 0.15
"""After so long escape isn't taken for the beginning of another key."""
_QUIET_S, _SETTLED_S = 0.03, 15.0
_TYPED = 20
"""Letters that are typed one by one; what is longer is pasted."""
_LAYERS = 8
"""No more screens, filters and fields are ever open on top of each other."""

_CODES = KEYS | {
    "shift+tab": "\x1b[Z", "pageup": "\x1b[5~", "pagedown": "\x1b[6~", "home": "\x1b[H", "end": "\x1b[F",
    "comma": ",", "question_mark": "?", "shift+up": "\x1b[1;2A", "shift+down": "\x1b[1;2B", "f1": "\x1bOP",
    "f2": "\x1bOQ", "insert": "\x1b[2~", "ctrl+right": "\x1b[1;5C",
}  # fmt: skip
_ENDS = frozenset({"q", "Q", "ctrl+q", "ctrl+c"})
_WORDS = (
    "episode", "e", "1:00", "zalgo " + ZALGO, BIDI, EMOJI, "links", "theme", "sound", "[/]", "\\", "is:unplayed", "-x",
    '"', "http://127.0.0.1:9/", "日本", "w" * 300, "%%%", "podcast:many", "a\tb",
)  # fmt: skip


def codes() -> list[str]:
    """What each key that is bound, or known, sends; none that quits."""
    bound = {key for action in ACTIONS if action.id != "quit" for key in action.keys}
    keys = (bound | _CODES.keys()) - _ENDS
    return sorted({_code(key) for key in keys} - {"\x03", "\x11", "q", "Q"})


def _code(key: str) -> str:
    if key in _CODES:
        return _CODES[key]
    if key.startswith("ctrl+") and len(key) == 6:
        return chr(ord(key[-1]) & 31)
    assert len(key) == 1, f"what does {key} send?"
    return key


class Monkey:
    """`with Monkey(seed) as monkey: monkey.play(60)`; nothing that is drawn is looked at, but that something is."""

    def __init__(self, seed: int, environ: Mapping[str, str], folder: str, size: tuple[int, int] | None = None) -> None:
        """`size`: columns and rows, which stay; otherwise they change. With EARMARK_CENSUS in `environ` the app tells
        what it holds."""
        self._size = size
        self._module = "tests.pty.census" if "EARMARK_CENSUS" in environ else "tui"
        self._chance = random.Random(seed)
        self._codes = codes()
        self._folder = folder
        kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
        self._environ = kept | {"TERM": "xterm-256color", "COLORTERM": "truecolor", "PYTHONFAULTHANDLER": "1"}
        self._environ |= environ
        self.done = 0
        self.suspended = 0
        """How often ctrl+z was pressed, and undone."""
        self.recent: list[bytes] = []
        """The last that was sent, for whoever looks for the cause of an end."""
        self.slowest_s = 0.0
        """How long it took to draw another size, at most."""
        self._start()

    def _start(self) -> None:
        """Until the app has taken the terminal: before that, some keys are signals."""
        self._columns, self._rows = self._size or (120, 40)
        self.process = PtyProcess.spawn(
            [sys.executable, "-m", self._module],
            cwd=self._folder,
            dimensions=(self._rows, self._columns),
            env=self._environ,
        )
        end = time.monotonic() + FROZEN_S
        printed = b""
        while b"\x1b[?1049h" not in printed:
            assert time.monotonic() < end, f"no screen, but {printed!r}"
            if select.select([self.process.fd], [], [], 0.1)[0]:
                printed += os.read(self.process.fd, 1 << 16)

    def tour(self) -> None:
        """Plays an episode, and opens and closes each page and dialog that a key opens."""
        self.close_all()
        for key in ("j", "\r", " ", *"w?ivcaotBp", "\x06"):
            self._send(key.encode())
            self._settle()
            self.close_all(2)

    def held(self) -> tuple[Levels, Held]:
        """What the process holds now, seen from outside and from inside."""
        path = Path(self._environ["EARMARK_CENSUS"])
        path.unlink(missing_ok=True)
        os.kill(self.process.pid, signal.SIGUSR2)
        end = time.monotonic() + FROZEN_S
        while not path.exists():
            assert time.monotonic() < end, f"it doesn't say what it holds; before it: {self.recent}"
            self._foreground()
            self._drain(_QUIET_S)
        return Levels.of(self.process.pid), Held(**json.loads(path.read_text()))

    def wait_until_nothing(self, too_much: Callable[[], list[str]]) -> None:
        """On the main screen, after each page was opened. What ends by itself after a while has its time."""
        self.tour()
        end = time.monotonic() + FROZEN_S
        while found := too_much():
            assert time.monotonic() < end, f"{found} after {self.done} events; before it: {self.recent}"
            self._drain(_ALONE_S)

    def play(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._act()

    def play_events(self, count: int) -> None:
        for _ in range(count):
            self._act()

    def _act(self) -> None:
        self.done += 1
        if self.done % 40 == 0 and self._size is None:
            self._resize()
        else:
            self._send(self._next())
        if self._chance.random() < 0.8:
            self._settle()

    def close_all(self, layers: int = _LAYERS) -> None:
        """Closes whatever is open, key by key."""
        for _ in range(layers):
            self._foreground()
            self._send(b"\x1b")
            self._drain(_ALONE_S)
            self._settle()

    def quit(self) -> int:
        """Closes whatever is open, and quits; the exit code."""
        self.close_all()
        self._send(b"q")
        end = time.monotonic() + FROZEN_S
        while self._drain(0.1):
            assert time.monotonic() < end, f"q doesn't quit; before it: {self.recent}"
        return self._exit()

    def _again(self) -> None:
        """A click into the footer, or a word in the palette, may quit too."""
        assert (code := self._exit()) == 0, f"it ended by itself with {code} after {self.recent}"
        self.process.close(force=True)
        self._start()

    def _exit(self) -> int:
        self.process.wait()
        status: int | None = self.process.exitstatus
        return status if status is not None else -int(self.process.signalstatus)

    def _next(self) -> bytes:
        chance = self._chance
        kind = chance.random()
        if kind < 0.55:
            return "".join(chance.choice(self._codes) for _ in range(chance.choice((1, 1, 1, 2, 5)))).encode()
        if kind < 0.65:
            return (chance.choice("jkhlJK") * chance.randrange(1, 30)).encode()
        if kind < 0.72:
            return (
                chance.choice(("/", "\x06", "\x10", "a")).encode()
                + self._word(_TYPED)
                + chance.choice((b"", b"\r", b"\t"))
            )
        if kind < 0.76:
            return b"\x1b[200~" + self._word() * chance.choice((1, 50)) + b"\n\x1b[201~"
        if kind < 0.90:
            return self._mouse()
        if kind < 0.93:
            return chance.choice((b"\x1b[I", b"\x1b[O", b"\x00", b"\x1b[99;99~", b"\xff\xfe", b"\x1b[1;1R"))
        if kind < 0.95:
            self._send(b"\x1b")
            self._drain(_ALONE_S)
            return b""
        return chance.choice((b" ", b"\r", b"j\r", b"m", b"s", b"3", b"v"))

    def _word(self, most: int | None = None) -> bytes:
        return self._chance.choice(_WORDS)[:most].encode()

    def _mouse(self) -> bytes:
        """Clicks, drags and the wheel, in the form of SGR."""
        chance = self._chance
        at = f"{chance.randrange(1, self._columns + 2)};{chance.randrange(1, self._rows + 2)}"
        kind = chance.choice(("click", "click", "drag", "wheel", "move"))
        if kind == "click":
            return f"\x1b[<0;{at}M\x1b[<0;{at}m".encode()
        if kind == "drag":
            to = f"{chance.randrange(1, self._columns + 1)};{chance.randrange(1, self._rows + 1)}"
            return f"\x1b[<0;{at}M\x1b[<32;{to}M\x1b[<0;{to}m".encode()
        button = chance.choice((64, 65, 66, 67)) if kind == "wheel" else 35
        return (f"\x1b[<{button};{at}M" * chance.choice((1, 1, 8))).encode()

    def _resize(self) -> None:
        """Another size, which is drawn: a sign of life."""
        self._drain(0.05)
        size = (self._chance.randrange(20, 220), self._chance.randrange(5, 70))
        if size == (self._columns, self._rows):
            return
        self._columns, self._rows = size
        self.process.setwinsize(self._rows, self._columns)
        asked = time.monotonic()
        while not select.select([self.process.fd], [], [], 0.1)[0]:
            assert time.monotonic() < asked + FROZEN_S, f"frozen after {self.recent}"
            self._foreground()
        self.slowest_s = max(self.slowest_s, time.monotonic() - asked)

    def _foreground(self) -> None:
        """What `fg` does after ctrl+z."""
        with suppress(OSError):
            if Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T":
                self.suspended += 1
                os.kill(self.process.pid, signal.SIGCONT)

    def _send(self, codes: bytes) -> None:
        self.recent = [*self.recent[-40:], codes[:80]]
        end = time.monotonic() + FROZEN_S
        while codes:
            assert time.monotonic() < end, f"no keys are taken after {self.recent}"
            try:
                if select.select([], [self.process.fd], [], 0.1)[1]:
                    codes = codes[os.write(self.process.fd, codes[:256]) :]
                else:
                    self._foreground()
                gone = not self._drain(0.0)
            except OSError:
                gone = True
            if gone:
                self._again()
                return

    def _settle(self) -> None:
        """Until nothing is drawn for a moment and all that was typed has been dealt with, after ctrl+z too."""
        end = time.monotonic() + _SETTLED_S
        while time.monotonic() < end:
            if select.select([self.process.fd], [], [], _QUIET_S)[0]:
                if not self._drain(0.0):
                    return
            elif at_rest(self.process.pid):
                return
            self._foreground()

    def _drain(self, seconds: float) -> bool:
        """Takes what was printed, for so long; False when the process has gone."""
        end = time.monotonic() + seconds
        while True:
            left = max(0.0, end - time.monotonic())
            if select.select([self.process.fd], [], [], left)[0]:
                try:
                    os.read(self.process.fd, 1 << 16)
                except OSError:
                    return False
            elif not left:
                return True

    def __enter__(self) -> "Monkey":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None and self.process.isalive():
            # Python writes where each thread is: to the log, where a test that failed shows it.
            self.process.kill(signal.SIGABRT)
            self._drain(2.0)
        if self.process.isalive():
            self.process.kill(signal.SIGKILL)
            self.process.wait()
        self.process.close(force=True)
