"""Which reader reads what, and what is refused."""

import pytest

from player.errors import NoAudio, NotAFeed, TooLarge
from player.feeds.parsing.parse import looks_like_page, read_feed
from tests.player.feeds.parsing.making import item, page, rss
from tests.player.feeds.parsing.test_tolerant import ATOM

URL = "https://me:secret@example.com/show/feed.xml"


def refusal(body: bytes, content_type: str = "") -> str:
    with pytest.raises(NotAFeed) as caught:
        read_feed(body, content_type, URL)
    return str(caught.value)


@pytest.mark.parametrize(
    "body", [rss(item(1)), rss(item(1)).replace(b"</rss>", b""), ATOM.encode(), rss(item(1)).decode().encode("utf-16")]
)
def test_each_feed_finds_its_reader(body: bytes) -> None:
    assert len(read_feed(body.replace(b"UTF-8", b"UTF-16") if body[:2] == b"\xff\xfe" else body, "", URL).episodes) == 1


@pytest.mark.parametrize("content_type", ["text/html", "text/plain; charset=utf-8", "application/octet-stream", ""])
def test_a_feed_is_one_whatever_its_server_calls_it(content_type: str) -> None:
    assert read_feed(rss(item(1)), content_type, URL).episodes


def test_a_web_page_is_refused_by_name() -> None:
    assert refusal(page(), "application/rss+xml") == (
        "https://example.com/show/feed.xml is a web page, not a podcast feed. "
        "Look for a link called RSS on the podcast's website, and add its URL."
    )


@pytest.mark.parametrize(
    "body", [b"", b"ID3\x04" * 1000, b'{"version": "https://jsonfeed.org/version/1"}', b"<a>b</a>"]
)
def test_what_is_no_feed_is_refused(body: bytes) -> None:
    assert "There is no podcast feed at " in refusal(body)


def test_a_playlist_is_named_as_what_it_is() -> None:
    body = b"#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n1.ts\n#EXT-X-ENDLIST\n"
    assert refusal(body, "application/vnd.apple.mpegurl") == (
        "https://example.com/show/feed.xml is the playlist of a recording, not a podcast feed or a live stream. "
        "Add the URL of the podcast's feed instead."
    )


HLS = '<enclosure url="https://a.example/list" type="{kind}"/>'


@pytest.mark.parametrize("kind", ["application/x-mpegURL", "application/vnd.apple.mpegurl", "audio/mpegurl"])
def test_an_episode_that_is_a_playlist_is_an_episode_and_a_file_comes_first(kind: str) -> None:
    hls, mp3 = HLS.format(kind=kind), '<enclosure url="https://a.example/1.mp3" type="audio/mpeg"/>'
    for enclosures, expected in ((hls, "https://a.example/list"), (hls + mp3, "https://a.example/1.mp3")):
        (episode,) = read_feed(rss(f"<title>One</title>{enclosures}"), "", URL).episodes
        assert episode.url == expected


def test_a_feed_of_texts_has_no_audio() -> None:
    with pytest.raises(NoAudio) as caught:
        read_feed(rss("<title>Words</title>"), "", URL)
    assert str(caught.value) == (
        "“A show” has no episodes to listen to. It may be a blog's feed. Look for the podcast's own feed."
    )


def test_a_broken_feed_that_would_take_minutes_is_refused() -> None:
    with pytest.raises(TooLarge, match="is broken and, at 17 MB, too large to repair"):
        read_feed(rss(item(1)) + b"<p>" + b" " * 17_000_000, "", URL)
    assert read_feed(rss(item(1)) + b" " * 17_000_000, "", URL).episodes


def test_a_feed_without_a_title_goes_by_its_server() -> None:
    assert read_feed(rss(item(1), channel=""), "", URL).title == "example.com"


def test_an_old_doctype_is_no_harm() -> None:
    doctype = b"?><!DOCTYPE rss PUBLIC '-//Netscape' 'http://my.netscape.com/publish/formats/rss-0.91.dtd'><rss"
    assert read_feed(rss(item(1)).replace(b"?><rss", doctype), "", URL).episodes


def test_pages_and_feeds_are_told_apart_by_what_they_begin_with() -> None:
    assert looks_like_page(b"\n<!-- hi --><HTML lang=en>")
    assert looks_like_page("<!doctype html><p>".encode("utf-16"))
    assert not looks_like_page(rss("<description><![CDATA[<html>]]></description>"))
    assert not looks_like_page(b"<feed xmlns='http://www.w3.org/2005/Atom'><title>&lt;html&gt;</title>")
