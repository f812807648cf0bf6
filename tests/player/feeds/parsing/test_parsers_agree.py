"""Two readers, one result: what both can read, both read the same."""

import re
import string
from datetime import UTC, datetime
from unittest.mock import patch
from xml.sax.saxutils import escape, quoteattr

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from player.feeds.parsing import assemble, rss, tolerant
from player.feeds.parsing.parse import read_feed
from player.model.podcast import WELCOME_URL
from player.notes import read_notes
from player.notes import words as words_of
from player.welcome import resource
from tests.player.feeds.parsing.making import AUDIO, NAMESPACES
from tests.player.feeds.parsing.making import rss as feed_of
from tests.quick import examples

URL = "https://example.com/show/feed.xml"
PODCAST_NAMESPACE_ON_GITHUB = "https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/1.0.md"

LETTERS = string.ascii_letters + string.digits + " .,;:!?-_()'\"/&<>#%" + "éÃ©ĀŁżЖשע日本語—…😀\x85\x92\x9d"
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
    st.sampled_from(["audio/mpeg", "audio/x-m4a", "video/mp4", "image/png", "mp3", "application/octet-stream", ""]),
)
linked_enclosures = st.builds(
    lambda name, url, kind: f"<{name} rel='enclosure' href={quoteattr(url)} length='5' type='{kind}'/>",
    st.sampled_from(["link", "atom:link"]),
    st.one_of(addresses, names.map("https://a.example/get?file={}.mp3".format)),
    st.sampled_from(["audio/mpeg", ""]),
)
VALUES = [
    "0", "1", "73.5", "1800", "soon", "", "host", "Guest", "video/mp4", "true", "disabled", "pending", "/a.png",
    "Żółw & co",
    "https://a.example/x?a=1&b=2", "javascript:x",
    "Mon, 15 Jan 2024 10:30:00 GMT", "a.png 600w, b.png 1500w",
]  # fmt: skip
PLACES = ["0", "1:00", "00:01:00.500", "61", "soon"]
REMOTE = "<podcast:remoteItem feedGuid='a' feedUrl='https://a.example/' medium='Music'>x</podcast:remoteItem>"
RECIPIENT = "<podcast:valueRecipient name='Ada' type='node' address='02d5' split='95.5' fee='true'/>"
SOURCE = "<podcast:source uri='/a.opus' contentType='Audio/Opus'/><podcast:source uri='ipfs://x'/>"
INSIDE = {
    "alternateEnclosure": f"{SOURCE}<podcast:integrity type='sri' value='sha384-x'/>",
    "podroll": REMOTE * 2,
    "publisher": REMOTE,
    "value": f"{RECIPIENT}<podcast:valueTimeSplit startTime='60'>{REMOTE}{RECIPIENT}</podcast:valueTimeSplit>",
    "liveItem": "<title>Live</title><guid>live</guid><enclosure url='https://a.example/live' type='audio/mpeg'/>"
    "<podcast:contentLink href='https://a.example/'>Watch</podcast:contentLink><podcast:person>Ada</podcast:person>",
}
KEYS = {
    "person": "role group img href", "soundbite": "startTime duration", "funding": "url", "location": "rel geo osm",
    "season": "name", "episode": "display", "alternateEnclosure": "type length bitrate lang default", "txt": "purpose",
    "trailer": "pubdate url length type season", "guid": "", "podroll": "", "remoteItem": "feedGuid feedUrl medium",
    "publisher": "", "updateFrequency": "rrule complete", "license": "url", "value": "type method suggested",
    "socialInteract": "uri protocol accountId priority", "image": "href alt width purpose", "images": "srcset",
    "locked": "owner", "medium": "", "block": "id", "chat": "server protocol", "podping": "usesPodping",
    "liveItem": "status start end", "transcript": "url type language rel", "chapters": "url type", "unheardOf": "url",
}  # fmt: skip
podcast_tags = st.sampled_from(sorted(KEYS)).flatmap(
    lambda name: st.builds(
        lambda values, text: "<podcast:{0}{1}>{2}{3}</podcast:{0}>".format(
            name,
            "".join(
                f" {key}={quoteattr(value)}" for key, value in zip(KEYS[name].split(), values, strict=False) if value
            ),
            escape(text),
            INSIDE.get(name, ""),
        ),
        st.lists(st.sampled_from(VALUES), min_size=5, max_size=5),
        st.sampled_from(VALUES),
    )
)
psc_chapters = st.lists(st.sampled_from(PLACES), min_size=1, max_size=3).map(
    lambda starts: "<psc:chapters>{}</psc:chapters>".format(
        "".join(f"<psc:chapter start='{start}' title='A &amp; b' href='/x'/>" for start in starts)
    )
)
skipped = st.sampled_from(
    ["<skipHours><hour>3</hour><hour>24</hour></skipHours>", "<skipDays><day>Sunday</day><day>x</day></skipDays>"]
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
    tag("dc:date", dates),
    tag("dcterms:issued", dates),
    tag("dcterms:modified", dates),
    st.lists(enclosures, max_size=3).map("".join),
    st.lists(linked_enclosures, max_size=1).map("".join),
    tag("description", words),
    tag("content:encoded", words.map(lambda text: f"<p>{escape(text)}</p>")),
    tag("itunes:summary", words),
    tag("itunes:subtitle", words),
    tag("itunes:author", words),
    tag("itunes:keywords", words),
    tag("category", words),
    tag("itunes:duration", st.sampled_from(["61", "1:02:03", "02:03", "soon"])),
    tag("itunes:season", st.integers(0, 99).map(str)),
    tag("itunes:episode", st.integers(0, 9999).map(str)),
    tag("itunes:explicit", st.sampled_from(["yes", "Yes", "true", "no", "clean"])),
    attribute("itunes:image", "href", pages),
    attribute("podcast:chapters", "url", pages),
    tag("itunes:episodeType", st.sampled_from(["full", "Bonus"])),
    tag("itunes:block", st.sampled_from(["Yes", "no"])),
    st.lists(
        st.builds(lambda url: f"<media:content url={quoteattr(url)} type='audio/mpeg' fileSize='5'/>", addresses),
        max_size=2,
    ).map("".join),
)
channels = joined(
    tag("title", words),
    tag("link", pages),
    tag("description", words),
    tag("language", st.sampled_from(["en", "de-DE"])),
    tag("itunes:summary", words),
    tag("itunes:subtitle", words),
    tag("itunes:keywords", words),
    tag("category", words),
    tag("managingEditor", st.sampled_from(["ada@example.com (Ada)", "ada@example.com", "Ada"])),
    tag("webMaster", st.sampled_from(["bob@example.com (Bob)"])),
    tag("dc:creator", names),
    tag("itunes:author", names),
    st.sampled_from(
        ["", "<itunes:owner><itunes:name>Eve</itunes:name><itunes:email>e@a.example</itunes:email></itunes:owner>"]
    ),
    st.sampled_from(
        ["", "<image><url>https://a.example/i.png</url><title>x</title><link>https://a.example/y</link></image>"]
    ),
    attribute("itunes:image", "href", pages),
    tag("itunes:explicit", st.sampled_from(["yes", "true", "no"])),
    tag("itunes:new-feed-url", pages),
    tag("ttl", st.sampled_from(["60", "often"])),
    tag("itunes:type", st.sampled_from(["serial"])),
    tag("itunes:complete", st.sampled_from(["Yes", "no"])),
    st.lists(
        st.builds(
            lambda outer, inner: f"<itunes:category text={quoteattr(outer)}>{inner}</itunes:category>",
            st.sampled_from(["Technology", "News & Politics", "Żółw"]),
            st.sampled_from(["", "<itunes:category text='Tech News'/>"]),
        ),
        max_size=3,
    ).map("".join),
    st.sampled_from(["", "<atom:link rel='self' href='https://a.example/'/><atom:link rel='next' href='?page=2'/>"]),
)
more_namespaces = (
    ' xmlns:psc="http://podlove.org/simple-chapters" xmlns:media="http://search.yahoo.com/mrss/"'
    ' xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    ' xmlns:dcterms="http://purl.org/dc/terms/"'
)
OLDER = NAMESPACES.replace("https://podcastindex.org/namespace/1.0", PODCAST_NAMESPACE_ON_GITHUB)


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(channels, st.lists(items, max_size=4))
@example("", ["<guid>Ã\x92</guid><enclosure url='https://a.example/a.mp3'/>"])  # the bytes of Ò, as characters
def test_both_readers_make_the_same_of_well_formed_rss(channel: str, some: list[str]) -> None:
    body = feed_of(*some, channel=channel, namespaces=NAMESPACES + more_namespaces)
    assert rss.read(body, URL) == tolerant.read(body, URL)


