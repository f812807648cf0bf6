"""A picture as a terminal shows it: what is wanted of it, and the bytes."""

from enum import Enum

from msgspec import Struct

LARGEST = 10 * 1024 * 1024
"""Bytes of an image."""


class Form(Enum):
    BLOCKS = "blocks"
    SIXEL = "sixel"
    KITTY = "kitty"


class Shape(Struct, frozen=True):
    """`columns` by `rows` cells, of `cell_width` by `cell_height` pixels each: these count only for pixels.
    `colours`: the most that a sixel may have."""

    columns: int
    rows: int
    form: Form = Form.BLOCKS
    cell_width: int = 0
    cell_height: int = 0
    colours: int = 0

    @property
    def pixels(self) -> tuple[int, int]:
        return self.columns * self.cell_width, self.rows * self.cell_height


class Picture(Struct, frozen=True):
    """`quarters`: RGB, 3 bytes each, of four pixels for each cell, so 2 by 2 times as many as there are cells, line by
    line. `sixels`: a sixel image for each row of cells. `png`: a PNG file of the shape's pixels."""

    shape: Shape
    quarters: bytes
    sixels: tuple[str, ...] = ()
    png: bytes = b""

    @property
    def size(self) -> int:
        """About how many bytes it takes in memory."""
        return len(self.quarters) + sum(map(len, self.sixels)) + len(self.png) + 500


class Order(Struct, frozen=True):
    """What the process that scales is given: an `image`, or the `file:` address of an audio file with one in it.
    `keep`: whether to return the image in a size that serves all shapes."""

    image: bytes
    shape: Shape
    keep: bool = False
    audio: str = ""


class Scaled(Struct, frozen=True):
    """Its answer. `problem`: why there is no picture, for the log; "" for none."""

    picture: Picture | None = None
    kept: bytes = b""
    problem: str = ""
