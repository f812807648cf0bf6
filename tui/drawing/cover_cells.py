"""Covers in cells: pictures of block characters, with four pixels per cell, and tiles with initials if there is no
picture."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct

from player.text.cleaning import clean_line
from tui.drawing.cells import graphemes, steady, width

Colour = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""

_GLYPHS = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"
"""The glyphs by the sum of the pixels that have the first colour: 1 upper left, 2 upper right, 4 lower left, 8 lower
right."""
_LEAST_GAIN = 300
"""Two colours are used only if they are closer to the four pixels than one colour, by this squared distance."""
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
    """The glyph and the two colours, or the single colour, that come closest to the pixels."""
    pixels = tuple(first), tuple(second), tuple(third), tuple(fourth)
    best, one = 15, _mean(pixels)
    least = _distance(pixels, one) - _LEAST_GAIN
    for mask in range(1, 8):  # masks above 7 only exchange the two colours
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
    """The number of the nearest of the 240 colours that all terminals with 256 colours share (xterm's cube and grey
    ramp)."""
    steps = [min(range(6), key=lambda step: abs(_CUBE[step] - value)) for value in colour]
    grey = max(0, min(23, round((sum(colour) / 3 - 8) / 10)))
    cube, ramp = (_CUBE[steps[0]], _CUBE[steps[1]], _CUBE[steps[2]]), (8 + 10 * grey,) * 3
    if _distance((colour,), ramp) < _distance((colour,), cube):
        return 232 + grey
    return 16 + 36 * steps[0] + 6 * steps[1] + steps[2]


_LONGEST = 200
_MOST_CELLS = 4
_ARTICLES = frozenset({"the", "a", "an", "der", "die", "das", "le", "la", "les", "el", "los", "las", "il"})
_ONE_IS_ENOUGH = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u0900-\u0dff\u0e00-\u0eff\u1000-\u109f]")
"""Scripts of which a single initial is shown: right-to-left scripts, which terminals order differently, and scripts
whose letters join or stack."""


class Frame(Struct, frozen=True):
    """The lines around a tile that isn't filled with colour."""

    across: str
    down: str
    corners: str
    """Top left, top right, bottom left, bottom right."""


LINES = Frame("─", "│", "╭╮╰╯")
ASCII_LINES = Frame("-", "|", "++++")


@lru_cache(256)
def initials(title: str) -> str:
    """The one or two initials of a title, at most four cells wide; "" for a title without any.

    They are the first graphemes of the first two words that aren't articles: “The Rust Show” is RS, “Changelog” is Ch,
    “日本語ラジオ” is 日本. An emoji counts only if there is nothing else.
    """
    words = [word for word in (_letters(one) for one in clean_line(title, _LONGEST).split()) if word]
    if not words:
        return _fitting([piece for piece, cells in graphemes(steady(clean_line(title, _LONGEST))) if piece.strip()][:1])
    if len(words) > 1 and "".join(words[0]).lower() in _ARTICLES:
        words = words[1:]
    first = words[0][0]
    if _ONE_IS_ENOUGH.search(first):
        return first
    if len(words) == 1 or _ONE_IS_ENOUGH.search(words[1][0]):
        second = words[0][1:2]
        return _fitting([_upper(first), *([] if second and _ONE_IS_ENOUGH.search(second[0]) else second)])
    return _fitting([_upper(first), _upper(words[1][0])])


def tile(letters: str, columns: int, rows: int, frame: Frame | None) -> list[str]:
    """`rows` lines of `columns` cells with the letters in the middle, inside `frame` if there is one and it fits."""
    if frame is not None and (rows < 3 or columns < 4):
        frame = None
    inner = columns - 2 * (frame is not None)
    shown = letters if width(letters) <= inner else ""
    before = (inner - width(shown)) // 2
    middle = " " * before + shown + " " * (inner - before - width(shown))
    at = (rows - 1) // 2
    lines = [middle if row == at else " " * inner for row in range(rows)]
    if frame is None:
        return lines
    top_left, top_right, bottom_left, bottom_right = tuple(frame.corners)
    lines = [f"{frame.down}{line}{frame.down}" for line in lines]
    lines[0] = top_left + frame.across * inner + top_right
    lines[-1] = bottom_left + frame.across * inner + bottom_right
    return lines


def _letters(word: str) -> list[str]:
    """The graphemes of a word that are letters or digits."""
    return [piece for piece, cells in graphemes(steady(word)) if cells and piece[0].isalnum()]


def _upper(letter: str) -> str:
    upper = letter.upper()
    return upper if len(upper) == len(letter) and width(upper) == width(letter) else letter


def _fitting(letters: list[str]) -> str:
    made = ""
    for letter in letters:
        if width(made + letter) <= _MOST_CELLS:
            made += letter
    return made
