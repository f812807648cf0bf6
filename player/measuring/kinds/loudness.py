"""The loudness of an episode as EBU R 128 defines it (EBU Tech 3341): integrated, the highest of any three seconds, and
the true peak.

A file with one channel counts as if both loudspeakers played it, which is what happens.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import log10
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from player.measuring.measurement import Measurement, Meter

if TYPE_CHECKING:
    from av import AudioFrame

_BLOCK_MS = 100
"""A new block of 400 ms begins after each of these (ITU-R BS.1770)."""
_ABSOLUTE_GATE = -70.0
_RELATIVE_GATE = -10.0
_QUIETEST_DB = -120.0
_EDGE = 64


class Part(Struct, frozen=True):
    """`blocks` counts the blocks of 400 ms above the absolute gate by their loudness in tenths of LUFS; `short_lufs` is
    the highest loudness of three seconds, `peak_db` the true peak, in dBTP. `heard_ms`: how much was measured."""

    blocks: dict[int, int]
    short_lufs: float
    peak_db: float
    heard_ms: int


class Loudness(Struct, frozen=True):
    """`lufs` is None if all of it is silence."""

    lufs: float | None
    short_lufs: float
    peak_db: float
    heard_ms: int


class _Meter(Meter[Part]):
    """FFmpeg's meter gives the loudness of blocks and the peak of samples. Between samples the peak is found by
    oversampling, which costs as much as all the rest: only where the samples reach a new height."""

    def __init__(self, _begins_ms: int) -> None:
        self._form: tuple[object, ...] = ()
        self._graph: Any = None
        self._blocks: dict[int, int] = {}
        self._short_lufs = self._peak_db = _QUIETEST_DB
        self._highest = 0.0
        self._heard_ms = 0

    def hear_frame(self, frame: AudioFrame) -> None:
        import av

        form = (frame.format.name, frame.layout.name, frame.sample_rate)
        if form != self._form:
            self._form = form
            self._graph = _chain(frame, "ebur128=metadata=1:dualmono=true:peak=sample")
        frame.pts = None
        self._graph.push(frame)
        while True:
            try:
                block = self._graph.pull()
            except (av.BlockingIOError, av.EOFError):
                return
            self._take(block)

    def _take(self, block: AudioFrame) -> None:
        said = block.metadata
        self._heard_ms += _BLOCK_MS
        if (momentary := float(said["lavfi.r128.M"])) > _ABSOLUTE_GATE:
            tenths = round(momentary * 10)
            self._blocks[tenths] = self._blocks.get(tenths, 0) + 1
        self._short_lufs = max(self._short_lufs, float(said["lavfi.r128.S"]))
        peak = float(said["lavfi.r128.sample_peak"])
        if peak > self._highest:
            self._highest = peak
            self._peak_db = max(self._peak_db, _db(peak), _true_peak(block))

    def result(self) -> Part | None:
        return Part(self._blocks, self._short_lufs, self._peak_db, self._heard_ms) if self._heard_ms else None


def _chain(frame: AudioFrame, *filters: str) -> Any:
    """These filters of FFmpeg's, for audio of the form of this frame."""
    import av.filter

    graph = av.filter.Graph()
    source = graph.add_abuffer(
        format=frame.format.name, sample_rate=frame.sample_rate, layout=frame.layout.name, time_base=frame.time_base
    )
    chain = [graph.add(*one.split("=", 1)) for one in filters]
    graph.link_nodes(source, *chain, graph.add("abuffersink")).configure()
    return graph


def _true_peak(block: AudioFrame) -> float:
    """In dBTP. The edges are faded, because between samples an edge would be a peak by itself."""
    import av

    graph = _chain(
        block,
        f"afade=type=in:nb_samples={_EDGE}",
        f"afade=type=out:start_sample={block.samples - _EDGE}:nb_samples={_EDGE}",
        "ebur128=metadata=1:peak=true",
    )
    block.pts = 0
    graph.push(block)
    graph.push(None)
    peak = 0.0
    while True:
        try:
            peak = float(graph.pull().metadata["lavfi.r128.true_peak"])
        except (av.BlockingIOError, av.EOFError):
            return _db(peak)


def _db(amplitude: float) -> float:
    return max(_QUIETEST_DB, 20 * log10(amplitude)) if amplitude > 0 else _QUIETEST_DB


def _joined(parts: Mapping[int, Part]) -> Loudness:
    blocks: dict[int, int] = {}
    for part in parts.values():
        for tenths, count in part.blocks.items():
            blocks[tenths] = blocks.get(tenths, 0) + count
    lufs = _mean(blocks)
    if lufs is not None:
        lufs = _mean({tenths: count for tenths, count in blocks.items() if tenths / 10 > lufs + _RELATIVE_GATE})
    return Loudness(
        lufs,
        max(part.short_lufs for part in parts.values()),
        max(part.peak_db for part in parts.values()),
        sum(part.heard_ms for part in parts.values()),
    )


def _mean(blocks: Mapping[int, int]) -> float | None:
    """The loudness of the mean power of the blocks."""
    count = sum(blocks.values())
    if not count:
        return None
    return 10 * log10(sum(number * 10 ** (tenths / 100) for tenths, number in blocks.items()) / count)


MEASUREMENT = Measurement("loudness", Part, _Meter, _joined)
