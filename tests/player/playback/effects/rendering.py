"""An episode with effects, as libvlc gets it: all of it at once."""

import os
import struct
import tempfile
from array import array
from collections.abc import Callable
from functools import partial
from pathlib import Path

from player.measuring.decoding import measure
from player.measuring.kinds.loudness import MEASUREMENT, Loudness, Part
from player.measuring.measurement import Audio
from player.model.effects import Effects
from player.playback.effects.decoder import decoded
from player.playback.effects.processed import ProcessedAudio

WIDTH = 4


class Bytes:
    """A file's bytes, none of which are waited for."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def read(self, offset: int, count: int, _given_up: Callable[[], bool]) -> bytes:
        return self.data[offset : offset + count]

    def wake(self) -> None:
        """Nothing waits."""


def processed(data: bytes, form: str, effects: Effects, from_ms: float = 0.0) -> ProcessedAudio:
    decode = partial(decoded, size=len(data), form=form, start_ms=from_ms, counted=False)
    return ProcessedAudio(Bytes(data), 0, decode, from_ms, effects)


class Rendered:
    """What comes out: the samples of the first channel, or of all channels one after another."""

    def __init__(self, audio: ProcessedAudio, on_read: Callable[[int], None] = lambda _made: None) -> None:
        """`on_read` gets the number of bytes that have been read so far."""
        data = bytearray()
        while more := audio.read(len(data), 32 * 1024, lambda: False):
            data += more
            on_read(len(data))
        form: tuple[int, int] = struct.unpack_from("<HI", data, 22)
        self.channels, self.rate = form
        self.all = array("f", bytes(data[44:]))

    @property
    def first(self) -> "array[float]":
        return self.all[:: self.channels]

    @property
    def seconds(self) -> float:
        return len(self.all) / self.channels / self.rate

    def loudness(self, from_s: float = 0.0, to_s: float = 1e9) -> Loudness:
        size = self.channels
        return loudness(self.all[int(from_s * self.rate) * size : int(to_s * self.rate) * size], self.rate, size)


def loudness(samples: "array[float]", rate: int, channels: int) -> Loudness:
    """Measured as 24-bit integers, so that nothing is lost in between."""
    data = b"".join(struct.pack("<i", max(-(1 << 31), min((1 << 31) - 1, int(one * (1 << 31))))) for one in samples)
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, channels, rate, 4 * channels * rate, 4 * channels, 32)
    head = b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVE" + form + b"data" + struct.pack("<I", len(data))
    handle, name = tempfile.mkstemp(suffix=".wav")
    try:
        os.write(handle, head + data)
        os.close(handle)
        path = Path(name)
        audio = Audio(os.fsencode(path), ((0, path.stat().st_size),), None)
        pieces, _ended = measure(audio, [MEASUREMENT], 0, 4)
    finally:
        Path(name).unlink()
    parts = {number: part for number, piece in enumerate(pieces) if isinstance(part := piece["loudness"], Part)}
    return MEASUREMENT.joined(parts)
