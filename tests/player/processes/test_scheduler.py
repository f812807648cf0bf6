"""Work for later: when it is done, how often, by how many threads, and what closing does."""

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future

import pytest

from player.processes.scheduler import Scheduler, SharedThreads
from tests.player.playback.support import wait_until

SOON_S = 10.0
IDLE_S = 0.05


@pytest.fixture
def scheduler() -> Scheduler:
    return Scheduler(IDLE_S)


class Calls:
    """Counts calls, says when they began, and holds each until it is let go."""

    def __init__(self, *, held: bool = False) -> None:
        self.began: list[float] = []
        self.at_once = self.most_at_once = 0
        self.go_on = threading.Event()
        if not held:
            self.go_on.set()

    def __call__(self) -> None:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        self.began.append(time.monotonic())
        self.go_on.wait(SOON_S)
        self.at_once -= 1

    def wait_for(self, count: int) -> None:
        wait_until(lambda: len(self.began) >= count)


def threads_of(name: str) -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == f"earmark-{name}"]


def test_a_call_comes_once_it_has_been_quiet(scheduler: Scheduler) -> None:
    calls = Calls()
    task = scheduler.task(calls, "test")
    for _ in range(5):
        task.soon(quiet_s=0.1)
        last = time.monotonic()
    calls.wait_for(1)
    assert calls.began[0] - last >= 0.1
    task.close()
    assert len(calls.began) == 1


def test_a_call_comes_in_the_end_where_it_is_never_quiet(scheduler: Scheduler) -> None:
    calls = Calls()
    task = scheduler.task(calls, "test")
    began = time.monotonic()
    while not calls.began:
        task.soon(quiet_s=60, at_most_s=0.1)
        assert time.monotonic() < began + SOON_S
    assert calls.began[0] - began >= 0.1
    task.close()


def test_what_is_asked_for_during_a_call_is_called_once_more_and_never_at_the_same_time(scheduler: Scheduler) -> None:
    calls = Calls(held=True)
    task = scheduler.task(calls, "test")
    task.soon()
    calls.wait_for(1)
    for _ in range(5):
        task.soon()
    calls.go_on.set()
    calls.wait_for(2)
    task.close()
    assert (len(calls.began), calls.most_at_once) == (2, 1)


def test_it_is_called_again_and_again_until_it_is_closed(scheduler: Scheduler) -> None:
    calls = Calls()
    began = time.monotonic()
    task = scheduler.every(0.02, calls, "test")
    calls.wait_for(4)
    task.close()
    count = len(calls.began)
    assert all(later - earlier >= 0.02 for earlier, later in zip([began, *calls.began], calls.began, strict=False))
    other = Calls()
    scheduler.task(other, "other").soon(quiet_s=0.1)
    other.wait_for(1)
    assert len(calls.began) == count


def test_a_call_that_hangs_or_fails_delays_no_other(scheduler: Scheduler, caplog: pytest.LogCaptureFixture) -> None:
    hanging, calls, failed = Calls(held=True), Calls(), Calls()

    def fail() -> None:
        failed()
        raise ValueError("no")

    tasks = [scheduler.task(hanging, "hanging"), scheduler.every(0.01, fail, "failing")]
    tasks[0].soon()
    hanging.wait_for(1)
    with caplog.at_level(logging.ERROR):
        tasks.append(scheduler.every(0.01, calls, "test"))
        calls.wait_for(3)
        failed.wait_for(3)
    assert "failing failed" in caplog.text
    hanging.go_on.set()
    for task in tasks:
        assert task.close()


def test_closing_waits_for_a_call_and_drops_or_makes_the_one_that_waits(scheduler: Scheduler) -> None:
    for finish, count in ((False, 1), (True, 2)):
        calls = Calls(held=True)
        task = scheduler.task(calls, "test")
        task.soon()
        calls.wait_for(1)
        task.soon(quiet_s=60)
        assert not task.close(finish=finish, timeout_s=0.01)
        calls.go_on.set()
        assert task.close(finish=finish)
        assert len(calls.began) == count
        task.soon()
        assert task.close()
        assert len(calls.began) == count


def test_what_waits_for_a_long_time_is_made_at_once_at_the_end_or_never(scheduler: Scheduler) -> None:
    calls = Calls()
    for finish in (False, True):
        task = scheduler.task(calls, "test")
        task.soon(quiet_s=3600)
        assert task.close(finish=finish)
        assert len(calls.began) == finish


