"""Every kind of file a feed may hand out, pitch-coded: what encoders write, and what stands around it in the wild."""

import random
import struct
from functools import cache

from tests.player.media.sounds import id3v2
from tests.sound.pitch import pitch_coded

KINDS = (
    "mp3", "mp3 vbr", "mp3 vbr without xing", "mp3 vbr with vbri", "mp3 behind a 3 MB cover", "mp3 behind garbage",
    "mp3 with tags at its end", "m4a", "m4a index in front", "aac", "opus", "vorbis", "flac", "wav",
)  # fmt: skip


@cache
def file(kind: str, seconds: int = 60) -> bytes:
    """A whole file of a kind in KINDS."""
    match kind:
        case "mp3 vbr with vbri":
            return _with_vbri(pitch_coded("mp3 vbr without xing", seconds), seconds)
        case "mp3 behind a 3 MB cover":
            return id3v2(3_000_000) + pitch_coded("mp3 vbr", seconds)
        case "mp3 behind garbage":
            # No byte of a frame header's first: 0xFF.
            garbage = bytes(value & 0x7F for value in random.Random(1).randbytes(20_000))
            return garbage + pitch_coded("mp3 vbr", seconds)
        case "mp3 with tags at its end":
            return pitch_coded("mp3 vbr", seconds) + _ape_tag(b"Lyrics", b"la " * 5_000) + b"TAG".ljust(128, b"\0")
        case _:
            return pitch_coded(kind, seconds)


def _with_vbri(data: bytes, seconds: int) -> bytes:
    """In front, a silent frame of the stream's kind that holds a VBRI header (Fraunhofer) with a hundred entries."""
    at = data.index(b"\xff\xf3") if b"\xff\xf3" in data[:4096] else data.index(b"\xff\xfb")
    audio = data[at:]
    # The largest frame there is, so that the table fits: MPEG 2 at 24 kHz, 160 kbit/s, mono; 480 bytes.
    header = bytes([audio[0], audio[1], 0xE4, 0xC0])
    entries, frames = 100, seconds * 24_000 // 576
    share = struct.pack(">H", len(audio) // entries) * entries
    vbri = struct.pack(">4sHHHIIHHHH", b"VBRI", 1, 0, 75, len(audio) + 480, frames, entries, 1, 2, frames // entries)
    return header + bytes(32) + (vbri + share).ljust(444, b"\0") + audio


def _ape_tag(name: bytes, value: bytes) -> bytes:
    """APEv2, with a header and a footer."""
    items = struct.pack("<II", len(value), 0) + name + b"\0" + value

    def edge(flags: int) -> bytes:
        return b"APETAGEX" + struct.pack("<IIII", 2000, len(items) + 32, 1, flags) + bytes(8)

    return edge(0xA0000000) + items + edge(0x80000000)
