"""A picture in cells, four pixels to each: a block character shows which of them have its first colour."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

Colour = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""

_GLYPHS = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"
"""By the pixels that have the first colour: 1 upper left, 2 upper right, 4 lower left, 8 lower right."""
_LEAST_GAIN = 300
"""The squared distance by which two colours have to be closer to the four pixels than one is."""
_CUBE = (0, 95, 135, 175, 215, 255)


class Cell(NamedTuple):
    """`front` is None for a blank in the colour `ground`."""

    glyph: str
    front: Colour | None
    ground: Colour


def cells(quarters: bytes, columns: int, rows: int) -> Iterator[list[Cell]]:
    """The rows of cells of an RGB picture of 2 * `columns` by 2 * `rows` pixels."""
    across = 2 * columns * 3
    for row in range(rows):
        top, low = 2 * row * across, (2 * row + 1) * across
        made = []
        for at in range(0, across, 6):
            pixels = (
                *(quarters[top + at : top + at + 3], quarters[top + at + 3 : top + at + 6]),
                *(quarters[low + at : low + at + 3], quarters[low + at + 3 : low + at + 6]),
            )
            made.append(_cell(*pixels))
        yield made


@lru_cache(4096)
def _cell(first: bytes, second: bytes, third: bytes, fourth: bytes) -> Cell:
    """The two colours, and where they are, that come closest to the pixels."""
    pixels = tuple(first), tuple(second), tuple(third), tuple(fourth)
    best, one = 15, _mean(pixels)
    least = _distance(pixels, one) - _LEAST_GAIN
    for mask in range(1, 8):  # the others are the same with the colours exchanged
        parts = _parts(pixels, mask)
        distance = sum(_distance(part, _mean(part)) for part in parts)
        if distance < least:
            best, least = mask, distance
    if best == 15:
        return Cell(" ", None, one)
    front, ground = (_mean(part) for part in _parts(pixels, best))
    return Cell(_GLYPHS[best], front, ground)


_Pixels = tuple[tuple[int, ...], ...]


def _parts(pixels: _Pixels, mask: int) -> tuple[_Pixels, _Pixels]:
    return (
        tuple(pixel for index, pixel in enumerate(pixels) if mask >> index & 1),
        tuple(pixel for index, pixel in enumerate(pixels) if not mask >> index & 1),
    )


def _mean(pixels: _Pixels) -> Colour:
    red, green, blue = (sum(values) // len(pixels) for values in zip(*pixels, strict=True))
    return red, green, blue


def _distance(pixels: _Pixels, colour: Colour) -> int:
    red, green, blue = colour
    return sum((one[0] - red) ** 2 + (one[1] - green) ** 2 + (one[2] - blue) ** 2 for one in pixels)


@lru_cache(4096)
def nearest_of_256(colour: Colour) -> int:
    """The number of the nearest of the 240 colours that all terminals with 256 share (xterm's cube and grey ramp)."""
    steps = [min(range(6), key=lambda step: abs(_CUBE[step] - value)) for value in colour]
    grey = max(0, min(23, round((sum(colour) / 3 - 8) / 10)))
    cube, ramp = (_CUBE[steps[0]], _CUBE[steps[1]], _CUBE[steps[2]]), (8 + 10 * grey,) * 3
    if _distance((colour,), ramp) < _distance((colour,), cube):
        return 232 + grey
    return 16 + 36 * steps[0] + 6 * steps[1] + steps[2]
