"""The clock of actions: later than all that was seen, whatever a device's clock says."""

from hypothesis import given
from hypothesis import strategies as st

from player.merging.clock import LATEST, in_whole_seconds, next_at, usable
from tests.player.merging.stories import NOON

TIMES = st.integers(-(10**19), 10**19) | st.integers(0, LATEST)
KNOWN = st.integers(-(10**15), LATEST - 5_000) | st.integers(LATEST, 10**19)


@given(TIMES, KNOWN, st.sampled_from([1, 1000]))
def test_what_is_done_now_is_later_than_what_is_known(wall: int, known: int, step: int) -> None:
    at = next_at(wall, known, step)
    assert usable(known) < at < LATEST
    assert at % step == 0
    assert usable(at) == at


@given(st.integers(0, LATEST - 2000), st.sampled_from([1, 1000]))
def test_a_clock_that_is_right_is_followed(wall: int, step: int) -> None:
    assert wall <= next_at(wall, 0, step) < wall + step or wall == 0


def test_a_clock_that_is_behind_what_was_seen_goes_on_from_there() -> None:
    assert next_at(NOON, NOON + 86_400_000) == NOON + 86_400_001
    assert next_at(NOON, NOON, 1000) == NOON + 1000
    assert next_at(-5, 0) == 1


def test_a_clock_in_another_century_only_counts() -> None:
    assert next_at(LATEST + 5, NOON) == NOON + 1
    assert next_at(0, 10**18) == 1


def test_the_last_moment_is_the_last() -> None:
    assert next_at(NOON, LATEST - 1) == LATEST - 1
    assert next_at(NOON, LATEST - 1, 1000) == LATEST - 1000


def test_seconds_are_rounded_up() -> None:
    assert [in_whole_seconds(at) for at in (0, 1, 999, 1000, 1001)] == [0, 1000, 1000, 1000, 2000]
