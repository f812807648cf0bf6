"""Threads that don't outlast their process."""

import threading
from concurrent.futures import CancelledError, Future

import pytest

from player.processes.threads import DaemonThreads, on_own_thread


def test_jobs_give_results_and_errors() -> None:
    threads = DaemonThreads(2, "test")
    assert list(threads.map(str.upper, "abcd")) == ["A", "B", "C", "D"]
    with pytest.raises(ValueError, match="invalid literal"):
        threads.submit(int, "no number").result(5)
    threads.shutdown()


def test_as_many_jobs_run_at_once_as_there_are_threads_and_no_more() -> None:
    threads = DaemonThreads(3, "test")
    meeting = threading.Barrier(3)
    for _ in range(2):
        assert sorted(job.result(5) for job in [threads.submit(meeting.wait, 5) for _ in range(3)]) == [0, 1, 2]
    assert len({thread.name for thread in threading.enumerate() if thread.name.startswith("test_")}) == 3
    threads.shutdown()


def test_what_waits_at_the_end_is_carried_out_unless_it_is_cancelled() -> None:
    for cancelled in (False, True):
        threads = DaemonThreads(1, "test")
        goes_on, started = threading.Event(), threading.Event()

        def hold(started: threading.Event = started, goes_on: threading.Event = goes_on) -> None:
            started.set()
            goes_on.wait(10)

        first: Future[object] = threads.submit(hold)
        waiting = threads.submit(str, 1)
        assert started.wait(5)
        threads.shutdown(wait=False, cancel_futures=cancelled)
        goes_on.set()
        assert first.result(5) is None
        if cancelled:
            with pytest.raises(CancelledError):
                waiting.result(5)
        else:
            assert waiting.result(5) == "1"
        with pytest.raises(RuntimeError):
            threads.submit(str, 2)


def test_an_answer_that_is_no_longer_waited_for_troubles_nobody() -> None:
    begun, goes_on = threading.Event(), threading.Event()

    def work() -> bool:
        begun.set()
        return goes_on.wait(10)

    waiter = on_own_thread(work, "test-own")
    assert begun.wait(5)
    assert not waiter.cancel()
    goes_on.set()
    assert waiter.result(5)
