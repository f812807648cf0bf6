"""An episode's chapters, from the best of the places where they may stand."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import count

from player.model import Chapter, Chapters, ChapterSource

MOST = 1_000
"""Chapters of one episode."""

Source = tuple[ChapterSource, Callable[[], Iterable[Chapter]]]


def best(sources: Iterable[Source]) -> Chapters:
    """From the first source that has any to list; later ones aren't asked."""
    for kind, read in sources:
        found = Chapters(tidied(read()), kind)
        if found.listed:
            return found
    return Chapters()


def tidied(found: Iterable[Chapter]) -> tuple[Chapter, ...]:
    """In order, each once, those of a list of contents with a title.

    Of two that begin together the hidden one comes first, so that the other is what plays there.
    """
    ordered = sorted(dict.fromkeys(found), key=lambda one: (one.start_ms, not one.hidden))[:MOST]
    numbers = count(1)
    return tuple(one if one.hidden else _titled(one, next(numbers)) for one in ordered)


def _titled(chapter: Chapter, number: int) -> Chapter:
    return chapter if chapter.title else replace(chapter, title=f"Chapter {number}")
