"""Lines for whoever reads them, on a pipe or terminal that nothing ever waits for."""

import os
from contextlib import suppress

from player.processes.lanes import Lane
from player.text.cleaning import clean_line

_MOST_WAITING = 200
_LONGEST = 4000


class LineWriter:
    """Writes to a file descriptor on a thread of its own. When nobody reads, the oldest lines are dropped; when the
    other end is closed, or there is no descriptor, all are."""

    def __init__(self, handle: int | None) -> None:
        self._handle = -1 if handle is None else handle
        self._lane = Lane("lines", most=_MOST_WAITING)
        self._gone = handle is None

    def write(self, line: str) -> None:
        """From any thread; never waits, and never raises."""
        if not self._gone:
            data = clean_line(line, _LONGEST).encode("utf-8", "replace") + b"\n"
            self._lane.put(lambda: self._write(data))

    def close(self, timeout_s: float) -> None:
        """What still waits is written, as far as it gets in that time."""
        self._lane.close(timeout_s)

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        try:
            while rest and not self._gone:
                rest = rest[self._write_some(rest) :]
        except OSError:
            self._gone = True

    def _write_some(self, data: memoryview) -> int:
        """A descriptor that was made non-blocking by whoever shares it is waited for."""
        while True:
            try:
                return os.write(self._handle, data)
            except BlockingIOError:
                import select

                with suppress(OSError):
                    select.select([], [self._handle], [])
