"""The page about a podcast, whatever its feed says."""

import time
from datetime import date

import pytest

from player.feeds.parsing.parse import read_feed
from player.library import Library
from player.model.feed import FeedState
from player.paths import Paths
from tests.player.feeds.parsing.making import item, rss
from tests.player.library.helpers import by_guid
from tests.quick import mostly_long
from tui.drawing.about.sheet import Look, PodcastPage, about_sheet
from tui.drawing.runs import width_of
from tui.look.glyphs import UNICODE

MB = 1_000_000
LOOK = Look(76, UNICODE, date(2026, 11, 20))
UNITS = ("🇩🇪", "https://a.b/ ", "a\n", "a ", "a\u0301")


def many(element: str, count: int = 10_000) -> str:
    return "".join(element.format(number) for number in range(count))


@pytest.mark.parametrize(
    "inside",
    [
        *mostly_long((f"<description>{(unit * 5 * MB)[: 5 * MB]}</description>" for unit in UNITS), quick=2),
        many("<podcast:person href='https://a.example/{0}' role='guest'>Person {0}</podcast:person>"),
        many("<podcast:funding url='https://a.example/{0}'>Give {0}</podcast:funding>"),
        many("<itunes:category text='Topic {0}'/>"),
    ],
)  # fmt: skip
def test_a_podcast_that_says_too_much_has_a_page_all_the_same(paths: Paths, inside: str) -> None:
    seasons = (f"{item(number)}<itunes:season>{number}</itunes:season>" for number in range(1, 1_000))
    feed = read_feed(rss(*seasons, channel=f"<title>A show</title>{inside}"), "", "https://a.example/feed")
    library = Library(paths)
    library.open()
    try:
        podcast = library.podcasts.add("https://a.example/feed")
        library.podcasts.apply(podcast.id, feed, FeedState(), by_guid)
        start = time.process_time()
        page = about_sheet(PodcastPage(library.statistics.facts(podcast.id)), LOOK)
        assert time.process_time() - start < 1  # measured: 0.07 to 0.15
    finally:
        library.close()
    assert 1_000 < len(page.lines) < 25_000
    assert max(map(width_of, page.lines)) <= 76
