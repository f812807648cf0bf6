"""The calendar of a year: where each day stands, and how much was heard on it."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.text.times import month_name, start_of_week
from tui.drawing.about.sheet import plain
from tui.drawing.runs import Run, width_of
from tui.drawing.statistics import WEEK, Calendar, CalendarDays, months_above
from tui.look.glyphs import ASCII, UNICODE, Glyphs
from tui.look.themes import theme_of

HOUR = 3_600_000
TODAY = date(2026, 11, 20)
FIRST = date(2026, 1, 1)


def calendar(
    per_day: dict[date, int], columns: int = 76, *, year: int = 2026, glyphs: Glyphs = UNICODE, tinted: bool = False
) -> Calendar:
    days = CalendarDays(per_day, date(year, 1, 1), date(year, 12, 31), TODAY)
    return Calendar(days, columns, glyphs, tinted=tinted)


def text(drawn: Calendar, columns: int = 76) -> list[str]:
    assert all(width_of(line) <= columns for line in drawn.lines())
    return plain(drawn.lines()).split("\n")


MONDAYS = {FIRST + timedelta(4 + 7 * week): HOUR // 2 for week in range(40)} | {date(2026, 5, 20): 5 * HOUR // 2}
"""Half an hour on each, and two and a half on a Wednesday in May."""


def test_each_day_up_to_today_has_a_block_and_more_listening_a_darker_one() -> None:
    rows = [row[4:] for row in text(calendar(MONDAYS))[1:8]]
    assert sum(len(row.strip()) for row in rows) == (TODAY - FIRST).days + 1
    assert rows[0].strip() == "•" * 40 + "·" * 6
    assert rows[2][(date(2026, 5, 20) - date(2025, 12, 29)).days // 7] == "█"
    assert set(rows[6].strip()) == {"·"}


def test_levels_are_fifths_of_the_most() -> None:
    days = {FIRST + timedelta(number): number * HOUR for number in range(1, 11)}
    signs = "".join(text(calendar(days))[1 + one.weekday()][4 + (one.day + 2) // 7] for one in sorted(days))
    assert signs == "••░░▒▒▓▓██"


def test_ascii_has_the_same_calendar() -> None:
    drawn = dict(zip(UNICODE.tints, ASCII.tints, strict=True))
    swapped = [row[:4] + "".join(drawn.get(cell, cell) for cell in row[4:]) for row in text(calendar(MONDAYS))[:8]]
    assert swapped == text(calendar(MONDAYS, glyphs=ASCII))[:8]


def test_with_many_colours_the_tint_tells() -> None:
    line = list(calendar(MONDAYS, tinted=True).lines())[3]
    assert Run("■", "tint-5") in line
    assert {piece.role for piece in line if "■" in piece.text} == {"tint-0", "tint-5"}


@pytest.mark.parametrize("columns", [35, 45, 57, 76, 112])
def test_under_the_mouse_is_the_day_whose_block_it_is(columns: int) -> None:
    drawn = calendar(MONDAYS, columns)
    lines = text(drawn, columns)
    for number, line in enumerate(lines[:-1]):
        for column, sign in enumerate(line):
            day = drawn.day_at(number, column)
            assert column < 4 or sign == " " or number % 9 == 0 or day is not None
            if day is not None and sign != " ":
                assert (sign != "·") == (day in MONDAYS)
    cells = {drawn.day_at(row, column) for row in range(len(lines)) for column in range(columns)}
    assert cells - {None} == {FIRST + timedelta(number) for number in range((TODAY - FIRST).days + 1)}
    assert plain([drawn.day_words(date(2026, 5, 20))]) == "    Wed 20 May · 2 h 30 min"
    assert plain([drawn.day_words(date(2026, 5, 21))]) == "    Thu 21 May · nothing heard"


@pytest.mark.parametrize("columns", [45, 76, 112])
@pytest.mark.parametrize("year", [2024, 2026])
def test_months_stand_above_the_first_week_that_begins_in_them(columns: int, year: int) -> None:
    drawn = calendar({date(year, 3, 4): HOUR}, columns, year=year)
    lines = text(drawn, columns)
    for number, line in enumerate(lines):
        for month, name in ((5, "May"), (10, "Oct")):
            if name in line:
                days = {drawn.day_at(row, line.index(name)) for row in range(number + 1, number + 8)}
                assert min(day for day in days if day is not None) == start_of_week(date(year, month, 7))


def test_a_year_fits_one_line_a_day_of_the_week_or_comes_in_halves() -> None:
    assert len(text(calendar(MONDAYS, 57), 57)) == 9
    assert len(text(calendar(MONDAYS, 45), 45)) == 18


@pytest.mark.parametrize("colours", ["truecolor", "256"])
@pytest.mark.parametrize("theme", ["ink", "paper"])
def test_each_tint_is_a_colour_of_its_own(colours: str, theme: str) -> None:
    made = theme_of(theme, colours)
    tints = [str(made.variables[f"tint-{level}"]) for level in range(6)]
    assert len({*tints, made.surface}) == 7
    assert tints[-1] == made.accent


@pytest.mark.parametrize("cells", [1, 2])
@given(st.dates(date(2020, 1, 1), date(2030, 1, 1)))
def test_every_month_that_begins_in_a_year_of_weeks_is_named_above_its_first_week(cells: int, first: date) -> None:
    start = first - timedelta(days=first.weekday())
    weeks = [start + timedelta(days=7 * number) for number in range(53)]
    line = months_above(weeks, first, cells)
    begun = [number for number, week in enumerate(weeks) if number and week.day <= 7 and week - first >= WEEK][:-1]
    assert [line[number * cells :][:3] for number in begun] == [month_name(weeks[number].month) for number in begun]
    assert len(line) <= 53 * cells
