"""Pieces of a line put in the order in which they are read, for a terminal that draws them from left to right."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TypeVar

from bidi.mirror import MIRRORED

from player.text.directions import MARKS
from tui.drawing.cells import graphemes
from tui.drawing.scripts.levels import CLOSER, OPENERS, class_of, levels, order
from tui.terminal.bidi import Bidi

Tag = TypeVar("Tag")

_CONTROLS = OPENERS + CLOSER
_TURNED = ("R", "AL", "AN")


def reordered(pieces: Iterable[tuple[str, Tag]], mode: Bidi) -> list[tuple[str, Tag]]:
    """The same text from left to right, each grapheme with the tag of its piece, in as many cells; without marks."""
    texts: list[str] = []
    tags: list[Tag] = []
    for text, tag in pieces:
        for part in MARKS.split(text):
            if part in _CONTROLS:
                texts += part  # one control, or none
            elif not MARKS.match(part):
                texts += (grapheme for grapheme, _cells in graphemes(part))
            tags += [tag] * (len(texts) - len(tags))
    found = levels([text[0] for text in texts])
    indices = order(found)
    mirrored = [_mirrored(text) if level % 2 else text for text, level in zip(texts, found, strict=True)]
    if mode is Bidi.WORDS:
        indices = _letters_turned(indices, texts)
    joined: list[tuple[list[str], Tag]] = []
    for at in indices:
        if texts[at] in _CONTROLS:
            continue
        if joined and joined[-1][1] is tags[at]:
            joined[-1][0].append(mirrored[at])
        else:
            joined.append(([mirrored[at]], tags[at]))
    return [("".join(run), tag) for run, tag in joined]


def _letters_turned(indices: Sequence[int], texts: Sequence[str]) -> list[int]:
    """The same for a terminal that turns letters of such a script itself. What is between them it draws in the letters
    of another font, one by one: from left to right."""
    turned: list[int] = []
    for is_one, run in groupby(indices, lambda at: class_of(texts[at][0]) in _TURNED):
        run_indices = list(run)
        if is_one and any(class_of(texts[at][0]) != "AN" for at in run_indices):
            run_indices.reverse()
        turned += run_indices
    return turned


def _mirrored(grapheme: str) -> str:
    """A bracket read from right to left opens to the other side (rule L4)."""
    other = MIRRORED.get(grapheme[0])
    return other + grapheme[1:] if other else grapheme
