"""Playlists of live streams name their pieces; what is no stream on the web is refused."""

import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.errors import MediaError
from player.media.fetching.hls import Part, Segment, is_hls, read_playlist, variant

BASE = "https://radio.example/live/list.m3u8"


def test_segments_are_numbered_and_found_beside_the_playlist() -> None:
    playlist = read_playlist(
        "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:41\n#EXTINF:6,\na.ts\n#EXTINF:6,\n"
        "https://cdn.example/b.ts\n",
        BASE,
    )
    assert playlist.segments == (
        Segment(41, Part("https://radio.example/live/a.ts"), None, 6.0),
        Segment(42, Part("https://cdn.example/b.ts"), None, 6.0),
    )
    assert (playlist.pause_s, playlist.over) == (6.0, False)


def test_what_is_live_begins_three_segments_before_its_end_and_what_is_over_at_its_start() -> None:
    text = "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:7\n" + "".join(f"#EXTINF:6,\n{n}.ts\n" for n in range(10))
    assert read_playlist(text, BASE).start() == 14
    assert read_playlist(text + "#EXT-X-ENDLIST\n", BASE).start() == 7


def test_parts_of_one_file_follow_on_each_other() -> None:
    playlist = read_playlist(
        '#EXTM3U\n#EXT-X-MAP:URI="all.mp4",BYTERANGE="720@0"\n#EXT-X-BYTERANGE:1000@720\nall.mp4\n'
        "#EXT-X-BYTERANGE:500\nall.mp4\n#EXT-X-ENDLIST",
        BASE,
    )
    address = "https://radio.example/live/all.mp4"
    assert [segment.part for segment in playlist.segments] == [Part(address, 720, 1720), Part(address, 1720, 2220)]
    assert {segment.head for segment in playlist.segments} == {Part(address, 0, 720)}


@pytest.mark.parametrize(
    ("lines", "chosen"),
    [
        ("#EXTINF:6,\na.ts", ""),
        ("#EXT-X-STREAM-INF:BANDWIDTH=64000\nlow\n#EXT-X-STREAM-INF:BANDWIDTH=128000\nhigh", "high"),
        (
            (
                '#EXT-X-STREAM-INF:BANDWIDTH=900000,CODECS="avc1.4d,mp4a.40.2"\nfilm\n'
                '#EXT-X-STREAM-INF:BANDWIDTH=400000,CODECS="avc1.4d,mp4a.40.2"\nsmall'
            ),
            "small",
        ),
        (
            "#EXT-X-STREAM-INF:BANDWIDTH=9,RESOLUTION=6x4\nfilm\n#EXT-X-STREAM-INF:BANDWIDTH=64000\nsound",
            "sound",
        ),
        (
            (
                '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",URI="spoken"\n'
                '#EXT-X-STREAM-INF:BANDWIDTH=900000,RESOLUTION=640x360,AUDIO="a"\nfilm'
            ),
            "spoken",
        ),
    ],
    ids=["a single one", "the best sound", "the smallest picture", "sound before picture", "its sound apart"],
)
def test_of_several_streams_one_is_chosen(lines: str, chosen: str) -> None:
    assert variant(f"#EXTM3U\n{lines}\n", BASE) == (chosen and f"https://radio.example/live/{chosen}")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("file:///home/me/secret.mp3", "isn't on the web"),
        ("ftp://example.com/a.ts", "isn't on the web"),
        ("smb://router/share", "isn't on the web"),
        ('#EXT-X-MAP:URI="file:///etc/passwd"\na.ts', "isn't on the web"),
        ('#EXT-X-KEY:METHOD=AES-128,URI="https://example.com/key"\na.ts', "encrypted"),
        ("#EXT-X-ENDLIST", "contains no audio"),
    ],
)
def test_what_cannot_be_played_is_a_sentence(line: str, sentence: str) -> None:
    with pytest.raises(MediaError, match=sentence):
        read_playlist(f"#EXTM3U\n#EXT-X-TARGETDURATION:6\n{line}\n", BASE)


def test_streams_that_are_not_on_the_web_are_not_chosen() -> None:
    with pytest.raises(MediaError, match="isn't on the web"):
        variant("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nfile:///home/me/secret.mp3\n", BASE)


@given(st.lists(st.sampled_from(["#EXTM3U", "#EXT-X-MAP:", "#EXT-X-BYTERANGE:", "9@-1", "a.ts", "1e999", ":", "\n"])))
def test_any_text_is_read_or_refused(parts: list[str]) -> None:
    text = "#EXTM3U\n#EXT-X-" + "".join(parts)
    assert is_hls(text)
    for read in (variant, read_playlist):
        with suppress(MediaError):
            read(text, BASE)


def test_a_long_playlist_takes_no_longer_than_its_length() -> None:
    start = time.process_time()
    with suppress(MediaError):
        read_playlist("#EXTM3U\n#EXT-X-MAP:" + "A" * 1_000_000 + "\n" + "a.ts\n" * 100_000, BASE)
    with suppress(MediaError):
        variant("#EXTM3U\n" + "#EXT-X-STREAM-INF:BANDWIDTH=" + "9" * 500_000 + "\n" * 100_000, BASE)
    assert time.process_time() - start < 10
