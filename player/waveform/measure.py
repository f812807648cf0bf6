"""Decodes some of an episode's audio, and measures how loud it is. Only for the process that is made for it.

Of a long episode not every packet is decoded: of each sixteen, eight in a row, of which the first five only prepare the
decoder (an MP3 frame may need bytes of as many before it). At 25 ms a packet that hears 75 ms of each 400.
"""

from math import ceil, sqrt

import av

from player.waveform.available_file import AvailableFile
from player.waveform.order import Order
from player.waveform.waveform import MOST_LEVELS, Waveform

_FORMATS = "mp3,mov,ogg,flac,wav,aac,matroska,w64,aiff"
"""No others are opened: a playlist, for example, would name further files."""
_SAMPLED_FROM_MS = 15 * 60_000
"""Of shorter episodes every packet is decoded."""
_PERIOD, _DECODED, _PREPARING = 16, 8, 5
_SHORTEST_STEP_MS = 50
_MARGIN = 1.02
"""An episode may last a little longer than is said."""
_USUAL_DURATION_MS = 60 * 60_000
_STRIDE = 5
"""Of the samples, one in so many is looked at; odd, so that both channels of interleaved ones are."""
_LONGEST_MS = 100 * 3600_000
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


class _Levels:
    """Sums of amplitudes for each step of time. Steps become longer rather than more than MOST_LEVELS."""

    def __init__(self, duration_ms: int) -> None:
        self.step_ms = max(_SHORTEST_STEP_MS, ceil(duration_ms * _MARGIN / MOST_LEVELS))
        self._sums: list[float] = []
        self._counts: list[int] = []

    def add(self, at_ms: float, total: float, count: int) -> None:
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

    def wave(self) -> Waveform | None:
        """A step in which nothing was decoded is as loud as the one before it."""
        levels = bytearray()
        for total, count in zip(self._sums, self._counts, strict=True):
            if count:
                levels.append(min(255, round(255 * sqrt(total / count))))
            else:
                levels.append(levels[-1] if levels else 0)
        return Waveform(self.step_ms, bytes(levels)) if levels else None


def measure(order: Order) -> Waveform | None:
    """None if nothing can be decoded. Never raises for what is in a file: what was measured before an error counts."""
    levels = _Levels(order.duration_ms or _USUAL_DURATION_MS)
    with AvailableFile(order) as file:
        try:
            options = {"format_whitelist": _FORMATS, "protocol_whitelist": ""}
            with av.open(file, "r", options=options, metadata_errors="ignore") as container:
                _decode(container, levels, order.duration_ms or 0)
        except (av.FFmpegError, OSError, ValueError, EOFError):
            pass
    return levels.wave()


def _decode(container: "av.container.InputContainer", levels: _Levels, duration_ms: int) -> None:
    if not container.streams.audio:
        return
    stream = container.streams.audio[0]
    long = (duration_ms or (container.duration or 0) // 1000) >= _SAMPLED_FROM_MS
    sampled = long and not stream.codec_context.name.startswith("pcm_")  # whose packets are long, and cost nothing
    at_ms = 0.0
    for number, packet in enumerate(container.demux(stream)):
        turn = number % _PERIOD if sampled else _PREPARING
        if turn >= _DECODED:
            continue
        if sampled and not turn and number:
            stream.codec_context.flush_buffers()
        try:
            frames = packet.decode()
        except av.FFmpegError:
            continue
        for frame in frames:
            if frame.time is not None:
                at_ms = max(0.0, float(frame.time) * 1000)
            if at_ms > _LONGEST_MS:
                return
            if turn >= _PREPARING:
                _hear(frame, at_ms, levels)
            at_ms += frame.samples * 1000 / (frame.sample_rate or 1)


def _hear(frame: "av.AudioFrame", at_ms: float, levels: _Levels) -> None:
    code, full = _SAMPLES.get(frame.format.name, ("", 1.0))
    if not code:
        return
    channels = 1 if frame.format.is_planar else frame.layout.nb_channels
    for plane in frame.planes:
        samples = memoryview(plane).cast("B").cast(code)[: frame.samples * channels : _STRIDE]  # type: ignore[call-overload]
        total = sum(map(abs, samples)) / full
        if total == total and total < 1e9:  # NaN and what isn't a sample any more
            levels.add(at_ms, total, len(samples))
