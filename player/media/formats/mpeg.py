"""Frames of MPEG audio (ISO/IEC 11172-3, 13818-3: MP2, MP3) and of ADTS, as bytes arrive."""

import math
import time
from array import array
from bisect import bisect_right
from collections.abc import Callable
from functools import lru_cache

from msgspec import Struct

# Bit rates in kbit/s by index; MPEG-1 layers II and III, then layers II and III of MPEG-2 and 2.5.
_MPEG1_LAYER2 = (0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384)
_MPEG1_LAYER3 = (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)
_MPEG2 = (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160)
_RATES = (44100, 48000, 32000)
_ADTS_RATES = (96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350)


class Frame(Struct, frozen=True):
    """`size` is in bytes with the header, `samples` per channel, `rate` in Hz. All frames of a stream have the same
    `kind`."""

    size: int
    samples: int
    rate: int
    kind: int


@lru_cache(maxsize=4096)
def mp3_frame(header: bytes) -> Frame | None:
    """The frame that starts with these 4 bytes; None if they don't start a frame, or for one of free bit rate."""
    if len(header) < 4 or header[0] != 0xFF or header[1] & 0xE0 != 0xE0:
        return None
    version, layer = header[1] >> 3 & 3, header[1] >> 1 & 3
    bitrate_index, rate_index, padding = header[2] >> 4, header[2] >> 2 & 3, header[2] >> 1 & 1
    if version == 1 or layer not in (1, 2) or bitrate_index in (0, 15) or rate_index == 3:
        return None
    mpeg1 = version == 3
    table = (_MPEG1_LAYER3 if layer == 1 else _MPEG1_LAYER2) if mpeg1 else _MPEG2
    rate = _RATES[rate_index] >> (0 if mpeg1 else 1 if version == 2 else 2)
    samples = 576 if layer == 1 and not mpeg1 else 1152
    size = samples // 8 * table[bitrate_index] * 1000 // rate + padding
    return Frame(size, samples, rate, version << 4 | layer << 2 | rate_index)


def adts_frame(header: bytes) -> Frame | None:
    """The frame that starts with these 7 bytes; None if they don't start a frame."""
    if len(header) < 7 or header[0] != 0xFF or header[1] & 0xF6 != 0xF0:
        return None
    rate_index = header[2] >> 2 & 15
    size = (header[3] & 3) << 11 | header[4] << 3 | header[5] >> 5
    if rate_index >= len(_ADTS_RATES) or size < 7:
        return None
    return Frame(size, 1024 * ((header[6] & 3) + 1), _ADTS_RATES[rate_index], rate_index)


def id3v2_size(data: bytes) -> int:
    """The number of bytes of the ID3v2 tag (id3.org, 2.4.0 section 3) that `data` begins with; 0 without one."""
    if len(data) < 10 or data[:3] != b"ID3" or max(data[6:10]) > 0x7F:
        return 0
    body = data[6] << 21 | data[7] << 14 | data[8] << 7 | data[9]
    return 10 + body + (10 if data[5] & 0x10 else 0)


def empty_tag(length: int) -> bytes:
    """An empty ID3v2 tag of `length` bytes; b"" for 0. Raises ValueError if no tag can have that length."""
    body = length - 10
    if length and not 0 <= body < 1 << 28:
        raise ValueError(length)
    size = bytes(body >> shift & 0x7F for shift in (21, 14, 7, 0))
    return b"ID3\x04\0\0" + size + bytes(body) if length else b""


def reservoir(frame: bytes) -> tuple[int, int]:
    """How many bytes of earlier frames a layer III frame uses, and how many it has for itself and later frames.

    ISO/IEC 11172-3, 2.4.1.7 (main_data_begin). Both are 0 for other layers.
    """
    if len(frame) < 8 or frame[1] >> 1 & 3 != 1:
        return 0, 0
    mpeg1, mono, checked = frame[1] >> 3 & 3 == 3, frame[3] >> 6 == 3, not frame[1] & 1
    at = 6 if checked else 4
    side = (17 if mono else 32) if mpeg1 else (9 if mono else 17)
    taken = frame[at] << 1 | frame[at + 1] >> 7 if mpeg1 else frame[at]
    return taken, max(0, len(frame) - at - side)


class SeekTable(Struct, frozen=True):
    """What an encoder's header frame claims: the number of frames, and where each of len(points) equal parts of the
    duration begins, in bytes from the start of the header frame.
    """

    frames: int
    points: tuple[int, ...]


def seek_table(frame: bytes) -> SeekTable | None:
    """The table of a Xing, Info or VBRI header frame; None for any other frame.

    There is no published standard; this is what LAME and the Fraunhofer encoder write.
    """
    for tag in (b"Xing", b"Info"):
        if (at := frame.find(tag, 4, 64)) > 0:
            return _xing(frame[at + 4 :])
    if (at := frame.find(b"VBRI", 4, 64)) > 0:
        return _vbri(frame[at + 4 :], len(frame))
    return None


