"""On which day a week begins, and what follows from that: headings, calendars, what was heard this week."""

from collections.abc import Iterator
from datetime import date, timedelta

import pytest

from player.text import regional
from player.text.regional import FRIDAY, MONDAY, SATURDAY, SUNDAY, Region, first_day_of
from player.text.times import start_of_week
from tui.drawing.episode_rows import date_groups
from tui.drawing.statistics import Calendar, CalendarDays
from tui.look.glyphs import UNICODE

A_FRIDAY = date(2026, 11, 20)


@pytest.fixture(params=[MONDAY, FRIDAY, SATURDAY, SUNDAY])
def first(request: pytest.FixtureRequest) -> Iterator[int]:
    restore = regional.use(Region(week_begins=request.param))
    yield request.param
    restore()


@pytest.mark.parametrize(
    ("name", "first_day"),
    [
        ("en_US.UTF-8", SUNDAY), ("pt_BR", SUNDAY), ("he_IL.UTF-8", SUNDAY), ("ar_EG", SATURDAY), ("dv_MV", FRIDAY),
        ("de_DE.UTF-8", MONDAY), ("de_AT@euro", MONDAY), ("en_GB", MONDAY), ("sr_RS@latin", MONDAY), ("fil_PH", SUNDAY),
        ("zh_Hant_TW", SUNDAY), ("eo", MONDAY), ("C.UTF-8", MONDAY), ("", MONDAY), ("xx_ABC", MONDAY),
        ("english_us", MONDAY), ("POSIX", MONDAY),
    ],
)  # fmt: skip
def test_the_territory_of_the_locale_says_it(name: str, first_day: int) -> None:
    assert first_day_of(name) == first_day


def test_it_holds_also_where_the_locale_isnt_on_this_computer() -> None:
    restore = regional.use(Region())
    regional.adopt({"LC_TIME": "en_US.UTF-8", "LANG": "de_DE.UTF-8"})
    assert regional.region().week_begins == SUNDAY
    regional.adopt({"LC_TIME": "C", "LANG": "en_US.UTF-8"})
    assert regional.region().week_begins == MONDAY, "times are to be plain"
    restore()


def test_a_week_has_seven_days_from_its_first_on(first: int) -> None:
    for day in (A_FRIDAY + timedelta(days=number) for number in range(20)):
        start = start_of_week(day)
        assert start.weekday() == first
        assert 0 <= (day - start).days < 7


def test_this_week_in_a_list_begins_on_that_day(first: int) -> None:
    groups = {one.words: one.since.astimezone().date() for one in date_groups(date(2026, 11, 18))}
    assert groups.get("This week", start_of_week(date(2026, 11, 18))).weekday() == first
    assert groups["Last week"].weekday() == first


def test_a_calendar_has_that_day_in_its_first_row(first: int) -> None:
    days = CalendarDays({A_FRIDAY: 60_000}, date(2026, 1, 1), date(2026, 12, 31), A_FRIDAY)
    calendar = Calendar(days, 120, UNICODE, tinted=False)
    lines = ["".join(run.text for run in line) for line in calendar.lines()]
    names = {MONDAY: "Mon", FRIDAY: "Fri", SATURDAY: "Sat", SUNDAY: "Sun"}
    assert lines[1].startswith(names[first])
    row = next(
        number for number, line in enumerate(lines[:-1]) if calendar.day_at(number, len(line.rstrip())) == A_FRIDAY
    )
    assert row == 1 + (A_FRIDAY.weekday() - first) % 7
