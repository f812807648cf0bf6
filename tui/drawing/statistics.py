"""Listening in numbers, as lines of text in roles: for its screen, and without the roles for `earmark stats`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from player.library.history.totals import ListeningTotals, Share
from player.text.sentences import _, mark, plural, translate
from tui.drawing.cells import fit, steady, width
from tui.drawing.episode_tabs import TextPage
from tui.drawing.labels import day_words, month_name
from tui.drawing.podcast_pages import long_time
from tui.drawing.runs import Line, Run, wrap
from tui.look.glyphs import Glyphs

_WEEKDAYS = (mark("Mon"), "", mark("Wed"), "", mark("Fri"), "", mark("Sun"))
_DAY_CELLS = 4
_RECENT_DAYS, _BAR = 28, 12
_MOST_PODCASTS = 10
_WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class YearOfListening:
    """`per_day` has the listener's time on each day of all years, in ms; without any it isn't in there."""

    year: int
    totals: ListeningTotals
    per_day: Mapping[date, int]
    today: date

    @property
    def years(self) -> dict[int, int]:
        """How long was listened in each year, the earliest first."""
        found: dict[int, int] = {}
        for day, ms in self.per_day.items():
            found[day.year] = found.get(day.year, 0) + ms
        return dict(sorted(found.items()))

    def between(self, first: date, last: date) -> int:
        return sum(ms for day, ms in self.per_day.items() if first <= day <= last)


def statistics_sheet(found: YearOfListening, empty: str, other_years: str, columns: int, glyphs: Glyphs) -> TextPage:
    """`empty` is said where nothing was ever heard, `other_years` next to the years."""
    sheet = TextPage()
    sheet.lines += [(Run(_("Your listening"), "title"),)]
    if not found.per_day:
        sheet.lines += [(), *wrap([Run(empty, "muted")], columns)]
        return sheet
    sheet.lines += wrap([Run(_now(found, glyphs), "muted")], columns)
    sheet.lines += [(), _years(found, other_years, columns)]
    if not found.totals.days:
        sheet.lines += [(), (Run(_("Nothing heard in {year}", year=found.year), "muted"),)]
        return sheet
    sheet.lines += [*wrap([Run(_head(found.totals, glyphs))], columns), (), *_calendar(found, columns, glyphs)]
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


def _now(found: YearOfListening, glyphs: Glyphs) -> str:
    monday = found.today - timedelta(days=found.today.weekday())
    words = (
        _("Today {time}", time=long_time(found.per_day.get(found.today, 0))),
        _("this week {time}", time=long_time(found.between(monday, found.today))),
        _("this year {time}", time=long_time(found.years.get(found.today.year, 0))),
    )
    return f" {glyphs.dot} ".join(words)


def _years(found: YearOfListening, words: str, columns: int) -> Line:
    """As many years as there is room for, and the one that is shown among them."""
    years = range(min(*found.years, found.year), max(*found.years, found.today.year) + 1)
    most = max(1, (columns - width(words) - 3) // 6)
    start = min(max(0, len(years) - most), years.index(found.year))
    pieces: list[Run] = []
    for year in years[start : start + most]:
        pieces += [Run("  " if pieces else ""), Run(str(year), "tab-on" if year == found.year else "tab")]
    if len(pieces) > 2:
        pieces.append(Run(f"   {words}" if words else "", "muted"))
    return tuple(piece for piece in pieces if piece.text)


def _head(totals: ListeningTotals, glyphs: Glyphs) -> str:
    words = [
        _("{time} listened", time=long_time(totals.real_ms)),
        plural(len(totals.days), "on {n:,} day", "on {n:,} days"),
        plural(totals.episodes, "{n:,} episode", "{n:,} episodes"),
        _("{n:,} finished", n=totals.finished),
        _("{n:,} abandoned", n=totals.abandoned),
    ]
    return f" {glyphs.dot} ".join(words)


def _calendar(found: YearOfListening, columns: int, glyphs: Glyphs) -> Iterator[Line]:
    """A block for each day, a column for each week; in two halves where there is no room for 54 weeks."""
    first, last = found.totals.first, found.totals.last
    weeks = ((last - _monday(first)).days // 7) + 1
    most = max(found.per_day.get(day.day, 0) for day in found.totals.days)
    room = max(1, columns - _DAY_CELLS)
    parts = -(-weeks // room)
    size = -(-weeks // parts)
    for number in range(0, weeks, size):
        if number:
            yield ()
        mondays = [_monday(first) + _WEEK * week for week in range(number, min(weeks, number + size))]
        yield (Run(" " * _DAY_CELLS + _months(mondays, first), "muted"),)
        for weekday, name in enumerate(_WEEKDAYS):
            row = [Run(fit(translate(name) if name else "", _DAY_CELLS), "muted")]
            for monday in mondays:
                day = monday + timedelta(days=weekday)
                inside = first <= day <= min(last, found.today)
                row.append(_block(found.per_day.get(day, 0), most, glyphs) if inside else Run(" "))
            yield tuple(_joined(row))
    scale = [Run(f"{' ' * _DAY_CELLS}{_('none')} ", "muted"), Run(glyphs.tints[0], "rule")]
    yield (*scale, Run(glyphs.tints[1:], "time"), Run(" " + _("up to {time}", time=long_time(most)), "muted"))


def _block(ms: int, most: int, glyphs: Glyphs) -> Run:
    steps = len(glyphs.tints) - 1
    return Run(glyphs.tints[-(-ms * steps // most)], "time") if ms else Run(glyphs.tints[0], "rule")


def _months(mondays: Sequence[date], first: date) -> str:
    """The names of the months above the weeks that they begin in."""
    cells = [" "] * len(mondays)
    month, end = 0, 0
    for column, monday in enumerate(mondays):
        start = max(monday, first)
        if start.month != month and (column == 0 or start.day <= 7):
            name = month_name(start.month)
            if column >= end and column + width(name) <= len(cells):
                cells[column : column + len(name)] = list(name)
                end = column + len(name) + 1
            month = start.month
    return "".join(cells).rstrip()


def _days(found: YearOfListening, columns: int, glyphs: Glyphs) -> Iterator[Line]:
    """The last four weeks, of this year alone."""
    if found.year != found.today.year:
        if (longest := found.totals.longest) is not None:
            yield from wrap([Run(_longest(found, long_time(longest.real_ms), longest.day))], columns)
        return
    days = [found.today - timedelta(days=ago) for ago in range(_RECENT_DAYS - 1, -1, -1)]
    yield from _plot([found.per_day.get(day, 0) for day in days], glyphs)
    yield (Run(_("The last 28 days"), "muted"),)
    if (longest := found.totals.longest) is not None:
        yield from wrap([Run(_longest(found, long_time(longest.real_ms), longest.day))], columns)


def _longest(found: YearOfListening, time: str, day: date) -> str:
    words = _("The most on one day: {time} ({day}).", time=time, day=day_words(day, found.today))
    if found.totals.streak > 1:
        words += " " + plural(found.totals.streak, "{n} day in a row.", "{n} days in a row.")
    return words


def _weeks(found: YearOfListening, columns: int, glyphs: Glyphs) -> Iterator[Line]:
    first, last = _monday(found.totals.first), min(found.totals.last, found.today)
    weeks = [first + _WEEK * number for number in range((last - first).days // 7 + 1)]
    sums = [
        found.between(max(monday, found.totals.first), min(monday + timedelta(days=6), found.totals.last))
        for monday in weeks
    ]
    yield from _plot(sums[-columns:], glyphs)
    best = long_time(max(sums))
    average = long_time(sum(sums) // len(sums))
    yield from wrap([Run(_("{time} a week on average, {best} at most", time=average, best=best), "muted")], columns)


def _hours(totals: ListeningTotals, columns: int, glyphs: Glyphs) -> Iterator[Line]:
    """Two cells for each hour, where there is room."""
    most, steps = max(totals.hours), len(glyphs.heights) - 1
    cells = 2 if columns >= 2 * len(totals.hours) else 1
    yield (Run("".join(glyphs.heights[-(-ms * steps // most)] * cells for ms in totals.hours).rstrip(), "time"),)
    yield (Run("".join(f"{hour:<{6 * cells}}" for hour in (0, 6, 12, 18)).rstrip(), "muted"),)


def _shares(shares: Sequence[Share], columns: int, glyphs: Glyphs) -> Iterator[Line]:
    most = max((one.real_ms for one in shares), default=0)
    cells = max((width(long_time(one.real_ms)) for one in shares[:_MOST_PODCASTS]), default=0)
    room = max(6, columns - _BAR - cells - 3)
    for title, ms in shares[:_MOST_PODCASTS]:
        full = max(1, round(ms * _BAR / most))
        yield (
            Run(fit(steady(title) or _("Unknown"), room, ellipsis=glyphs.ellipsis)),
            Run(f" {glyphs.line * full}", "time"),
            Run(glyphs.line_thin * (_BAR - full), "rule"),
            Run(f"  {long_time(ms).rjust(cells)}", "muted"),
        )
    if len(shares) > _MOST_PODCASTS:
        yield (Run(_("and {n:,} more", n=len(shares) - _MOST_PODCASTS), "muted"),)


def _episodes(totals: ListeningTotals, columns: int, glyphs: Glyphs) -> Iterator[Line]:
    for title, ms in totals.top:
        time = long_time(ms)
        yield (
            Run(fit(steady(title) or _("Unknown"), max(6, columns - width(time) - 2), ellipsis=glyphs.ellipsis)),
            Run(f"  {time}", "muted"),
        )


def saved_words(totals: ListeningTotals) -> list[str]:
    """What speed and skipping spared the listener. Spans can't tell a skipped intro from a jump by hand."""
    words = []
    faster = totals.content_ms - totals.real_ms
    if faster >= 60_000:
        words.append(
            _(
                "Playing faster saved {time}: you heard {content} in {real}.",
                time=long_time(faster),
                content=long_time(totals.content_ms),
                real=long_time(totals.real_ms),
            )
        )
    if totals.skipped_ms >= 60_000:
        time = long_time(totals.skipped_ms)
        words.append(_("You passed over {time} of the episodes that you finished, by jumps and skips.", time=time))
    return words


