"""Whatever a feed repeats, and however often: reading it takes no longer than it is long."""

import contextlib
import gc
import json
import string
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from xml.sax.saxutils import escape, quoteattr

import pytest

from player.chapters.texts import read_json_chapters
from player.errors import NotAFeed
from player.feeds.check import decide
from player.feeds.opml import OpmlError, read_opml
from player.feeds.parsing import feed_fields, rss, tolerant
from player.feeds.parsing.recoding import mended
from player.links.urls import openable, redacted, web_address, without_secrets
from player.model.episode import EpisodeId
from player.model.feed import Feed, FeedEpisode, KnownEpisode, Merge
from player.text.cleaning import clean_block, clean_line, fold, unescape
from player.text.durations import parse_time
from player.text.times import leading, timestamps
from tests.player.feeds.parsing.making import AUDIO, NAMESPACES
from tests.quick import mostly_long, shortest

URL = "https://example.com/feed"
MB_2 = 2_000_000
BOUND_S = 1.5
"""Measured: 0.4 s at most."""
ALL = [
    *string.printable[:95],
    "\t",
    "\n",
    "\u0301",
    "\u0301\u0323",
    "日",
    "é",
    "😀",
    "&lt;",
    "<a ",
    "</",
    "a@",
    "1:",
    " a",
]
SUSPICIOUS = ["a", "0", " ", "<", "&", '"', "@", ":", "\u0301", "日"]
SPACES = (
    f"{NAMESPACES} xmlns:psc='http://podlove.org/simple-chapters' xmlns:media='http://search.yahoo.com/mrss/'"
    " xmlns:atom='http://www.w3.org/2005/Atom' xmlns:dc='http://purl.org/dc/elements/1.1/'"
)
OF_BOTH = """title link description category itunes:author itunes:summary itunes:subtitle itunes:explicit itunes:block
itunes:keywords dc:creator dc:date pubDate podcast:person podcast:location podcast:txt podcast:license podcast:funding
podcast:soundbite unknown""".split()  # noqa: SIM905
OF_ITEM = """guid content:encoded itunes:title itunes:duration itunes:season itunes:episode itunes:episodeType author
comments source media:title media:keywords podcast:season podcast:episode podcast:contentLink""".split()  # noqa: SIM905
OF_CHANNEL = """language managingEditor webMaster copyright ttl itunes:new-feed-url itunes:type itunes:complete
lastBuildDate podcast:guid podcast:updateFrequency podcast:medium podcast:locked""".split()  # noqa: SIM905
ATTRIBUTES = {
    "enclosure": "url type length", "itunes:image": "href", "itunes:category": "text", "atom:link": "href rel type",
    "media:content": "url type fileSize", "podcast:transcript": "url type language rel", "podcast:chapters": "url",
    "podcast:images": "srcset", "podcast:image": "href width", "podcast:soundbite": "startTime duration",
    "podcast:person": "role img", "podcast:value": "type suggested", "podcast:trailer": "pubdate url length",
    "podcast:alternateEnclosure": "type bitrate", "podcast:socialInteract": "uri protocol", "guid": "isPermaLink",
}  # fmt: skip


