"""Text that recedes in the terminal's own colours: dimmed by the terminal, whatever its palette.

Bright black, which other programs use for it, is the same as the background in some palettes (Solarized's, for one).
"""

from functools import lru_cache

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.color import Color as Ground
from textual.filter import LineFilter

_BRIGHT_BLACK = 8
_DIM = Style(color=Color.default(), dim=True)


class Faded(LineFilter):
    """Text in bright black becomes dim text in the terminal's own colour."""

    def apply(self, segments: list[Segment], background: Ground) -> list[Segment]:  # noqa: ARG002 - as Textual calls it
        return [Segment(text, style and _faded(style), control) for text, style, control in segments]


@lru_cache(1024)
def _faded(style: Style) -> Style:
    colour = style.color
    return style + _DIM if colour is not None and colour.triplet is None and colour.number == _BRIGHT_BLACK else style
