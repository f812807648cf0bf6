"""The lines on which the rows of a list and their headings stand. Arithmetic: a million rows take as long as ten."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple


class Line(NamedTuple):
    """What is on a line: line `part` of a row, or above that row its heading (-1) or the gap above that (-2)."""

    row: int
    part: int


class RowLines:
    """`count` rows of `height` lines each. The rows in `headings`, in order, have a heading of one line above them, and
    that a gap of one line above it if `gap`, except on the first line of all."""

    def __init__(self, count: int, height: int = 1, headings: Sequence[int] = (), *, gap: bool = False) -> None:
        self.count, self.height, self._gap = count, height, gap
        self._headings = [row for row in headings if row < count]
        self._starts = [row * height + self._headings_above(at) for at, row in enumerate(self._headings)]

    def __len__(self) -> int:
        """How many lines there are."""
        return self.count * self.height + self._headings_above(len(self._headings))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RowLines) and self._shape == other._shape

    def __hash__(self) -> int:
        return hash(self._shape[:3])

    @property
    def _shape(self) -> tuple[object, ...]:
        return self.count, self.height, self._gap, self._headings

    @property
    def has_headings(self) -> bool:
        return bool(self._headings)

    def _headings_above(self, at: int) -> int:
        """The lines that the first `at` headings take."""
        if not at or not self._gap:
            return at
        return 2 * at - (self._headings[0] == 0)

    def top_of(self, index: int) -> int:
        """The first line of a row."""
        return index * self.height + self._headings_above(bisect_right(self._headings, index))

    def head_of(self, index: int) -> int:
        """The first line of a row, or of the heading right above it."""
        at = bisect_right(self._headings, index)
        return self._starts[at - 1] if at and self._headings[at - 1] == index else self.top_of(index)

    def at(self, line: int) -> Line:
        """What is on a line, counted from 0. Past the end: the rows that would be there."""
        at = bisect_right(self._starts, line)
        if not at:
            return Line(*divmod(line, self.height))
        row, start = self._headings[at - 1], self._starts[at - 1]
        lines = self._headings_above(at) - self._headings_above(at - 1)
        if line - start < lines:
            return Line(row, line - start - lines)
        index, part = divmod(line - start - lines, self.height)
        return Line(row + index, part)

    def rows_between(self, start: int, end: int) -> range:
        """The rows of which anything is on the lines from `start` up to `end`."""
        if end <= start:
            return range(0)
        last = self.at(end - 1)
        return range(max(0, self.at(start).row), max(0, min(self.count, last.row + (last.part >= 0))))
