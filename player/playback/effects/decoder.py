"""Decodes an episode from a start on, from bytes that may still be arriving."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from av import AudioFrame

Read = Callable[[int, int], bytes]
"""The bytes at an offset, at least one and at most as many as asked for; b"" at the end. Waits; may raise."""

FORMATS = {
    "mp3": "mp3",
    "aac": "aac",
    "mp4": "mov",
    "ogg": "ogg",
    "flac": "flac",
    "wav": "wav",
    "matroska": "matroska",
    "aiff": "aiff",
    "mpegts": "mpegts",
}
"""FFmpeg's names of the formats."""
_OPTIONS = {"probesize": "131072", "analyzeduration": "200000", "protocol_whitelist": ""}
_GAP_MS = 50


class _File(io.RawIOBase):
    """A file for FFmpeg's demuxers."""

    def __init__(self, read: Read, size: int | None) -> None:
        """`size` None: it can only be read from its beginning on."""
        self._read = read
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._size is not None

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size or 0}[whence]
        self._at = max(0, base + offset)
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, count: int = -1) -> bytes:
        data = self._read(self._at, count if count > 0 else 1 << 16)
        self._at += len(data)
        return data


def decoded(
    read: Read,
    *,
    size: int | None,
    form: str,
    start_ms: float,
    counted: bool,
    offset_ms: int = 0,
    measured: Callable[[int], None] = lambda _ms: None,
) -> Iterator[tuple[AudioFrame, float]]:
    """The frames, and the moment in ms at which each begins, from `start_ms` on, or from a little before.

    `form` is one of FORMATS, `size` the number of bytes, None if it isn't known or bytes can't be read in any order.
    `counted`: the bytes begin at `start_ms`, and each packet is as long as the next; else they begin at 0, and
    `measured` is told how long they last. `offset_ms` is added to all moments. Raises av.FFmpegError if it can't be
    decoded, and what `read` raises.
    """
    import av

    with av.open(
        _File(read, None if counted else size), "r", format=FORMATS[form], options=_OPTIONS, metadata_errors="ignore"
    ) as container:
        if not container.streams.audio:
            return
        stream = container.streams.audio[0]
        begins_ms = (container.start_time or 0) / 1000
        if not counted and container.duration:
            measured(container.duration // 1000)
        if start_ms and not counted:
            container.seek(round(start_ms * 1000) + (container.start_time or 0))
        at_ms, last = start_ms if counted else None, None
        for packet in container.demux(stream):
            try:
                frames = packet.decode()
            except av.FFmpegError:
                if last is None:
                    continue
                frames = [_silence(last)]
            for frame in frames:
                said_ms = None if counted or frame.time is None else float(frame.time) * 1000 - begins_ms
                if said_ms is not None and (at_ms is None or said_ms > at_ms + _GAP_MS):
                    at_ms = said_ms
                at_ms = at_ms or 0.0
                yield frame, offset_ms + at_ms
                at_ms += frame.samples * 1000 / (frame.sample_rate or 1)
                last = frame


def _silence(like: AudioFrame) -> AudioFrame:
    """A frame of the same form, for one that is damaged."""
    from av import AudioFrame

    frame = AudioFrame(format=like.format.name, layout=like.layout.name, samples=like.samples)
    frame.sample_rate, frame.time_base = like.sample_rate, like.time_base
    for plane in frame.planes:
        plane.update(bytes(plane.buffer_size))
    return frame
