"""Statistics as lines of text."""

from datetime import date, timedelta

import pytest

from player.library.history.totals import ListeningTotals, Share
from player.model.listening import ListeningDay
from tui.drawing.about.sheet import plain
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


@pytest.mark.parametrize("columns", [35, 43, 57, 76, 112])
@pytest.mark.parametrize("number", [2024, 2026])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_no_line_is_wider_than_the_page(columns: int, number: int, ascii_only: bool) -> None:
    found = lines(year(number), columns, ascii_only=ascii_only)
    assert not ascii_only or "\n".join(found).isascii()


@pytest.mark.parametrize("columns", range(28, 80, 3))
def test_no_figure_is_apart_from_its_unit(columns: int) -> None:
    found = lines(year(days=(ListeningDay(date(2026, 5, 20), 125 * 60_000, 125 * 60_000),)), columns)
    head = found[: found.index("Days")]
    assert not any(line.strip().startswith(("min", "h ", "days", "episodes")) for line in head)
    assert "2 h 5 min listened" in " ".join(head)


def test_less_than_a_minute_is_not_nothing() -> None:
    day = ListeningDay(TODAY, 20_000, 20_000)
    totals = ListeningTotals(date(2026, 1, 1), date(2026, 12, 31), (day,), podcasts=(Share("A show", 20_000),))
    found = YearOfListening(2026, totals, {TODAY: 20_000}, TODAY)
    assert lines(found)[1] == "Today < 1 min · this week < 1 min · this year < 1 min"
    assert r"| A show | \< 1 min |" in year_in_review(found)
    assert lines(YearOfListening(2026, totals, {TODAY - timedelta(1): 20_000}, TODAY))[1].startswith("Today 0 min")


def test_a_year_that_a_clock_has_counted_ahead_has_its_statistics() -> None:
    day = date(2040, 3, 5)
    totals = ListeningTotals(date(2040, 1, 1), date(2040, 12, 31), (ListeningDay(day, HOUR, HOUR),))
    found = lines(YearOfListening(2040, totals, {TODAY: HOUR, day: HOUR}, TODAY))
    assert found[found.index("Weeks") + 1].rstrip().endswith("█")
    assert sum(row.count("█") for row in found[: found.index("Days")]) == 2, "the day and the scale"


def test_a_clock_that_was_in_1970_adds_one_year_to_those_to_choose_from() -> None:
    totals = ListeningTotals(date(2026, 1, 1), date(2026, 12, 31), (ListeningDay(TODAY, HOUR, HOUR),))
    found = lines(YearOfListening(2026, totals, {date(1970, 1, 1): HOUR, TODAY: HOUR}, TODAY))
    assert "1970  2026   h l other years" in found


def test_the_last_four_weeks_have_the_dates_of_their_mondays() -> None:
    found = lines(year())
    plot, dates = found[found.index("Days") + 1 : found.index("Days") + 3]
    for day, monday in ((26, "26 Oct"), (2, "2 Nov"), (9, "9 Nov"), (16, "16 Nov")):
        assert dates.index(monday) == 2 * (date(2026, 11 if day < 20 else 10, day) - date(2026, 10, 24)).days
        assert plot[dates.index(monday)] == "█"


def test_the_average_week_is_of_those_since_the_first_listening() -> None:
    day = ListeningDay(date(2026, 11, 12), 4 * HOUR, 4 * HOUR)
    totals = ListeningTotals(date(2026, 1, 1), date(2026, 12, 31), (day,))
    found = lines(YearOfListening(2026, totals, {day.day: 4 * HOUR}, TODAY))
    assert "2 h a week on average, 4 h at most" in found


def test_a_year_without_listening_and_no_listening_at_all_say_so() -> None:
    empty = ListeningTotals(date(2025, 1, 1), date(2025, 12, 31))
    assert "Nothing heard in 2025" in lines(YearOfListening(2025, empty, year().per_day, TODAY))
    assert lines(YearOfListening(2025, empty, {}, TODAY)) == ["Your listening", "", "Nothing yet."]


def test_a_review_says_no_today() -> None:
    day = ListeningDay(TODAY, HOUR, HOUR)
    found = YearOfListening(2026, ListeningTotals(date(2026, 1, 1), date(2026, 12, 31), (day,)), {TODAY: HOUR}, TODAY)
    assert "Busiest day: Today, 1 h." in lines(found)
    assert "Busiest day: Fri 20 Nov 2026, 1 h." in year_in_review(found)


def test_only_what_the_spans_can_tell_is_said_to_be_saved() -> None:
    assert "Time saved" not in lines(year())
    faster = year(
        days=(ListeningDay(date(2026, 5, 20), HOUR, 2 * HOUR),),
        skipped_ms=HOUR,
        trimmed_ms=HOUR // 4,
        segments_ms=HOUR // 2,
    )
    found = lines(faster)
    assert found[found.index("Time saved") + 1] == "Playing faster saved 1 h: you heard 2 h in 1 h."
    assert found[found.index("Time saved") + 2] == "Trimmed pauses saved 15 min."
    assert found[found.index("Time saved") + 3] == "Segments that you marked and skipped saved 30 min."
    assert found[found.index("Time saved") + 4].startswith("You skipped 1 h of the episodes that you finished")


def test_titles_mean_nothing_in_markdown() -> None:
    text = year_in_review(year())
    assert r"| A \| \*show\* | 20 h |" in text
    assert "| May | 4 h |" in text
    assert "- Busiest day: Wed 20 May 2026, 2 h." in text
    assert text.count("\n| ") == 2 + 2 + 12 + 2


def test_now_is_today_this_week_and_this_year() -> None:
    assert lines(year())[1] == "Today 0 min · this week 30 min · this year 25 h"
