"""XML that is broken by single characters: read by the fast reader, as if it weren't."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.feeds.parsing import rss as fast
from player.feeds.parsing.parse import read_feed
from player.feeds.parsing.recoding import mended
from tests.player.feeds.parsing.making import AUDIO, item, rss

URL = "https://example.com/show/feed.xml"


def title_of(written: str) -> str:
    body = rss(item(1), channel=f"<title>{written}</title>")
    with pytest.raises(fast.NotRss):
        fast.read(body, URL)
    feed = fast.read(mended(body), URL)
    assert feed == read_feed(body, "", URL)
    assert len(feed.episodes) == 1
    return feed.title


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Q & A", "Q & A"), ("R&D; AT&T", "R&D; AT&T"), ("A&nbsp;show", "A show"), ("caf&eacute; &hellip;", "café …"),
        ("I <3 you", "I <3 you"), ("1 < 2 &lt; 3", "1 < 2 < 3"), ("a </ b", "a </ b"), ("A\x08 show\x1b", "A show"),
        ("A show&#0; &#xD800;&#99999999999;&#xFFFF;", "A show"), ("&unheardof; x & y", "&unheardof; x & y"),
        ("<![CDATA[R&D <b>]]> & more", "R&D <b> & more"), ("&;&#;&#x;&", "&;&#;&#x;&"), ("&LT; &AMP;", "< &"),
    ],
)  # fmt: skip
def test_characters_that_xml_does_not_have_are_mended(written: str, read: str) -> None:
    assert title_of(written) == read


def test_one_stray_ampersand_changes_nothing_else_of_a_feed() -> None:
    channel = (
        "<title>LINUX Unplugged</title><description>An open show</description>"
        "<itunes:subtitle>No rules</itunes:subtitle><itunes:author>Jupiter</itunes:author>"
        "<itunes:owner><itunes:email>c@example.com</itunes:email></itunes:owner>"
        "<itunes:keywords>Linux,KDE</itunes:keywords><itunes:category text='Technology'/>"
        "<image><url>https://example.com/i.png</url></image><managingEditor>c@example.com (Chris)</managingEditor>"
    )
    whole = read_feed(rss(item(1), channel=channel), "", URL)
    assert read_feed(rss(item(1), channel=f"{channel}<copyright>A & B</copyright>"), "", URL) == whole
    assert read_feed(rss(item(1), channel=f"{channel}<copyright>A<br></copyright>"), "", URL) == whole


def test_prefixes_that_nobody_declared_mean_what_they_always_mean() -> None:
    body = rss(f"{AUDIO}<itunes:duration>61</itunes:duration><own:x/>", namespaces="")
    (episode,) = read_feed(body, "", URL).episodes
    assert episode.duration_ms == 61_000


def test_references_in_attributes_are_mended_as_well() -> None:
    body = rss("<enclosure url='https://a.example/1.mp3?a=1&b=2&copy=3' type='audio/mpeg'/>")
    assert read_feed(body, "", URL).episodes[0].url == "https://a.example/1.mp3?a=1&b=2&copy=3"


@given(st.text(st.sampled_from("<>&;#x0aZ!?-[]/:\"' ") | st.characters(codec="utf-8"), max_size=60))
def test_mending_twice_changes_nothing(text: str) -> None:
    once = mended(rss(item(1), channel=text))
    assert mended(once) == once


def test_what_is_whole_stays_as_it_is() -> None:
    body = rss(item(1), channel="<title>A &amp; B &#8217; <![CDATA[& <]]></title><!-- & < -->")
    assert mended(body) == body


@pytest.mark.parametrize(
    "noise", [b"&", b"<", b"&#", b"&a", b"&nbsp;", b"&#0;", b"<![CDATA[", b"<!--", b"<?", b"<a:b", b" xmlns:", b"\x01"]
)
def test_mending_takes_no_longer_than_the_feed_is_long(noise: bytes) -> None:
    body = b"<rss>" + noise * (500_000 // len(noise))
    start = time.process_time()
    mended(body)
    assert time.process_time() - start < 1
