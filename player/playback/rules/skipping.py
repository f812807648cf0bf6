"""Chapters that the listener doesn't want to hear: which ones, and when they are stepped over.

A chapter is stepped over when playing runs into it. Who goes there by hand hears it, and so does who takes the step
back.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from player.model.chapters import Chapters
from player.text.cleaning import clean_line, fold

_WORD = re.compile(r"\w+")
_BLUR_MS = 100
"""Two chapters that are no further apart are stepped over at once."""
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class SkipRules:
    """Titles that have one of these words (or several in a row), whole and whatever their case, are unwanted.

    A show in `by_show`, by its title, has words of its own instead.
    """

    words: tuple[str, ...] = ()
    by_show: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def of(self, podcast: str) -> tuple[str, ...]:
        own = {fold(title): words for title, words in self.by_show.items()}
        return own.get(fold(podcast), self.words)


NOTHING_SKIPPED = SkipRules()


@dataclass(frozen=True, slots=True)
class Step:
    """Over some chapters, to `to_ms`."""

    to_ms: int
    titles: tuple[str, ...]

    @property
    def sentence(self) -> str:
        first = f"“{clean_line(self.titles[0], _SHOWN)}”"
        more = len(self.titles) - 1
        return f"Skipped {first}{f' and {more} more' if more else ''}. u goes back."


@dataclass(frozen=True, slots=True)
class _Unwanted:
    start_ms: int
    end_ms: int
    title: str


class ChapterSkipper:
    """What is to be stepped over in the episode that plays."""

    def __init__(self) -> None:
        self._words: Sequence[str] = ()
        self._unwanted: tuple[_Unwanted, ...] = ()
        self._spared: set[int] = set()
        self._run_from_ms = 0
        self._last: tuple[int, frozenset[int]] = (-1, frozenset())

    def put_in(self, words: Sequence[str] = ()) -> None:
        """An episode of which no chapters are known yet; those with one of `words` in their title are unwanted."""
        self._words = words
        self._unwanted = ()
        self._spared = set()

    def skip(self, words: Sequence[str]) -> None:
        """Other words from here on, which the next `learn` goes by."""
        self._words = words

    def learn(self, chapters: Chapters, duration_ms: int | None) -> None:
        """The chapters, and the length of the episode, which ends the last one."""
        found = []
        for chapter in chapters.items if self._words else ():
            end = chapters.end_of(chapter, duration_ms) if is_unwanted(chapter.title, self._words) else None
            if end is not None and end > chapter.start_ms:
                found.append(_Unwanted(chapter.start_ms, end, chapter.title))
        self._unwanted = tuple(found)

    def began(self, position_ms: int) -> None:
        """Playing begins there, as it was left. From the very start it runs into a first chapter as well."""
        self._run_from_ms = position_ms or -1

    def sought(self, position_ms: int) -> None:
        """The listener went there."""
        self._run_from_ms = position_ms
        self._spared |= {one.start_ms for one in self._unwanted if one.start_ms <= position_ms < one.end_ms}

    def undone(self, position_ms: int) -> None:
        """The listener took the last jump back, to there."""
        origin, stepped_over = self._last
        if origin == position_ms:
            self._spared |= stepped_over
        self.sought(position_ms)

    def step(self, position_ms: int) -> Step | None:
        """What is to be stepped over where playing has come to; it goes on behind that."""
        end, passed = position_ms, list[_Unwanted]()
        for one in self._unwanted:
            runs_into = self._run_from_ms < one.start_ms <= end + bool(passed) * _BLUR_MS and end < one.end_ms
            if runs_into and one.start_ms not in self._spared:
                passed.append(one)
                end = one.end_ms
        if not passed:
            return None
        self._last = position_ms, frozenset(one.start_ms for one in passed)
        self._run_from_ms = end
        return Step(end, tuple(one.title for one in passed))


def is_unwanted(title: str, words: Sequence[str]) -> bool:
    """Whether the title has one of those words, whole: “Ad” is in “Ad: a shop” and not in “Adventures”."""
    said = f" {' '.join(_WORD.findall(fold(title)))} "
    wanted = (" ".join(_WORD.findall(fold(word))) for word in words)
    return any(word and f" {word} " in said for word in wanted)
