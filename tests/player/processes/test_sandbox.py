"""The sandbox: what its children may do, and what its callers see of whatever befalls them."""

import os
import resource
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest

from player.processes.python_child import environment
from player.processes.sandbox import Sandbox, SandboxError, Trouble
from player.processes.threads import CancelToken, on_own_thread
from tests.player.processes import calls

MEMORY = 300 << 20
AnySandbox = Sandbox[Any, *tuple[Any, ...]]
Make = Callable[..., AnySandbox]


@pytest.fixture
def sandbox() -> Iterator[Make]:
    """Makes one with children that stay, unless the test says otherwise."""
    made: list[AnySandbox] = []

    def make(function: Callable[..., object], **terms: Any) -> AnySandbox:
        made.append(Sandbox(function, **{"memory": MEMORY, "seconds": 30.0, "idle_s": float("inf")} | terms))
        return made[-1]

    yield make
    for one in made:
        one.close()


def wait_until(true: Callable[[], object]) -> None:
    end = time.monotonic() + 20
    while not true():
        assert time.monotonic() < end
        time.sleep(0.005)


def is_gone(pid: int) -> bool:
    """Zombies are still there."""
    return not Path(f"/proc/{pid}").exists()


def trouble(call: Callable[[], object]) -> tuple[Trouble, str]:
    with pytest.raises(SandboxError) as caught:
        call()
    return caught.value.trouble, str(caught.value)


class Running:
    """Calls of `waiting` on threads of their own."""

    def __init__(self, sandbox: AnySandbox, folder: Path) -> None:
        self.sandbox, self.folder = sandbox, folder

    def begin(self, name: str) -> Future[int]:
        return on_own_thread(lambda: self.sandbox.call(str(self.folder), name), "call")

    def pid(self, name: str) -> int:
        wait_until((self.folder / name).exists)
        return int((self.folder / name).read_text())

    def queue(self, name: str, place: int = 1) -> Future[int]:
        """A call that waits for its turn."""
        call = self.begin(name)
        wait_until(lambda: len(self.sandbox._changed._waiters) == place)  # type: ignore[attr-defined]
        return call

    def go(self) -> None:
        (self.folder / "go").touch()


@pytest.fixture
def running(sandbox: Make, tmp_path: Path) -> Callable[..., Running]:
    return lambda **terms: Running(sandbox(calls.waiting, writes=True, **terms), tmp_path)


# -- calls ----------------------------------------------------------------------------------------------------


def test_values_of_any_type_go_there_and_back_and_one_child_makes_all_calls(sandbox: Make) -> None:
    shapes = sandbox(calls.widened)
    assert shapes.call(calls.Shape("a square", (1, 2)), 3, b"\xff" * 200_000) == calls.Shape("a square 200000", (4, 5))
    assert shapes.call(calls.Shape("nothing"), 3, b"") is None
    assert len({sandbox(calls.pid).call() for _ in range(2)}) == 2
    one = sandbox(calls.pid)
    assert len({one.call() for _ in range(5)}) == 1


def test_megabytes_come_whole(sandbox: Make) -> None:
    assert sandbox(calls.zeros).call(50_000_000) == bytes(50_000_000)


def test_what_msgpack_cannot_say_is_refused(sandbox: Make) -> None:
    for name, by in (("\ud800", 0), ("a", 1 << 70)):
        assert trouble(lambda: sandbox(calls.widened).call(calls.Shape(name), by, b""))[0] is Trouble.DIED  # noqa: B023


def test_an_exception_is_a_sentence_for_the_log_and_the_child_goes_on(sandbox: Make) -> None:
    one = sandbox(calls.raising)
    one.start(1)
    assert trouble(lambda: one.call("room")) == (Trouble.DIED, "ValueError: no room")
    ((child, _),) = one._idle
    assert trouble(lambda: one.call("\n" * 1000))[0] is Trouble.DIED
    assert one._idle[0][0] is child


def test_what_is_printed_there_is_no_answer_and_programs_started_there_read_no_request(sandbox: Make) -> None:
    one = sandbox(calls.printing)
    assert [one.call() for _ in range(3)] == [0, 0, 0]


