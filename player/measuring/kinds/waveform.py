"""How loud an episode is over time, to be drawn."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, sqrt

from msgspec import Struct

from player.measuring.measurement import LEVELS, PIECE_MS, Measurement, Meter, Second

MOST_LEVELS = 2_000
"""The most levels of one waveform."""
_TOGETHER = 3
STEP_MS = 1000 * _TOGETHER // LEVELS
_PIECE = PIECE_MS // STEP_MS
_FULL = 32_768


class Waveform(Struct, frozen=True):
    """`levels` has one byte for each `step_ms` of the episode: 0 is silence, or what hasn't been measured, 255 a
    full-scale tone.

    A level is the square root of the mean amplitude, so that quiet speech can be told from silence.
    """

    step_ms: int
    levels: bytes

    def __post_init__(self) -> None:
        if self.step_ms <= 0:
            raise ValueError("a step has no duration")

    @property
    def known_ms(self) -> int:
        """The time in the episode up to which the levels reach."""
        return self.step_ms * len(self.levels)


class _Meter(Meter[bytes]):
    """A level for every 40 ms."""

    def __init__(self, begins_ms: int) -> None:
        self._begins_ms = begins_ms
        self._levels = bytearray()

    def hear_second(self, second: Second) -> None:
        self._levels += bytes((second.at_ms - self._begins_ms) // STEP_MS - len(self._levels))
        for at in range(0, len(second.levels), _TOGETHER):
            some = second.levels[at : at + _TOGETHER]
            self._levels.append(min(255, round(255 * sqrt(sum(some) / len(some) / _FULL))))

    def result(self) -> bytes | None:
        return bytes(self._levels) or None


def _joined(parts: Mapping[int, bytes]) -> Waveform:
    """Steps become longer rather than more than MOST_LEVELS."""
    levels = all_levels(parts)
    together = ceil(len(levels) / MOST_LEVELS) or 1
    if together == 1:
        return Waveform(STEP_MS, levels)
    pieces = (levels[at : at + together] for at in range(0, len(levels), together))
    drawn = bytes(round(sqrt(sum(level * level for level in piece) / len(piece))) for piece in pieces)
    return Waveform(together * STEP_MS, drawn)


def all_levels(parts: Mapping[int, bytes]) -> bytes:
    """A level for every STEP_MS of the episode."""
    levels = bytearray()
    for number, part in sorted(parts.items()):
        levels += bytes(_PIECE * number - len(levels)) + part[:_PIECE]
    return bytes(levels)


MEASUREMENT = Measurement("waveform", bytes, _Meter, _joined)
