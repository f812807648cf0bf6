"""Which cells of a line differ from those of the line before it, so that a terminal is sent no others."""

from itertools import zip_longest

from tui.drawing.cells import graphemes
from tui.drawing.runs import Line

_NEAR = 6
"""Cells between two changes that cost a terminal less than moving the cursor over them."""
_BLANK = (" ", "")


def changed_cells(old: Line, new: Line) -> list[tuple[int, int]]:
    """The cells (from, to) that differ, in order. Past the end of a line there are blanks."""
    if old == new:
        return []
    spans: list[tuple[int, int]] = []
    for at, (one, other) in enumerate(zip_longest(_cells(old), _cells(new), fillvalue=_BLANK)):
        if one == other:
            continue
        if spans and at <= spans[-1][1] + _NEAR:
            spans[-1] = (spans[-1][0], at + 1)
        else:
            spans.append((at, at + 1))
    return spans


def _cells(line: Line) -> list[tuple[str, str]]:
    """What is in each cell, with its role; a wide character is in both of its cells."""
    cells: list[tuple[str, str]] = []
    for text, role, _href in line:
        if text.isascii():
            cells += [(char, role) for char in text]
        else:
            cells += [(char, role) for char, width in graphemes(text) for _ in range(width)]
    return cells
