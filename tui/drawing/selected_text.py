"""Selecting text, and copying it: a paragraph that was broken into lines is copied as one line."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from player.text.directions import RLI, without_marks
from tui.drawing.cells import graphemes
from tui.drawing.runs import AfterSpace, Line, MidWord, Run, width_of

_DECORATION = frozenset({"number", "bar", "rule"})
_SOLID = "codeblock"
_DEEPEST = 6
"""The cells of the deepest indent of a list; a line that begins further right is beside a picture."""
_WORD = re.compile(r"\w+(?:[-'’./:@#&=?+%~_]+\w+)*")


class Spot(NamedTuple):
    """A cell of a page: its line, and the cell within it, from 0."""

    row: int
    cell: int


class Selection(NamedTuple):
    """The cells from `start` up to `end`, which isn't included and isn't before `start`."""

    start: Spot
    end: Spot

    def cells_of(self, row: int, cells: int) -> range:
        """The selected cells of a line that has `cells` cells."""
        if not self.start.row <= row <= self.end.row:
            return range(0)
        first = self.start.cell if row == self.start.row else 0
        last = self.end.cell if row == self.end.row else cells
        return range(min(first, cells), min(last, cells))


def between(one: Spot, other: Spot) -> Selection:
    """The selection from one cell to another, both included, given in either order."""
    first, last = sorted((one, other))
    return Selection(first, Spot(last.row, last.cell + 1))


def copied(lines: Sequence[Line], selection: Selection) -> str:
    """The selected text, with the lines of a broken paragraph joined."""
    text: list[str] = []
    last = min(selection.end.row, len(lines) - 1)
    for row in range(max(0, selection.start.row), last + 1):
        line = lines[row]
        joint = _joint(line)
        cells = selection.cells_of(row, width_of(line))
        words = _text(line, cells, joint or 0)
        if row == selection.start.row or joint is None:
            text.append(words)
        elif isinstance(line[joint], MidWord):
            text[-1] += words
        elif words:
            text[-1] = f"{text[-1].rstrip()} {words}"
    tidy = "\n".join(part.rstrip() for part in text)
    return without_marks(tidy.strip("\n"))


def placed(line: Line) -> list[tuple[str, int]]:
    """The graphemes of a line in logical order, each with its first cell."""
    return [(piece, at) for run, start in _placed(line) for piece, at, _cells in _graphemes(run, start)]


def snapped(line: Line, cells: range) -> range:
    """The cells of all graphemes that begin within `cells`, so that none is cut."""
    found = [(at, at + size) for _, at, size in _pieces(line) if at in cells]
    return range(found[0][0], found[-1][1]) if found else range(0)


def word_at(line: Line, row: int, cell: int) -> Selection | None:
    """The word at a cell; None if there is none. An address counts as one word."""
    pieces = _pieces(line)
    text = "".join(piece for piece, _, _ in pieces)
    at = 0
    starts: list[int] = []
    clicked = None
    for index, (piece, start, cells) in enumerate(pieces):
        starts += [index] * len(piece)
        if start <= cell < start + cells:
            clicked = at
        at += len(piece)
    if clicked is None:
        return None
    for word in _WORD.finditer(text):
        if word.start() <= clicked < word.end():
            first, last = pieces[starts[word.start()]], pieces[starts[word.end() - 1]]
            return Selection(Spot(row, first[1]), Spot(row, last[1] + last[2]))
    return None


def paragraph_at(lines: Sequence[Line], row: int) -> Selection | None:
    """The paragraph that contains a line; None for an empty line."""
    if not 0 <= row < len(lines) or not lines[row]:
        return None
    first = last = row
    while first > 0 and _joint(lines[first]) is not None:
        first -= 1
    while last + 1 < len(lines) and _joint(lines[last + 1]) is not None:
        last += 1
    return Selection(Spot(first, 0), Spot(last, width_of(lines[last])))


def _joint(line: Line) -> int | None:
    """The index of the run that continues the line before; None if the line doesn't continue it."""
    return next((index for index, run in enumerate(line) if isinstance(run, AfterSpace | MidWord)), None)


def _text(line: Line, cells: range, first: int) -> str:
    """The text to copy of these cells of a line, from its run `first` on: without decoration."""
    solid = any(_SOLID in run.role.split() for run in line)
    if solid:  # its first and last runs are only background
        first, line = first or 1, line[:-1]
    found: list[str] = []
    for run, start in _placed(line[first:], width_of(line[:first])):
        if _DECORATION.isdisjoint(run.role.split()):
            found += [
                piece for piece, at, size in _graphemes(run, start) if at in cells or (not size and at - 1 in cells)
            ]
    text = "".join(found)
    aside = bool(line) and line[0].text.isspace() and len(line[0].text) > _DEEPEST
    right_to_left = any(run.text.startswith(RLI) for run in line[:2])
    bare = not solid and (
        first or aside or right_to_left or any(not _DECORATION.isdisjoint(run.role.split()) for run in line)
    )
    return text.lstrip() if bare else text


def _placed(line: Line, start: int = 0) -> Iterator[tuple[Run, int]]:
    for run in line:
        yield run, start
        start += width_of((run,))


def _graphemes(run: Run, start: int) -> Iterator[tuple[str, int, int]]:
    for piece, cells in graphemes(run.text):
        yield piece, start, cells
        start += cells


def _pieces(line: Line) -> list[tuple[str, int, int]]:
    """The graphemes of a line with their first cells and widths; decoration is replaced by blanks."""
    return [
        (piece if _DECORATION.isdisjoint(run.role.split()) else " ", at, cells)
        for run, start in _placed(line)
        for piece, at, cells in _graphemes(run, start)
    ]
