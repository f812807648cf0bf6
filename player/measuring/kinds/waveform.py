"""The loudness of an episode, from its start as far as its bytes are available."""

from __future__ import annotations

from math import ceil, sqrt
from typing import TYPE_CHECKING

from msgspec import Struct

from player.measuring.measurement import Measurement

if TYPE_CHECKING:
    from av import AudioFrame

MOST_LEVELS = 2_000
"""The most levels of one waveform."""
_SHORTEST_STEP_MS = 50
_MARGIN = 1.02
"""An episode may last a little longer than its stated duration."""
_USUAL_DURATION_MS = 60 * 60_000
_STRIDE = 5
"""One in so many samples is used; an odd number, so that both channels of interleaved samples are used."""
_SAMPLES = {
    "s16": ("h", 1 << 15),
    "s16p": ("h", 1 << 15),
    "s32": ("i", 1 << 31),
    "s32p": ("i", 1 << 31),
    "flt": ("f", 1.0),
    "fltp": ("f", 1.0),
    "dbl": ("d", 1.0),
    "dblp": ("d", 1.0),
}


class Waveform(Struct, frozen=True):
    """`levels` has one byte for each `step_ms` of the episode: 0 is silence, 255 a full-scale tone.

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


class _Meter:
    """Sums of amplitudes for each step of time. Steps become longer rather than more than MOST_LEVELS."""

    def __init__(self, duration_ms: int | None) -> None:
        duration_ms = duration_ms or _USUAL_DURATION_MS
        self.step_ms = max(_SHORTEST_STEP_MS, ceil(duration_ms * _MARGIN / MOST_LEVELS))
        self._sums: list[float] = []
        self._counts: list[int] = []

    def hear(self, frame: AudioFrame, at_ms: float) -> None:
        code, full = _SAMPLES.get(frame.format.name, ("", 1.0))
        if not code:
            return
        channels = 1 if frame.format.is_planar else frame.layout.nb_channels
        for plane in frame.planes:
            samples = memoryview(plane).cast("B").cast(code)[: frame.samples * channels : _STRIDE]  # type: ignore[call-overload]
            total = sum(map(abs, samples)) / full
            if total == total and total < 1e9:  # neither NaN nor an impossible sum
                self._add(at_ms, total, len(samples))

    def result(self) -> Waveform | None:
        """A step in which nothing was decoded is as loud as the step before it."""
        levels = bytearray()
        for total, count in zip(self._sums, self._counts, strict=True):
            if count:
                levels.append(min(255, round(255 * sqrt(total / count))))
            else:
                levels.append(levels[-1] if levels else 0)
        return Waveform(self.step_ms, bytes(levels)) if levels else None

    def _add(self, at_ms: float, total: float, count: int) -> None:
        step = int(at_ms / self.step_ms)
        while step >= MOST_LEVELS:
            self._halve()
            step = int(at_ms / self.step_ms)
        if step >= len(self._sums):
            missing = step + 1 - len(self._sums)
            self._sums += [0.0] * missing
            self._counts += [0] * missing
        self._sums[step] += total
        self._counts[step] += count

    def _halve(self) -> None:
        self.step_ms *= 2
        self._sums = [sum(self._sums[at : at + 2]) for at in range(0, len(self._sums), 2)]
        self._counts = [sum(self._counts[at : at + 2]) for at in range(0, len(self._counts), 2)]


MEASUREMENT = Measurement("waveform", Waveform, _Meter)
