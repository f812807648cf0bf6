"""Which video an episode has, whatever its feed says."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.feeds.parsing import rss as reader
from player.links.addresses import video_page_of
from player.model.episode import Episode, EpisodeId
from player.model.podcast import PodcastId
from player.video.episode_video import video_of
from tests.player.feeds.parsing.making import item, rss

PAGE = "https://www.youtube.com/watch?v=dQw4w9WgXcQ"
BIG, SMALL = "https://example.com/1080.mp4", "https://example.com/360.mp4"


def episode(**more: Any) -> Episode:
    fields = {"title": "One", "guid": "1", "url": "https://example.com/1.mp3", "media_type": "audio/mpeg", **more}
    return Episode(EpisodeId(1), PodcastId(1), "A show", **fields)


def extra(*enclosures: Any) -> str:
    return json.dumps({"alternateEnclosure": list(enclosures)})


def one(uri: str, **more: Any) -> dict[str, Any]:
    return {"type": "video/mp4", "source": [{"uri": uri}], **more}


def test_the_default_comes_first_then_the_one_with_the_most_lines() -> None:
    small, big = one(SMALL, height=360), one(BIG, height=1080)
    assert video_of(episode(), extra(small, big)) == BIG
    assert video_of(episode(), extra({**small, "default": True}, big)) == SMALL
    assert video_of(episode(), extra(one(SMALL, bitrate=100_000), one(BIG, bitrate=900_000))) == BIG


@pytest.mark.parametrize(
    ("enclosure", "expected"),
    [
        ({"type": "audio/mpeg", "source": [{"uri": BIG}]}, ""),
        (
            {"type": "video/mp4", "source": [{"uri": BIG, "contentType": "application/x-bittorrent"}, {"uri": SMALL}]},
            SMALL,
        ),
        ({"type": "application/x-mpegurl", "source": [{"uri": BIG}]}, ""),
        ({"type": "application/x-mpegurl", "height": 720, "source": [{"uri": BIG}]}, BIG),
        ({"type": "application/x-mpegurl", "codecs": "avc1.64001F,mp4a.40.2", "source": [{"uri": BIG}]}, BIG),
        ({"source": [{"uri": BIG, "contentType": "video/webm"}]}, BIG),
        ({"type": "video/mp4", "source": [{"uri": "ipfs://x"}, {"uri": "file:///etc/passwd"}, {"uri": "--x"}]}, ""),
        ({"type": "video/mp4", "source": []}, ""),
        ({"type": "video/mp4"}, ""),
    ],
)
def test_only_video_at_a_web_address_counts(enclosure: dict[str, Any], expected: str) -> None:
    assert video_of(episode(), extra(enclosure)) == expected


def test_a_real_feeds_alternate_enclosures_are_read() -> None:
    tag = (
        '<podcast:alternateEnclosure type="video/mp4" length="7924786" bitrate="511276.52" height="720" title="720p">'
        '<podcast:source uri="https://example.com/720.mp4"/><podcast:source uri="ipfs://QmX33FYehk6ckGQ6g1D9D3FqZPix5J"/>'
        '</podcast:alternateEnclosure><podcast:alternateEnclosure type="audio/opus"><podcast:source uri="https://e.com/a"/>'
        "</podcast:alternateEnclosure>"
    )
    (read,) = reader.read(rss(item(1) + tag), "https://example.com/feed").episodes
    assert video_of(episode(), read.extra) == "https://example.com/720.mp4"


def test_a_video_enclosure_is_the_video_and_its_download_comes_first(tmp_path: Path) -> None:
    filmed = episode(url=BIG, media_type="video/mp4")
    assert video_of(filmed, "") == BIG
    assert video_of(filmed, "", tmp_path / "one.mp4") == str(tmp_path / "one.mp4")
    assert video_of(episode(url=PAGE, media_type="video/webm"), "", tmp_path / "sound.m4a") == PAGE, "of YouTube"
    assert video_of(episode(), "", tmp_path / "one.mp3") == ""
    assert video_of(filmed, extra(one(SMALL))) == SMALL


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        (PAGE, PAGE),
        ("https://youtu.be/dQw4w9WgXcQ?si=abc", PAGE),
        ("http://m.youtube.com/watch?list=x&v=dQw4w9WgXcQ&t=9", PAGE),
        ("https://www.youtube.com/live/dQw4w9WgXcQ", PAGE),
        ("https://www.youtube.com/embed/dQw4w9WgXcQ/", PAGE),
        ("https://www.youtube.com/@someone", ""),
        ("https://www.youtube.com/watch?v=--exec", ""),
        ("https://youtube.com.evil.example/watch?v=dQw4w9WgXcQ", ""),
        ("javascript:watch?v=dQw4w9WgXcQ", ""),
        ("https://[", ""),
        ("", ""),
    ],
)
def test_every_form_of_youtube_link_leads_to_the_video(link: str, expected: str) -> None:
    assert video_of(episode(link=link), "") == video_page_of(link) == expected


_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=12)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["type", "source", "uri", "contentType", "height", "default", "codecs", "bitrate"]),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=15,
)


@given(_JSON, st.text(max_size=40), st.text(max_size=40), st.sampled_from(["video/mp4", "audio/mpeg", ""]))
def test_the_result_is_a_web_address_or_nothing(found: Any, url: str, link: str, kind: str) -> None:
    address = video_of(episode(url=url, link=link, media_type=kind), json.dumps({"alternateEnclosure": found}))
    assert address == "" or address.startswith(("http://", "https://"))
    assert address.isascii()
    assert " " not in address
