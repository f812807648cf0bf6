"""What the screen shows, as text to compare with what is stored: its words, and the styles of its cells.

Look at a difference before taking it with `--snapshot-update`.
"""

import re
import string
from itertools import groupby
from typing import Any

from rich.cells import cell_len
from rich.style import Style
from textual.app import App

CLOCK = re.compile(r"(?<=ends )\d\d:\d\d|(?<=yesterday )\d\d:\d\d")
"""What depends on the time of day."""
Cells = list[list[str]]


def words_on(app: App[Any]) -> str:
    """Fails where a line is cut off or too long."""
    lines = [strip.text for strip in app.screen._compositor.render_strips()]
    columns, rows = app.size
    assert [line for line in lines if cell_len(line) != columns] == []
    assert len(lines) == rows
    return CLOCK.sub("00:00", "\n".join(line.rstrip() for line in lines))


def styles_on(app: App[Any]) -> Cells:
    return [
        [words(segment.style) for segment in strip for _ in range(cell_len(segment.text))]
        for strip in app.screen._compositor.render_strips()
    ]


def words(style: Style | None) -> str:
    """Like `#d5dbe6 on #10131a bold`, without what a cell links to."""
    plain = Style() if style is None else style
    colour, ground = (one.name if one is not None else "default" for one in (plain.color, plain.bgcolor))
    names = ("bold", "dim", "italic", "underline", "reverse", "strike")
    return " ".join([colour, "on", ground, *(name for name in names if getattr(plain, name))])


def layers(*themes: Cells) -> str:
    """Each row of cells as runs of letters with their lengths, and what the letters mean in each theme."""
    letters: dict[tuple[str, ...], str] = {}
    rows = []
    for cells in zip(*themes, strict=True):
        runs = [(style, len(list(run))) for style, run in groupby(zip(*cells, strict=True))]
        rows.append(" ".join(f"{letters.setdefault(style, letter(len(letters)))}{count}" for style, count in runs))
    lines, at = [], 1
    for row, same in groupby(rows):
        count = len(list(same))
        lines.append(f"{at if count == 1 else f'{at}-{at + count - 1}'}: {row}")
        at += count
    return "\n".join([*lines, "", *(f"{name}: {' | '.join(style)}" for style, name in letters.items())])


def letter(number: int) -> str:
    alphabet = string.ascii_letters
    return (
        alphabet[number]
        if number < len(alphabet)
        else letter(number // len(alphabet) - 1) + alphabet[number % len(alphabet)]
    )