def test_children_that_were_started_and_prepared_before_make_the_calls(sandbox: Make) -> None:
    one = sandbox(calls.prepared, prepare=calls.prepare, at_most=2)
    one.start(5)
    assert len(one._idle) == 2
    before = {child for child, _ in one._idle}
    assert one.call() == "yes"
    assert {child for child, _ in one._idle} == before


# -- limits ---------------------------------------------------------------------------------------------------


def test_a_call_that_needs_too_much_memory_says_so_and_the_child_goes_on(sandbox: Make) -> None:
    one = sandbox(calls.zeros)
    assert trouble(lambda: one.call(2 * MEMORY)) == (Trouble.MEMORY, "it takes too much memory")
    assert one.call(3) == bytes(3)


def test_one_that_hangs_is_given_up_and_the_next_is_made(sandbox: Make) -> None:
    one = sandbox(calls.lasting, seconds=1.5)
    assert trouble(lambda: one.call(600.0)) == (Trouble.LATE, "it took over 1.5 s")
    assert one._idle == []
    one._seconds = 30.0  # another child has to start
    assert one.call(0.0)


def test_one_that_does_not_read_what_it_is_told_is_given_up_too(sandbox: Make) -> None:
    one = sandbox(calls.widened, seconds=1.0)
    one.start(1)
    ((child, _),) = one._idle
    child.process.send_signal(signal.SIGSTOP)
    assert trouble(lambda: one.call(calls.Shape("a"), 1, bytes(20_000_000)))[0] is Trouble.LATE
    assert child.process.returncode == -signal.SIGKILL


def test_the_deadline_of_a_call_does_not_end_the_next_one(sandbox: Make) -> None:
    one = sandbox(calls.lasting)
    pid = one.call(0.0)
    one._seconds = 2.0
    assert [one.call(1.1) for _ in range(2)] == [pid] * 2


def test_processor_time_is_limited_by_itself(sandbox: Make) -> None:
    one = sandbox(calls.spinning, cpu_s=1)
    assert trouble(one.call) == (Trouble.LATE, "it took too much processor time")


def test_it_is_nice_and_writes_no_file_unless_it_may(sandbox: Make, tmp_path: Path) -> None:
    assert sandbox(calls.niceness, nice=5).call() == min(19, os.nice(0) + 5)
    path = tmp_path / "file"
    assert "OSError" in trouble(lambda: sandbox(calls.written).call(str(path)))[1]
    assert path.read_bytes() == b""
    assert sandbox(calls.written, writes=True).call(str(path)) == 9


def test_no_more_calls_are_made_at_once_than_may_be(running: Callable[..., Running]) -> None:
    run = running(at_most=2)
    first, second = run.begin("first"), run.begin("second")
    pids = {run.pid("first"), run.pid("second")}
    third = run.queue("third")
    assert not (run.folder / "third").exists()
    run.go()
    assert {first.result(20), second.result(20)} == pids
    assert third.result(20) in pids


# -- the end of a child ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "words"), [(0, "exit code 3"), (signal.SIGKILL, "signal 9"), (signal.SIGSEGV, "signal 11")]
)
def test_a_child_that_dies_is_named_with_its_end_and_the_next_call_has_another(
    sandbox: Make, number: int, words: str
) -> None:
    one = sandbox(calls.ending)
    for _ in range(2):
        assert trouble(lambda: one.call(number)) == (Trouble.DIED, f"its process ended: {words}")


def test_one_that_is_killed_in_the_middle_of_a_call_ends_that_call_alone(running: Callable[..., Running]) -> None:
    run = running(at_most=2)
    killed, spared = run.begin("killed"), run.begin("spared")
    os.kill(run.pid("killed"), signal.SIGKILL)
    assert trouble(lambda: killed.result(20)) == (Trouble.DIED, "its process ended: signal 9")
    run.go()
    assert spared.result(20) == run.pid("spared")
    assert run.sandbox.call(str(run.folder), "next") > 0


def test_one_that_is_killed_while_idle_costs_no_call(sandbox: Make) -> None:
    one = sandbox(calls.pid)
    pid = one.call()
    one._idle[0][0].kill()
    wait_until(lambda: one._idle[0][0].process.poll() is not None)
    assert one.call() != pid


