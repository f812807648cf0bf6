"""An episode's chapters, from the best source."""

from collections.abc import Callable, Iterable, Mapping
from itertools import count
from typing import NamedTuple

from msgspec.structs import replace

from player.chapters.file_bytes import NotHere
from player.model.episode import Chapter, Chapters, ChapterSource
from player.text.sentences import _

MOST = 1_000
"""Most chapters of one episode."""


class FoundChapters(NamedTuple):
    """`settled`: further bytes of the episode can't yield better chapters."""

    chapters: Chapters
    settled: bool


def best(sources: Mapping[ChapterSource, Callable[[], Iterable[Chapter]]]) -> FoundChapters:
    """The chapters from the first source that has any listed ones; later sources aren't read. A source may raise
    NotHere."""
    settled = True
    for kind, read in sources.items():
        try:
            chapters = Chapters(tidied(read()), kind)
        except NotHere:
            settled = False
        else:
            if chapters.listed:
                return FoundChapters(chapters, settled)
    return FoundChapters(Chapters(), settled)


def tidied(found: Iterable[Chapter]) -> tuple[Chapter, ...]:
    """The chapters in order, without duplicates. Chapters without a title get one, unless they are hidden.

    Of two that begin at the same time, the hidden one comes first, so that the other is the current chapter there.
    """
    ordered = sorted(dict.fromkeys(found), key=lambda one: (one.start_ms, not one.hidden))[:MOST]
    numbers = count(1)
    return tuple(one if one.hidden else _titled(one, next(numbers)) for one in ordered)


def _titled(chapter: Chapter, number: int) -> Chapter:
    return chapter if chapter.title else replace(chapter, title=_("Chapter {number}", number=number))
