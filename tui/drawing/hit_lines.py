"""A hit of the search in lines: the sentence with the words, and what fits of those before and after it."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil

from player.library.search.spoken_hits import SpokenHit
from player.library.search.words import excerpt, hits
from player.model.filters import Term
from tui.drawing.cells import cut, steady, width
from tui.drawing.runs import Line, Run, wrap
from tui.look.glyphs import Glyphs

_LOST = 6
"""Cells at the end of a line that stay empty because the next word doesn't fit, at an average."""


def height_of(hit: SpokenHit, cells: int, most: int) -> int:
    """About the lines that a hit needs, at most so many."""
    speaker = f"{hit.speaker} -" if hit.speaker else ""
    whole = sum(width(text) + 1 for text in (speaker, hit.before, hit.text, hit.after) if text)
    return 1 if whole <= cells + 1 else min(most, ceil(whole / max(1, cells - _LOST)))


def hit_lines(hit: SpokenHit, terms: Sequence[Term], cells: int, height: int, glyphs: Glyphs) -> list[Line]:
    """At most `height` lines. The words of the search have the role `found`, the rest of their sentence `title`, and
    the speaker and the sentences around it `muted`. If not all of it fits, the sentence with the words comes first, and
    the one before it gets at most a line."""
    speaker = f"{cut(hit.speaker, cells // 2, glyphs.ellipsis)} {glyphs.dot} " if hit.speaker else ""
    before, text, after = (steady(part) for part in (hit.before, hit.text, hit.after))
    whole = wrap([Run(speaker, "muted"), *_runs(before, text, after, terms)], cells)
    if len(whole) <= height:
        return whole
    room = height * max(1, cells - _LOST) - width(speaker)
    text = text if width(text) <= room else steady(excerpt(hit.text, terms, room // 2))
    room -= width(text)
    before = _end_of(hit.before, min(cells, room // 2), glyphs.ellipsis)
    after = cut(hit.after, room - width(before), glyphs.ellipsis)
    return wrap([Run(speaker, "muted"), *_runs(before, text, after, terms)], cells)[:height]


def _end_of(text: str, cells: int, ellipsis: str) -> str:
    """The last words of a text, in at most so many cells."""
    text = steady(text)
    if width(text) <= cells:
        return text
    words = text[-cells:].split(" ")[1:] if cells > 0 else []
    while words and width(f"{ellipsis} {' '.join(words)}") > cells:
        words.pop(0)
    return steady(f"{ellipsis} {' '.join(words)}") if words else ""


def _runs(before: str, text: str, after: str, terms: Sequence[Term]) -> Iterator[Run]:
    whole = " ".join(filter(None, (before, text, after)))
    start = len(before) + 1 if before else 0
    end = start + len(text)
    marked = hits(whole, terms)
    edges = sorted({0, start, end, len(whole), *(edge for span in marked for edge in span)})
    for begin, stop in pairwise(edges):
        found = any(first <= begin < last for first, last in marked)
        yield Run(whole[begin:stop], "found" if found else "title" if start <= begin < end else "muted")
