"""Tables in notes: in columns if they fit, otherwise row by row as labels and values."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest

from player.notes import Span, Table
from player.notes.blocks import text_of
from player.notes.tables import GAP, column_widths, is_of_numbers, records
from tui.drawing.runs import Line, Run, width_of, wrap
from tui.look.glyphs import Glyphs

_ENDLESS = 100_000

PiecesOf = Callable[[Sequence[Span], str], Iterable[Run]]
"""Spans as runs with one role."""


def table(block: Table, columns: int, glyphs: Glyphs, pieces_of: PiecesOf) -> Iterator[Line]:
    rows = [
        [list(pieces_of(cell, "label" if block.head and not number else "")) for cell in row]
        for number, row in enumerate(block.rows)
    ]
    natural = [max(_widest(cell) for cell in column) for column in zip(*rows, strict=True)]
    widths = column_widths(natural, columns)
    if widths is None:
        yield from _records(block, columns, pieces_of)
        return
    texts = zip(*(map(text_of, row) for row in block.rows[block.head :]), strict=True)
    right = [is_of_numbers(column) for column in texts]
    for number, row in enumerate(rows):
        cells = [wrap(cell, width) for cell, width in zip(row, widths, strict=True)]
        for line in zip_longest(*cells, fillvalue=()):
            yield tuple(_fitted(line, widths, right))
        if block.head and not number:
            yield (Run((" " * GAP).join(glyphs.line_thin * width for width in widths), "rule"),)


def _widest(cell: Sequence[Run]) -> int:
    return max(map(width_of, wrap(cell, _ENDLESS)))


def _fitted(line: Sequence[Line], widths: Sequence[int], right: Sequence[bool]) -> Iterator[Run]:
    """The cells of one line, each in its column."""
    gap = 0
    for part, width, at_right in zip(line, widths, right, strict=True):
        space = width - width_of(part)
        if part:
            yield Run(" " * (gap + (space if at_right else 0)))
            yield from (Run(*piece) for piece in part)  # columns aren't put together when they are copied
            gap = GAP + (0 if at_right else space)
        else:
            gap += width + GAP


def _records(block: Table, columns: int, pieces_of: PiecesOf) -> Iterator[Line]:
    for number, record in enumerate(records(block)):
        if number:
            yield ()
        for index, (label, cell) in enumerate(record):
            name = [Run(f"{text_of(label)}: ", "label")] if label else []
            yield from wrap([*name, *pieces_of(cell, "bold" if not label and not index else "")], columns)
