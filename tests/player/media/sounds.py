"""Small audio files made byte by byte."""

import random
import struct
from functools import cache

_SEVEN_BITS = bytes(value & 0x7F for value in range(256))


def noise(count: int, seed: int = 1) -> bytes:
    return random.Random(seed).randbytes(count)


@cache
def mp3(frames: int, *, seed: int = 1) -> bytes:
    """MPEG-1 layer III, 44.1 kHz, each frame 128 kbit/s, 417 bytes and 1152 samples long; its contents are noise."""
    body = noise(413 * frames, seed).translate(_SEVEN_BITS)
    return b"".join(b"\xff\xfb\x90\x00" + body[413 * at : 413 * (at + 1)] for at in range(frames))


def adts(frames: int) -> bytes:
    """AAC LC at 44.1 kHz in frames of 100 bytes and 1024 samples."""
    size = 100
    header = bytes([0xFF, 0xF1, 0x50, 0x80 | size >> 11, size >> 3 & 0xFF, (size & 7) << 5 | 0x1F, 0xFC])
    return (header + bytes(size - 7)) * frames


def id3v2(count: int) -> bytes:
    """A tag of `count` bytes and its header of ten."""
    return b"ID3\x04\x00\x00" + bytes(count >> shift & 0x7F for shift in (21, 14, 7, 0)) + bytes(count)


def wav(seconds: int, rate: int = 8000) -> bytes:
    """16 bit, mono."""
    data = bytes(2 * rate * seconds)
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, rate, 2 * rate, 2, 16)
    chunks = form + struct.pack("<4sI", b"data", len(data)) + data
    return struct.pack("<4sI4s", b"RIFF", 4 + len(chunks), b"WAVE") + chunks


def flac_head(samples: int, rate: int = 44100) -> bytes:
    """STREAMINFO alone."""
    packed = rate << 44 | 1 << 41 | 15 << 36 | samples
    return b"fLaC\x80\x00\x00\x22" + struct.pack(">HH", 4096, 4096) + bytes(6) + packed.to_bytes(8, "big") + bytes(16)


def mp4(duration_ms: int, *, index_first: bool = True) -> bytes:
    """The boxes alone that tell the duration, and 300 kB of noise for the sound."""
    header = struct.pack(">IIIII", 0, 0, 0, 1000, duration_ms) + bytes(80)
    index = _box(b"moov", _box(b"mvhd", header))
    sound = _box(b"mdat", noise(300_000))
    return _box(b"ftyp", b"M4A \x00\x00\x00\x00") + (index + sound if index_first else sound + index)


def _box(name: bytes, contents: bytes) -> bytes:
    return struct.pack(">I4s", 8 + len(contents), name) + contents
