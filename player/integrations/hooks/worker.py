"""The process that runs the listener's programs: few at once, in order, bounded in time and output.

Started as a file by an isolated Python (`-I -S -X utf8`), so it imports nothing but Python's own modules, and the
programs inherit the listener's environment untouched. The argument is the file that failures are noted in. Standard
input brings a JSON object a line, an order: `id`, `setting`, `words` (the program and its arguments), `input` (what it
gets on its standard input), `environment` (added to its own), `folder` (where it runs) and `seconds`. For each, a line
is written to standard output when it is over: `id`, `setting`, `words`, `outcome`, `code`, `errors`.

It ends when its input has, once everything is over: also without Earmark, so that what happens at its end is told too.
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
"""Bytes of what a program writes to its standard error that are kept. The rest is read and dropped."""
AFTER_END_S = 60.0
"""How long the process stays after its input has ended. Programs left then are killed or dropped."""
MOST_NOTED = 128 * 1024
"""Bytes of the file of failures, of which the newer half is kept when it is full."""

_PART = 64 * 1024
_UNKILLABLE_S = 2.0

ENDED, FAILED, LATE, UNSTARTABLE, DROPPED = "ended", "failed", "late", "unstartable", "dropped"
"""Outcomes: exit code 0; another, or a signal (a code below 0); killed after its time; not run, why is in `errors`;
not run because too many waited."""


class Run:
    """A program that runs, as the leader of a session and a process group of its own."""

    def __init__(self, order: dict[str, Any]) -> None:
        """Raises OSError or ValueError: it can't be started."""
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
        """Hands over more of the input; False once there is no more, or nobody to read it."""
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
        """Whether it has ended; then its process group is killed."""
        if hasattr(os, "waitid"):  # what isn't waited for yet keeps its number, which no other group can have then
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
    """Everything in one thread: `work` returns when all is over."""

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
        """Until the next program is late."""
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
        """A program gets its events one after the other, so it never runs twice at once."""
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
