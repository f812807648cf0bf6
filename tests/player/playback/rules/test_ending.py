import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.playback.rules import is_the_end

HOUR = 3_600_000


@pytest.mark.parametrize("position", [3_595_500, 3_600_000, 3_600_900])
def test_the_end_is_where_the_duration_says(position: int) -> None:
    assert is_the_end(position, HOUR, exact=True, all_bytes=True, sounded=True)


@pytest.mark.parametrize("position", [0, 1_800_000, 3_500_000, 3_590_000, 3_900_000])
def test_elsewhere_it_is_none(position: int) -> None:
    assert not is_the_end(position, HOUR, exact=True, all_bytes=True, sounded=True)


@pytest.mark.parametrize(("duration", "slack"), [(1, 1_500), (60_000, 1_500), (100_000, 2_000), (HOUR, 5_000)])
def test_a_fiftieth_may_be_missing_or_too_much_from_a_second_and_a_half_to_five(duration: int, slack: int) -> None:
    for off in (-slack - 1, -slack, slack, slack + 1):
        ends = is_the_end(duration + off, duration, exact=True, all_bytes=True, sounded=True)
        assert ends is (abs(off) <= slack)


@given(st.integers(1, 10 * HOUR), st.integers(0, 10 * HOUR))
def test_however_long_it_is_no_more_than_seconds_may_be_missing(duration: int, position: int) -> None:
    if is_the_end(position, duration, exact=True, all_bytes=True, sounded=True):
        assert abs(position - duration) <= 5_000
        assert duration > 60_000 or abs(position - duration) <= 1_500


@pytest.mark.parametrize("duration", [HOUR, None])
@pytest.mark.parametrize("exact", [True, False])
def test_without_the_last_bytes_it_is_none(duration: int | None, exact: bool) -> None:
    assert not is_the_end(HOUR, duration, exact=exact, all_bytes=False, sounded=True)


@pytest.mark.parametrize("duration", [None, 110_000])
def test_a_guessed_duration_has_no_say(duration: int | None) -> None:
    assert is_the_end(600_000, duration, exact=False, all_bytes=True, sounded=True)
    assert not is_the_end(600_000, duration, exact=False, all_bytes=True, sounded=False)