BREAKS = [(b"</rss>", b""), (b"</channel></rss>", b"<p></channel></rss>"), (b"</channel></rss>", b"<br>&nbsp;</rss>")]


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(channels, st.lists(items, max_size=4), st.sampled_from(BREAKS))
def test_a_feed_that_breaks_says_what_it_said_before(
    channel: str, some: list[str], change: tuple[bytes, bytes]
) -> None:
    body = feed_of(*some, channel=channel, namespaces=NAMESPACES + more_namespaces)
    assert tolerant.read(body.replace(*change), URL) == rss.read(body, URL)


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(channels, st.lists(items, min_size=1, max_size=4), st.sampled_from(["podcast", "itunes", "content", "media"]))
def test_what_is_wrong_with_single_characters_changes_nothing(channel: str, some: list[str], prefix: str) -> None:
    whole = feed_of(*some, AUDIO, channel=channel, namespaces=NAMESPACES + more_namespaces)
    broken = re.sub(rb"&amp;(?![a-zA-Z0-9#]+;)", b"&", whole).replace(f" xmlns:{prefix}=".encode(), b" x=")
    broken = broken.replace(b"<item>", b"<item>\x08\x1b&#8;", 1)
    assert read_feed(broken, "", URL) == read_feed(whole, "", URL)


