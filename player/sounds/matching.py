"""What two fingerprints share: where the same sound is heard in both, at one offset.

A value of a fingerprint has 32 bits and is about the sound of the HEARD_MS that begin with it. Values of the same sound
differ in few bits, also after another encoder; those of different sounds in about 15.
"""

import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from math import ceil

from msgspec import Struct

from player.measuring.sound import HEARD_MS, VALUE_MS

LEAST_MS = 6_000
"""What is shared is at least so long: less may be chance."""
_LEAST = ceil((LEAST_MS - HEARD_MS) / VALUE_MS)

_KEY_SHIFT = 12
"""Values with the same upper 20 bits are compared."""
_MOST_ALIKE = 40
"""A key that is more frequent in a file is silence, or a tone, and tells nothing."""
_LEAST_VOTES = 3
"""So many values have to be the same, _TOGETHER_MS apart at most."""
_TOGETHER_MS = 5_000
_MOST_OFFSETS = 200
_WINDOW = 7
_MOST_BITS = 8.5
"""Bits that differ at most, as the mean of _WINDOW values; all over a shared sound at most _MOST_MEAN."""
_MOST_MEAN = 7.5
_GAP = 16
"""So many values within a shared sound may be different (2 s)."""
_TURN, _SIDE, _INSIDE = 6.0, 2, 30
_BEGINS_MS, _ENDS_MS = 580.0, 1_530.0
"""At the edges of a shared sound the values turn from alike to different within their length: where the mean of five
values crosses _TURN bits, the sound begins and ends so much later."""
_BITS = bytes(value.bit_count() for value in range(256))
_ALIKE = bytes(int(value <= _MOST_BITS * _WINDOW) for value in range(256))


class Run(Struct, frozen=True, order=True):
    """The values from `first` to before `last` of one file sound like those `offset` values later in the other. `bits`:
    how many differ, of 32 in each, in the mean."""

    first: int
    last: int
    offset: int
    bits: float = 0.0

    @property
    def length(self) -> int:
        return self.last - self.first


Keys = dict[int, list[int]]


def keys_of(values: Sequence[int]) -> Keys:
    """Where each key is in a fingerprint; those that are too frequent to tell anything are left out."""
    found: Keys = defaultdict(list)
    for at, value in enumerate(values):
        found[value >> _KEY_SHIFT].append(at)
    return {key: places for key, places in found.items() if len(places) <= _MOST_ALIKE}


def shared(one: "array[int]", other: "array[int]", keys: Keys | None = None) -> list[Run]:
    """All that two fingerprints share, in the order of the first, without overlaps in it. `keys` are those of `one`, if
    they are known."""
    return _best(_all_runs(one, other, keys or keys_of(one)), lambda _run: 0)


def occurrences(one: "array[int]", other: "array[int]", keys: Keys) -> list[Run]:
    """Everywhere that some of `one` is in `other`, in the order of that, without overlaps in it."""
    found = _best(_all_runs(one, other, keys), lambda run: run.offset)
    return sorted(found, key=lambda run: run.first + run.offset)


def _all_runs(one: "array[int]", other: "array[int]", keys: Keys) -> list[Run]:
    least = min(_LEAST, len(one))
    return [
        run
        for offset, places in _offsets(keys, other)
        for run in _runs(one, other, offset, least)
        if _agreed(run, places)
    ]


def _best(runs: Iterable[Run], by: Callable[[Run], int]) -> list[Run]:
    """The longest of the runs, and of others what is outside of them: in the first file, or moved `by` so much."""
    kept: list[tuple[int, int, Run]] = []
    for run in sorted(runs, key=lambda run: (run.bits - run.length / 100, run)):
        at, end, moved = run.first + by(run), run.last + by(run), by(run)
        for begin, last, _run in sorted(kept):
            if last <= at or begin >= end:
                continue
            if begin - at >= _LEAST:
                kept.append((at, begin, Run(at - moved, begin - moved, run.offset, run.bits)))
            at = max(at, last)
        if end - at >= min(_LEAST, run.length):
            kept.append((at, end, Run(at - moved, end - moved, run.offset, run.bits)))
    return [run for _begin, _end, run in sorted(kept)]