@pytest.mark.parametrize(
    "data",
    [
        b"\xff" * 100,
        struct.pack("<Q", MEMORY + 1),
        struct.pack("<Q", 0),
        struct.pack("<Q", 3) + b"???",
        struct.pack("<Q", 2) + b"R\x01",
        struct.pack("<Q", 2) + b"E\x01",
        struct.pack("<Q", 4) + b"R\xdd\xff\xff",
        struct.pack("<Q", 5) + b"R" + msgspec.msgpack.encode({"x": 1}),
    ],
    ids=["a length", "too long", "empty", "no kind", "another type", "no sentence", "cut short", "without a field"],
)
def test_garbage_is_no_answer_and_its_child_is_not_used_again(sandbox: Make, data: bytes) -> None:
    one = sandbox(calls.answering)
    kind, words = trouble(lambda: one.call(data))
    assert (kind, words[:26]) == (Trouble.DIED, "its answer makes no sense:")
    assert one._idle == []


def test_idle_children_end_after_a_while_and_so_does_who_watches_them(sandbox: Make) -> None:
    one = sandbox(calls.pid, idle_s=0.05)
    pid = one.call()
    wait_until(lambda: is_gone(pid))
    wait_until(lambda: one._reaper is None)
    assert one.call() != pid
    at_once = sandbox(calls.pid, idle_s=0.0)
    assert is_gone(at_once.call())
    assert at_once._reaper is None


def test_children_end_with_their_parent_in_the_middle_of_a_call_too(tmp_path: Path) -> None:
    script = (
        "import sys; from player.processes.sandbox import Sandbox; from tests.player.processes import calls\n"
        f"one = Sandbox(calls.waiting, memory={MEMORY}, seconds=600, idle_s=600, at_most=2, writes=True)\n"
        "one.start(2); one.call(sys.argv[1], 'begun')"
    )
    parent = subprocess.Popen([sys.executable, "-P", "-c", script, str(tmp_path)], env=environment())
    try:
        wait_until((tmp_path / "begun").exists)
        children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text().split()
        assert (tmp_path / "begun").read_text() in children
    finally:
        parent.kill()
        parent.wait()
    wait_until(lambda: all(is_gone(int(pid)) or _is_zombie(pid) for pid in children))


def _is_zombie(pid: str) -> bool:
    """Whoever takes over orphans on this machine may be in no hurry."""
    with suppress(OSError):
        return ") Z " in Path(f"/proc/{pid}/stat").read_text()
    return True


# -- cancelling and closing -----------------------------------------------------------------------------------


def test_cancelling_ends_the_calls_that_run_and_wait_and_no_later_one(running: Callable[..., Running]) -> None:
    run = running()
    runs = run.begin("runs")
    pid = run.pid("runs")
    waits = run.queue("waits")
    run.sandbox.cancel()
    for call in (runs, waits):
        assert trouble(lambda: call.result(20)) == (Trouble.STOPPED, "it was stopped")  # noqa: B023
    assert is_gone(pid)
    run.go()
    assert run.sandbox.call(str(run.folder), "later") != pid


def test_one_call_is_cancelled_alone_and_may_have_a_time_of_its_own(sandbox: Make, tmp_path: Path) -> None:
    one = sandbox(calls.waiting, writes=True, at_most=2)
    run, cancel = Running(one, tmp_path), CancelToken()
    other = run.begin("other")
    mine = on_own_thread(lambda: one.call(str(tmp_path), "mine", cancel=cancel), "call")
    pid = run.pid("mine")
    cancel.set()
    assert trouble(lambda: mine.result(20))[0] is Trouble.STOPPED
    wait_until(lambda: is_gone(pid))
    assert trouble(lambda: one.call(str(tmp_path), "third", cancel=cancel))[0] is Trouble.STOPPED
    assert trouble(lambda: one.call(str(tmp_path), "fourth", seconds=0.01)) == (Trouble.LATE, "it took over 0.01 s")
    run.go()
    assert other.result(20) == run.pid("other")