@settings(max_examples=examples(50), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(channels, st.lists(items, max_size=4))
def test_a_feed_that_is_read_by_and_by_is_the_same_as_one_that_is_read_at_once(channel: str, some: list[str]) -> None:
    body = feed_of(*some, channel=channel, namespaces=NAMESPACES + more_namespaces)
    at_once = rss.read(body, URL)
    with patch.object(rss, "_AT_ONCE", 0):
        assert rss.read(body, URL) == at_once


sentences = st.one_of(
    st.from_regex(assemble._SENTENCES, fullmatch=True),
    st.lists(st.sampled_from(["a", "A.", "I.", "e.g.", "1", "12", "x,", "Chapter", "No", "at", "www", "B!"])).map(
        " ".join
    ),
).filter(assemble._SENTENCES.fullmatch)


@settings(max_examples=examples(300), deadline=None)
@given(sentences)
def test_a_description_without_markup_is_what_the_reader_of_notes_makes_of_it(text: str) -> None:
    assert words_of(read_notes(text)) == text


markup = st.lists(
    st.sampled_from(
        [
            "<a ",
            "<img ",
            "href",
            "src",
            "=",
            " ",
            "\n",
            '"',
            "'",
            "#",
            "/1",
            "https://a.example",
            "x:",
            "?p=1",
            ">",
            "</a>",
        ]
    ),
    max_size=14,
).map("".join)


@settings(max_examples=examples(300), deadline=None)
@given(markup, st.sampled_from(["<a href='/1'>", '<img alt="" src = "a.png">', "<a title='x' href=\n'b'>", ""]))
def test_the_quick_look_for_relative_addresses_finds_every_one(some: str, link: str) -> None:
    notes = f"{some}{link}"
    assert assemble._PERHAPS_RELATIVE.search(notes) or not assemble._RELATIVE.search(notes)


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    st.lists(st.one_of(podcast_tags, podcast_tags, skipped), max_size=6).map("".join),
    st.lists(st.lists(st.one_of(podcast_tags, podcast_tags, psc_chapters), max_size=6).map("".join), max_size=2),
    st.sampled_from([NAMESPACES, OLDER]),
    st.sampled_from(["podcast", "pc"]),
)
def test_both_readers_make_the_same_of_podcasting_2_0(
    channel: str, some: list[str], namespaces: str, prefix: str
) -> None:
    body = feed_of(*(AUDIO + inside for inside in some), channel=channel, namespaces=namespaces + more_namespaces)
    body = body.replace(b"podcast:", f"{prefix}:".encode()).replace(b"xmlns:podcast=", f"xmlns:{prefix}=".encode())
    assert rss.read(body, URL) == tolerant.read(body, URL)


def test_both_readers_make_the_same_of_the_built_in_show() -> None:
    body = resource("feed.xml")
    feed = rss.read(body, WELCOME_URL)
    assert feed == tolerant.read(body, WELCOME_URL)
    assert len(feed.episodes) == 3
    assert all(episode.url.startswith("earmark:welcome/") for episode in feed.episodes)
    assert all(episode.chapters_url and episode.transcripts for episode in feed.episodes)
