"""What isn't audio is called what it is."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.media.formats.sniff import no_audio
from tests.player.media.hostile import collection
from tests.player.media.sounds import id3v2, noise

PLAYLISTS = ("hls", "hls of streams", "m3u", "bare m3u", "pls", "xspf", "asx", "asf references", "cue", "smil", "ram",
             "dash", "smooth streaming", "hds", "wpl", "b4s", "qtl", "sdp", "strm", "concat")  # fmt: skip


@pytest.mark.parametrize("name", PLAYLISTS)
def test_playlists_of_all_kinds_are_called_that(name: str) -> None:
    named = {hostile.name: hostile.build for hostile in collection("/music/a.mp3", "https://example.com/")}
    for what in ("file", "address"):
        for behind in ("", " behind a tag"):
            assert "is a playlist, not audio" in str(no_audio(named[f"{name}{behind}: {what}"]()))


@pytest.mark.parametrize(
    ("head", "what"),
    [
        (b"", "empty"),
        (b"<!DOCTYPE html><title>Sign in", "a web page, not audio"),
        (id3v2(5) + b"\n<html><body>", "a web page, not audio"),
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "a picture, not audio"),
        (b"\xff\xd8\xff\xe0" + bytes(100), "a picture, not audio"),
        (b"PK\x03\x04" + bytes(100), "an archive, not audio"),
        (b"\x1f\x8b\x08" + bytes(100), "an archive, not audio"),
        (b"%PDF-1.7\n", "a PDF document, not audio"),
        (b'{"error": "nicht gefunden \xc3\xa4"}', "text, not audio"),
        (noise(3000), "not in an audio format that Earmark knows"),
    ],
    ids=range(10),
)
def test_what_is_no_audio_is_named(head: bytes, what: str) -> None:
    assert str(no_audio(head)) == f"This episode's file is {what}. Refresh the podcast; it may have a new file by now."


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (bytes.fromhex("3026b2758e66cf11a6d900aa0062ce6c") + noise(3000), "Windows Media"),
        (b"\x0b\x77" + noise(3000), "AC-3"),
        (id3v2(50) + b"wvpk" + noise(3000), "WavPack"),
    ],
)
def test_audio_that_is_not_played_is_named_with_what_to_do(head: bytes, name: str) -> None:
    """Another file, for which the podcast would be refreshed, is not to be expected."""
    assert str(no_audio(head)) == (
        f"This episode's file is in a format that Earmark can't play ({name}). Open its link in another player."
    )


@given(st.binary(max_size=500))
def test_any_bytes_are_something(head: bytes) -> None:
    assert str(no_audio(head)).startswith("This episode's file is ")


@pytest.mark.parametrize("head", [b"<!---->" * 600, b"<?xml>" * 700, b" " * 4000, b"#" * 4000])
def test_no_bytes_take_long(head: bytes) -> None:
    start = time.process_time()
    no_audio(head)
    assert time.process_time() - start < 2
