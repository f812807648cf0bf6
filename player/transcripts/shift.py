"""By how much a podcast's own transcript and chapters are off where the audio has advertisements that they don't know:
told from the words of a transcript that was made of this audio.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from msgspec.structs import replace

from player.model.episode import Chapter, SpokenWord, Transcript, TranscriptLine
from player.text.cleaning import fold

_TOGETHER = 5
"""So many words in a row that are said once in each transcript are the same place."""
_LEAST = 3
"""So many places have to agree, close to each other."""
_CLOSE_MS = 5_000
_AGREE_MS = 2_000
"""Times within a line are guessed: those of the same place differ by less."""
_MOVED_MS = 1_000
"""What is off by less stays."""
_LETTERS = re.compile(r"\w+")

_Word = tuple[str, float]
"""And when it is said, in ms."""


class Shift(NamedTuple):
    """From `first_ms` on (of the podcast's times) everything is `by_ms` later in the audio."""

    first_ms: int
    by_ms: int


class _Place(NamedTuple):
    """The same words in both: when they begin and end in the podcast's transcript, and how much later they are said."""

    first_ms: float
    last_ms: float
    by_ms: float


def shifts(podcast: Transcript, here: Transcript) -> tuple[Shift, ...]:
    """How the times of a podcast's transcript differ from those of one that was made here of the audio, in order; none
    if they don't, or if that can't be told."""
    theirs, ours = list(_words(podcast)), list(_words(here))
    groups = _groups(_places(theirs, ours))
    found: list[Shift] = []
    for before, group in pairwise([None, *groups]):
        by_ms = round(median(place.by_ms for place in group or ()))
        if not found:
            found.append(Shift(0, by_ms))
        elif before and group and abs(by_ms - found[-1].by_ms) >= _MOVED_MS:
            end_ms = _end_of(theirs, ours, before[-1].last_ms, group[0].first_ms, found[-1].by_ms)
            # A chapter that begins where something was inserted begins behind that.
            found.append(Shift(round(end_ms) + 1, by_ms))
    return tuple(found) if any(abs(one.by_ms) >= _MOVED_MS for one in found) else ()


def moved(ms: int, by: Sequence[Shift]) -> int:
    """A moment of the podcast's, in the audio."""
    number = bisect_right(by, ms, key=lambda one: one.first_ms) - 1
    return max(0, ms + by[max(0, number)].by_ms) if by else ms


def moved_transcript(transcript: Transcript, by: Sequence[Shift]) -> Transcript:
    return replace(transcript, lines=tuple(_moved_line(one, by) for one in transcript.lines), moved_ms=most(by))


def moved_chapters(chapters: Sequence[Chapter], by: Sequence[Shift]) -> tuple[Chapter, ...]:
    return tuple(
        replace(
            one,
            start_ms=moved(one.start_ms, by),
            end_ms=None if one.end_ms is None else moved(max(one.start_ms, one.end_ms - 1), by) + 1,
        )
        for one in chapters
    )


def most(by: Sequence[Shift]) -> int:
    """The largest shift, in ms; 0 for none."""
    return max((one.by_ms for one in by), key=abs, default=0)


def _moved_line(line: TranscriptLine, by: Sequence[Shift]) -> TranscriptLine:
    if line.start_ms is None:
        return line
    later = moved(line.start_ms, by) - line.start_ms
    end_ms = None if line.end_ms is None else line.end_ms + later
    words = tuple(SpokenWord(one.begin, one.start_ms + later) for one in line.words)
    return replace(line, start_ms=line.start_ms + later, end_ms=end_ms, words=words)


def _places(theirs: Sequence[_Word], ours: Sequence[_Word]) -> list[_Place]:
    said_here = _once(ours)
    return [
        _Place(theirs[at][1], theirs[at + _TOGETHER - 1][1], ours[said_here[words]][1] - theirs[at][1])
        for words, at in sorted(_once(theirs).items(), key=lambda one: one[1])
        if words in said_here
    ]


def _end_of(theirs: Sequence[_Word], ours: Sequence[_Word], last_ms: float, first_ms: float, by_ms: int) -> float:
    """Up to which of the podcast's words between two moments they are still said `by_ms` later."""
    missed = 0
    for word, ms in theirs[bisect_right(theirs, last_ms, key=lambda one: one[1]) :]:
        near = bisect_right(ours, ms + by_ms - _AGREE_MS, key=lambda one: one[1])
        until = bisect_right(ours, ms + by_ms + _AGREE_MS, key=lambda one: one[1])
        if ms >= first_ms or missed == _LEAST:
            break
        missed = 0 if any(other == word for other, _ms in ours[near:until]) else missed + 1
        last_ms = last_ms if missed else ms
    return last_ms


def _once(words: Sequence[_Word]) -> dict[tuple[str, ...], int]:
    """Where the words are that follow each other just once."""
    found: dict[tuple[str, ...], int] = {}
    for at in range(len(words) - _TOGETHER + 1):
        some = tuple(word for word, _ms in words[at : at + _TOGETHER])
        found[some] = -1 if some in found else at
    return {some: at for some, at in found.items() if at >= 0}


def _words(transcript: Transcript) -> Iterator[_Word]:
    """All words without case and accents, and when they are said; where the times of words aren't known, they are
    spread over their line."""
    timed = [line for line in transcript.lines if line.start_ms is not None]
    for line, following in zip(timed, [*timed[1:], None], strict=False):
        start_ms = line.start_ms or 0
        end_ms = line.end_ms or (following.start_ms if following else None) or start_ms
        known = [one.begin for one in line.words]
        for found in _LETTERS.finditer(line.text):
            number = bisect_right(known, found.start()) - 1
            if number >= 0:
                yield fold(found[0]), line.words[number].start_ms
            else:
                yield fold(found[0]), start_ms + max(0, end_ms - start_ms) * found.start() / len(line.text)


def _groups(places: Sequence[_Place]) -> list[list[_Place]]:
    """Places in a row that agree. Those that agree with none beside them are left out: the words were misheard."""
    groups: list[list[_Place]] = []
    others: list[_Place] = []
    for place in places:
        if groups and abs(place.by_ms - median(one.by_ms for one in groups[-1][-_TOGETHER:])) <= _AGREE_MS:
            groups[-1].append(place)
            others = []
            continue
        others = [
            one
            for one in others
            if place.first_ms - one.first_ms <= _CLOSE_MS and abs(place.by_ms - one.by_ms) <= _AGREE_MS
        ]
        others.append(place)
        if len(others) >= _LEAST and (not groups or _follows(others[0], groups[-1][-1])):
            groups.append(others)
            others = []
    return groups


def _follows(place: _Place, before: _Place) -> bool:
    """Whether it comes later in the audio, too."""
    return place.first_ms + place.by_ms > before.first_ms + before.by_ms
