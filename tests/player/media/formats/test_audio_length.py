"""Durations are told by the bytes, not by headers that lie."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.media.formats.audio_length import duration_ms
from player.welcome import resource
from tests.player.media.sounds import adts, flac_head, id3v2, mp3, mp4, noise, wav


def matroska(info: bytes) -> bytes:
    """A segment of unknown length, with that in its Info behind a Void element."""
    void = b"\xec\x84" + bytes(4)
    return (
        b"\x1a\x45\xdf\xa3\x84"
        + bytes(4)
        + b"\x18\x53\x80\x67\x01"
        + b"\xff" * 7
        + void
        + (b"\x15\x49\xa9\x66" + bytes([0x80 | len(info)]) + info)
    )


def aiff(kind: bytes, frames: int, compression: bytes = b"") -> bytes:
    rate = struct.pack(">HQ", 16383 + 15, 44_100 << 48)
    comm = struct.pack(">HIH", 1, frames, 16) + rate + compression
    return b"FORM" + bytes(4) + kind + b"COMM" + struct.pack(">I", len(comm)) + comm + b"SSND" + bytes(400)


FRAME_MS = 1152 * 1000 / 44100


def measured(data: bytes, *, complete: bool = True) -> int | None:
    return duration_ms(lambda offset, count: data[offset : offset + count], len(data), complete=complete)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (wav(7), 7000),
        (wav(7)[: 44 + 2 * 8000 * 3], 3000),
        (flac_head(44100 * 600), 600_000),
        (id3v2(100) + flac_head(44100 * 600), 600_000),
        (resource("1-press-play.opus"), 42_000),
        (mp4(90_500), 90_500),
        (mp4(90_500, index_first=False), 90_500),
        (mp3(1000), 1000 * FRAME_MS),
        (id3v2(300_000) + noise(200) + mp3(1000) + b"TAG" + bytes(125), 1000 * FRAME_MS),
        (mp3(500) + noise(5000) + mp3(500), 1000 * FRAME_MS),
        (adts(1000), 1000 * 1024 * 1000 / 44100),
        (matroska(b"\x44\x89\x88" + struct.pack(">d", 90_500.0)), 90_500),
        (matroska(b"\x2a\xd7\xb1\x83\x07\xa1\x20\x44\x89\x84" + struct.pack(">f", 181_000.0)), 90_500),
        (aiff(b"AIFF", 44_100 * 60), 60_000),
        (aiff(b"AIFC", 44_100 * 60, b"sowt"), 60_000),
    ],
    ids=["wav", "wav cut short", "flac", "flac with a tag", "opus", "mp4", "mp4 with its index at the end", "mp3",
         "mp3 with tags and garbage", "mp3 with garbage inside", "aac", "webm", "matroska of half milliseconds", "aiff",
         "aiff in another byte order"],
)  # fmt: skip
def test_each_format_tells_its_duration(data: bytes, expected: float) -> None:
    assert measured(data) == pytest.approx(expected, abs=2 * FRAME_MS)


def test_an_encoders_header_frame_is_no_sound() -> None:
    frames = bytearray(mp3(1000))
    frames[36:40] = b"Xing"
    assert measured(bytes(frames)) == int(999 * FRAME_MS)


def test_frames_are_counted_only_when_all_are_there() -> None:
    assert measured(mp3(1000), complete=False) is None
    assert measured(wav(7), complete=False) == 7000


def test_ogg_waits_for_its_last_page() -> None:
    data = resource("1-press-play.opus")

    def head_only(offset: int, count: int) -> bytes:
        return data[: len(data) // 4][offset : offset + count]

    assert duration_ms(head_only, len(data), complete=False) is None


@given(
    st.sampled_from(
        [
            b"RIFF0000WAVE",
            b"fLaC",
            b"OggS",
            b"\x00\x00\x00\x08ftyp",
            b"ID3\x04\x00\x00\x00\x00\x00\x00",
            mp3(3),
            b"\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\xff",
            b"FORM0000AIFFCOMM",
        ]
    ),
    st.binary(max_size=300),
)
def test_measuring_takes_any_bytes(head: bytes, rest: bytes) -> None:
    found = measured(head + rest)
    assert found is None or found >= 0
