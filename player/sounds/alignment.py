"""Two versions of an episode, aligned: where the sound of the one is in the other.

A host inserts other advertisements into each download. What both versions share keeps its order, and each part of it is
moved by its own time.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from math import floor, log10
from statistics import median

from msgspec import Struct

from player.measuring.sound import LEVEL_MS, VALUE_MS, Sound
from player.sounds.matching import Run, edges_of, shared

_OVERLAP = 24
"""So many values at the end of a part may be those of the next: a value is about 2.8 s."""
_BEGINS_WITHIN, _ENDS_WITHIN = 2, 4
"""Edges are looked for so many levels from where the fingerprints have them."""
_DIFFERENT_DB = 6.0
"""Levels that differ by more are of different sounds."""
_MOST_DB = 12.0
_COMPARED, _STEPS = 200, 6
_SOFTEST_DB = -50.0
_LEAST_SHARE = 0.2
"""Versions that share less of the shorter one are of different episodes."""


class Part(Struct, frozen=True):
    """The sound from `first_ms` to `last_ms` of the old version is `shift_ms` later in the new one."""

    first_ms: int
    last_ms: int
    shift_ms: int


class Alignment(Struct, frozen=True):
    """`parts` are in order, and there is at least one."""

    parts: tuple[Part, ...]

    def moved(self, ms: int) -> int:
        """Where the sound at `ms` of the old version is in the new one; if it is gone, where it was cut out."""
        number = bisect_right(self.parts, ms, key=lambda part: part.first_ms) - 1
        if number < 0:
            return max(0, self.parts[0].first_ms + self.parts[0].shift_ms)
        part = self.parts[number]
        return min(ms, part.last_ms) + part.shift_ms

    def has(self, ms: int) -> bool:
        """Whether the sound at `ms` of the old version is in the new one."""
        return any(part.first_ms <= ms <= part.last_ms for part in self.parts)

    @property
    def is_same(self) -> bool:
        """Whether nothing has moved."""
        return all(abs(part.shift_ms) < VALUE_MS for part in self.parts)


def aligned(old: Sound, new: Sound) -> Alignment | None:
    """None if they share too little to be versions of one episode."""
    chain = _chain(shared(old.values, new.values))
    together = sum(run.length for run in chain)
    if together < _LEAST_SHARE * min(len(old.values), len(new.values)) or not chain:
        return None
    return Alignment(refined(old, new, chain))


def _chain(runs: Sequence[Run]) -> list[Run]:
    """Those of the runs that are in the same order in both versions: the most values."""
    best: list[tuple[int, int]] = []
    for number, run in enumerate(runs):
        before = [(best[other][0], other) for other in range(number) if _follows(run, runs[other])]
        total, previous = max(before, default=(0, -1))
        best.append((total + run.length, previous))
    chain: list[Run] = []
    at = max(range(len(runs)), key=lambda number: best[number][0], default=-1)
    while at >= 0:
        chain.append(runs[at])
        at = best[at][1]
    return chain[::-1]


def _follows(run: Run, before: Run) -> bool:
    return run.first >= before.last - _OVERLAP and run.first + run.offset >= before.last + before.offset - _OVERLAP


def refined(old: Sound, new: Sound, chain: Sequence[Run]) -> tuple[Part, ...]:
    """The parts of these runs, with their edges as the fingerprints have them and, to a tenth of a second, where the
    levels of both begin or end to agree. Runs with the same offset become one part if nothing is between them."""
    here, there = _decibels(old.levels), _decibels(new.levels)
    shared_parts = [_Shared(here, there, run, *edges_of(old.values, new.values, run)) for run in chain]
    edges = [_edge(before, after) for before, after in pairwise([None, *shared_parts, None])]
    parts: list[Part] = []
    for one, (_, begin), (end, _) in zip(shared_parts, edges, edges[1:], strict=False):
        part = Part(begin * LEVEL_MS, end * LEVEL_MS, round(one.offset * LEVEL_MS))
        if parts and part.first_ms <= parts[-1].last_ms and abs(part.shift_ms - parts[-1].shift_ms) < 2 * VALUE_MS:
            part = Part(parts.pop().first_ms, part.last_ms, part.shift_ms)
        if part.last_ms > part.first_ms:
            parts.append(part)
    return tuple(parts)


class _Shared:
    """A sound that both versions have, `offset` levels later in the other one. It begins and ends at one of the levels
    `begins` and `ends`."""

    def __init__(
        self, here: list[float], there: list[float], run: Run, begins_ms: float | None, ends_ms: float | None
    ) -> None:
        """As the fingerprints have it; None: it begins or ends with one of the versions."""
        self._here, self._there = here, there
        first, last = round(run.first * VALUE_MS / LEVEL_MS), round(run.last * VALUE_MS / LEVEL_MS)
        compared = range(first, last, max(1, (last - first) // _COMPARED))
        offset = run.offset * VALUE_MS / LEVEL_MS
        self.offset, self._louder = offset, 0.0
        _, self.offset, self._louder = min(
            self._compared(offset + tried / _STEPS, compared) for tried in range(-_STEPS, _STEPS + 1)
        )
        start, end = max(0, round(-self.offset)), min(len(here), round(len(there) - self.offset))
        self.begins = _around(begins_ms, _BEGINS_WITHIN, start, start, end)
        self.ends = _around(ends_ms, _ENDS_WITHIN, end, start, end)

    def difference(self, level: int) -> float:
        """How much the versions differ there, in dB, at most _MOST_DB."""
        expected = self._expected(level)
        return _MOST_DB if expected is None else min(_MOST_DB, abs(self._here[level] - expected))

    def _expected(self, level: int) -> float | None:
        """The level by the other version."""
        other = floor(level + self.offset)
        if not (0 <= level < len(self._here) and 0 <= other < len(self._there) - 1):
            return None
        share = level + self.offset - other
        return self._there[other] * (1 - share) + self._there[other + 1] * share + self._louder

    def _compared(self, offset: float, levels: Sequence[int]) -> tuple[float, float, float]:
        """How much the versions differ at this offset, the offset, and how much louder the old one is."""
        self.offset, self._louder = offset, 0.0
        differences = [self._here[one] - expected for one in levels if (expected := self._expected(one)) is not None]
        louder = median(differences) if differences else 0.0
        return sum(min(_MOST_DB, abs(one - louder)) for one in differences), offset, louder


def _around(ms: float | None, within: int, otherwise: int, start: int, end: int) -> range:
    """The levels around a moment, within what the versions have in common."""
    if ms is None:
        return range(otherwise, otherwise + 1)
    level = round(ms / LEVEL_MS)
    first, last = max(start, level - within), min(end, level + within)
    return range(first, last + 1) if first <= last else range(otherwise, otherwise + 1)


def _edge(before: _Shared | None, after: _Shared | None) -> tuple[int, int]:
    """The level with which `before` ends, and the one with which `after` begins: where the versions agree best. Between
    them the sound is in one version only."""
    ends, begins = _costs(before, ends=True), _costs(after, ends=False)
    apart = floor(before.offset - after.offset) if before is not None and after is not None else 0
    possible = [
        (end_cost + begin_cost, end, begin)
        for end_cost, end in ends
        for begin_cost, begin in begins
        if before is None or after is None or begin >= end + max(0, apart)
    ]
    if possible:
        return min(possible)[1:]
    end = min(ends)[1]
    return end, max(end, min(begins)[1])


def _costs(one: _Shared | None, *, ends: bool) -> list[tuple[float, int]]:
    """How unlikely it is that the sound ends, or begins, at each of the levels in question."""
    if one is None:
        return [(0.0, 0)]
    levels = one.ends if ends else one.begins
    inside = [one.difference(level) - _DIFFERENT_DB for level in levels]
    return [(sum(inside[:number]) if ends else sum(inside[number:]), level) for number, level in enumerate(levels)]


def _decibels(levels: bytes) -> list[float]:
    return [_DECIBELS[level] for level in levels]


_DECIBELS = [max(_SOFTEST_DB, 40 * log10(level / 255)) if level else _SOFTEST_DB for level in range(256)]
