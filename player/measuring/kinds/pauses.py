"""The pauses of an episode: where nobody speaks.

They are found against the noise and the speech of the five minutes around them, so that neither a noisy room nor a soft
voice is taken for the other. Where there is no such difference, as in music, there are no pauses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log10

from msgspec import Struct

from player.measuring.measurement import LEVELS, PIECE_MS, Measurement, Meter, Second

SHORTEST_MS = 400
_LEVEL_MS = 1000 / LEVELS
_NOISE_SHARE, _SPEECH_SHARE = 0.05, 0.85
"""The quantiles of the levels that stand for the noise between words and for speech."""
_ABOVE_NOISE_DB, _BELOW_SPEECH_DB = 8.0, 40.0
"""A pause is at most so much louder than the noise, or so much softer than speech, whichever is more."""
_LEAST_RANGE_DB = 20.0
_LEAST_S = 5
_CLICK = 2
"""So few levels above the limit (27 ms) don't end a pause."""
_SILENCE_DB = -90.0
_NEAR_MS = 700
"""So far from a pause a moment can be that was meant to be in it."""


class _Meter(Meter[list[int]]):
    def __init__(self, begins_ms: int) -> None:
        self._begins_ms = begins_ms
        self._levels: list[float] = []

    def hear_second(self, second: Second) -> None:
        missing = (second.at_ms - self._begins_ms) * LEVELS // 1000 - len(self._levels)
        self._levels += [0.0] * missing
        self._levels += second.levels

    def result(self) -> list[int] | None:
        """The moments at which pauses begin and end, in turns."""
        if len(self._levels) < _LEAST_S * LEVELS:
            return None
        return [self._begins_ms + round(level * _LEVEL_MS) for pause in _found(self._levels) for level in pause]


def _found(levels: list[float]) -> list[tuple[int, int]]:
    """The pauses, as the numbers of levels."""
    ordered = sorted(levels)
    noise_db = _db(ordered[int(len(ordered) * _NOISE_SHARE)])
    speech_db = _db(ordered[int(len(ordered) * _SPEECH_SHARE)])
    limit_db = max(noise_db + _ABOVE_NOISE_DB, speech_db - _BELOW_SPEECH_DB)
    if limit_db > speech_db - _LEAST_RANGE_DB:
        return []
    limit = 32_768 * 10 ** (limit_db / 20)
    pauses: list[tuple[int, int]] = []
    start = loud = 0
    quiet = False
    for at, level in enumerate(levels):
        if level > limit:
            loud += 1
            if quiet and loud > _CLICK:
                pauses.append((start, at - loud + 1))
                quiet = False
        else:
            if not quiet:
                start, quiet = at, True
            loud = 0
    if quiet:
        pauses.append((start, len(levels)))
    return [(begin, end) for begin, end in pauses if _long(begin, end, len(levels))]


def _long(begin: int, end: int, count: int) -> bool:
    """Whether it is long enough to count: at an edge of the piece the rest of it may be in the next."""
    return (end - begin) * _LEVEL_MS >= SHORTEST_MS or begin == 0 or end == count


def _db(level: float) -> float:
    return max(_SILENCE_DB, 20 * log10(level / 32_768)) if level > 0 else _SILENCE_DB


class Pauses(Struct, frozen=True):
    """`spans` has the moments at which pauses begin and end, in ms, in order; a span is at least SHORTEST_MS long.
    `pieces`: the numbers of the pieces that have been measured."""

    spans: tuple[tuple[int, int], ...]
    pieces: tuple[int, ...] = ()


def _joined(parts: Mapping[int, list[int]]) -> Pauses:
    """A pause across the edge of two pieces is one."""
    spans: list[tuple[int, int]] = []
    for moments in parts.values():
        for begin, end in zip(moments[::2], moments[1::2], strict=False):
            if spans and begin == spans[-1][1] and begin % PIECE_MS == 0:
                spans[-1] = (spans[-1][0], end)
            else:
                spans.append((begin, end))
    return Pauses(tuple(span for span in spans if span[1] - span[0] >= SHORTEST_MS), tuple(parts))


def snapped(ms: int, spans: Sequence[tuple[int, int]]) -> int:
    """The middle of the nearest pause or, if that is too far away, its nearer edge; `ms` itself if no pause is near."""
    near = [span for span in spans if span[0] - _NEAR_MS <= ms <= span[1] + _NEAR_MS]
    if not near:
        return ms
    begin, end = min(near, key=lambda span: max(span[0] - ms, ms - span[1], 0))
    middle = (begin + end) // 2
    points = (middle,) if abs(middle - ms) <= _NEAR_MS else (begin, end)
    best = min(points, key=lambda point: abs(point - ms))
    return best if abs(best - ms) <= _NEAR_MS else ms


MEASUREMENT = Measurement("pauses", list[int], _Meter, _joined)
