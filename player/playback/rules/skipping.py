"""What the listener doesn't want to hear (chapters, intros, outros), and when it is skipped.

A chapter is skipped when playback runs into it, an intro when the episode is started, not when it is resumed. A
listener who jumps there, or undoes the skip, hears it.
"""

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from player.model.chapters import Chapters
from player.text.cleaning import clean_line, fold
from player.text.sentences import _

_WORD = re.compile(r"\w+")
_BLUR_MS = 100
"""Two skipped chapters at most this far apart are skipped together."""
_SHOWN = 60


class SkipRules(Struct, frozen=True):
    """Chapters are skipped whose titles contain one of these words, or sequences of words, as whole words in any case.

    A podcast that is in `by_podcast` under one of its titles has its own words instead.
    """

    words: tuple[str, ...] = ()
    by_podcast: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def of(self, *titles: str) -> tuple[str, ...]:
        """The words for a podcast with these titles: the listener's own title first, then the feed's."""
        own = {fold(title): words for title, words in self.by_podcast.items()}
        return next((own[fold(title)] for title in titles if fold(title) in own), self.words)


NOTHING_SKIPPED = SkipRules()


INTRO, OUTRO = "\0intro", "\0outro"
"""Used in place of a chapter's title; no chapter has these."""


class Skip(Struct, frozen=True):
    """A skip over chapters, the intro or the outro, to `to_ms`. `ends`: that is the end of the episode."""

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


class SkipperMemory(Struct, frozen=True):
    """What a skipper knows that neither the settings nor the chapters say."""

    spared: frozenset[int] = frozenset()
    run_from_ms: int = 0
    has_begun: bool = False
    intro_is_over: bool = False
    last: tuple[int, frozenset[int]] = (-1, frozenset())


class ChapterSkipper:
    """What to skip in the current episode."""

    def __init__(self) -> None:
        self._words: Sequence[str] = ()
        self._intro_ms = self._outro_ms = 0
        self._has_begun = self._intro_is_over = False
        self._skipped: tuple[_Skipped, ...] = ()
        self._spared: set[int] = set()
        self._run_from_ms = 0
        self._last: tuple[int, frozenset[int]] = (-1, frozenset())

    def reset(self, words: Sequence[str] = ()) -> None:
        """Starts with an episode whose chapters aren't known yet; skips those with one of `words` in their title."""
        self._words = words
        self._has_begun = False
        self._skipped = ()
        self._spared = set()

    def skip(self, words: Sequence[str], intro_ms: int = 0, outro_ms: int = 0) -> None:
        """What the next `learn` applies: words in titles, and how much to skip at the start and at the end.

        An intro skip that is set while the intro is playing doesn't apply to it any more.
        """
        self._words = words
        self._intro_ms, self._outro_ms = intro_ms, outro_ms
        self._intro_is_over = self._has_begun

    def learn(self, chapters: Chapters, duration_ms: int | None, *, exact: bool = True) -> None:
        """The chapters, and the length of the episode, which ends the last one. `exact`: the length isn't a guess."""
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

    def memory(self) -> SkipperMemory:
        return SkipperMemory(
            frozenset(self._spared), self._run_from_ms, self._has_begun, self._intro_is_over, self._last
        )

    def recall(self, memory: SkipperMemory) -> None:
        self._spared, self._run_from_ms, self._last = set(memory.spared), memory.run_from_ms, memory.last
        self._has_begun, self._intro_is_over = memory.has_begun, memory.intro_is_over

    def began(self, position_ms: int, *, fresh: bool | None = None) -> None:
        """Playback began at that position.

        `fresh`: at the very start, so that the intro and a first chapter can be skipped; None: decide that from the
        position.
        """
        fresh = position_ms == 0 if fresh is None else fresh
        self._run_from_ms = -1 if fresh else position_ms
        self._has_begun, self._intro_is_over = True, not fresh

    def sought(self, position_ms: int) -> None:
        """The listener jumped there."""
        self._run_from_ms = position_ms
        self._spared |= {one.start_ms for one in self._skipped if one.start_ms <= position_ms < one.end_ms}

    def undone(self, position_ms: int) -> None:
        """The listener undid the last jump, which led there."""
        origin, stepped_over = self._last
        if origin == position_ms:
            self._spared |= stepped_over
        self.sought(position_ms)

    def next_skip(self, position_ms: int) -> Skip | None:
        """What to skip at this position, if anything; playback continues after it."""
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
    """Whether the title contains one of the words as a whole word: “Ad” is in “Ad: a shop” but not in “Adventures”."""
    padded = f" {' '.join(_WORD.findall(fold(title)))} "
    wanted = (" ".join(_WORD.findall(fold(word))) for word in words)
    return any(word and f" {word} " in padded for word in wanted)
