"""Listening statistics: the page of a year, its calendar, and the year's review in Markdown."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby

from msgspec import Struct

from player.library.history.totals import ListeningTotals, Share
from player.text.directions import without_marks
from player.text.durations import long_time
from player.text.regional import hour_of_day
from player.text.sentences import _, plural, translate
from player.text.times import DAYS, day_and_month, month_name, start_of_week
from tui.drawing.cells import fit, steady, width
from tui.drawing.episode_tabs import TextPage
from tui.drawing.labels import day_words
from tui.drawing.runs import Line, Run, width_of, wrap, wrap_facts
from tui.look.glyphs import Glyphs

LEVELS = 5
"""The number of tints for days with listening."""
WEEK = timedelta(days=7)
_DAYS = 7
_DAY_CELLS = 4


class CalendarDays(Struct, frozen=True):
    """The days of a calendar, from `first` to `last`, or to `today` if that is earlier. `per_day` has the value of some
    days, usually a time in ms."""

    per_day: Mapping[date, int]
    first: date
    last: date
    today: date


class Calendar:
    """A calendar with a sign for each day up to today.

    `tinted`: the tint alone shows the value of a day; otherwise the glyph does. If there is room, a day has a gap
    beside it; if there isn't room for all weeks, the calendar is split into several parts.
    """

    def __init__(
        self,
        days: CalendarDays,
        columns: int,
        glyphs: Glyphs,
        *,
        tinted: bool,
        words: Callable[[int], str] = long_time,
    ) -> None:
        """`words` returns the words for a value on the scale."""
        self._per_day, self._today, self._glyphs, self._tinted = days.per_day, days.today, glyphs, tinted
        self._first, self._last = days.first, days.last
        self._words, self._columns = words, columns
        self._most = max([1, *(ms for day, ms in days.per_day.items() if self._first <= day <= self._last)])
        first = start_of_week(self._first)
        weeks = [first + WEEK * number for number in range((self._last - first).days // _DAYS + 1)]
        room = max(1, columns - _DAY_CELLS)
        self._cells = 2 if room >= 2 * len(weeks) else 1
        size = -(-len(weeks) // -(-len(weeks) * self._cells // room))
        self._parts = [weeks[start : start + size] for start in range(0, len(weeks), size)]
        """The first days of the weeks of each part."""

    def lines(self) -> Iterator[Line]:
        """The lines, with the names of months above, the names of days on the left, and the scale below."""
        for number, weeks in enumerate(self._parts):
            if number:
                yield ()
            yield (Run(" " * _DAY_CELLS + months_above(weeks, self._first, self._cells), "muted"),)
            for row in range(_DAYS):
                days = [week + timedelta(days=row) for week in weeks]
                name = "" if row % 2 else translate(DAYS[days[0].weekday()])
                yield Run(fit(name, _DAY_CELLS), "muted"), *self._blocks(days)
        yield self.scale()

    def scale(self) -> Line:
        """Indented as the days are, or as far as there is room."""
        first, *levels = (self._signs(level, 1) for level in range(LEVELS + 1))
        none, most = Run(f"{_('none')} ", "muted"), Run(self._words(self._most), "muted")
        scale = (none, first, Run(" "), *levels, Run(" "), most)
        return Run(" " * min(_DAY_CELLS, self._columns - width_of(scale))), *scale

    def day_words(self, day: date) -> Line:
        """How much was heard on a day, shown in place of the scale."""
        ms = self._per_day.get(day, 0)
        words = long_time(ms) if ms else _("nothing heard")
        text = f"{' ' * _DAY_CELLS}{day_words(day, self._today)} {self._glyphs.dot} {words}"
        return (Run(text),)

    def day_at(self, row: int, column: int) -> date | None:
        """The day at a cell of `lines`; None for any other cell."""
        part, line = divmod(row, _DAYS + 2)
        week = (column - _DAY_CELLS) // self._cells
        parts = self._parts
        if not (part < len(parts) and 0 < line <= _DAYS and 0 <= week < len(parts[part])):
            return None
        day = parts[part][week] + timedelta(days=line - 1)
        return day if self._has(day) else None

    def _has(self, day: date) -> bool:
        return self._first <= day <= min(self._last, self._today)

    def _blocks(self, days: Sequence[date]) -> Iterator[Run]:
        levels = [self._level(day) if self._has(day) else None for day in days]
        for level, some in groupby(levels):
            count = len(list(some))
            yield Run(" " * self._cells * count) if level is None else self._signs(level, count, self._cells)

    def _level(self, day: date) -> int:
        return -(-self._per_day.get(day, 0) * LEVELS // self._most)

    def _signs(self, level: int, count: int, cells: int = 1) -> Run:
        """The signs of `count` days of one level, with `cells` cells each."""
        sign = self._glyphs.blocks[level] if self._tinted else self._glyphs.tints[level]
        role = f"tint-{level}" if self._tinted else "time" if level else "rule"
        return Run(sign.ljust(cells) * count, role)


def months_above(weeks: Sequence[date], first: date, cells: int) -> str:
    """The names of months, each above the first week that begins in it. The days begin on `first`, which may be within
    the first week. Where two names have no room, the month that has few weeks here, the first, has none."""
    months = [max(week, first).month for week in weeks]
    begins = [at for at, month in enumerate(months) if at == 0 or month != months[at - 1]]
    line, end = "", len(weeks) * cells
    for at in reversed(begins):
        name = month_name(months[at])
        if at * cells + width(name) <= end:
            line, end = f"{fit(name, end - at * cells)}{line}" if line else name, at * cells - 1
            line = line if at == 0 else f" {line}"
    return (" " * max(0, end) + line).rstrip()


MOST_PODCASTS = 10
_LEAST_SAVED_MS = 60_000


class YearOfListening(Struct, frozen=True):
    """`per_day` has the listening times of all years' days, in ms; days without listening are left out."""

    year: int
    totals: ListeningTotals
    per_day: Mapping[date, int]
    today: date

    @property
    def years(self) -> dict[int, int]:
        """The listening time of each year, in ms, the earliest first."""
        found: dict[int, int] = {}
        for day, ms in self.per_day.items():
            found[day.year] = found.get(day.year, 0) + ms
        return dict(sorted(found.items()))

    @property
    def until(self) -> date:
        """The last day to show: today, or a later day with listening, if the clock was ahead."""
        return max([self.today, *(one.day for one in self.totals.days[-1:])])

    def between(self, first: date, last: date) -> int:
        return sum(self.per_day.get(first + timedelta(days=number), 0) for number in range((last - first).days + 1))


