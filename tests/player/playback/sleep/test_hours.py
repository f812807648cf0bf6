"""In which hours the timer starts by itself."""

from datetime import date, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.model.playback import SleepChoice, SleepUntil
from player.playback.sleep import SleepHours, sleep_hours
from player.settings import Sleep

CHOICE = SleepChoice(SleepUntil.MINUTES, 30)
TONIGHT = date(2026, 3, 1)


@pytest.mark.parametrize(
    ("clock", "night"),
    [
        (datetime(2026, 3, 1, 22, 59), None),
        (datetime(2026, 3, 1, 23, 0), TONIGHT),
        (datetime(2026, 3, 2, 0, 30), TONIGHT),
        (datetime(2026, 3, 2, 5, 59), TONIGHT),
        (datetime(2026, 3, 2, 6, 0), None),
    ],
)
def test_a_night_over_midnight_is_one_night(clock: datetime, night: date | None) -> None:
    assert SleepHours(time(23), time(6), CHOICE).night(clock) == night


@given(st.times(), st.times(), st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1)))
def test_each_night_is_one_stretch_of_time(start: time, end: time, now: datetime) -> None:
    hours = SleepHours(start, end, CHOICE)
    night = hours.night(now)
    if night is not None:
        began = datetime.combine(night, start)
        assert timedelta() <= now - began < timedelta(days=1)
        assert hours.night(began) == night


def test_without_a_beginning_it_never_starts_by_itself() -> None:
    assert sleep_hours(Sleep()) is None
    assert sleep_hours(Sleep("22:30", "05:00", 45)) == SleepHours(
        time(22, 30), time(5), SleepChoice(SleepUntil.MINUTES, 45)
    )
