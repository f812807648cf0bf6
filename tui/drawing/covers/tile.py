"""What stands for a picture that there isn't, or not yet: a square with the podcast's initials."""

import re
from functools import lru_cache

from msgspec import Struct

from player.text.cleaning import clean_line
from tui.drawing.cells import graphemes, steady, width

_LONGEST = 200
_MOST_CELLS = 4
_ARTICLES = frozenset({"the", "a", "an", "der", "die", "das", "le", "la", "les", "el", "los", "las", "il"})
_ONE_IS_ENOUGH = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u0900-\u0dff\u0e00-\u0eff\u1000-\u109f]")
"""Right-to-left scripts, whose order in cells is the terminal's, and scripts whose letters join or stack."""


class Frame(Struct, frozen=True):
    """The lines around a tile where there is no colour to fill it with."""

    across: str
    down: str
    corners: str
    """Top left, top right, bottom left, bottom right."""


LINES = Frame("─", "│", "╭╮╰╯")
ASCII_LINES = Frame("-", "|", "++++")


@lru_cache(256)
def initials(title: str) -> str:
    """One or two characters that stand for a title, at most four cells wide; "" for a title without any.

    Characters as a reader counts them, of the first two words that aren't articles: “The Rust Show” is RS, “Changelog”
    is Ch, “日本語ラジオ” is 日本. An emoji counts only if there is nothing else.
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
    """`rows` lines of `columns` cells with the letters in their middle, within `frame` if there is one and it fits."""
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
