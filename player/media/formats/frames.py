"""Frames of an MP3 or ADTS stream, counted from some byte on as bytes arrive, to map positions to bytes.

Neither format has a reliable duration or index, but each frame says how many bytes and samples it has. Counting is
cheap: a two-hour MP3 takes an eighth of a second.
"""

import math
import time
from array import array
from bisect import bisect_right
from collections.abc import Callable

from player.media.formats.mpeg import Frame, SeekTable, adts_frame, mp3_frame, reservoir, seek_table

Read = Callable[[int, int], bytes]
"""(offset, count) -> the bytes available there: fewer than `count` at the end, or where they aren't cached yet."""

_BLOCK = 256 * 1024
_PARSERS: dict[str, tuple[Callable[[bytes], Frame | None], int]] = {"mp3": (mp3_frame, 4), "aac": (adts_frame, 7)}
_MOST_LEAD = 16


class FrameRun:
    """The frames from byte `start` on, without a gap. What lies between them (garbage, tags, a cover) takes no time.

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
        """The duration of all frames counted."""
        return len(self._frames) * self.frame_ms

    def byte(self, index: int) -> int:
        return self._frames[index]

    def index_at(self, ms: float) -> int:
        """The frame that plays `ms` after the run's start, or the nearest one counted."""
        # A hundredth of a frame, as callers pass back what they rounded to whole milliseconds.
        return max(0, min(len(self._frames) - 1, int(ms / self.frame_ms + 0.01)))

    def index_of(self, byte: int) -> int:
        """The frame that contains `byte`; the first one for all bytes before it."""
        return max(0, bisect_right(self._frames, byte) - 1)

    def index_before(self, index: int, read: Read) -> int:
        """The frame to start from so that frame `index` is decoded completely.

        A layer III frame uses bytes of those before it, and its first half overlaps with the frame before; AAC frames
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
        """Counts available bytes until time.monotonic() is `until`, the run is longer than `ms`, or it is past `byte`.

        True when more bytes may be available.
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
        """Adopts the first frame's parameters; False when that frame is an encoder's header."""
        self._kind, self._samples, self._rate = frame.kind, frame.samples, frame.rate
        self.header, self.header_at = seek_table(first), at
        return self.header is None
