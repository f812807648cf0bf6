"""A year as a calendar: a block for each day, a column for each week."""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import groupby

from player.text.sentences import _, mark, translate
from tui.drawing.cells import fit, width
from tui.drawing.labels import day_words, month_name
from tui.drawing.podcast_pages import long_time
from tui.drawing.runs import Line, Run
from tui.drawing.statistics.year import YearOfListening
from tui.look.glyphs import Glyphs

LEVELS = 5
"""How many tints there are for days with listening, the palest first."""
WEEK = timedelta(days=7)
_WEEKDAYS = (mark("Mon"), "", mark("Wed"), "", mark("Fri"), "", mark("Sun"))
_DAY_CELLS = 4


class Calendar:
    """The days of a year up to today, one cell each.

    `tinted`: the tint alone shows how much was heard; otherwise the glyph does. Where there is room, a day has a gap
    beside it; where there isn't room for 54 weeks, the year is split into several parts.
    """

    def __init__(self, found: YearOfListening, columns: int, glyphs: Glyphs, *, tinted: bool) -> None:
        self._per_day, self._today, self._glyphs, self._tinted = found.per_day, found.today, glyphs, tinted
        self._first, self._last = found.totals.first, found.totals.last
        self._most = max([1, *(ms for day, ms in found.per_day.items() if self._first <= day <= self._last)])
        monday = monday_of(self._first)
        mondays = [monday + WEEK * number for number in range((self._last - monday).days // 7 + 1)]
        room = max(1, columns - _DAY_CELLS)
        self._cells = 2 if room >= 2 * len(mondays) else 1
        size = -(-len(mondays) // -(-len(mondays) * self._cells // room))
        self._parts = [mondays[start : start + size] for start in range(0, len(mondays), size)]
        """The Mondays of each part."""

    def lines(self) -> Iterator[Line]:
        """The lines, with the names of months above, of days on the left, and the scale below."""
        for number, mondays in enumerate(self._parts):
            if number:
                yield ()
            yield (Run(" " * _DAY_CELLS + months_above(mondays, self._first, self._cells), "muted"),)
            for weekday, name in enumerate(_WEEKDAYS):
                days = [monday + timedelta(days=weekday) for monday in mondays]
                yield Run(fit(translate(name) if name else "", _DAY_CELLS), "muted"), *self._blocks(days)
        yield self.scale()

    def scale(self) -> Line:
        none = Run(f"{' ' * _DAY_CELLS}{_('none')} ", "muted")
        most = Run(long_time(self._most), "muted")
        first, *levels = (self._signs(level, 1) for level in range(LEVELS + 1))
        return none, first, Run(" "), *levels, Run(" "), most

    def day_words(self, day: date) -> Line:
        """What was heard on a day, in place of the scale."""
        ms = self._per_day.get(day, 0)
        words = long_time(ms) if ms else _("nothing heard")
        text = f"{' ' * _DAY_CELLS}{day_words(day, self._today)} {self._glyphs.dot} {words}"
        return (Run(text),)

    def day_at(self, row: int, column: int) -> date | None:
        """The day in a cell of `lines`."""
        part, line = divmod(row, len(_WEEKDAYS) + 2)
        week = (column - _DAY_CELLS) // self._cells
        parts = self._parts
        if not (part < len(parts) and 0 < line <= len(_WEEKDAYS) and 0 <= week < len(parts[part])):
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
        """Several days of one level, with this many cells each."""
        sign = self._glyphs.blocks[level] if self._tinted else self._glyphs.tints[level]
        role = f"tint-{level}" if self._tinted else "time" if level else "rule"
        return Run(sign.ljust(cells) * count, role)


def monday_of(day: date) -> date:
    return day - timedelta(days=day.weekday())


def months_above(mondays: Sequence[date], first: date, cells: int) -> str:
    """The name of each month above the first week that begins in it. The first week may begin on its day `first`."""
    line = ""
    month = 0
    for number, monday in enumerate(mondays):
        start = max(monday, first)
        if start.month != month and (number == 0 or start.day <= 7):
            name = month_name(start.month)
            if number * cells >= (width(line) + 1 if line else 0) and width(name) <= (len(mondays) - number) * cells:
                line = fit(line, number * cells) + name
            month = start.month
    return line
