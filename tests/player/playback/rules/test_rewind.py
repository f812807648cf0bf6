from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.playback.rules import resume_at, rules
from player.settings import Playback

NOW = datetime(2026, 3, 1, tzinfo=UTC)
RULES = rules(Playback())


@pytest.mark.parametrize(
    ("pause", "position"),
    [
        (timedelta(seconds=1), 60_000),
        (timedelta(minutes=5), 60_000),
        (timedelta(minutes=5, seconds=1), 57_000),
        (timedelta(hours=23), 57_000),
        (timedelta(hours=24, seconds=1), 50_000),
        (timedelta(days=400), 50_000),
        (timedelta(hours=-3), 60_000),
    ],
)
def test_the_longer_the_pause_the_further_back(pause: timedelta, position: int) -> None:
    assert resume_at(60_000, NOW - pause, NOW, RULES) == position


def test_never_before_the_start() -> None:
    assert resume_at(4_000, NOW - timedelta(days=3), NOW, RULES) == 0


def test_a_place_never_left_stays() -> None:
    assert resume_at(60_000, None, NOW, RULES) == 60_000


def test_the_settings_say_when_and_how_far() -> None:
    own = rules(Playback(rewind_after_pause="1h", rewind="0", rewind_after_day="48h", rewind_long="1:00"))
    assert resume_at(90_000, NOW - timedelta(hours=2), NOW, own) == 90_000
    assert resume_at(90_000, NOW - timedelta(hours=49), NOW, own) == 30_000


@given(st.integers(0, 10**8), st.timedeltas(timedelta(0), timedelta(days=9999)))
def test_playing_never_goes_on_later_than_it_stopped(position: int, pause: timedelta) -> None:
    assert 0 <= resume_at(position, NOW - pause, NOW, RULES) <= position
