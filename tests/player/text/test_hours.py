"""The hours in which rules may download."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from player.text.times import Hours, parse_hours

BERLIN = ZoneInfo("Europe/Berlin")


def hours(text: str) -> Hours:
    found = parse_hours(text)
    assert found
    return found


def minutes_inside(text: str, day: datetime) -> int:
    """Of 24 hours from `day` on, in Berlin."""
    start = day.astimezone(UTC)
    return sum(hours(text).contain((start + timedelta(minutes=n)).astimezone(BERLIN)) for n in range(24 * 60))


@pytest.mark.parametrize(
    ("clock", "within", "across"), [("00:59", False, True), ("01:00", True, True), ("06:00", False, False)]
)
def test_they_begin_on_the_minute_and_end_before_it(clock: str, within: bool, across: bool) -> None:
    now = datetime.fromisoformat(f"2026-05-05T{clock}")
    assert hours("01:00-06:00").contain(now) is within
    assert hours("23:30-6:00").contain(now) is across


def test_a_night_is_as_long_as_the_clock_on_the_wall_makes_it() -> None:
    assert minutes_inside("01:00-06:00", datetime(2026, 5, 5, tzinfo=BERLIN)) == 5 * 60
    assert minutes_inside("01:00-06:00", datetime(2026, 3, 29, tzinfo=BERLIN)) == 4 * 60, "2:00 becomes 3:00"
    assert minutes_inside("02:15-02:45", datetime(2026, 3, 29, tzinfo=BERLIN)) == 0, "that night has no such time"
    assert minutes_inside("01:00-06:00", datetime(2026, 10, 25, tzinfo=BERLIN)) == 6 * 60
    assert minutes_inside("23:00-01:00", datetime(2026, 10, 25, 12, tzinfo=BERLIN)) == 2 * 60


def test_equal_times_are_the_whole_day() -> None:
    assert minutes_inside("05:00-05:00", datetime(2026, 5, 5, tzinfo=BERLIN)) == 24 * 60


@pytest.mark.parametrize("text", ["1", "25:00-01:00", "01:00", "01:00-", "01:60-02:00", "01:00-02:00-03:00", "a-b"])
def test_other_text_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match="01:00-06:00"):
        parse_hours(text)
    assert parse_hours(" ") is None