def test_a_call_that_is_cancelled_when_its_answer_has_come_is_cancelled(
    sandbox: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = sandbox(calls.pid)
    exchanged = one._exchanged
    pids: list[Any] = []

    def cancelled(*what: Any) -> object:
        pids.append(exchanged(*what))
        one.cancel()
        return pids[-1]

    monkeypatch.setattr(one, "_exchanged", cancelled)
    assert trouble(one.call)[0] is Trouble.STOPPED
    assert is_gone(pids[0])
    monkeypatch.undo()
    assert one.call() != pids[0]


def test_closing_ends_whatever_runs_and_refuses_the_rest(running: Callable[..., Running]) -> None:
    run = running(at_most=2)
    run.sandbox.start(2)
    idle = [child.process.pid for child, _ in run.sandbox._idle]
    runs = run.begin("runs")
    run.pid("runs")
    run.sandbox.close()
    assert trouble(lambda: runs.result(20))[0] is Trouble.STOPPED
    assert all(map(is_gone, idle))
    assert trouble(lambda: run.sandbox.call(str(run.folder), "late"))[0] is Trouble.STOPPED
    run.sandbox.start(1)
    assert run.sandbox._idle == []


def test_who_waits_for_a_turn_is_let_go_when_it_is_closed(running: Callable[..., Running]) -> None:
    run = running()
    run.begin("runs")
    run.pid("runs")
    waits = [run.queue(f"waits {place}", place) for place in (1, 2)]
    run.sandbox.close()
    for call in waits:
        assert trouble(lambda: call.result(20))[0] is Trouble.STOPPED  # noqa: B023


# -- no room for a child --------------------------------------------------------------------------------------


def test_without_descriptors_a_call_says_so_leaks_none_and_works_again_later(sandbox: Make) -> None:
    one = sandbox(calls.pid, idle_s=0.0)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(map(int, os.listdir("/proc/self/fd")))  # noqa: PTH208
    taken: list[int] = []
    said: list[Trouble | None] = []
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 20, hard))
    try:
        with suppress(OSError):
            while True:
                taken.append(os.dup(0))
        for _ in range(12):
            try:
                one.call()
                said.append(None)
            except SandboxError as error:
                said.append(error.trouble)
            os.close(taken.pop())
            free = [os.dup(0) for _ in range(len(said))]  # all that were freed are free
            for handle in free:
                os.close(handle)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for handle in taken:
            os.close(handle)
    assert said[:3] == [Trouble.UNSTARTED] * 3
    assert said[-1] is None
    assert set(said) == {Trouble.UNSTARTED, None}


_WITHOUT_PROCESSES = """
import os, resource, socket, subprocess, sys  # before this user may read nothing
from player.processes.sandbox import Sandbox, SandboxError
from tests.player.processes import calls
one = Sandbox(calls.pid, memory=300 << 20, seconds=30)
if os.getuid() == 0:
    os.setuid(54_321)
resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
try:
    one.call()
except SandboxError as error:
    print(error.trouble.value, error)
"""


def test_without_processes_a_call_says_so() -> None:
    words = [sys.executable, "-P", "-c", _WITHOUT_PROCESSES]
    done = subprocess.run(words, env=environment(), capture_output=True, text=True, check=True)
    if not done.stdout:
        pytest.skip("this system doesn't count processes")
    assert done.stdout.startswith("unstarted its process can't be started: ")


def test_where_python_cannot_be_started_a_call_says_so(sandbox: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    one = sandbox(calls.pid)
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    one.start(1)
    assert trouble(one.call)[0] is Trouble.UNSTARTED
    monkeypatch.undo()
    assert one.call()


def test_an_interrupted_call_leaves_no_child_that_still_answers_it(sandbox: Make, tmp_path: Path) -> None:
    """ctrl+c in the thread that calls."""
    one = sandbox(calls.waiting, writes=True)

    def interrupt() -> None:
        wait_until((tmp_path / "begun").exists)
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with closing(one), pytest.raises(KeyboardInterrupt):
        one.call(str(tmp_path), "begun")
    thread.join()
    assert is_gone(int((tmp_path / "begun").read_text()))
