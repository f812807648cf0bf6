"""The tolerant reader: Atom, and broken XML."""

import contextlib
import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.errors import NotAFeed
from player.feeds.parsing import rss as fast
from player.feeds.parsing import tolerant
from player.feeds.parsing.recoding import mended
from player.model.episode import TranscriptRef
from player.model.feed import Feed
from tests.player.feeds.parsing.making import AUDIO, item, rss

URL = "https://example.com/show/feed.xml"

ATOM = """<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
<title>Atomic</title><subtitle>About atoms</subtitle><author><name>Ada</name></author>
<link rel="alternate" href="https://example.com/"/><link rel="self" href="https://example.com/atom"/>
<entry><title>One &lt;3</title><id>tag:example.com,2024:1</id><published>2024-01-15T10:30:00Z</published>
<link rel="alternate" href="https://example.com/1"/>
<link rel="enclosure" type="audio/mpeg" length="123" href="1.mp3"/>
<content type="html">&lt;p&gt;Notes&lt;/p&gt;</content></entry>
<entry><title>No sound</title><id>2</id><content>x</content></entry></feed>"""


def read(body: bytes) -> Feed:
    return tolerant.read(mended(body), URL)


def test_atom_is_read() -> None:
    feed = read(ATOM.encode())
    assert (feed.title, feed.description, feed.author, feed.link) == (
        "Atomic",
        "About atoms",
        "Ada",
        "https://example.com/",
    )
    (episode,) = feed.episodes
    assert episode.title == "One <3"
    assert episode.guid == "tag:example.com,2024:1"
    assert episode.url == "https://example.com/show/1.mp3"
    assert episode.size == 123
    assert episode.link == "https://example.com/1"
    assert episode.published == datetime(2024, 1, 15, 10, 30, tzinfo=UTC)
    assert episode.notes == "<p>Notes</p>"


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("<title type='html'>On &lt;em&gt;Dune&lt;/em&gt; &amp;amp; more</title>", "On Dune & more"),
        (
            "<title type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>1 &lt; <em>2</em> &amp; 3</div></title>",
            "1 < 2 & 3",
        ),
        ("<title type='text'>How &lt;em&gt; works</title>", "How <em> works"),
        ("<title>How &lt;em&gt; works</title>", "How <em> works"),
    ],
)
def test_titles_of_atom_are_read_without_their_markup(title: str, expected: str) -> None:
    feed = read(ATOM.replace("<title>One &lt;3</title>", title).replace("<title>Atomic</title>", title).encode())
    assert (feed.title, feed.episodes[0].title) == (expected, expected)


@pytest.mark.parametrize(
    ("good", "broken"),
    [
        (b"</channel></rss>", b""),
        (b"<title>A show</title>", b"<title>A show</title><p>never closed<br>"),
        (b"A show", b"A&nbsp;show"),
        (b"</item>", b"<link>https://example.com/?a=1&b=2</link></item>"),
        (b"A show", b"A show &#0; &#xD800; &#99999999999;"),
        (b"A show", b"A show\x08"),
    ],
)
def test_a_broken_feed_is_read_all_the_same(good: bytes, broken: bytes) -> None:
    body = rss(item(1), item(2)).replace(good, broken)
    with pytest.raises(fast.NotRss):
        fast.read(body, URL)
    feed = read(body)
    assert feed.title.startswith("A")
    assert [episode.guid for episode in feed.episodes] == ["guid-1", "guid-2"]


def test_a_live_item_stays_out_of_the_channel() -> None:
    live = f"<podcast:liveItem status='live'><title>Live</title><guid>live</guid>{AUDIO}</podcast:liveItem>"
    feed = read(rss(item(1), channel=f"<title>A show</title>{live}"))
    assert feed.title == "A show"
    assert [episode.title for episode in feed.episodes] == ["Episode 1"]


@pytest.mark.parametrize("prefix", ["podcast", "pod"])
def test_chapters_and_a_transcript_are_kept(prefix: str) -> None:
    body = rss(
        f"{AUDIO}<{prefix}:chapters url='/c.json' type='application/json'/><{prefix}:transcript url='/t.vtt'/>",
        namespaces=f'xmlns:{prefix}="https://podcastindex.org/namespace/1.0"',
    )
    (episode,) = read(body).episodes
    assert episode.chapters_url == "https://example.com/c.json"
    assert episode.transcripts == (TranscriptRef("https://example.com/t.vtt"),)


@pytest.mark.parametrize(
    "body", [b"plain words", b"<html><body>hi</body></html>", b"{}", b"<", b"<?xml version='1.0'?>"]
)
def test_what_is_no_feed_is_refused(body: bytes) -> None:
    with pytest.raises(NotAFeed):
        read(body)


@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_no_bytes_make_it_fail_otherwise(noise: bytes) -> None:
    whole = rss(item(1), item(2))
    for body in (noise, whole[:300] + noise + whole[300:]):
        try:
            feed = read(body)
        except NotAFeed:
            continue
        assert not any("\x1b" in text or "\n" in text for text in (feed.title, *(one.title for one in feed.episodes)))


@given(st.integers(0, 700))
def test_a_feed_cut_anywhere_never_fails_otherwise(length: int) -> None:
    with contextlib.suppress(NotAFeed):
        read(rss(item(1), item(2), item(3))[:length])


def test_a_feed_that_never_closes_anything_takes_no_long_time() -> None:
    start = time.process_time()
    read(b"<rss version='2.0'><channel>" + b"<podcast:liveItem>" * 20_000 + rss(item(1))[60:])
    assert time.process_time() - start < 3
