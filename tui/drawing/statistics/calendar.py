"""A year as a calendar: a block for each day, a column for each week."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from itertools import groupby

from msgspec import Struct

from player.text.dates import DAYS, month_name, start_of_week
from player.text.durations import long_time
from player.text.sentences import _, translate
from tui.drawing.cells import fit, width
from tui.drawing.labels import day_words
from tui.drawing.runs import Line, Run
from tui.look.glyphs import Glyphs

LEVELS = 5
"""How many tints there are for days with listening, the palest first."""
WEEK = timedelta(days=7)
_DAYS = 7
_DAY_CELLS = 4


class CalendarDays(Struct, frozen=True):
    """The days from `first` to `last`, or to `today` if that is earlier; `per_day` has a time in ms for some."""

    per_day: Mapping[date, int]
    first: date
    last: date
    today: date


class Calendar:
    """The days of a year up to today, one cell each.

    `tinted`: the tint alone shows how much was heard; otherwise the glyph does. Where there is room, a day has a gap
    beside it; where there isn't room for 54 weeks, the year is split into several parts.
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
        """`words` describe a time for the scale."""
        self._per_day, self._today, self._glyphs, self._tinted = days.per_day, days.today, glyphs, tinted
        self._first, self._last = days.first, days.last
        self._words = words
        self._most = max([1, *(ms for day, ms in days.per_day.items() if self._first <= day <= self._last)])
        first = start_of_week(self._first)
        weeks = [first + WEEK * number for number in range((self._last - first).days // _DAYS + 1)]
        room = max(1, columns - _DAY_CELLS)
        self._cells = 2 if room >= 2 * len(weeks) else 1
        size = -(-len(weeks) // -(-len(weeks) * self._cells // room))
        self._parts = [weeks[start : start + size] for start in range(0, len(weeks), size)]
        """The first days of the weeks of each part."""

    def lines(self) -> Iterator[Line]:
        """The lines, with the names of months above, of days on the left, and the scale below."""
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
        none = Run(f"{' ' * _DAY_CELLS}{_('none')} ", "muted")
        most = Run(self._words(self._most), "muted")
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
        """Several days of one level, with this many cells each."""
        sign = self._glyphs.blocks[level] if self._tinted else self._glyphs.tints[level]
        role = f"tint-{level}" if self._tinted else "time" if level else "rule"
        return Run(sign.ljust(cells) * count, role)


def months_above(weeks: Sequence[date], first: date, cells: int) -> str:
    """The name of each month above the first week that begins in it. The first week may begin on its day `first`."""
    line = ""
    month = 0
    for number, week in enumerate(weeks):
        start = max(week, first)
        if start.month != month and (number == 0 or start.day <= 7):
            name = month_name(start.month)
            if number * cells >= (width(line) + 1 if line else 0) and width(name) <= (len(weeks) - number) * cells:
                line = fit(line, number * cells) + name
            month = start.month
    return line
