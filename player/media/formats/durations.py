"""How long an episode is, according to its bytes.

WAV (RIFF), FLAC (RFC 9639, STREAMINFO), MP4 (ISO/IEC 14496-12, mvhd) and Ogg (RFC 3533; Opus RFC 7845, Vorbis I) say so
in a few bytes, unless several Ogg streams are chained. Their lengths are added, and the frames of MP3 and ADTS, which
have no reliable duration, are counted, once all bytes are available.
"""

from player.media.formats.frames import FrameRun, Read
from player.media.formats.mpeg import id3v2_size
from player.media.formats.ogg import MOST_PAGE, Chain
from player.media.formats.sniff import HEAD, LONG_HEAD, sniff

_BOXES = 64


def duration_ms(read: Read, size: int, *, complete: bool) -> int | None:
    """Milliseconds, exact to a frame; None while the available bytes don't suffice."""
    kind = sniff(read(0, HEAD)) or sniff(read(0, LONG_HEAD))
    if kind == "wav":
        return _wav(read(0, HEAD), size)
    if kind == "flac":
        return _flac(read(0, HEAD))
    if kind == "ogg":
        return _ogg(read, size, complete=complete)
    if kind == "mp4":
        return _mp4(read, size)
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