def _xing(data: bytes) -> SeekTable:
    flags, at = int.from_bytes(data[:4], "big"), 4
    frames = count = 0
    if flags & 1:
        frames, at = int.from_bytes(data[at : at + 4], "big"), at + 4
    if flags & 2:
        count, at = int.from_bytes(data[at : at + 4], "big"), at + 4
    table = data[at : at + 100] if flags & 4 and count else b""
    return SeekTable(frames, tuple(part * count // 256 for part in table) if len(table) == 100 else ())


def _vbri(data: bytes, frame_size: int) -> SeekTable:
    frames, entries, scale, width = (
        int.from_bytes(data[start:end], "big") for start, end in ((10, 14), (14, 16), (16, 18), (18, 20))
    )
    if not 1 <= width <= 4 or len(data) < 22 + entries * width:
        return SeekTable(frames, ())
    points, byte = [], frame_size
    for at in range(22, 22 + entries * width, width):
        points.append(byte)
        byte += int.from_bytes(data[at : at + width], "big") * scale
    return SeekTable(frames, tuple(points))


Read = Callable[[int, int], bytes]
"""(offset, count) -> the bytes available there: fewer than `count` at the end, or if they aren't all cached yet."""

_BLOCK = 256 * 1024
_PARSERS: dict[str, tuple[Callable[[bytes], Frame | None], int]] = {"mp3": (mp3_frame, 4), "aac": (adts_frame, 7)}
_MOST_LEAD = 16


class FrameRun:
    """The frames from byte `start` on, without a gap. Other bytes between them (garbage, tags, a cover) take no time.

    `at` is the byte up to which it has counted; `header` is the table in an encoder's first frame, which isn't played.
    """

    def __init__(self, form: str, start: int) -> None:
        """`form` is `mp3` or `aac`."""
        self.start = self.at = start
        self.header: SeekTable | None = None
        self.header_at = start
        self.form = form
        self._parse, self._length = _PARSERS[form]
        self._frames = array("Q")
        self._kind = -1
        self._samples, self._rate = 0, 1
        self._in_step = False

    @property
    def frame_ms(self) -> float:
        return self._samples * 1000 / self._rate

    @property
    def count(self) -> int:
        return len(self._frames)

    @property
    def ms(self) -> float:
        """The duration of all counted frames."""
        return len(self._frames) * self.frame_ms

    def byte(self, index: int) -> int:
        return self._frames[index]

    def index_at(self, ms: float) -> int:
        """The frame that plays `ms` after the run's start, or the nearest counted one."""
        # A hundredth of a frame is added, as callers pass times that were rounded to whole milliseconds.
        return max(0, min(len(self._frames) - 1, int(ms / self.frame_ms + 0.01)))

    def index_of(self, byte: int) -> int:
        """The frame that contains `byte`; the first one for all bytes before it."""
        return max(0, bisect_right(self._frames, byte) - 1)

    def index_before(self, index: int, read: Read) -> int:
        """The frame to start from so that frame `index` is decoded completely.

        A layer III frame uses bytes of earlier frames, and its first half overlaps with the frame before; AAC frames
        overlap too.
        """
        first = max(0, index - 1)
        if self.form == "mp3":
            needed = reservoir(self._bytes(first, read))[0]
            while needed > 0 and first > 0 and index - first < _MOST_LEAD:
                first -= 1
                needed -= reservoir(self._bytes(first, read))[1]
        return first

    def _bytes(self, index: int, read: Read) -> bytes:
        at = self._frames[index]
        end = self._frames[index + 1] if index + 1 < len(self._frames) else self.at
        return read(at, min(end - at, 4096))

    # -- counting -----------------------------------------------------------------------------------------------

    def ended(self, end: int | None) -> bool:
        """Whether all frames up to byte `end`, the end of the file, are counted."""
        return end is not None and self.at + self._length > end

    def advance(
        self, read: Read, end: int | None, *, until: float = math.inf, ms: float = math.inf, byte: float = math.inf
    ) -> bool:
        """Counts the frames in the available bytes until time.monotonic() is `until`, the run is longer than `ms`, or
        it is past `byte`.

        Returns True if more bytes may be available.
        """
        while self.ms <= ms and self.at <= byte and not self.ended(end):
            block = read(self.at, _BLOCK)
            before = self.at
            if len(block) >= self._length:
                self._count(block, end)
            if self.at == before:
                return False
            if time.monotonic() >= until:
                return True
        return False

    def _count(self, block: bytes, end: int | None) -> None:
        start, here, length, parse, frames = self.at, 0, self._length, self._parse, self._frames
        last = len(block) - length
        while here <= last:
            frame = parse(block[here : here + length])
            if frame is not None and frame.kind == self._kind and self._in_step:
                frames.append(start + here)
                here += frame.size
                continue
            follows = self._followed(block, here, frame, end) if frame is not None else False
            if follows is None:
                break
            if frame is None or not follows:
                self._in_step = False
                found = block.find(b"\xff", here + 1)
                here = len(block) if found < 0 else found
                continue
            self._in_step = True
            if self._kind < 0 and not self._begin(frame, block[here : here + frame.size], start + here):
                here += frame.size
        self.at = start + here

    def _followed(self, block: bytes, here: int, frame: Frame, end: int | None) -> bool | None:
        """Whether another frame of the same kind follows this one; after a chance sync word, none does.

        None while the bytes don't suffice.
        """
        if self._kind >= 0 and frame.kind != self._kind:
            return False
        there = here + frame.size
        if end is not None and self.at + there + self._length > end:
            return False
        if there + self._length > len(block):
            return None
        following = self._parse(block[there : there + self._length])
        return following is not None and following.kind == frame.kind

    def _begin(self, frame: Frame, first: bytes, at: int) -> bool:
        """Adopts the first frame's parameters; returns False if that frame is an encoder's header."""
        self._kind, self._samples, self._rate = frame.kind, frame.samples, frame.rate
        self.header, self.header_at = seek_table(first), at
        return self.header is None
