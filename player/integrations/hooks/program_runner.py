"""The listener's programs for events: which of them can't be run, their recent failures, and Earmark's side of the
process that runs them: it is started for the first program, and released when there is none to run.
"""

import json
import logging
import os
import selectors
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Any

import msgspec
from msgspec import Struct

from player import regular_file
from player.integrations.hooks.program_worker import DROPPED, LATE, MOST_NOTED, UNSTARTABLE
from player.processes.python_child import lone_script
from player.programs import ending, problem
from player.settings import Hooks
from player.text.cleaning import clean_line
from player.text.sentences import _

log = logging.getLogger(__name__)

_WORKER = Path(__file__).with_name("program_worker.py")
_IDLE_S = 30.0


class Outcome(Struct, frozen=True):
    """The outcome of a program. `outcome`, `code` and `errors` are as in `program_worker.py`."""

    id: int
    setting: str
    words: tuple[str, ...]
    outcome: str
    code: int | None = None
    errors: str = ""


class _Process(Struct, eq=False):
    process: "subprocess.Popen[bytes]"
    under_way: set[int]


class ProgramRunner:
    """Any thread may use it. Programs outlive it: every program requested is run, whether or not Earmark ends
    meanwhile."""

    def __init__(self, failures: Path, over: Callable[[Outcome], None], idle_s: float = _IDLE_S) -> None:
        """`failures`: the file that the process notes failures in. `over` is called with every outcome, on a thread of
        its own."""
        self._failures = failures
        self._over = over
        self._idle_s = idle_s
        self._lock = threading.Lock()
        self._current: _Process | None = None
        self._last_id = 0
        self._resting = False

    def run(
        self, setting: str, words: Sequence[str], given: str, environment: dict[str, str], folder: str, seconds: float
    ) -> None:
        """Returns once the process has the order; the process runs the program when its turn comes. Raises OSError."""
        with self._lock:
            self._last_id += 1
            order: dict[str, Any] = {
                "id": self._last_id,
                "setting": setting,
                "words": list(words),
                "input": given,
                "environment": environment,
                "folder": folder,
                "seconds": seconds,
            }
            line = json.dumps(order).encode() + b"\n"
            try:
                self._write(line)
            except OSError:  # the process was killed
                self._let_go()
                self._write(line)

    def rest(self) -> None:
        """From now on the process is kept only as long as it has programs to run."""
        with self._lock:
            self._resting = True
            if self._current is not None and not self._current.under_way:
                self._let_go()

    def _write(self, line: bytes) -> None:
        if self._current is None:
            self._current = self._started()
        stdin = self._current.process.stdin
        assert stdin is not None
        stdin.write(line)
        stdin.flush()
        self._current.under_way.add(self._last_id)

    def _started(self) -> _Process:
        process = subprocess.Popen(
            lone_script(_WORKER, str(self._failures)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        started = _Process(process, set())
        threading.Thread(target=self._listen, args=(started,), name="earmark-hooks-ended", daemon=True).start()
        return started

    def _let_go(self) -> None:
        """Lets the process end once it has run its programs. Call it with the lock held."""
        current, self._current = self._current, None
        if current is not None and current.process.stdin is not None:
            with suppress(OSError):
                current.process.stdin.close()

    def _listen(self, current: _Process) -> None:
        stdout = current.process.stdout
        assert stdout is not None
        for line in self._lines(current, stdout):
            try:
                outcome = msgspec.json.decode(line, type=Outcome)
            except msgspec.MsgspecError:
                log.error("the process that runs hooks wrote %r", line[:200])
                continue
            with self._lock:
                current.under_way.discard(outcome.id)
                if self._resting and not current.under_way and current is self._current:
                    self._let_go()
            self._over(outcome)
        code = current.process.wait()
        stdout.close()
        with self._lock:
            if current is self._current:
                self._let_go()
        if code or current.under_way:
            log.error("the process that runs hooks ended with %s, %d unfinished", code, len(current.under_way))

    def _lines(self, current: _Process, stdout: IO[bytes]) -> Iterator[bytes]:
        """The lines that the process writes. Releases the process when it has had nothing to do for a while."""
        handle = stdout.fileno()
        pending = b""
        with selectors.DefaultSelector() as ready:
            ready.register(handle, selectors.EVENT_READ)
            while True:
                if not ready.select(self._idle_s):
                    with self._lock:
                        if not current.under_way and current is self._current:
                            self._let_go()
                    continue
                if not (part := _read(handle)):
                    return
                *lines, pending = (pending + part).split(b"\n")
                yield from lines


def _read(handle: int) -> bytes:
    try:
        return os.read(handle, 64 * 1024)
    except OSError:
        return b""


RECENT = timedelta(days=7)


def problems(hooks: Hooks) -> dict[str, str]:
    """A sentence for each setting whose program can't be run."""
    looked = {setting: problem(words[0]) for setting, words in hooks.programs.items()}
    return {
        setting: _("“hooks.{setting}” in config.toml can't run: {problem}", setting=setting, problem=why)
        for setting, why in looked.items()
        if why
    }


class Failure(Struct, frozen=True):
    """A failure, with the fields of its line in the file that `program_worker.py` writes."""

    moment: datetime
    setting: str
    words: tuple[str, ...]
    outcome: str
    code: int | None = None
    errors: str = ""


def recent_failures(path: Path, now: datetime) -> list[Failure]:
    """The failures of the last seven days, oldest first; none if the file can't be read."""
    try:
        with regular_file.opened(path) as file:
            lines = file.read(2 * MOST_NOTED).splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        try:
            failure = msgspec.json.decode(line, type=Failure)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            continue
        since = failure.moment if failure.moment.tzinfo else failure.moment.replace(tzinfo=UTC)
        if now - since <= RECENT:
            found.append(failure)
    return found


def problem_of(outcome: str, code: int | None, errors: str) -> str:
    """What went wrong, to follow the program's name in a sentence."""
    if outcome == UNSTARTABLE:
        return _("can't be run ({reason})", reason=clean_line(errors, 200))
    if outcome == DROPPED:
        return _("wasn't run, because too many events waited")
    if outcome == LATE:
        return _("took too long and was killed")
    return ending(code or 0)
