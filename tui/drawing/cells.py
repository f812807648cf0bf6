"""Text in terminal cells: cut and padded at graphemes, so that the columns to its right stay aligned."""

import re
from itertools import pairwise
from typing import Literal

from rich.cells import cell_len, get_character_cell_size, split_graphemes

from player.text.directions import has_right_to_left, is_right_to_left, isolated

ELLIPSIS = "…"

# Characters on whose width terminals disagree: joined and modified emoji, keycaps, variation selectors, tags.
_UNSTEADY = re.compile("\u200d.?|[\ufe00-\ufe0f\u20e3\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]", re.DOTALL)
_FLAG_LETTER = re.compile("[\U0001f1e6-\U0001f1ff]")
# Characters, besides combining marks, that join others into one grapheme: joiners, variation selectors, letters of
# flags.
JOINED = re.compile("[\u200d\ufe0f\U0001f1e6-\U0001f1ff]")
_MOST_OF_A_CELL = 32
"""The most characters per cell: of longer texts, only this many characters per cell are measured."""


def width(text: str) -> int:
    """The number of cells that `text` takes."""
    return cell_len(text)


def steady(text: str) -> str:
    """`text` with only those characters that all terminals give the same width.

    A family of four becomes its first member, a coloured heart a plain one. Right-to-left text is isolated: otherwise
    the numbers of the next column would be reordered as a part of it.
    """
    if text.isascii():
        return text
    text = _UNSTEADY.sub("", text)
    return isolated(text) if has_right_to_left(text) else text


def graphemes(text: str) -> list[tuple[str, int]]:
    """The graphemes (characters as a reader counts them) with their widths in cells; the two letters of a flag stay
    together."""
    if not JOINED.search(text):
        each = list(map(get_character_cell_size, text))
        if 0 not in each:
            return list(zip(text, each, strict=True))
        starts = [0, *(at for at, cells in enumerate(each) if cells and at), len(text)]
        return [(text[start:end], each[start]) for start, end in pairwise(starts)]
    found: list[tuple[str, int]] = []
    half_flag = False
    for start, end, cells in split_graphemes(text)[0]:
        piece = text[start:end]
        is_letter = bool(_FLAG_LETTER.match(piece))
        if half_flag and is_letter:
            before, before_cells = found.pop()
            found.append((before + piece, before_cells + cells))
            half_flag = False
            continue
        found.append((piece, cells))
        half_flag = is_letter
    return found


def cut(text: str, cells: int, ellipsis: str = ELLIPSIS) -> str:
    """`text` in at most `cells` cells; if it is too long it ends in `ellipsis`, never in the middle of a grapheme."""
    if cells <= 0:
        return ""
    if text.isascii() and len(text) <= cells:
        return text
    text = steady(text if len(text) <= (longest := _MOST_OF_A_CELL * (cells + 1)) else text[:longest])
    if cell_len(text) <= cells:
        return text
    room = cells - cell_len(ellipsis)
    if room < 0:
        ellipsis, room = "", cells
    pieces: list[str] = []
    for piece, piece_cells in graphemes(text):
        if piece_cells > room:
            break
        room -= piece_cells
        pieces.append(piece)
    return steady("".join(pieces).rstrip() + ellipsis)


def in_two(text: str, cells: int) -> tuple[str, str]:
    """`text` in two parts, of which the first takes at most `cells` cells and ends with a word if it can. Text from
    right to left isn't divided."""
    text = steady(text)
    if cell_len(text) <= cells or has_right_to_left(text):
        return text, ""
    pieces = graphemes(text)
    end = room = 0
    for piece, piece_cells in pieces:
        if (room := room + piece_cells) > cells:
            break
        end += len(piece)
    words = text.rfind(" ", 0, end + 1)
    end = words if words > end // 2 else end
    return text[:end].rstrip(), text[end:].lstrip()


def fit(text: str, cells: int, align: Literal["start", "left", "right"] = "start", ellipsis: str = ELLIPSIS) -> str:
    """`text` cut or padded to exactly `cells` cells. `start` aligns it to the side where its script begins."""
    at_right = align == "right" or (align == "start" and is_right_to_left(text))
    text = cut(text, cells, ellipsis)
    space = " " * (cells - cell_len(text))
    return space + text if at_right else text + space
