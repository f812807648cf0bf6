"""Finds where in a transcript the words of a search are said. Pure."""

from collections.abc import Sequence

from player.library.search.words import Words, hits
from player.model.filters import Term
from player.text.cleaning import fold


def line_of(lines: Sequence[str], terms: Sequence[Term]) -> int | None:
    """The first of the lines with the most of the terms; None if none has any.

    The words of a phrase may be on two successive lines.
    """
    required = [term for term in terms if not term.left_out]
    folded = [fold(line) for line in lines]
    best, most = None, 0
    for at, line in enumerate(folded):
        likely = [term for term in required if all(word in line for word in term.words)]
        if len(likely) > most and (count := _count(lines[at], likely)) > most:
            best, most = at, count
    return best if most else _across(lines, folded, required)


def _across(lines: Sequence[str], folded: Sequence[str], terms: Sequence[Term]) -> int | None:
    for at in range(len(lines) - 1):
        both = f"{folded[at]} {folded[at + 1]}"
        for term in terms:
            if all(word in both for word in term.words) and hits(f"{lines[at]} {lines[at + 1]}", (term,)):
                return at
    return None


def _count(line: str, terms: Sequence[Term]) -> int:
    words = Words(line)
    return sum(words.have(term) for term in terms)
