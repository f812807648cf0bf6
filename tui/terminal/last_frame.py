"""The main screen as it was when Earmark was quit, shown at the next start while Python imports the app.

It is shown only if it is still true: the files of the library and settings are unchanged, the terminal is of the same
kind and size, and it is the same day. It is used once; after a crash there is none.
"""

import os
import select
import termios
from collections.abc import Mapping
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

from player import __version__, regular_file
from player.paths import Paths
from player.text import sentences
from tui.terminal.capabilities import in_foreground

_SHOW = "\x1b[?1049h\x1b[?25l\x1b[?7l"
"""Switches to the alternate screen, hides the cursor, and turns off wrapping of long lines."""
_LEAVE = b"\x1b[0m\x1b[?7h\x1b[?1049l\x1b[?25h"
_APPEARANCE = (
    "TERM", "COLORTERM", "TERM_PROGRAM", "TMUX", "NO_COLOR", "TEXTUAL_COLOR_SYSTEM", "LC_ALL", "LC_CTYPE", "LC_TIME",
    "LC_NUMERIC", "LANG", "TZ", "VTE_VERSION", "KONSOLE_VERSION", "MLTERM", "KITTY_WINDOW_ID",
)  # fmt: skip
"""The environment variables that a frame depends on."""
_LARGEST = 1024 * 1024
_PIECE = 256
"""The bytes written at once. A terminal that is ready takes this many without blocking."""
_PATIENCE_MS = 100
_MOST_KEYS = 4096
_MOST_THEMES = 200
_IFLAG, _LFLAG, _CC = 0, 3, 6


class LastFrame:
    """At the start, call `show` or `ask`, then `hand_over` when the app's driver takes over, or `end`; at the end,
    `keep`, then `save`.

    `descriptor` is the terminal that Earmark draws on, `keys` the descriptor from which it reads keys. `end` may be
    called from any thread.
    """

    def __init__(
        self, paths: Paths, descriptor: int, environ: Mapping[str, str] = os.environ, *, keys: int | None = None
    ) -> None:
        self._paths = paths
        self._descriptor = descriptor
        self._keys = descriptor if keys is None else keys
        self._environ = environ
        self._before: list[Any] | None = None
        """The terminal's original attributes, from `show` or `ask` until `hand_over` or `end`."""
        self.is_shown = False
        """Whether the frame was shown, at least until the terminal was handed over."""
        self._asked = False
        """Whether the answer to `ask` may be among the keys that haven't been read yet."""
        self._kept = ""
        self._size = 0, 0

    # -- at the start -----------------------------------------------------------------------------------------

    def show(self) -> None:
        """Shows the frame if it is still true. Keys pressed meanwhile wait for the app, and aren't echoed."""
        text = self._take()
        if text and self._hush():
            self.is_shown = True  # set before it is written: from then on, a signal has to remove the frame
            self._write(f"{_SHOW}{text}".encode("utf-8", "replace"))

    def ask(self, question: str) -> None:
        """Sends a query to the terminal, if no frame is shown. The answer isn't echoed, and waits among the keys."""
        if not self.is_shown and self._hush():
            self._write(question.encode())
            self._asked = True

    def typed(self) -> bytes:
        """The keys and answers that have arrived since `ask`. Doesn't wait for any."""
        if not self._asked or not self._has_keys(0):
            return b""
        self._asked = False
        with suppress(OSError):
            return os.read(self._keys, _MOST_KEYS)
        return b""

    def _hush(self) -> bool:
        """Stops the terminal from echoing keys. False if this process may not change the terminal."""
        if not in_foreground(self._descriptor):
            return False
        try:
            self._descriptor = os.dup(self._descriptor)  # a copy, as standard error may become the log
            self._before = termios.tcgetattr(self._descriptor)
            quiet = termios.tcgetattr(self._descriptor)
            quiet[_IFLAG] &= ~(termios.ICRNL | termios.INLCR | termios.IGNCR | termios.IXON)
            quiet[_LFLAG] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN)
            quiet[_CC][termios.VSUSP] = b"\0"  # nothing could redraw the frame after ctrl+z yet
            termios.tcsetattr(self._descriptor, termios.TCSANOW, quiet)
        except (OSError, termios.error):
            self._before = None
            return False
        return True

    def hand_over(self) -> list[Any] | None:
        """The terminal's original attributes, for the driver that takes over. None if they weren't changed."""
        before, self._before = self._before, None
        return before

    def end(self) -> None:
        """Restores the terminal, unless it was handed over."""
        before = self.hand_over()
        if before is not None:
            with suppress(OSError, termios.error):
                if self._asked and self._has_keys(_PATIENCE_MS):  # the shell would read the answer as a command
                    termios.tcflush(self._keys, termios.TCIFLUSH)
                termios.tcsetattr(self._descriptor, termios.TCSANOW, before)
            if self.is_shown:
                self._write(_LEAVE)

    def _has_keys(self, within_ms: int) -> bool:
        poll = select.poll()
        poll.register(self._keys, select.POLLIN)
        return bool(poll.poll(within_ms))

    def _take(self) -> str:
        try:
            with regular_file.opened(self._paths.last_frame) as file:
                kept = file.read(_LARGEST)
            self._paths.last_frame.unlink()
            size = os.get_terminal_size(self._descriptor)
            condition, _, text = kept.decode().partition("\n")
        except (OSError, UnicodeError):
            return ""
        return text if condition == self._condition((size.columns, size.lines)) else ""

    def _write(self, data: bytes) -> None:
        """Stops if the terminal doesn't read: the app draws everything anyway."""
        poll = select.poll()
        poll.register(self._descriptor, select.POLLOUT)
        with suppress(OSError):
            while data and poll.poll(_PATIENCE_MS):
                data = data[os.write(self._descriptor, data[:_PIECE]) :]

    # -- at the end -------------------------------------------------------------------------------------------

    def keep(self, text: str, size: tuple[int, int]) -> None:
        """Keeps a frame for `save`. `text` draws a whole screen of `size` (columns, rows)."""
        self._kept, self._size = text, size

    def save(self) -> None:
        """Saves the kept frame. Call this after the last write to the library. Errors, such as a full disk, are
        ignored."""
        path = self._paths.last_frame
        if not self._kept:
            return
        with suppress(OSError):
            regular_file.private_folder(path.parent)
            new = path.with_name(f"{path.name}.new")
            new.touch(mode=0o600)
            new.write_text(f"{self._condition(self._size)}\n{self._kept}", "utf-8", "replace", "")
            new.replace(path)

    def _condition(self, size: tuple[int, int]) -> str:
        """Everything that the frame depends on, in one line."""
        library = self._paths.library
        files = [_state(path) for path in (library, library.with_name(f"{library.name}-wal"), self._paths.settings)]
        files += _states_in(self._paths.themes)
        appearance = [self._environ.get(name) for name in _APPEARANCE]
        return repr((__version__, tuple(size), date.today().isoformat(), sentences.spoken(), files, appearance))


def _states_in(folder: Path) -> list[tuple[int, int, int] | None]:
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208 - names are enough
    except OSError:
        return []
    return [_state(folder / name) for name in names[:_MOST_THEMES]]


def _state(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
