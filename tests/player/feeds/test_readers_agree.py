"""Two readers, one result: what both can read, both read the same."""

import string
from datetime import UTC, datetime
from xml.sax.saxutils import escape, quoteattr

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from player.feeds import rss, tolerant
from player.model import WELCOME_URL
from player.welcome import resource
from tests.player.feeds.making import rss as feed_of

URL = "https://example.com/show/feed.xml"

# feedparser mends text that looks like UTF-8 read as Latin-1; letters beyond Latin-1 keep it from trying.
LETTERS = string.ascii_letters + string.digits + " .,;:!?-_()'\"/&<>#%" + "ĀŁżЖשע日本語—…😀"
words = st.text(LETTERS, min_size=1, max_size=40).map(str.strip).filter(bool)
names = st.text(string.ascii_letters + string.digits + "-_.", min_size=1, max_size=20)
addresses = st.builds("https://{}.example/{}.mp3?a={}&b=2".format, st.sampled_from("abc"), names, st.integers(0, 9))
pages = st.builds("https://{}.example/{}".format, st.sampled_from("abc"), names)
dates = st.datetimes(datetime(1995, 1, 1), datetime(2090, 1, 1)).map(
    lambda moment: moment.replace(tzinfo=UTC).strftime("%a, %d %b %Y %H:%M:%S +0000")
)


def tag(name: str, content: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(st.just(""), content.map(lambda text: f"<{name}>{escape(text)}</{name}>"))


def attribute(name: str, key: str, content: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(st.just(""), content.map(lambda text: f"<{name} {key}={quoteattr(text)}/>"))


def joined(*parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(*parts).map("".join)


enclosures = st.builds(
    lambda url, length, kind: f"<enclosure url={quoteattr(url)} length='{length}' type='{kind}'/>",
    addresses,
    st.sampled_from(["", "0", "123456"]),
    st.sampled_from(["audio/mpeg", "audio/x-m4a", "video/mp4", "image/png", ""]),
)
items = joined(
    tag("title", words),
    st.one_of(
        st.just(""),
        st.builds(
            lambda text, permanent: f"<guid isPermaLink='{permanent}'>{escape(text)}</guid>",
            st.one_of(words, pages),
            st.sampled_from(["true", "false"]),
        ),
    ),
    tag("link", pages),
    tag("pubDate", dates),
    st.lists(enclosures, max_size=3).map("".join),
    tag("description", words),
    tag("content:encoded", words.map(lambda text: f"<p>{escape(text)}</p>")),
    tag("itunes:duration", st.sampled_from(["61", "1:02:03", "02:03", "soon"])),
    tag("itunes:season", st.integers(0, 99).map(str)),
    tag("itunes:episode", st.integers(0, 9999).map(str)),
    tag("itunes:explicit", st.sampled_from(["yes", "no", "clean"])),
    attribute("itunes:image", "href", pages),
    attribute("podcast:chapters", "url", pages),
    attribute("podcast:transcript", "url", pages),
)
channels = joined(
    tag("title", words),
    tag("link", pages),
    tag("description", words),
    tag("language", st.sampled_from(["en", "de-DE"])),
    tag("itunes:author", names),
    attribute("itunes:image", "href", pages),
    tag("itunes:new-feed-url", pages),
)


@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(channels, st.lists(items, max_size=4))
def test_both_readers_make_the_same_of_well_formed_rss(channel: str, some: list[str]) -> None:
    body = feed_of(*some, channel=channel)
    assert rss.read(body, URL) == tolerant.read(body, "", URL)


def test_both_readers_make_the_same_of_the_built_in_show() -> None:
    body = resource("feed.xml")
    feed = rss.read(body, WELCOME_URL)
    assert feed == tolerant.read(body, "", WELCOME_URL)
    assert len(feed.episodes) == 3
    assert all(episode.url.startswith("earmark:welcome/") for episode in feed.episodes)
    assert all(episode.chapters_url and episode.transcripts for episode in feed.episodes)
