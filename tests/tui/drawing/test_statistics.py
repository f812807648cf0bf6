"""Statistics as lines of text."""

from datetime import date, timedelta

import pytest

from player.library.history.totals import ListeningTotals, Share
from player.model.listening import ListeningDay
from tui.drawing.podcast_pages import plain
from tui.drawing.runs import width_of
from tui.drawing.statistics import YearOfListening, statistics_sheet, year_in_review
from tui.look.glyphs import ASCII, UNICODE

HOUR = 3_600_000
TODAY = date(2026, 11, 20)


def year(number: int = 2026, **more: object) -> YearOfListening:
    """Half an hour on each Monday and two hours on 20 May."""
    first, last = date(number, 1, 1), date(number, 12, 31)
    days = [first + timedelta(days=one) for one in range((min(last, TODAY) - first).days + 1)]
    per_day = {day: HOUR // 2 for day in days if day.weekday() == 0} | {date(number, 5, 20): 2 * HOUR}
    heard = tuple(ListeningDay(day, ms, ms) for day, ms in sorted(per_day.items()))
    podcasts = (Share("A | *show*", 20 * HOUR), Share("Another", HOUR))
    found = {"days": heard, "podcasts": podcasts, "top": podcasts, "hours": (0,) * 8 + (HOUR,) * 16} | more
    return YearOfListening(number, ListeningTotals(first, last, **found), per_day, TODAY)  # type: ignore[arg-type]


def lines(found: YearOfListening, columns: int = 76, *, ascii_only: bool = False) -> list[str]:
    sheet = statistics_sheet(found, "Nothing yet.", "h l other years", columns, ASCII if ascii_only else UNICODE)
    assert all(width_of(line) <= columns for line in sheet.lines)
    return plain(sheet.lines).split("\n")


def calendar(found: list[str]) -> list[str]:
    start = next(number for number, line in enumerate(found) if line.startswith("Mon"))
    return found[start : start + 7]


def test_each_day_of_the_year_has_a_block_and_more_hours_a_darker_one() -> None:
    rows = calendar(lines(year()))
    cells = [row[4:] for row in rows]
    assert sum(len(row.strip()) for row in cells) == (TODAY - date(2025, 12, 31)).days
    assert set(cells[0].strip()) == {"░"}
    assert cells[2].count("█") == 1
    week = (date(2026, 5, 20) - date(2025, 12, 29)).days // 7
    assert cells[2][week] == "█"
    assert set(cells[6].strip()) == {"·"}


def test_the_calendar_is_the_same_in_ascii() -> None:
    drawn = {"·": ".", "░": "-", "▒": "+", "▓": "*", "█": "#"}
    swapped = [row[:4] + "".join(drawn.get(cell, cell) for cell in row[4:]) for row in calendar(lines(year()))]
    assert swapped == calendar(lines(year(), ascii_only=True))
    assert "\n".join(lines(year(), ascii_only=True)).isascii()


@pytest.mark.parametrize("columns", [35, 43, 57, 76])
@pytest.mark.parametrize("number", [2024, 2026])
def test_no_line_is_wider_than_the_page(columns: int, number: int) -> None:
    found = lines(year(number), columns)
    assert len([line for line in found if line.startswith("Mon")]) == (1 if columns > 57 else -(-53 // (columns - 4)))


def test_a_year_without_listening_and_no_listening_at_all_say_so() -> None:
    empty = ListeningTotals(date(2025, 1, 1), date(2025, 12, 31))
    assert "Nothing heard in 2025" in lines(YearOfListening(2025, empty, year().per_day, TODAY))
    assert lines(YearOfListening(2025, empty, {}, TODAY)) == ["Your listening", "", "Nothing yet."]


def test_only_what_the_spans_can_tell_is_said_to_be_saved() -> None:
    assert "Time saved" not in lines(year())
    faster = year(days=(ListeningDay(date(2026, 5, 20), HOUR, 2 * HOUR),), skipped_ms=HOUR)
    found = lines(faster)
    assert found[found.index("Time saved") + 1] == "Playing faster saved 1 h: you heard 2 h in 1 h."
    assert found[found.index("Time saved") + 2].startswith("You passed over 1 h of the episodes that you finished")


def test_titles_mean_nothing_in_markdown() -> None:
    text = year_in_review(year())
    assert r"| A \| \*show\* | 20 h |" in text
    assert "| May | 4 h |" in text
    assert text.count("\n| ") == 2 + 2 + 12 + 2


def test_now_is_today_this_week_and_this_year() -> None:
    assert lines(year())[1] == "Today 0 min · this week 30 min · this year 25 h"