def _offsets(keys: Keys, other: "array[int]") -> list[tuple[int, list[int]]]:
    """The offsets at which values are the same, and where in the first file: the most frequent first."""
    votes: dict[int, list[int]] = defaultdict(list)
    for at, value in enumerate(other):
        for place in keys.get(value >> _KEY_SHIFT, ()):
            votes[at - place].append(place)
    together = round(_TOGETHER_MS / VALUE_MS)
    likely = {
        offset: places
        for offset, places in votes.items()
        if len(places) >= _LEAST_VOTES and _close(sorted(places), together)
    }
    return sorted(likely.items(), key=lambda one: -len(one[1]))[:_MOST_OFFSETS]


def _close(places: list[int], together: int) -> bool:
    """Whether _LEAST_VOTES of them are close together."""
    return any(last - first <= together for first, last in zip(places, places[_LEAST_VOTES - 1 :], strict=False))


def _agreed(run: Run, places: list[int]) -> bool:
    within = sorted(place for place in places if run.first <= place < run.last)
    return _close(within, round(_TOGETHER_MS / VALUE_MS))


def edges_of(one: "array[int]", other: "array[int]", run: Run) -> tuple[float | None, float | None]:
    """Where the shared sound begins and ends in the first file, in ms; None where one of the files does. Measured in
    made episodes of all formats and qualities: the beginning is exact to 0.35 s, the end to 0.6 s."""
    first, last = max(0, -run.offset), min(len(one), len(other) - run.offset)
    bits = distances(one, other, first, last, run.offset)
    begin, end = run.first - first, run.last - first
    middle = (begin + end) // 2
    reach = min(_INSIDE, (end - begin) // 2)
    at = begin + reach if begin + reach < middle else middle
    while at >= _SIDE and _mean(bits, at) <= _TURN:
        at -= 1
    begins = (first + at) * VALUE_MS + _BEGINS_MS if at >= _SIDE else None
    at = end - reach if end - reach > middle else middle
    while at < len(bits) - _SIDE and _mean(bits, at) <= _TURN:
        at += 1
    ends = (first + at) * VALUE_MS + _ENDS_MS if at < len(bits) - _SIDE else None
    return begins, ends


def _mean(bits: bytes, at: int) -> float:
    return sum(bits[at - _SIDE : at + _SIDE + 1]) / (2 * _SIDE + 1)


def distances(one: "array[int]", other: "array[int]", first: int, last: int, offset: int) -> bytes:
    """How many bits differ in each value of `one` from `first` to before `last`, compared with those `offset` later in
    `other`."""
    mine, yours = one[first:last].tobytes(), other[first + offset : last + offset].tobytes()
    differ = int.from_bytes(mine, "little") ^ int.from_bytes(yours, "little")
    bits = differ.to_bytes(len(mine), "little").translate(_BITS)
    total = sum(int.from_bytes(bits[byte::4], "little") for byte in range(4))
    return total.to_bytes(last - first, "little")


def _runs(one: "array[int]", other: "array[int]", offset: int, least: int) -> list[Run]:
    first, last = max(0, -offset), min(len(one), len(other) - offset)
    if last - first < max(least, _WINDOW):
        return []
    bits = distances(one, other, first, last, offset)
    whole = int.from_bytes(bits, "little")
    smooth = sum(whole >> (8 * step) for step in range(_WINDOW)).to_bytes(len(bits) + 1, "little")
    alike = smooth[: len(bits) - _WINDOW + 1].translate(_ALIKE)
    runs = []
    for found in re.finditer(rb"\x01(?:[\x01]|\x00{1,%d}(?=\x01))*" % _GAP, alike):
        begin, end = found.start(), found.end() + _WINDOW - 1
        if end - begin < least:
            continue
        mean = sum(bits[begin:end]) / (end - begin)
        if mean <= _MOST_MEAN:
            runs.append(Run(first + begin, first + end, offset, mean))
    return runs
