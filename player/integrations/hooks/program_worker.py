"""The process that runs the listener's programs: a few at once, in order, bounded in time and output.

Started as a file by an isolated Python (`-I -S -X utf8`), so it imports nothing but Python's own modules, and the
programs inherit the listener's environment untouched. The argument is the file that failures are noted in. Standard
input brings orders, a JSON object per line: `id`, `setting`, `words` (the program and its arguments), `input` (for its
standard input), `environment` (added to its own), `folder` (where it runs) and `seconds`. For each order, a line is
written to standard output when the program is over: `id`, `setting`, `words`, `outcome`, `code`, `errors`.

The process ends after its input has ended and all programs are over. It can outlive Earmark, so programs also run for
the events at Earmark's end.
"""

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections import deque
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

MOST_RUNNING = 4
MOST_WAITING = 64
LEAST_WANTED = "seeked"
"""Programs for this kind of event are dropped first when too many wait."""
ERRORS = 2048
"""The most bytes kept of a program's standard error. The rest is read and dropped."""
AFTER_END_S = 60.0
"""Seconds that the process stays after its input has ended. Programs left then are killed or dropped."""
MOST_NOTED = 128 * 1024
"""The most bytes in the file of failures; when it is full, its newer half is kept."""

_PART = 64 * 1024
_UNKILLABLE_S = 2.0

ENDED, FAILED, LATE, UNSTARTABLE, DROPPED = "ended", "failed", "late", "unstartable", "dropped"
"""Outcomes: exit code 0; another exit code, or a signal (a code below 0); killed after its time; not startable, with
the reason in `errors`; not run, because too many waited or the process had to end."""