def repeated(what: str, length: int) -> str:
    return (what * (length // len(what) + 1))[:length]


def elements(names: list[str], text: str) -> Iterator[str]:
    within, quoted = escape(text), quoteattr(text)
    for name in names:
        yield f"<{name}>{within}</{name}>"
    for name, keys in ATTRIBUTES.items():
        for key in keys.split():
            yield f"<{name} {key}={quoted}/>"


def feed(inside_item: str, inside_channel: str, end: str = "") -> bytes:
    item = f"<item>{inside_item}{AUDIO}</item>"
    return f"<rss version='2.0' {SPACES}><channel>{inside_channel}{item}{end}</channel></rss>".encode()


def took(work: Callable[[], object], bound_s: float = BOUND_S) -> float:
    """Seconds of this process's own time."""

    def read() -> None:
        with contextlib.suppress(NotAFeed, rss.NotRss, OpmlError, ValueError):
            work()

    return shortest(read, bound_s)


def fast(item: str, channel: str) -> Callable[[], object]:
    body = feed(item, channel)
    return lambda: rss.read(body, URL)


def broken(item: str, channel: str) -> Callable[[], object]:
    body = feed(item, channel, end="<p>")
    return lambda: tolerant.read(mended(body), URL)


@pytest.mark.parametrize("read", [fast, broken])
@pytest.mark.parametrize("what", mostly_long(SUSPICIOUS, quick=4))
def test_long_runs_in_all_fields_together(read: Callable[[str, str], Callable[[], object]], what: str) -> None:
    text = repeated(what, 10_000)
    item, channel = "".join(elements(OF_BOTH + OF_ITEM, text)), "".join(elements(OF_BOTH + OF_CHANNEL, text))
    assert took(read(item, channel)) < BOUND_S


@pytest.mark.long
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("read", [fast, broken])
@pytest.mark.parametrize("what", ALL)
def test_two_megabytes_in_each_field(read: Callable[[str, str], Callable[[], object]], what: str) -> None:
    """What has been slow before, in each; of the others, each in a tenth of the fields. The file has two megabytes:
    `&`, which is five bytes there, comes 400,000 times."""
    text = what * (MB_2 // len(quoteattr(what)[1:-1].encode()))
    share = slice(None) if what in SUSPICIOUS else slice(ALL.index(what) % 10, None, 10)
    for one in [*elements(OF_BOTH + OF_ITEM, text)][share]:
        assert took(read(one, "")) < BOUND_S, one[:60]
        gc.collect()  # few objects, and megabytes in each: nobody else collects them in time
    for one in [*elements(OF_BOTH + OF_CHANNEL, text)][share]:
        assert took(read("", one)) < BOUND_S, one[:60]
        gc.collect()


@pytest.mark.parametrize(
    "what", ["<category>{}</category>", "<itunes:keywords>{},{}k</itunes:keywords>", "<dc:creator>{}</dc:creator>"]
)
def test_many_of_an_element_in_a_broken_feed(what: str) -> None:
    assert took(broken("".join(what.format(number, number) for number in range(5_000)), "")) < BOUND_S


def test_tags_that_never_end_in_a_broken_feed() -> None:
    assert took(broken("<podcast:a>" * 15_000 + "</podcast:b>" * 15_000, "")) < BOUND_S


def test_many_declarations_and_many_elements_in_notes() -> None:
    spaces = "".join(f" xmlns:a{number}='https://a.example/{number}'" for number in range(4_000))
    body = feed(f"<description>A{'<b/>' * 40_000}</description>", "").replace(b"<rss ", f"<rss {spaces} ".encode())
    assert took(lambda: rss.read(body, URL)) < BOUND_S
    assert rss.read(body, URL).episodes[0].notes == "A" + "<b/>" * 40_000


VALUES: list[Callable[[str], object]] = [
    clean_line, clean_block, unescape, lambda text: fold(clean_block(text)), parse_time, leading,
    lambda text: list(timestamps(text, 1)), web_address, openable, redacted, without_secrets,
    lambda text: openable(f"mailto:{text}"), lambda text: redacted(f"{text}://{text}@"),
    feed_fields.date, feed_fields.duration, feed_fields.position, feed_fields.size, feed_fields.number,
    lambda text: feed_fields.media_type(text, "https://a.example/1"),
    lambda text: feed_fields.web_url(text, URL), lambda text: leading(f"1:23{text}"),
    lambda text: list(timestamps(f"1:23{text}")),
]  # fmt: skip


@pytest.mark.parametrize(
    "what",
    mostly_long([" ", "1:23 ", "\u0301", "&#", "://", "0", "@", "\u0323\u0301", "日", "(1:23", "\x92"], quick=5),
)
def test_half_a_megabyte_of_a_value(what: str) -> None:
    text = repeated(what, 500_000)
    for number, value in enumerate(VALUES):
        assert took(lambda value=value: value(text)) < 1, number  # type: ignore[misc]


@pytest.mark.long
@pytest.mark.parametrize("what", ALL)
def test_two_megabytes_of_any_value(what: str) -> None:
    text = repeated(what, MB_2)
    for number, value in enumerate(VALUES):
        assert took(lambda value=value: value(text)) < 3, number  # type: ignore[misc]


@pytest.mark.parametrize(
    "what", [*SUSPICIOUS, "<outline text='a'>", "<outline xmlUrl='http://a'/>", "http://a ", "<!--", "&a;"]
)
def test_lists_of_podcasts(what: str) -> None:
    text = repeated(what, 500_000)
    for body in (
        text,
        f"<opml><body>{text}",
        f"<opml><body><outline text={quoteattr(text)} xmlUrl={quoteattr(text)}/>",
    ):
        assert took(lambda body=body: read_opml(body.encode(), "x")) < BOUND_S  # type: ignore[misc]


def test_a_list_of_fifty_thousand_in_deep_folders() -> None:
    nested = "<outline text='a'>" * 200 + "<outline xmlUrl='http://a.example/1'/>" * 50_000
    assert took(lambda: read_opml(f"<opml><body>{nested}".encode(), "x")) < BOUND_S


@pytest.mark.parametrize("what", [*SUSPICIOUS, "[", '{"a":', "&#"])
def test_chapters(what: str) -> None:
    text = repeated(what, MB_2)
    document = {"chapters": [{"startTime": text, "title": text, "url": text, "img": text}]}
    assert took(lambda: read_json_chapters(json.dumps(document).encode())) < BOUND_S
    assert took(lambda: read_json_chapters(text.encode())) < BOUND_S


@pytest.mark.parametrize("apart", mostly_long(["", "guid", "url"]))
def test_thirty_thousand_episodes_of_one_name_and_day(apart: str) -> None:
    day, count = datetime(2024, 1, 15, tzinfo=UTC), 30_000
    known = [
        KnownEpisode(
            EpisodeId(n),
            f"g{n}" if apart == "guid" else "",
            f"https://a.example/{n if apart else 0}",
            "One",
            day,
            1_000,
            "x",
        )
        for n in range(count)
    ]
    items = tuple(
        FeedEpisode(
            guid=f"h{n}", title="One", url=f"https://b.example/{n}", published=day, duration_ms=9_000_000
        ).signed()
        for n in range(count)
    )
    merged: list[Merge] = []
    assert took(lambda: merged.append(decide(known, Feed("T", episodes=items)))) < BOUND_S
    assert len(merged[0].new) == count