def longest_words(found: YearOfListening, today: date | None = None) -> str:
    """The day with the most listening, and the longest streak of days; "" for a year without listening.

    Without `today`, the day is always written with its date and year.
    """
    longest = found.totals.longest
    if longest is None:
        return ""
    time, day = long_time(longest.real_ms), day_words(longest.day, today or date.min)
    words = _("Busiest day: {day}, {time}.", time=time, day=day)
    if found.totals.streak > 1:
        words += " " + plural(found.totals.streak, "{n} day in a row.", "{n} days in a row.")
    return words


def saved_words(totals: ListeningTotals) -> list[str]:
    """The time saved by speed, trimmed pauses, segments and skipping. Spans don't tell a skipped intro from a jump."""
    words = []
    faster = totals.content_ms - totals.real_ms
    if faster >= _LEAST_SAVED_MS:
        words.append(
            _(
                "Playing faster saved {time}: you heard {content} in {real}.",
                time=long_time(faster),
                content=long_time(totals.content_ms),
                real=long_time(totals.real_ms),
            )
        )
    if totals.trimmed_ms >= _LEAST_SAVED_MS:
        words.append(_("Trimmed pauses saved {time}.", time=long_time(totals.trimmed_ms)))
    if totals.segments_ms >= _LEAST_SAVED_MS:
        words.append(_("Segments that you marked and skipped saved {time}.", time=long_time(totals.segments_ms)))
    if totals.skipped_ms >= _LEAST_SAVED_MS:
        time = long_time(totals.skipped_ms)
        words.append(_("You skipped {time} of the episodes that you finished.", time=time))
    return words


