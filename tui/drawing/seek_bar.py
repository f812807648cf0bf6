"""The seek bar as text: what is played, what is kept, the rest, and the place. Pure; times in ms."""

from collections.abc import Iterable, Sequence

from tui.drawing.runs import Line, Run
from tui.look.glyphs import Glyphs

_LEAST_CELLS = 3
"""Of the bar for each tick: closer ones tell nothing, and hide what is played and kept."""

Kept = Sequence[tuple[float, float]]


def seek_bar(
    width: int, position_ms: int, duration_ms: int | None, kept: Kept, glyphs: Glyphs, marks: Iterable[int] = ()
) -> Line:
    """A bar of `width` cells, with a tick where each of `marks` is (chapters, in ms) unless they would stand too close.

    With no duration it says nothing but that there is one: no place, no parts.
    """
    if width <= 0:
        return ()
    if not duration_ms:
        return (Run(glyphs.line_thin * width, "rest"),)
    place = cell_of(position_ms, duration_ms, width)
    kept_cells = _kept_cells(width, kept)
    ticks = {cell_of(mark, duration_ms, width) for mark in marks if 0 < mark < duration_ms}
    if width < _LEAST_CELLS * (len(ticks) + 1):
        ticks = set()
    played = "".join(glyphs.tick if cell in ticks else glyphs.line for cell in range(place))
    pieces = [Run(played, "played")] if place else []
    pieces.append(Run(glyphs.place, "place"))
    run = ""
    for cell in range(place + 1, width):
        role = "kept" if kept_cells[cell] else "rest"
        if role != run:
            pieces.append(Run("", role))
            run = role
        line, tick = (glyphs.line, glyphs.tick) if role == "kept" else (glyphs.line_thin, glyphs.tick_thin)
        text = tick if cell in ticks else line
        pieces[-1] = Run(pieces[-1].text + text, role)
    return tuple(pieces)


def cell_of(position_ms: int, duration_ms: int, width: int) -> int:
    """The cell that a place falls on; the first and the last one stand for the start and the end."""
    share = min(1.0, max(0.0, position_ms / duration_ms))
    return min(width - 1, int(share * (width - 1) + 0.5))


def place_at(cell: int, width: int, duration_ms: int) -> int:
    """The place that a click on a cell means; beyond an end it is that end."""
    if width <= 1:
        return 0
    return round(min(1.0, max(0.0, cell / (width - 1))) * duration_ms)


def _kept_cells(width: int, kept: Kept) -> list[bool]:
    """Whether each cell's middle is kept."""
    cells = [False] * width
    for start, end in kept:
        first = max(0, int(start * width + 0.5))
        last = min(width, int(end * width + 0.5))
        cells[first:last] = [True] * max(0, last - first)
    return cells
