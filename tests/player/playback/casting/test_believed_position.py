import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.playback.casting.believed_position import RUN_ON_S, BelievedPosition, Verdict

LENGTH_MS = 3_600_000


def playing(at_ms: int = 100_000, step_ms: int = 1, speed: float = 1.0) -> BelievedPosition:
    """It has arrived there at 0 s."""
    position = BelievedPosition(at_ms, speed, step_ms, 0.0)
    assert position.told(at_ms / 1000, 0.0, plays=True) is Verdict.BELIEVED
    return position


def test_it_goes_on_between_two_answers_and_takes_over_what_the_device_says() -> None:
    position = playing()
    assert position.at(0.5) == 100_500
    assert position.told(100.7, 1.0, plays=True) is Verdict.BELIEVED
    assert position.at(1.0) == 100_700


def test_without_answers_it_stops_soon() -> None:
    assert playing().at(60.0) == 100_000 + RUN_ON_S * 1000


def test_a_paused_device_stands_still() -> None:
    position = playing()
    assert position.told(101.0, 1.0, plays=False) is Verdict.BELIEVED
    assert position.at(9.0) == 101_000


@pytest.mark.parametrize("seconds", [-2.0, 5_000.0, math.nan, math.inf, None, 0.0, 97.0, 104.0])
def test_a_position_that_cannot_be_changes_nothing(seconds: float | None) -> None:
    position = playing()
    assert position.told(seconds, 1.0, plays=True, duration_ms=LENGTH_MS) is Verdict.DOUBTED
    assert position.at(1.0) == 101_000
    assert position.told(102.0, 2.0, plays=True, duration_ms=LENGTH_MS) is Verdict.BELIEVED


def test_until_it_has_arrived_where_it_was_sent_nothing_else_counts() -> None:
    position = playing()
    position.sought(500_000, 1.0)
    assert position.told(101.2, 1.2, plays=True) is Verdict.AWAITED
    assert position.at(1.3) == 500_000
    assert position.told(500.1, 1.5, plays=True) is Verdict.BELIEVED
    assert position.at(1.5) == 500_100


def test_a_jump_at_the_device_counts_once_it_has_played_on_from_there() -> None:
    position = playing()
    verdicts = [position.told(130.0 + at, at, plays=True) for at in (0.7, 1.4, 2.1, 2.8, 3.5)]
    assert verdicts == [Verdict.DOUBTED] * 4 + [Verdict.JUMPED]


def test_a_jump_to_bytes_that_it_was_never_given_does_not_count() -> None:
    position = playing()
    for at in (0.7, 1.4, 2.1, 2.8, 3.5, 4.2):
        assert position.told(130.0 + at, at, plays=True, has_bytes=lambda _ms: False) is Verdict.DOUBTED


def test_a_device_that_starts_over_has_not_jumped() -> None:
    position = playing()
    for at in (0.7, 1.4, 2.1, 2.8, 3.5, 4.2):
        assert position.told(at, at, plays=True) is Verdict.DOUBTED
    assert position.doubted_s(4.2) == pytest.approx(3.5)


def test_a_position_in_whole_seconds_is_known_better_with_time() -> None:
    """The device is at 100.9 s, and rounds down."""
    position = playing(step_ms=1_000)
    for at in (0.7, 1.4, 2.1, 2.8, 3.5, 4.2, 4.9, 5.6):
        assert position.told(math.floor(100.9 + at), at, plays=True) is Verdict.BELIEVED
    assert position.at(5.6) == pytest.approx(106_500, abs=300)


def test_a_speed_counts_from_when_it_is_set() -> None:
    position = playing()
    position.with_speed(2.0, 1.0)
    assert position.at(2.0) == 103_000


@given(
    st.lists(
        st.tuples(
            st.one_of(st.none(), st.floats(width=32), st.floats(0, 3_600)),
            st.floats(0.01, 30.0),
            st.booleans(),
        ),
        max_size=30,
    )
)
def test_whatever_a_device_says_the_position_advances_no_faster_than_time(
    said: list[tuple[float | None, float, bool]],
) -> None:
    position, now, believed_at, last = playing(), 0.0, 0.0, 100_000
    for seconds, passed, plays in said:
        now += passed
        verdict = position.told(seconds, now, plays=plays, duration_ms=LENGTH_MS)
        if verdict is Verdict.BELIEVED:
            assert last - 1_503 <= position.at(now) <= last + 1000 * (now - believed_at) + 2_003
            last, believed_at = position.at(now), now
        assert position.at(now) <= last + RUN_ON_S * 1000 + 1
