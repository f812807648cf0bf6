"""Pictures drawn with block characters, as Textual writes them."""

from collections.abc import Callable
from functools import partial

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from player.artwork.picture import Picture
from tui.drawing.covers.blocks import Cell, Colour, cells, nearest_of_256


def drawn_strips(picture: Picture, colours: int) -> tuple[Strip, ...]:
    """The picture in block characters, for a terminal with so many colours."""
    shape = picture.shape
    colour = partial(_colour, colours)
    return tuple(
        Strip([_segment(cell, colour) for cell in row], shape.columns)
        for row in cells(picture.quarters, shape.columns, shape.rows)
    )


def _segment(cell: Cell, colour: Callable[[Colour], RichColor]) -> Segment:
    front = colour(cell.front) if cell.front is not None else None
    return Segment(cell.glyph, Style(color=front, bgcolor=colour(cell.ground)))


def _colour(colours: int, colour: Colour) -> RichColor:
    return RichColor.from_ansi(nearest_of_256(colour)) if colours <= 256 else RichColor.from_rgb(*colour)