def test_a_call_may_close_its_own_task(scheduler: Scheduler) -> None:
    closed: list[bool] = []
    task = scheduler.every(0.01, lambda: closed.append(task.close()), "test")
    wait_until(lambda: closed)
    assert task.close()
    assert closed == [True]


def test_threads_exist_only_while_there_is_work() -> None:
    scheduler = Scheduler(IDLE_S)
    calls = Calls(held=True)
    tasks = [scheduler.task(calls, "crowd") for _ in range(5)]
    for task in tasks:
        task.soon()
    calls.wait_for(5)
    assert len(threads_of("crowd")) == 5
    later = scheduler.task(Calls(), "later")
    later.soon(quiet_s=3600)
    calls.go_on.set()
    wait_until(lambda: scheduler._idle == 1)
    later.close()
    wait_until(lambda: scheduler._idle == 0)


def test_threads_of_a_busy_moment_end_although_there_is_a_little_to_do_for_ever(scheduler: Scheduler) -> None:
    ticks, calls = Calls(), Calls(held=True)
    ticking = scheduler.every(IDLE_S / 5, ticks, "ticks")
    tasks = [scheduler.task(calls, "crowd") for _ in range(3)]
    for task in tasks:
        task.soon()
    calls.wait_for(3)
    calls.go_on.set()
    wait_until(lambda: not any(task.is_waited_for for task in tasks), "the end of the crowd")
    known = {thread.ident for thread in threading.enumerate() if thread.name in ("earmark-spare", "earmark-ticks")}
    wait_until(lambda: len(known & {thread.ident for thread in threading.enumerate()}) <= 1, "the end of its threads")
    ticks.wait_for(len(ticks.began) + 3)
    assert ticking.close()


def test_one_thread_is_enough_for_what_is_due_now_and_then(scheduler: Scheduler) -> None:
    names: set[int] = set()
    calls = Calls()

    def call() -> None:
        names.add(threading.get_ident())
        calls()

    task = scheduler.every(2 * IDLE_S, call, "test")
    calls.wait_for(4)
    task.close()
    assert len(names) == 1


# -- pools ----------------------------------------------------------------------------------------------------


def test_a_pool_gives_results_and_errors() -> None:
    threads = SharedThreads(2, "earmark-test")
    assert list(threads.map(str.upper, "abcd")) == ["A", "B", "C", "D"]
    with pytest.raises(ValueError, match="invalid literal"):
        threads.submit(int, "no number").result(5)
    assert threads.submit(lambda: threading.current_thread().name).result(5) == "earmark-test"
    threads.shutdown()


def test_a_pool_of_one_keeps_the_order() -> None:
    threads = SharedThreads(1, "test")
    done: list[int] = []
    for number in range(500):
        threads.submit(done.append, number)
    threads.shutdown()
    assert done == list(range(500))


def test_as_many_calls_are_made_at_once_as_a_pool_may_and_no_more() -> None:
    threads = SharedThreads(3, "test")
    meeting = threading.Barrier(3)
    for _ in range(2):
        assert sorted(job.result(5) for job in [threads.submit(meeting.wait, 5) for _ in range(3)]) == [0, 1, 2]
    calls = Calls(held=True)
    jobs = [threads.submit(calls) for _ in range(6)]
    calls.wait_for(3)
    calls.go_on.set()
    for job in jobs:
        job.result(5)
    assert calls.most_at_once == 3
    threads.shutdown()


@pytest.mark.parametrize("cancelled", [False, True])
def test_what_waits_in_a_pool_at_the_end_is_made_unless_it_is_cancelled(cancelled: bool) -> None:
    threads = SharedThreads(1, "test", patience_s=0.01)
    calls = Calls(held=True)
    first: Future[None] = threads.submit(calls)
    waiting = threads.submit(str, 1)
    calls.wait_for(1)
    threads.shutdown(wait=True, cancel_futures=cancelled)
    calls.go_on.set()
    assert first.result(5) is None
    refused: Callable[[], object] = waiting.result
    if cancelled:
        with pytest.raises(CancelledError):
            refused()
    else:
        assert waiting.result(5) == "1"
    with pytest.raises(RuntimeError):
        threads.submit(str, 2)