def _saved(totals: ListeningTotals, columns: int) -> Iterator[Line]:
    for sentence in saved_words(totals):
        yield from wrap([Run(sentence)], columns)


def _all_years(found: YearOfListening, columns: int, glyphs: Glyphs) -> Iterator[Line]:
    if len(found.years) > 1:
        yield from _shares([Share(str(year), ms) for year, ms in reversed(found.years.items())], columns, glyphs)


def _plot(values: Sequence[int], glyphs: Glyphs) -> Iterator[Line]:
    most, steps = max(values), len(glyphs.heights) - 1
    if most:
        yield (Run("".join(glyphs.heights[-(-one * steps // most)] for one in values), "time"),)


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _joined(pieces: Iterable[Run]) -> Iterator[Run]:
    """Neighbours in one role as one piece."""
    before: Run | None = None
    for piece in pieces:
        if before is not None and before.role == piece.role:
            before = before._replace(text=before.text + piece.text)
        else:
            if before is not None:
                yield before
            before = piece
    if before is not None:
        yield before


# -- Markdown -------------------------------------------------------------------------------------------------


def year_in_review(found: YearOfListening) -> str:
    """The year as Markdown."""
    totals = found.totals
    lines = [f"# {_('My year in podcasts: {year}', year=found.year)}", ""]
    if not totals.days:
        return "\n".join([*lines, _("Nothing heard in {year}", year=found.year) + ".", ""])
    lines += [f"- {one}" for one in _facts(found)]
    lines += [f"- {one}" for one in saved_words(totals)]
    lines += ["", f"## {_('Podcasts')}", "", f"| {_('Podcast')} | {_('Time')} |", "| --- | ---: |"]
    lines += [f"| {_escaped(title)} | {long_time(ms)} |" for title, ms in totals.podcasts[:_MOST_PODCASTS]]
    lines += ["", f"## {_('Episodes')}", ""]
    lines += [f"{number}. {_escaped(title)} ({long_time(ms)})" for number, (title, ms) in enumerate(totals.top, 1)]
    lines += ["", f"## {_('Months')}", "", f"| {_('Month')} | {_('Time')} |", "| --- | ---: |"]
    for month in range(1, 13):
        ms = sum(day.real_ms for day in totals.days if day.day.month == month)
        lines.append(f"| {month_name(month)} | {long_time(ms) if ms else '-'} |")
    return "\n".join([*lines, ""])


def _facts(found: YearOfListening) -> Iterator[str]:
    totals = found.totals
    yield _("{time} listened", time=long_time(totals.real_ms))
    yield plural(len(totals.days), "Listened on {n:,} day", "Listened on {n:,} days")
    yield plural(totals.episodes, "{n:,} episode heard", "{n:,} episodes heard")
    yield _("{n:,} finished, {other:,} abandoned", n=totals.finished, other=totals.abandoned)
    if totals.longest is not None:
        yield _longest(found, long_time(totals.longest.real_ms), totals.longest.day)


def _escaped(title: str) -> str:
    """A title means nothing in Markdown."""
    text = " ".join(steady(title).split()) or _("Unknown")
    return "".join(f"\\{letter}" if letter in "\\`*_[]<>|#" else letter for letter in text)