class Run:
    """A program that runs, as the leader of a session and a process group of its own."""

    def __init__(self, order: dict[str, Any]) -> None:
        """Raises OSError or ValueError if it can't be started."""
        self.order = order
        self.process = subprocess.Popen(
            order["words"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**os.environ, **order["environment"]},
            cwd=order["folder"],
            start_new_session=True,
            bufsize=0,
        )
        assert self.process.stdin is not None
        assert self.process.stderr is not None
        self.stdin, self.stderr = self.process.stdin.fileno(), self.process.stderr.fileno()
        for handle in (self.stdin, self.stderr):
            os.set_blocking(handle, False)
        self.deadline = time.monotonic() + order["seconds"]
        self.late = False
        self.errors = bytearray()
        self._input = memoryview(order["input"].encode("utf-8", "replace"))

    def write(self) -> bool:
        """Writes more of the input; False once all of it is written, or the program no longer reads it."""
        try:
            while self._input:
                self._input = self._input[os.write(self.stdin, self._input) :]
        except BlockingIOError:
            return True
        except OSError:
            pass
        return False

    def read(self, parts: int = 1) -> bool:
        """Reads standard error; False at its end."""
        with suppress(BlockingIOError):
            for _part in range(parts):
                part = os.read(self.stderr, _PART)
                if not part:
                    return False
                self.errors += part[: ERRORS - len(self.errors)]
        return True

    def kill(self) -> None:
        """Also kills every process that it has started, unless that has left its process group."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def is_over(self) -> bool:
        """Whether the program has ended; if so, its process group is killed."""
        if hasattr(os, "waitid"):  # until it is waited for it keeps its id, so no other group can have it
            if os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                return False
        elif self.process.poll() is None:
            return False
        self.kill()
        self.process.wait()
        return True

    def close_input(self) -> None:
        self.stdin = -1
        if self.process.stdin is not None:
            with suppress(OSError):
                self.process.stdin.close()

    def close(self) -> None:
        self.close_input()
        if self.process.stderr is not None:
            self.process.stderr.close()


class Worker:
    """Runs all programs, in one thread. `work` returns when all are over."""

    def __init__(self, failures: str) -> None:
        self._failures = failures
        self._waiting: deque[dict[str, Any]] = deque()
        self._running: list[Run] = []
        self._selector = selectors.DefaultSelector()
        self._unread = b""
        self._end: float | None = None

    def work(self) -> None:
        woken, wake = os.pipe()
        for handle in (0, woken, wake):
            os.set_blocking(handle, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._selector.register(0, selectors.EVENT_READ, self._read_orders)
        self._selector.register(woken, selectors.EVENT_READ, lambda: _drain(woken))
        while self._end is None or self._waiting or self._running:
            for key, _events in self._selector.select(self._patience_s()):
                key.data()
            self._look_after()
            self._start_due()

    def _patience_s(self) -> float | None:
        """Seconds until the next deadline; None if there is none."""
        moments = [run.deadline + (_UNKILLABLE_S if run.late else 0) for run in self._running]
        if self._end is not None:
            moments.append(self._end)
        return max(0.0, min(moments) - time.monotonic()) if moments else None

    # -- orders -----------------------------------------------------------------------------------------------

    def _read_orders(self) -> None:
        try:
            part = os.read(0, _PART)
        except BlockingIOError:
            return
        except OSError:
            part = b""
        if not part:
            self._selector.unregister(0)
            self._end = time.monotonic() + AFTER_END_S
            return
        *lines, self._unread = (self._unread + part).split(b"\n")
        for line in lines:
            self._add(json.loads(line))

    def _add(self, order: dict[str, Any]) -> None:
        self._waiting.append(order)
        if len(self._waiting) > MOST_WAITING:
            dropped = next((one for one in self._waiting if one["setting"] == LEAST_WANTED), self._waiting[0])
            self._waiting.remove(dropped)
            self._tell(dropped, DROPPED)

    def _start_due(self) -> None:
        """Starts waiting programs. A program gets its events one after the other, so it never runs twice at once."""
        for order in tuple(self._waiting):
            if len(self._running) >= MOST_RUNNING:
                return
            if any(run.order["words"][0] == order["words"][0] for run in self._running):
                continue
            self._waiting.remove(order)
            self._start(order)

    def _start(self, order: dict[str, Any]) -> None:
        try:
            run = Run(order)
        except (OSError, ValueError) as error:
            self._tell(order, UNSTARTABLE, errors=getattr(error, "strerror", None) or str(error))
            return
        self._running.append(run)
        self._selector.register(run.stderr, selectors.EVENT_READ, lambda: self._read(run))
        if run.write():
            self._selector.register(run.stdin, selectors.EVENT_WRITE, lambda: self._write(run))
        else:
            run.close_input()

    # -- programs that run --------------------------------------------------------------------------------------

    def _read(self, run: Run) -> None:
        if not run.read():
            self._selector.unregister(run.stderr)

    def _write(self, run: Run) -> None:
        if not run.write():
            self._selector.unregister(run.stdin)
            run.close_input()

    def _look_after(self) -> None:
        now = time.monotonic()
        if self._end is not None and now >= self._end:
            for order in self._waiting:
                self._tell(order, DROPPED)
            self._waiting.clear()
            for run in self._running:
                run.deadline = min(run.deadline, now)
        for run in tuple(self._running):
            if not run.late and now >= run.deadline:
                run.late = True
                run.kill()
            if run.is_over() or (run.late and now >= run.deadline + _UNKILLABLE_S):
                self._finish(run)

    def _finish(self, run: Run) -> None:
        run.read(parts=4)
        self._running.remove(run)
        for handle in (run.stdin, run.stderr):
            with suppress(KeyError, ValueError):
                self._selector.unregister(handle)
        run.close()
        code = run.process.returncode
        outcome = LATE if run.late else FAILED if code else ENDED
        self._tell(run.order, outcome, code, bytes(run.errors).decode("utf-8", "replace"))

    def _tell(self, order: dict[str, Any], outcome: str, code: int | None = None, errors: str = "") -> None:
        told = {
            "id": order["id"],
            "setting": order["setting"],
            "words": order["words"],
            "outcome": outcome,
            "code": code,
            "errors": "".join(letter if letter.isprintable() else " " for letter in errors).strip(),
        }
        if outcome != ENDED:
            with suppress(OSError):
                note(self._failures, {"moment": datetime.now(UTC).isoformat(timespec="seconds"), **told})
        with suppress(OSError):  # Earmark has ended
            _write_all(1, json.dumps(told).encode() + b"\n")


def note(path: str, failure: dict[str, Any]) -> None:
    """Appends a failure to the file, as a line of JSON. Raises OSError."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)  # noqa: PTH103, PTH120 - pathlib takes 5 ms to load
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        if (size := os.fstat(handle).st_size) > MOST_NOTED:
            newer = os.pread(handle, MOST_NOTED // 2, size - MOST_NOTED // 2).partition(b"\n")[2]
            os.ftruncate(handle, 0)
            _write_all(handle, newer)
        _write_all(handle, json.dumps(failure).encode() + b"\n")
    finally:
        os.close(handle)


def _write_all(handle: int, data: bytes) -> None:
    while data:
        data = data[os.write(handle, data) :]


def _drain(handle: int) -> None:
    with suppress(BlockingIOError):
        while os.read(handle, _PART):
            pass


if __name__ == "__main__":
    Worker(sys.argv[1]).work()
