"""The process that runs one program of the listener's within bounds, and kills it, with everything that it has started,
when it exceeds one, or when the input of this process ends: the program never outlives the Earmark that waits for it.

Started as a file by an isolated Python (`-I -S -X utf8`), so it imports nothing but Python's own modules, and the
program inherits the listener's environment untouched. The argument is a JSON object: `words` (the program and its
arguments), `folder` (where it runs), `given` (the file on its standard input, or ""), `seconds`, `printed` (the most
bytes of its standard output, and of its standard error) and `written` (the most bytes of the files in the folder). Once
the program is over, a line of JSON is written to standard output (`outcome`, `code`, `errors`), and after it what the
program printed.
"""

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from contextlib import suppress
from typing import Any

ENDED, LATE, FLOOD, FULL, UNSTARTABLE, STOPPED = "ended", "late", "flood", "full", "unstartable", "stopped"
"""Outcomes: it ended by itself; it was killed after its time, or because it printed or wrote too much; it couldn't be
started, with the reason in `errors`; it was killed because nobody waits for it any more."""
ERRORS = 4096
"""The last bytes kept of its standard error."""
MOST_FILES = 10_000

_NICE = 19
_PART = 64 * 1024
_TICK_S = 0.1
_UNKILLABLE_S = 2.0


class Guard:
    """For one program. Raises OSError or ValueError if it can't be started."""

    def __init__(self, order: dict[str, Any]) -> None:
        self._order = order
        with open(order["given"] or os.devnull, "rb") as given:  # noqa: PTH123 - pathlib takes 5 ms to load
            self._process = subprocess.Popen(
                order["words"],
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=order["folder"],
                start_new_session=True,
                bufsize=0,
            )
        self._deadline = time.monotonic() + order["seconds"]
        self._outcome = ""
        self._errors = bytearray()
        self._erred = 0
        self.printed = bytearray()

    def run(self) -> tuple[str, int | None, str]:
        """Its outcome, its exit code and its last errors."""
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        pipes = {self._process.stdout.fileno(): self._print, self._process.stderr.fileno(): self._err}
        with selectors.DefaultSelector() as ready:
            ready.register(0, selectors.EVENT_READ, self._stop)
            for handle, take in pipes.items():
                os.set_blocking(handle, False)
                ready.register(handle, selectors.EVENT_READ, take)
            while not self._outcome and not self._is_over():
                for key, _events in ready.select(_TICK_S):
                    if not (part := os.read(key.fd, _PART)):
                        ready.unregister(key.fd)
                    key.data(part)
                if time.monotonic() >= self._deadline:
                    self._outcome = LATE
                elif _is_full(self._order["folder"], self._order["written"]):
                    self._outcome = FULL
        self._end()
        for handle, take in pipes.items():
            with suppress(BlockingIOError):
                while not self._outcome and (part := os.read(handle, _PART)):
                    take(part)
        return self._outcome or ENDED, self._process.returncode, self._errors.decode("utf-8", "replace")

    def _stop(self, part: bytes) -> None:
        if not part:
            self._outcome = STOPPED

    def _print(self, part: bytes) -> None:
        self.printed += part
        if len(self.printed) > self._order["printed"]:
            self._outcome = FLOOD

    def _err(self, part: bytes) -> None:
        self._erred += len(part)
        self._errors = (self._errors + part)[-ERRORS:]
        if self._erred > self._order["printed"]:
            self._outcome = FLOOD

    def _is_over(self) -> bool:
        if hasattr(os, "waitid"):  # until it is waited for it keeps its id, so no other group can have it
            return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        return self._process.poll() is not None

    def _end(self) -> None:
        """Kills it and every process that it has started, unless that has left its process group."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_UNKILLABLE_S)


def _is_full(folder: str, most: int) -> bool:
    """Whether the files in the folder take more than `most` bytes of the disk, or are too many."""
    size = count = 0
    for place, _folders, names in os.walk(folder):
        for name in names:
            with suppress(OSError):  # it has just been deleted
                size += os.lstat(os.path.join(place, name)).st_blocks * 512  # noqa: PTH118 - pathlib takes 5 ms to load
            count += 1
            if size > most or count > MOST_FILES:
                return True
    return False


def main() -> None:
    order = json.loads(sys.argv[1])
    printed = bytearray()
    with suppress(OSError):
        os.nice(_NICE)
    try:
        guard = Guard(order)
    except (OSError, ValueError) as error:
        outcome, code, errors = UNSTARTABLE, None, getattr(error, "strerror", None) or str(error)
    else:
        outcome, code, errors = guard.run()
        printed = guard.printed
    with suppress(OSError):  # nobody waits for it any more
        line = json.dumps({"outcome": outcome, "code": code, "errors": errors})
        sys.stdout.buffer.write(line.encode() + b"\n" + printed[: order["printed"]])
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
