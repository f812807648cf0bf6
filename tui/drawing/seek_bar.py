"""The seek bar as text: what was played, what is cached, the rest, the position, the bookmarks. Pure; times in ms."""

from collections.abc import Iterable, Sequence

from tui.drawing.runs import Line, Run
from tui.look.glyphs import Glyphs

_LEAST_CELLS = 3
"""Cells per tick. Ticks that are closer can't be told apart, and hide what was played and what is cached."""

Shares = Sequence[tuple[float, float]]


def seek_bar(
    width: int,
    position_ms: int,
    duration_ms: int | None,
    cached: Shares,
    glyphs: Glyphs,
    marks: Iterable[int] = (),
    bookmarks: Iterable[int] = (),
) -> Line:
    """A bar of `width` cells, with ticks at `marks` (chapters, in ms) and a glyph at each bookmark (in ms).

    There are no ticks if they would be too close together; a bookmark at the current position has a glyph of its own.
    `cached` are shares of the file, 0 to 1. Without a duration the bar is empty: no position, no parts.
    """
    if width <= 0:
        return ()
    if not duration_ms:
        return (Run(glyphs.line_thin * width, "rest"),)
    at = cell_of(position_ms, duration_ms, width)
    cached_cells = _cached_cells(width, cached)
    ticks = {cell_of(mark, duration_ms, width) for mark in marks if 0 < mark < duration_ms}
    if width < _LEAST_CELLS * (len(ticks) + 1):
        ticks = set()
    kept = {cell_of(bookmark, duration_ms, width) for bookmark in bookmarks}
    pieces: list[Run] = []
    for cell in range(width):
        if cell == at:
            text, role = glyphs.position_bookmark if cell in kept else glyphs.position, "position"
        elif cell in kept:
            text, role = glyphs.bookmark, "bookmark"
        else:
            role = "played" if cell < at else "cached" if cached_cells[cell] else "rest"
            thin = role == "rest"
            tick, line = (glyphs.tick_thin, glyphs.line_thin) if thin else (glyphs.tick, glyphs.line)
            text = tick if cell in ticks else line
        if pieces and pieces[-1].role == role:
            pieces[-1] = Run(pieces[-1].text + text, role)
        else:
            pieces.append(Run(text, role))
    return tuple(pieces)


def cell_of(position_ms: int, duration_ms: int, width: int) -> int:
    """The cell of a position; the first cell is the start, and the last one the end."""
    share = min(1.0, max(0.0, position_ms / duration_ms))
    return min(width - 1, int(share * (width - 1) + 0.5))


def position_at(cell: int, width: int, duration_ms: int) -> int:
    """The position, in ms, that a click on a cell means; beyond an end it is that end."""
    if width <= 1:
        return 0
    return round(min(1.0, max(0.0, cell / (width - 1))) * duration_ms)


def _cached_cells(width: int, cached: Shares) -> list[bool]:
    """Whether the middle of each cell is cached."""
    cells = [False] * width
    for start, end in cached:
        first = max(0, int(start * width + 0.5))
        last = min(width, int(end * width + 0.5))
        cells[first:last] = [True] * max(0, last - first)
    return cells
