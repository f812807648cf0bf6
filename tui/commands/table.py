"""Tables of plain text: columns stay straight with wide letters, and lines fit the terminal."""

import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from tui.cells import cut, fit, width
from tui.terminal import is_terminal

_GAP = "  "
_NARROWEST = 8


@dataclass(frozen=True, slots=True)
class Column:
    """`flexible` ones give way, the widest first, where a line is too long."""

    title: str
    right: bool = False
    flexible: bool = False


def print_table(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    """Cut to the terminal's width; whole, and without a heading's shade, where it goes elsewhere."""
    heading, *lines = layout(columns, rows, terminal_width())
    print(f"\x1b[2m{heading}\x1b[22m" if may_colour() else heading)
    for line in lines:
        print(line)


def terminal_width() -> int | None:
    """Cells of a line; None where output is no terminal."""
    return shutil.get_terminal_size().columns if is_terminal(sys.stdout) else None


def may_colour() -> bool:
    return is_terminal(sys.stdout) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") not in ("dumb", None)


def layout(columns: Sequence[Column], rows: Sequence[Sequence[str]], room: int | None) -> list[str]:
    """The heading and the rows as lines, none wider than `room` cells; with None nothing is cut."""
    table = [[column.title for column in columns], *rows]
    widths = [max(width(row[place]) for row in table) for place in range(len(columns))]
    if room is not None:
        flexible = [place for place, column in enumerate(columns) if column.flexible]
        widths = narrowed(widths, flexible, room - len(_GAP) * (len(columns) - 1))
    lines = (
        _GAP.join(
            fit(text, cells, "right" if column.right else "left")
            for text, cells, column in zip(row, widths, columns, strict=True)
        ).rstrip()
        for row in table
    )
    return [line if room is None else cut(line, room) for line in lines]


def narrowed(widths: Sequence[int], flexible: Sequence[int], room: int) -> list[int]:
    """The widths, with the flexible ones made narrower until all fit in `room`, as far as that is bearable."""
    fitted = list(widths)
    while sum(fitted) > room:
        widest = max(flexible, key=lambda place: fitted[place], default=None)
        if widest is None or fitted[widest] <= _NARROWEST:
            break
        fitted[widest] -= 1
    return fitted
