"""Tables of plain text: columns stay straight with wide letters, and lines fit the terminal."""

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tui.drawing.cells import cut, fit, width
from tui.terminal.capabilities import is_terminal

_GAP = "  "
_NARROWEST = 8
_READABLE = 20


@dataclass(frozen=True, slots=True)
class Column:
    """Where a line is too long, `flexible` ones give way, the widest first; then `spare` ones go, the highest first."""

    title: str
    right: bool = False
    flexible: bool = False
    spare: int = 0


Marked = Callable[[str], Sequence[tuple[int, int]]]
"""What is to stand out in a line: (from, to)."""


def print_table(columns: Sequence[Column], rows: Sequence[Sequence[str]], marked: Marked | None = None) -> None:
    """Cut to the terminal's width; whole, and without a heading's shade, where it goes elsewhere."""
    heading, *lines = layout(columns, rows, terminal_width())
    print(f"\x1b[2m{heading}\x1b[22m" if may_colour() else heading)
    for line in lines:
        print(_marked(line, marked(line)) if marked and may_colour() else line)


def _marked(line: str, places: Sequence[tuple[int, int]]) -> str:
    for start, end in reversed(places):
        line = f"{line[:start]}\x1b[1m{line[start:end]}\x1b[22m{line[end:]}"
    return line


def terminal_width() -> int | None:
    """Cells of a line; None where output is no terminal."""
    return shutil.get_terminal_size().columns if is_terminal(sys.stdout) else None


def may_colour() -> bool:
    return is_terminal(sys.stdout) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") not in ("dumb", None)


def layout(columns: Sequence[Column], rows: Sequence[Sequence[str]], room: int | None) -> list[str]:
    """The heading and the rows as lines, none wider than `room` cells; with None nothing is cut."""
    table = [[column.title for column in columns], *rows]
    widths = [max(width(row[place]) for row in table) for place in range(len(columns))]
    places = list(range(len(columns)))
    if room is not None:
        places = kept(columns, widths, room)
        flexible = [place for place in places if columns[place].flexible]
        widths = narrowed(widths, flexible, room - _around(widths, flexible, places))
    lines = (
        _GAP.join(fit(row[place], widths[place], "right" if columns[place].right else "left") for place in places)
        for row in table
    )
    return [line.rstrip() if room is None else cut(line.rstrip(), room) for line in lines]


def kept(columns: Sequence[Column], widths: Sequence[int], room: int) -> list[int]:
    """The places of the columns that are shown, so that flexible ones stay readable."""
    places = list(range(len(columns)))
    bearable = [
        min(cells, _READABLE) if column.flexible else cells for cells, column in zip(widths, columns, strict=True)
    ]
    while sum(bearable[place] for place in places) + len(_GAP) * (len(places) - 1) > room:
        spare = max(places, key=lambda place: columns[place].spare)
        if not columns[spare].spare:
            break
        places.remove(spare)
    return places


def narrowed(widths: Sequence[int], flexible: Sequence[int], room: int) -> list[int]:
    """The widths, with the `flexible` ones made narrower until they fit in `room` together, as far as is bearable."""
    fitted = [min(cells, max(room, _NARROWEST)) if place in flexible else cells for place, cells in enumerate(widths)]
    while sum(fitted[place] for place in flexible) > room:
        widest = max(flexible, key=lambda place: fitted[place], default=None)
        if widest is None or fitted[widest] <= _NARROWEST:
            break
        fitted[widest] -= 1
    return fitted


def _around(widths: Sequence[int], flexible: Sequence[int], places: Sequence[int]) -> int:
    """Cells that the columns of a fixed width and the gaps take."""
    fixed = sum(widths[place] for place in places if place not in flexible)
    return fixed + len(_GAP) * (len(places) - 1)
