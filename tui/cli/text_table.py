"""Tables of plain text: columns stay straight with wide letters, and lines fit the terminal."""

import os
import shutil
import sys
from collections.abc import Callable, Sequence

from player.text.cleaning import clean_line
from player.text.directions import without_marks
from tui.cli.command import Column
from tui.drawing.cells import cut, fit, width
from tui.terminal.capabilities import is_terminal

_GAP = "  "
_NARROWEST = 8
_READABLE = 20
_LONGEST = 10_000


Marked = Callable[[str], Sequence[tuple[int, int]]]
"""Returns the spans (start, end) of a line that are printed in bold."""


def print_table(
    columns: Sequence[Column],
    rows: Sequence[Sequence[str]],
    marked: Marked | None = None,
    below: Sequence[str] | None = None,
) -> None:
    """Cut to the terminal's width; elsewhere in full and without colours. `below`: a line that each row has below it,
    however long, or ""."""
    heading, *lines = layout(columns, rows, terminal_width())
    print(_faint(heading))
    for line, more in zip(lines, below or [""] * len(lines), strict=True):
        print(in_bold(line, marked(line)) if marked and may_colour() else line)
        if more:
            print(f"  {_faint(more)}")


def _faint(line: str) -> str:
    return f"\x1b[2m{line}\x1b[22m" if may_colour() else line


def in_bold(line: str, spans: Sequence[tuple[int, int]]) -> str:
    """The line with these spans in bold, if colours are wanted."""
    for start, end in reversed(spans if may_colour() else ()):
        line = f"{line[:start]}\x1b[1m{line[start:end]}\x1b[22m{line[end:]}"
    return line


def terminal_width() -> int | None:
    """Cells in a line; None when the output isn't a terminal."""
    return shutil.get_terminal_size().columns if is_terminal(sys.stdout) else None


def may_colour() -> bool:
    return is_terminal(sys.stdout) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") not in ("dumb", None)


def layout(columns: Sequence[Column], rows: Sequence[Sequence[str]], room: int | None) -> list[str]:
    """The heading and the rows as lines, none wider than `room` cells; with None nothing is cut."""
    used = [at for at, one in enumerate(columns) if not one.optional or any(row[at] for row in rows)]
    columns = [columns[at] for at in used]
    table = [[column.title for column in columns], *([_clean(row[at]) for at in used] for row in rows)]
    widths = [max(width(row[index]) for row in table) for index in range(len(columns))]
    shown = list(range(len(columns)))
    if room is not None:
        shown = columns_that_fit(columns, widths, room)
        flexible = [index for index in shown if columns[index].flexible]
        widths = narrowed(widths, flexible, room - _around(widths, flexible, shown))
    lines = (
        _GAP.join(fit(row[index], widths[index], "right" if columns[index].right else "left") for index in shown)
        for row in table
    )
    if room is None:
        return [without_marks(line).rstrip() for line in lines]
    return [line if width(line) <= room else cut(line, room) for line in map(str.rstrip, lines)]


def _clean(cell: str) -> str:
    """Whatever it is of: what a feed says was cleaned when it came, names of files and the like were not."""
    return cell if cell.isprintable() else clean_line(cell, _LONGEST)


def columns_that_fit(columns: Sequence[Column], widths: Sequence[int], room: int) -> list[int]:
    """The indexes of the columns that are shown, so that flexible ones stay readable."""
    shown = list(range(len(columns)))
    bearable = [
        min(cells, _READABLE) if column.flexible else cells for cells, column in zip(widths, columns, strict=True)
    ]
    while sum(bearable[index] for index in shown) + len(_GAP) * (len(shown) - 1) > room:
        spare = max(shown, key=lambda index: columns[index].spare)
        if not columns[spare].spare:
            break
        shown.remove(spare)
    return shown


def narrowed(widths: Sequence[int], flexible: Sequence[int], room: int) -> list[int]:
    """The widths, with the `flexible` ones reduced to fit in `room` together, but not below what can be read."""
    fitted = [min(cells, max(room, _NARROWEST)) if index in flexible else cells for index, cells in enumerate(widths)]
    while sum(fitted[index] for index in flexible) > room:
        widest = max(flexible, key=lambda index: fitted[index], default=None)
        if widest is None or fitted[widest] <= _NARROWEST:
            break
        fitted[widest] -= 1
    return fitted


def _around(widths: Sequence[int], flexible: Sequence[int], shown: Sequence[int]) -> int:
    """Cells that the columns of a fixed width and the gaps take."""
    fixed = sum(widths[index] for index in shown if index not in flexible)
    return fixed + len(_GAP) * (len(shown) - 1)
