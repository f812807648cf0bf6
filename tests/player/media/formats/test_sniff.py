"""Audio is known by its bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.media.formats.sniff import FORMATS, found, is_page, names_other_files, sniff
from player.welcome import resource
from tests.player.media.sounds import adts, flac_head, id3v2, mp3, noise, wav


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (mp3(4), "mp3"),
        (id3v2(2000) + mp3(4), "mp3"),
        (id3v2(3_000_000)[:65536], "mp3"),
        (bytes(5000) + mp3(4), "mp3"),
        (b"\xff\xfb\x90\x00 and no frame after it".ljust(900, b".") + mp3(4), "mp3"),
        (adts(4), "aac"),
        (id3v2(40) + adts(4), "aac"),
        (id3v2(40) + flac_head(1), "flac"),
        (flac_head(44100), "flac"),
        (wav(1), "wav"),
        (b"\x00\x00\x00\x20ftypM4A \x00\x00\x00\x00", "mp4"),
        (resource("1-press-play.opus"), "ogg"),
        (b"FORM\x00\x00\x10\x00AIFFCOMM", "aiff"),
        (b"\x1a\x45\xdf\xa3\x01\x00", "matroska"),
        (b"\x1f\x8b\x08\x00ftypM4A ", ""),
        (id3v2(40) + b"\xff\xfb\x04\x64" + bytes(900), "mp3"),
        (id3v2(40) + b"#EXTM3U\n", ""),
        (b"<!DOCTYPE html><html><body>Sign in", ""),
        (b"\xff\xfb\x90\x00" + bytes(1000), ""),
        (b"\xff" * 5000, ""),
        (b"", ""),
    ],
    ids=range(21),
)
def test_each_format_is_told_from_its_first_bytes(head: bytes, expected: str) -> None:
    assert sniff(head) == expected


@given(st.binary(max_size=3000))
def test_sniffing_takes_any_bytes(head: bytes) -> None:
    assert sniff(head) in {"", *FORMATS}


@pytest.mark.parametrize("prefix", [b"ID3", b"\xff\xfb", b"OggS", b"RIFF", b"fLaC", b"\xff\xf1"])
def test_cut_short_heads_do_not_trip_it(prefix: bytes) -> None:
    for length in range(20):
        sniff((prefix + noise(20))[:length])


def test_a_web_page_is_known_whatever_it_calls_itself() -> None:
    page = b"\n<!doctype html><title>Sign in</title>"
    assert is_page("text/html; charset=utf-8", page)
    assert is_page("audio/mpeg", page)
    assert is_page("text/html", b"Not found")
    assert not is_page("text/html", mp3(4))
    assert not is_page("audio/mpeg", noise(500))


def test_audio_begins_behind_the_tags_in_front() -> None:
    data = id3v2(300_000) + id3v2(20) + flac_head(44100) + bytes(100)
    assert found(lambda offset, count: data[offset : offset + count]) == ("flac", 300_040)
    assert found(lambda offset, count: id3v2(2000)[offset : offset + count]) == ("", 0)


def test_a_manifest_is_seen_in_whatever_stands_around_it() -> None:
    assert names_other_files(b"\xff\xfb\x90\x44 <manifest xmlns=''>")
    assert names_other_files(b"\xff\xfe" + "<manifest".encode("utf-16-le"))
    assert not names_other_files(mp3(4))
