"""Listening in numbers, as lines of text with roles: for its screen, and as plain text for `earmark stats`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from player.library.history.totals import ListeningTotals, Share
from player.text.dates import day_and_month, start_of_week
from player.text.durations import long_time
from player.text.regional import hour_of_day
from player.text.sentences import _, plural
from tui.drawing.cells import fit, steady, width
from tui.drawing.episode_tabs import TextPage
from tui.drawing.runs import Line, Run, wrap, wrap_facts
from tui.drawing.statistics.calendar import WEEK, Calendar, CalendarDays, months_above
from tui.drawing.statistics.year import MOST_PODCASTS, YearOfListening, longest_words, saved_words
from tui.look.glyphs import Glyphs

MOST_COLUMNS = 112
"""Enough for a calendar with gaps between its days; no text is wider."""
_TEXT_COLUMNS = 76
_RECENT_WEEKS, _BAR = 4, 12


@dataclass(slots=True)
class StatisticsSheet(TextPage):
    """`calendar` begins at line `calendar_row`; its scale is its last line."""

    calendar: Calendar | None = None
    calendar_row: int = 0
    scale_row: int = 0


def statistics_sheet(
    found: YearOfListening, empty: str, other_years: str, columns: int, glyphs: Glyphs, *, tinted: bool = False
) -> StatisticsSheet:
    """`empty` is shown if nothing was ever heard, `other_years` next to the years. `tinted`: see `Calendar`."""
    sheet = StatisticsSheet()
    room, columns = columns, min(columns, _TEXT_COLUMNS)
    sheet.lines += [(Run(_("Your listening"), "title"),)]
    if not found.per_day:
        sheet.lines += [(), *wrap([Run(empty, "muted")], columns)]
        return sheet
    sheet.lines += wrap_facts(_now(found), columns, glyphs.dot, "muted")
    sheet.lines += [(), _years(found, other_years, columns)]
    if not found.totals.days:
        sheet.lines += [(), (Run(_("Nothing heard in {year}", year=found.year), "muted"),)]
        return sheet
    sheet.lines += [*wrap_facts(_head(found.totals), columns, glyphs.dot), ()]
    days = CalendarDays(found.per_day, found.totals.first, found.totals.last, found.today)
    sheet.calendar = Calendar(days, room, glyphs, tinted=tinted)
    sheet.calendar_row = len(sheet.lines)
    sheet.lines += sheet.calendar.lines()
    sheet.scale_row = len(sheet.lines) - 1
    for name, rows in (
        (_("Days"), list(_days(found, columns, glyphs))),
        (_("Weeks"), list(_weeks(found, columns, glyphs))),
        (_("Time of day"), list(_hours(found.totals, columns, glyphs))),
        (_("Podcasts"), list(_shares(found.totals.podcasts, columns, glyphs))),
        (_("Episodes"), list(_episodes(found.totals, columns, glyphs))),
        (_("Time saved"), list(_saved(found.totals, columns))),
        (_("Years"), list(_all_years(found, columns, glyphs))),
    ):
        if rows:
            sheet.lines += [(), (Run(name, "heading"),), *rows]
    return sheet


# -- parts ----------------------------------------------------------------------------------------------------


def _now(found: YearOfListening) -> Iterator[str]:
    yield _("Today {time}", time=long_time(found.per_day.get(found.today, 0)))
    yield _("this week {time}", time=long_time(found.between(start_of_week(found.today), found.today)))
    yield _("this year {time}", time=long_time(found.years.get(found.today.year, 0)))


def _years(found: YearOfListening, words: str, columns: int) -> Line:
    """As many years as there is room for, with the selected one among them."""
    years = range(min(*found.years, found.year), max(*found.years, found.today.year) + 1)
    most = max(1, (columns - width(words) - 3) // 6)
    start = min(max(0, len(years) - most), years.index(found.year))
    pieces: list[Run] = []
    for year in years[start : start + most]:
        pieces += [Run("  " if pieces else ""), Run(str(year), "tab-on" if year == found.year else "tab")]
    if len(pieces) > 2:
        pieces.append(Run(f"   {words}" if words else "", "muted"))
    return tuple(piece for piece in pieces if piece.text)


def _head(totals: ListeningTotals) -> Iterator[str]:
    yield _("{time} listened", time=long_time(totals.real_ms))
    yield plural(len(totals.days), "on {n:,} day", "on {n:,} days")
    yield plural(totals.episodes, "{n:,} episode", "{n:,} episodes")
    yield _("{n:,} finished", n=totals.finished)
    yield _("{n:,} abandoned", n=totals.abandoned)


def _days(found: YearOfListening, columns: int, glyphs: Glyphs) -> Iterator[Line]:
    """The last four weeks, with the date on which each week begins; only days of this year."""
    if found.year == found.today.year:
        cells = 2 if columns >= 2 * 7 * _RECENT_WEEKS else 1
        days = [found.today - timedelta(days=ago) for ago in range(7 * _RECENT_WEEKS - 1, -1, -1)]
        yield from _plot([found.per_day.get(day, 0) for day in days], glyphs, cells)
        weeks = [number for number, day in enumerate(days) if day == start_of_week(day)]
        dates = "".join(fit(day_and_month(days[number]), 7 * cells) for number in weeks)
        yield (Run((" " * weeks[0] * cells + dates)[: len(days) * cells].rstrip(), "muted"),)
    yield from wrap([Run(longest_words(found, found.today))], columns)


def _weeks(found: YearOfListening, columns: int, glyphs: Glyphs) -> Iterator[Line]:
    """As many weeks as there is room for; those before anything was heard don't count for the average."""
    first, last = found.totals.first, min(found.totals.last, found.today)
    weeks = [start_of_week(first) + WEEK * number for number in range((last - start_of_week(first)).days // 7 + 1)]
    sums = [found.between(max(one, first), min(one + WEEK - timedelta(days=1), found.totals.last)) for one in weeks]
    yield from _plot(sums[-columns:], glyphs)
    yield (Run(months_above(weeks[-columns:], max(first, weeks[-columns:][0]), 1), "muted"),)
    began = min(found.per_day)
    count = sum(one + WEEK > began for one in weeks)
    if count > 1:
        best, average = long_time(max(sums)), long_time(sum(sums) // count)
        yield from wrap([Run(_("{time} a week on average, {best} at most", time=average, best=best), "muted")], columns)


def _hours(totals: ListeningTotals, columns: int, glyphs: Glyphs) -> Iterator[Line]:
    """Two cells for each hour, if there is room."""
    most, steps = max(1, *totals.hours), len(glyphs.heights) - 1
    cells = 2 if columns >= 2 * len(totals.hours) else 1
    yield (Run("".join(glyphs.heights[-(-ms * steps // most)] * cells for ms in totals.hours).rstrip(), "time"),)
    yield (Run("".join(fit(hour_of_day(hour), 6 * cells) for hour in (0, 6, 12, 18)).rstrip(), "muted"),)


def _shares(shares: Sequence[Share], columns: int, glyphs: Glyphs) -> Iterator[Line]:
    most = max((one.real_ms for one in shares), default=0) or 1
    cells = max((width(long_time(one.real_ms)) for one in shares[:MOST_PODCASTS]), default=0)
    room = max(6, columns - _BAR - cells - 3)
    for title, ms in shares[:MOST_PODCASTS]:
        full = max(1, round(ms * _BAR / most))
        yield (
            Run(fit(steady(title) or _("Unknown"), room, ellipsis=glyphs.ellipsis)),
            Run(f" {glyphs.line * full}", "time"),
            Run(glyphs.line_thin * (_BAR - full), "rule"),
            Run(f"  {long_time(ms).rjust(cells)}", "muted"),
        )
    if len(shares) > MOST_PODCASTS:
        more = plural(len(shares) - MOST_PODCASTS, "and {n:,} more", "and {n:,} more")
        yield (Run(more, "muted"),)


def _episodes(totals: ListeningTotals, columns: int, glyphs: Glyphs) -> Iterator[Line]:
    for title, ms in totals.top:
        time = long_time(ms)
        yield (
            Run(fit(steady(title) or _("Unknown"), max(6, columns - width(time) - 2), ellipsis=glyphs.ellipsis)),
            Run(f"  {time}", "muted"),
        )


def _saved(totals: ListeningTotals, columns: int) -> Iterator[Line]:
    for sentence in saved_words(totals):
        yield from wrap([Run(sentence)], columns)


def _all_years(found: YearOfListening, columns: int, glyphs: Glyphs) -> Iterator[Line]:
    if len(found.years) > 1:
        yield from _shares([Share(str(year), ms) for year, ms in reversed(found.years.items())], columns, glyphs)


def _plot(values: Sequence[int], glyphs: Glyphs, cells: int = 1) -> Iterator[Line]:
    """A bar of this many cells for each."""
    most, steps = max(values), len(glyphs.heights) - 1
    if most:
        yield (Run("".join(glyphs.heights[-(-one * steps // most)] * cells for one in values), "time"),)
