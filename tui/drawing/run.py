"""A run of text in one style, and lines of them."""

from collections.abc import Iterable
from typing import NamedTuple

from rich.cells import cell_len


class Run(NamedTuple):
    """A run of text in one style. `role` names component classes, separated by spaces; `href` makes it a link."""

    text: str
    role: str = ""
    href: str = ""


class AfterSpace(Run):
    """The first run of a line that continues the line before it, where there was a space. It equals a plain `Run`; what
    copies text tells by it where a paragraph was only broken to fit (`tui/drawing/selecting`)."""

    __slots__ = ()


class MidWord(Run):
    """The same, where a word was broken, or text that has no spaces."""

    __slots__ = ()


Line = tuple[Run, ...]


def width_of(line: Iterable[Run]) -> int:
    """How many cells the runs take."""
    return sum(cell_len(piece.text) for piece in line)
