"""Decodes an episode's audio once for all meters, in a process that is made for it.

In a long episode not every packet is decoded, unless a meter wants all of it: eight consecutive packets of every
sixteen, of which the first five only prepare the decoder (an MP3 frame may need bytes of as many frames before it).
With packets of 25 ms, 75 ms of every 400 ms are heard.
"""

import io
import os
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from player import regular_file
from player.measuring.kinds import measurements
from player.measuring.measurement import Audio, Measurement

if TYPE_CHECKING:
    import av

_FORMATS = "mp3,mov,ogg,flac,wav,aac,matroska,w64,aiff"
"""No other formats are opened: a playlist, for example, would name further files."""
_SAMPLED_FROM_MS = 15 * 60_000
"""In shorter episodes every packet is decoded."""
_PERIOD, _DECODED, _PREPARING = 16, 8, 5
_LONGEST_MS = 100 * 3600_000


class AvailableFile(io.RawIOBase):
    """The bytes of an episode that are on this disk, as a file for a demuxer: where a byte is missing, the file
    ends."""

    def __init__(self, audio: Audio) -> None:
        """Raises OSError."""
        self._data = memoryview(audio.data)
        self._spans = ((0, len(audio.data)),) if audio.data else audio.spans
        self._starts = [start for start, _ in self._spans]
        self._size = len(audio.data) or audio.size or max((end for _, end in audio.spans), default=0)
        self._at = 0
        self._fd = -1 if audio.data else regular_file.descriptor(os.fsdecode(audio.path))

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, count: int = -1) -> bytes:
        found = bisect_right(self._starts, self._at) - 1
        end = self._spans[found][1] if found >= 0 else 0
        if self._at >= end:
            return b""
        count = end - self._at if count < 0 else min(count, end - self._at)
        here = self._data[self._at : self._at + count]
        data = bytes(here) if self._fd < 0 else os.pread(self._fd, count, self._at)
        self._at += len(data)
        return data

    def close(self) -> None:
        if self._fd >= 0 and not self.closed:
            os.close(self._fd)
        super().close()


def prepare() -> None:
    import av  # noqa: F401


def measured(audio: Audio, places: list[str]) -> dict[str, msgspec.Raw]:
    """The results of all measurements in these folders, by name, as msgpack."""
    results = measure(audio, measurements(places))
    return {name: msgspec.Raw(msgspec.msgpack.encode(result)) for name, result in results.items()}


def measure(audio: Audio, wanted: Iterable[Measurement[Any]]) -> dict[str, object]:
    """The results by name, None if nothing can be decoded. A fault in the file ends the measurement, and the audio
    before it counts. Raises OSError if the file can't be opened."""
    import av

    wanted = tuple(wanted)
    meters = {one.name: one.meter(audio.duration_ms) for one in wanted}
    thorough = [meters[one.name] for one in wanted if one.all_of_it]
    with AvailableFile(audio) as file:
        try:
            options = {"format_whitelist": _FORMATS, "protocol_whitelist": ""}
            with av.open(file, "r", options=options, metadata_errors="ignore") as container:
                for frame, at_ms, sampled in _decoded(container, audio.duration_ms or 0, every=bool(thorough)):
                    for meter in meters.values() if sampled else thorough:
                        meter.hear(frame, at_ms)
        except (av.FFmpegError, OSError, ValueError, EOFError):
            pass
    return {name: meter.result() for name, meter in meters.items()}


def _decoded(
    container: "av.container.InputContainer", duration_ms: int, *, every: bool
) -> Iterator[tuple["av.AudioFrame", float, bool]]:
    """The frames, the time in ms at which each begins, and whether it is for all meters: in a long episode only samples
    are."""
    import av

    if not container.streams.audio:
        return
    stream = container.streams.audio[0]
    long = (duration_ms or (container.duration or 0) // 1000) >= _SAMPLED_FROM_MS
    sampled = long and not stream.codec_context.name.startswith("pcm_")  # its packets are long, and cost nothing
    at_ms = 0.0
    for number, packet in enumerate(container.demux(stream)):
        turn = number % _PERIOD if sampled else _PREPARING
        if turn >= _DECODED and not every:
            continue
        if sampled and not every and not turn and number:
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
            heard = _PREPARING <= turn < _DECODED
            if heard or every:
                yield frame, at_ms, heard
            at_ms += frame.samples * 1000 / (frame.sample_rate or 1)
