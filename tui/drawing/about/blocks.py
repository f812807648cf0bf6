"""Blocks of lines with entries, placed below and beside each other, and on cards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from player.artwork.picture import CoverArt
from tui.drawing.cells import cut
from tui.drawing.episode_tabs import Entry, TextPage
from tui.drawing.runs import Line, Run, width_of

GAP = 2
"""The cells between two blocks, and between a card's edge and its text."""

_ANY_END = 10_000


@dataclass(slots=True)
class Block:
    """Lines, and the entries in them, each with its number of lines and the column in which it starts."""

    lines: list[Line] = field(default_factory=list)
    entries: list[tuple[Entry, int, int]] = field(default_factory=list)

    def add(self, entry: Entry, lines: Sequence[Line]) -> None:
        self.entries.append((entry._replace(first=len(self.lines)), len(lines), 0))
        self.lines += lines

    def moved(self, rows: int, columns: int) -> list[tuple[Entry, int, int]]:
        """The entries after moving the block down by `rows` and to the right by `columns`."""
        return [(one._replace(first=one.first + rows), count, column + columns) for one, count, column in self.entries]


@dataclass(slots=True)
class ColumnsSheet(TextPage):
    """A page whose entries may be beside each other. `columns` are the first columns of the entries, `counts` their
    numbers of lines.

    `cover` is drawn to the left of the first lines; `cover_cells` are its columns and rows.
    """

    columns: list[int] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    cover: CoverArt | None = None
    cover_cells: tuple[int, int] = (0, 0)

    def entry_of(self, row: int) -> int | None:
        above = [(one.first, -index) for index, one in enumerate(self.entries) if one.first <= row]
        return -max(above)[1] if above else None

    def rows_of(self, entry: int) -> range:
        first = self.entries[entry].first
        return range(first, first + self.counts[entry])

    def at(self, row: int, column: int) -> int | None:
        """The entry at a cell; None if there is none."""
        here = [index for index, start in enumerate(self.columns) if row in self.rows_of(index) and start <= column]
        return max(here, key=lambda index: self.columns[index], default=None)

    def cells_of(self, entry: int) -> range:
        """The cells of an entry's lines, up to the entry beside it, or to the end of the line."""
        rows, start = self.rows_of(entry), self.columns[entry]
        beside = [
            column for index, column in enumerate(self.columns) if column > start and self.entries[index].first in rows
        ]
        return range(start, min(beside) - 2 * GAP if beside else _ANY_END)


def sheet_of(block: Block) -> ColumnsSheet:
    sheet = ColumnsSheet(lines=list(block.lines))
    for entry, count, column in block.entries:
        sheet.entries.append(entry)
        sheet.counts.append(count)
        sheet.columns.append(column)
    return sheet


def below(blocks: Iterable[Block], gap: int = 1) -> Block:
    """The blocks one below the other, without the empty ones."""
    found = Block()
    for block in blocks:
        if block.lines:
            found.lines += [()] * gap if found.lines else []
            found.entries += block.moved(len(found.lines), 0)
            found.lines += block.lines
    return found


def beside(left: Block, right: Block, cells: int, gap: int = GAP) -> Block:
    """Two blocks next to each other, the left one `cells` wide."""
    rows = max(len(left.lines), len(right.lines))
    pairs = ((_line(left.lines, row), _line(right.lines, row)) for row in range(rows))
    lines: list[Line] = [(*padded(one, cells + gap), *other) if other else one for one, other in pairs]
    return Block(lines, left.entries + right.moved(0, cells + gap))


def card(name: str, block: Block, cells: int, *, framed: bool, roomy: bool = True, rows: int = 0) -> Block:
    """A block with a heading, `cells` wide. If `framed`, on a background of its own and with at least `rows` lines.

    `roomy`: with an empty line above and below. An empty block stays empty.
    """
    if not block.lines:
        return block
    heading: Line = (Run(cut(name, cells - 2 * GAP if framed else cells), "heading"),)
    if not framed:
        return Block([heading, *block.lines], block.moved(1, 0))
    above: list[Line] = [()] if roomy else []
    lines = [heading, *block.lines]
    inside = [*above, *lines, *[()] * (rows - len(lines)), *above]
    drawn = [on_card((Run(" " * GAP), *line), cells) for line in inside]
    return Block(drawn, block.moved(len(above) + 1, GAP))


def inner(cells: int, *, framed: bool) -> int:
    """The width of a card's text."""
    return max(1, cells - 2 * GAP if framed else cells)


def on_card(line: Line, cells: int) -> Line:
    return tuple(Run(text, f"{role} card".strip(), href) for text, role, href in padded(line, cells))


def padded(line: Line, cells: int) -> Line:
    """The line padded with spaces to `cells` cells."""
    missing = cells - width_of(line)
    return (*line, Run(" " * missing)) if missing > 0 else line


def with_role(line: Line, cells: range, role: str) -> Line:
    """The line with a role added to the runs that begin within these cells."""
    found: list[Run] = []
    at = 0
    for run in line:
        found.append(run._replace(role=f"{run.role} {role}".strip()) if at in cells else run)
        at += width_of((run,))
    return tuple(found)


def with_mark(line: Line, column: int, mark: Run) -> Line:
    """The line with a mark of one cell in place of the space at `column`; the same line if there is no space."""
    before = 0
    for index, (text, role, href) in enumerate(line):
        cells = width_of(line[index : index + 1])
        at = column - before
        if 0 <= at < cells and not text.strip(" "):
            middle = Run(mark.text, f"{mark.role} {'card' if 'card' in role.split() else ''}".strip())
            parts = Run(text[:at], role, href), middle, Run(text[at + 1 :], role, href)
            return (*line[:index], *(one for one in parts if one.text), *line[index + 1 :])
        before += cells
    return line


def _line(lines: Sequence[Line], row: int) -> Line:
    return lines[row] if row < len(lines) else ()
