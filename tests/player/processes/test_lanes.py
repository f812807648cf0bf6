"""Calls that may take long are made in a lane, in order, and hold up nobody but those behind them."""

import threading
from functools import partial

import pytest

from player.processes.threads import Lane

SOON_S = 10.0
"""More than anything here takes, also on a machine that is busy."""


class Held:
    """A lane whose first call waits until the test lets it go."""

    def __init__(self, most: int = 256) -> None:
        self.made: list[object] = []
        self.started, self.released = threading.Event(), threading.Event()
        self.lane = Lane("the test", most=most)
        self.lane.put(self.hold)
        assert self.started.wait(SOON_S)

    def hold(self) -> None:
        self.started.set()
        self.released.wait(SOON_S)

    def put(self, *numbers: object, kind: str | None = None) -> None:
        for number in numbers:
            self.lane.put(partial(self.made.append, number), kind)

    def release(self) -> list[object]:
        self.released.set()
        assert self.lane.close(SOON_S)
        return self.made


def test_calls_are_made_in_order_on_one_thread_that_ends_with_the_process() -> None:
    lane, made = Lane("the test"), list[tuple[int, threading.Thread]]()
    for number in range(100):
        lane.put(lambda number=number: made.append((number, threading.current_thread())))  # type: ignore[misc]
    assert lane.close(SOON_S)
    assert [number for number, _ in made] == list(range(100))
    (thread,) = {thread for _, thread in made}
    assert thread.daemon


def test_of_one_kind_only_the_newest_waits_and_what_is_made_keeps_its_order() -> None:
    held = Held()
    held.put(1, kind="progress")
    held.put("discrete")
    held.put(2, kind="other")
    held.put(3, 4, kind="progress")
    assert held.release() == ["discrete", 2, 4]


def test_when_too_many_wait_the_oldest_give_way_and_the_log_says_so(caplog: pytest.LogCaptureFixture) -> None:
    held = Held(most=3)
    held.put(*range(10))
    assert [record.levelname for record in caplog.records] == ["ERROR"], "told at once, and once"
    assert held.release() == [7, 8, 9]
    assert "the lane 'the test' dropped 7 calls" in caplog.text


def test_what_supersedes_is_never_what_fills_a_lane(caplog: pytest.LogCaptureFixture) -> None:
    held = Held(most=3)
    held.put(1, 2)
    held.put(*range(1_000), kind="progress")
    assert held.release() == [1, 2, 999]
    assert not caplog.records


@pytest.mark.parametrize("error", [ValueError, SystemExit])
def test_a_call_that_fails_is_logged_and_the_next_is_made(
    error: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    def fail() -> None:
        raise error("broken")

    held = Held()
    held.lane.put(fail)
    held.put(1)
    assert held.release() == [1]
    assert "a call in the lane 'the test' failed" in caplog.text


def test_a_lane_that_hangs_is_left_to_the_end_of_the_process_and_makes_no_further_call(
    caplog: pytest.LogCaptureFixture,
) -> None:
    held = Held()
    held.put(1, 2)
    assert not held.lane.close(0.01)
    assert "2 more calls were not made" in caplog.text
    held.put(3)
    held.released.set()
    held.lane.close(SOON_S)
    assert held.made == []


def test_a_lane_that_was_never_used_has_no_thread() -> None:
    before = threading.active_count()
    lane = Lane("the test")
    assert lane.close(SOON_S)
    assert threading.active_count() == before