def year_in_review(found: YearOfListening) -> str:
    """The review of a year as Markdown."""
    totals = found.totals
    lines = [f"# {_('My year in podcasts: {year}', year=found.year)}", ""]
    if not totals.days:
        return "\n".join([*lines, _("Nothing heard in {year}", year=found.year) + ".", ""])
    lines += [f"- {one}" for one in _facts(found)]
    lines += [f"- {one}" for one in saved_words(totals)]
    lines += ["", f"## {_('Podcasts')}", "", f"| {_('Podcast')} | {_('Time')} |", "| --- | ---: |"]
    lines += [f"| {_escaped(title)} | {_time(ms)} |" for title, ms in totals.podcasts[:MOST_PODCASTS]]
    lines += ["", f"## {_('Episodes')}", ""]
    lines += [f"{number}. {_escaped(title)} ({_time(ms)})" for number, (title, ms) in enumerate(totals.top, 1)]
    lines += ["", f"## {_('Months')}", "", f"| {_('Month')} | {_('Time')} |", "| --- | ---: |"]
    for month in range(1, 13):
        ms = sum(day.real_ms for day in totals.days if day.day.month == month)
        lines.append(f"| {month_name(month)} | {_time(ms) if ms else '-'} |")
    return "\n".join([*lines, ""])


def _facts(found: YearOfListening) -> Iterator[str]:
    totals = found.totals
    yield _("{time} listened", time=_time(totals.real_ms))
    yield plural(len(totals.days), "Listened on {n:,} day", "Listened on {n:,} days")
    yield plural(totals.episodes, "{n:,} episode heard", "{n:,} episodes heard")
    yield _("{n:,} finished, {other:,} not finished", n=totals.finished, other=totals.abandoned)
    yield _escaped(longest_words(found))


def _time(ms: int) -> str:
    return _escaped(long_time(ms))


def _escaped(text: str) -> str:
    """Escapes a text, so that nothing in it is read as Markdown."""
    text = " ".join(without_marks(steady(text)).split()) or _("Unknown")
    return "".join(f"\\{letter}" if letter in "\\`*_[]<>|#" else letter for letter in text)


MOST_COLUMNS = 112
"""The most columns of the page: enough for a calendar with gaps between its days."""
_TEXT_COLUMNS = 76
_RECENT_WEEKS, _BAR = 4, 12


@dataclass(slots=True)
class StatisticsSheet(TextPage):
    """The page of a year. `calendar` begins at line `calendar_row`; its scale is at line `scale_row`."""

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
    days = CalendarDays(found.per_day, found.totals.first, found.totals.last, found.until)
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
    """As many years as there is room for, with the selected one among them. A clock that was once in 1970 adds one year
    and not those since."""
    years = sorted({*found.years, found.year, found.today.year})
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
    yield _("{n:,} not finished", n=totals.abandoned)


def _days(found: YearOfListening, columns: int, glyphs: Glyphs) -> Iterator[Line]:
    """The last four weeks, with the date of each week's beginning, if the year is the current one; and the longest
    day."""
    if found.year == found.today.year:
        cells = 2 if columns >= 2 * 7 * _RECENT_WEEKS else 1
        days = [found.today - timedelta(days=ago) for ago in range(7 * _RECENT_WEEKS - 1, -1, -1)]
        yield from _plot([found.per_day.get(day, 0) for day in days], glyphs, cells)
        weeks = [number for number, day in enumerate(days) if day == start_of_week(day)]
        dates = "".join(fit(day_and_month(days[number]), 7 * cells) for number in weeks)
        yield (Run((" " * weeks[0] * cells + dates)[: len(days) * cells].rstrip(), "muted"),)
    yield from wrap([Run(longest_words(found, found.today))], columns)


def _weeks(found: YearOfListening, columns: int, glyphs: Glyphs) -> Iterator[Line]:
    """The last weeks that fit. The average leaves out the weeks before the first listening."""
    first, last = found.totals.first, min(found.totals.last, found.until)
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
    """A bar for each hour of the day, of two cells if there is room."""
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
    """A bar of `cells` cells for each value."""
    most, steps = max(values), len(glyphs.heights) - 1
    if most:
        yield (Run("".join(glyphs.heights[-(-one * steps // most)] * cells for one in values), "time"),)
