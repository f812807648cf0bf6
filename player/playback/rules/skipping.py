"""What the listener doesn't want to hear: chapters, an intro, an outro; and when they are skipped.

A chapter is skipped when playing runs into it; an intro when the episode is begun, not when it is resumed. Who
goes there by hand hears it, and so does who takes the step back.
"""

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from player.model.chapters import Chapters
from player.text.cleaning import clean_line, fold
from player.text.sentences import _

_WORD = re.compile(r"\w+")
_BLUR_MS = 100
"""Two chapters that are no further apart are skipped together."""
_SHOWN = 60


class SkipRules(Struct, frozen=True):
    """Titles that have one of these words (or several in a row), as whole words and in any case, are skipped.

    A podcast in `by_podcast`, by any of its titles, has words of its own instead.
    """

    words: tuple[str, ...] = ()
    by_podcast: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def of(self, *titles: str) -> tuple[str, ...]:
        """For a podcast with these titles: the listener's, then the feed's."""
        own = {fold(title): words for title, words in self.by_podcast.items()}
        return next((own[fold(title)] for title in titles if fold(title) in own), self.words)


NOTHING_SKIPPED = SkipRules()


INTRO, OUTRO = "\0intro", "\0outro"
"""In the stead of a title; no chapter has these."""


class Skip(Struct, frozen=True):
    """Over some chapters, the intro or the outro, to `to_ms`. `ends`: which is the end of the episode."""

    to_ms: int
    titles: tuple[str, ...]
    ends: bool = False

    @property
    def sentence(self) -> str:
        named = {INTRO: _("the intro"), OUTRO: _("the outro")}
        first = named.get(self.titles[0]) or f"“{clean_line(self.titles[0], _SHOWN)}”"
        more = len(self.titles) - 1
        return _("Skipped {what} and {n} more", what=first, n=more) if more else _("Skipped {what}", what=first)


class _Skipped(Struct, frozen=True):
    start_ms: int
    end_ms: int
    title: str


class ChapterSkipper:
    """What is to be skipped in the current episode."""

    def __init__(self) -> None:
        self._words: Sequence[str] = ()
        self._intro_ms = self._outro_ms = 0
        self._has_begun = self._intro_is_over = False
        self._skipped: tuple[_Skipped, ...] = ()
        self._spared: set[int] = set()
        self._run_from_ms = 0
        self._last: tuple[int, frozenset[int]] = (-1, frozenset())

    def reset(self, words: Sequence[str] = ()) -> None:
        """An episode of which no chapters are known yet; those with one of `words` in their title are skipped."""
        self._words = words
        self._has_begun = False
        self._skipped = ()
        self._spared = set()

    def skip(self, words: Sequence[str], intro_ms: int = 0, outro_ms: int = 0) -> None:
        """What the next `learn` goes by: words of titles, and how much of the start and of the end is skipped.

        An intro that is set while it is being heard is heard to its end.
        """
        self._words = words
        self._intro_ms, self._outro_ms = intro_ms, outro_ms
        self._intro_is_over = self._has_begun

    def learn(self, chapters: Chapters, duration_ms: int | None, *, exact: bool = True) -> None:
        """The chapters, and the length of the episode, which ends the last one. `exact`: it is no guess."""
        found = []
        for chapter in chapters.items if self._words else ():
            end = chapters.end_of(chapter, duration_ms) if is_skipped(chapter.title, self._words) else None
            if end is not None and end > chapter.start_ms:
                found.append(_Skipped(chapter.start_ms, end, chapter.title))
        # A feed may say ten minutes of an hour: by a guess nothing is cut off at the end.
        outro_at = duration_ms - self._outro_ms if duration_ms and exact and self._outro_ms else 0
        if self._intro_ms and (not duration_ms or self._intro_ms < duration_ms):
            found.append(_Skipped(0, self._intro_ms, INTRO))
        if duration_ms and outro_at > self._intro_ms:
            found.append(_Skipped(outro_at, duration_ms, OUTRO))
        self._skipped = tuple(sorted(found, key=lambda one: one.start_ms))

    def began(self, position_ms: int, *, fresh: bool | None = None) -> None:
        """Playing begins there, as it was left. `fresh`: from the very start, so that it runs into an intro, and into
        a first chapter, as well; None: if that is where it begins."""
        fresh = position_ms == 0 if fresh is None else fresh
        self._run_from_ms = -1 if fresh else position_ms
        self._has_begun, self._intro_is_over = True, not fresh

    def sought(self, position_ms: int) -> None:
        """The listener went there."""
        self._run_from_ms = position_ms
        self._spared |= {one.start_ms for one in self._skipped if one.start_ms <= position_ms < one.end_ms}

    def undone(self, position_ms: int) -> None:
        """The listener took the last jump back, to there."""
        origin, stepped_over = self._last
        if origin == position_ms:
            self._spared |= stepped_over
        self.sought(position_ms)

    def next_skip(self, position_ms: int) -> Skip | None:
        """What is to be skipped at this position, if anything; playback continues after it."""
        end, passed = position_ms, list[_Skipped]()
        for one in self._skipped:
            runs_into = self._run_from_ms < one.start_ms <= end + bool(passed) * _BLUR_MS and end < one.end_ms
            spared = one.start_ms in self._spared or (one.title == INTRO and self._intro_is_over)
            if runs_into and not spared:
                passed.append(one)
                end = one.end_ms
        if not passed:
            return None
        self._last = position_ms, frozenset(one.start_ms for one in passed)
        self._run_from_ms = end
        titles = tuple(one.title for one in passed)
        return Skip(end, titles, ends=OUTRO in titles)


def is_skipped(title: str, words: Sequence[str]) -> bool:
    """Whether the title has one of those words, whole: “Ad” is in “Ad: a shop” and not in “Adventures”."""
    padded = f" {' '.join(_WORD.findall(fold(title)))} "
    wanted = (" ".join(_WORD.findall(fold(word))) for word in words)
    return any(word and f" {word} " in padded for word in wanted)
