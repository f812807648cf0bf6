"""The duration of an episode, according to its bytes."""

import io
import struct
from collections.abc import Callable

from player.media.formats.mpeg import FrameRun, Read, id3v2_size
from player.media.formats.ogg import MOST_PAGE, Chain
from player.media.formats.sniff import HEAD, LONG_HEAD, sniff


class BoundedFile(io.RawIOBase):
    """A file object over `read`, which takes an offset and a count. At most `most` bytes may be read in total; beyond
    them it raises OSError."""

    name = "audio"

    def __init__(self, read: Callable[[int, int], bytes], size: int, most: int) -> None:
        self._read = read
        self._size = size
        self._at = 0
        self._left = most

    def read(self, count: int | None = -1) -> bytes:
        wanted = self._size - self._at if count is None or count < 0 else count
        wanted = max(0, min(wanted, self._size - self._at))
        if wanted > self._left:
            raise OSError("its tags are too long")
        self._left -= max(wanted, 64)
        data = self._read(self._at, wanted)
        self._at += len(data)
        return data

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        if base + offset < 0:
            raise OSError("before the start of the file")
        self._at = base + offset
        return self._at

    def tell(self) -> int:
        return self._at

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True


_BOXES = 64
_SEGMENT, _INFO, _SCALE, _DURATION, _CLUSTER = 0x18538067, 0x1549A966, 0x2AD7B1, 0x4489, 0x1F43B675
_MOST_NS = 1e9 * 86_400 * 365


def duration_ms(read: Read, size: int, *, complete: bool) -> int | None:
    """The duration in ms, exact to a frame; None while the available bytes don't suffice."""
    kind = sniff(read(0, HEAD)) or sniff(read(0, LONG_HEAD))
    if kind == "wav":
        return _wav(read(0, HEAD), size)
    if kind == "flac":
        return _flac(read(0, HEAD))
    if kind == "ogg":
        return _ogg(read, size, complete=complete)
    if kind == "mp4":
        return _mp4(read, size)
    if kind == "matroska":
        return _matroska(read(0, HEAD))
    if kind == "aiff":
        return _aiff(read(0, HEAD))
    if kind in ("mp3", "aac") and complete:
        return _frames(read, size, kind)
    return None


def _wav(head: bytes, size: int) -> int | None:
    at, byte_rate = 12, 0
    while at + 8 <= len(head):
        name, length = head[at : at + 4], int.from_bytes(head[at + 4 : at + 8], "little")
        if name == b"fmt ":
            byte_rate = int.from_bytes(head[at + 16 : at + 20], "little")
        if name == b"data":
            # The length is 0 or all ones in a file written to a pipe, and too large in a truncated one.
            there = size - at - 8
            return (min(length, there) or there) * 1000 // byte_rate if byte_rate else None
        at += 8 + length + length % 2
    return None


def _flac(head: bytes) -> int | None:
    info = head[id3v2_size(head) :][8:42]
    if len(info) < 34:
        return None
    packed = int.from_bytes(info[10:18], "big")
    rate, samples = packed >> 44, packed & (1 << 36) - 1
    return samples * 1000 // rate if rate and samples else None


def _ogg(read: Read, size: int, *, complete: bool) -> int | None:
    tail = read(max(0, size - MOST_PAGE), MOST_PAGE)
    if len(tail) < min(size, MOST_PAGE):
        return None
    chain = Chain(size, id3v2_size(read(0, 10)))
    if complete:
        return chain.whole(read)
    chain.link_at(0, None, read)
    found = chain.duration()
    return found[0] if found and found[1] else None


def _matroska(head: bytes) -> int | None:
    """Enters the Segment and Info elements and skips all others, up to the first cluster."""
    at, scale, duration = 0, 1_000_000, None
    while at < len(head):
        name, start = _vint(head, at, marked=True)
        length, start = _vint(head, start, marked=False)
        if name in (_SEGMENT, _INFO):
            at = start
            continue
        data = head[start : start + length]
        if name == _SCALE and len(data) == length <= 8:
            scale = int.from_bytes(data, "big")
        elif name == _DURATION and len(data) == length in (4, 8):
            duration = struct.unpack(">f" if length == 4 else ">d", data)[0]
        elif name == _CLUSTER or start == at:
            break
        at = start + length
    known = duration is not None and 0 < duration * scale < _MOST_NS
    return round(duration * scale / 1_000_000) if duration is not None and known else None


def _vint(data: bytes, at: int, *, marked: bool) -> tuple[int, int]:
    """A number of variable length (RFC 8794, 4), with its marker bit or without, and the offset after it."""
    width = 9 - data[at].bit_length() if at < len(data) else 9
    if width > 8 or at + width > len(data):
        return 0, len(data)
    value = int.from_bytes(data[at : at + width], "big")
    return (value if marked else value & (1 << 7 * width) - 1), at + width


def _aiff(head: bytes) -> int | None:
    at = 12
    while at + 8 <= len(head):
        length = int.from_bytes(head[at + 4 : at + 8], "big")
        if head[at : at + 4] == b"COMM":
            plain = head[8:12] == b"AIFF" or head[at + 26 : at + 30] in (b"NONE", b"sowt", b"twos", b"fl32", b"FL32")
            frames, exponent = (
                int.from_bytes(head[at + 10 : at + 14], "big"),
                int.from_bytes(head[at + 16 : at + 18], "big"),
            )
            # An 80-bit extended float, whose 64 bits of mantissa include the leading 1.
            bits = 63 - (exponent - 16383)
            rate = int.from_bytes(head[at + 18 : at + 26], "big") >> bits if 0 <= bits < 64 else 0
            return frames * 1000 // rate if plain and rate and frames else None
        at += 8 + length + length % 2
    return None


def _mp4(read: Read, size: int) -> int | None:
    found = _box(read, 0, size, b"moov")
    header = _box(read, *found, b"mvhd") if found else None
    if header is None:
        return None
    data = read(header[0], 32)
    wide = data[:1] == b"\x01"
    if len(data) < (32 if wide else 20):
        return None
    scale = int.from_bytes(data[20:24] if wide else data[12:16], "big")
    units = int.from_bytes(data[24:32] if wide else data[16:20], "big")
    unknown = units in (0, (1 << 64) - 1 if wide else (1 << 32) - 1)
    return None if unknown or not scale else units * 1000 // scale


def _box(read: Read, at: int, end: int, wanted: bytes) -> tuple[int, int] | None:
    """The start and end of the contents of the first box of that name between `at` and `end`."""
    for _ in range(_BOXES):
        head = read(at, 16)
        if at >= end or len(head) < 8:
            return None
        length, start = int.from_bytes(head[:4], "big"), 8
        if length == 1:
            length, start = int.from_bytes(head[8:16], "big"), 16
        elif length == 0:
            length = end - at
        if length < start:
            return None
        if head[4:8] == wanted:
            return at + start, min(end, at + length)
        at += length
    return None


def _frames(read: Read, size: int, form: str) -> int | None:
    run = FrameRun(form, id3v2_size(read(0, 10)))
    run.advance(read, size)
    return round(run.ms) if run.count and run.ended(size) else None
