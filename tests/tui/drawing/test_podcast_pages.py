"""The page about a podcast, whatever its feed says."""

import time
from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from player.feeds.parsing.parse import read_feed
from player.library import Library
from player.library.statistics import PodcastStatistics
from player.model.feed import FeedState
from player.model.podcast import Podcast, PodcastId
from player.paths import Paths
from tests.player.feeds.parsing.making import item, rss
from tests.player.library.helpers import by_guid
from tui.drawing.podcast_pages import about_sheet
from tui.drawing.runs import width_of
from tui.look.glyphs import UNICODE

MB = 1_000_000
UNITS = ("a\n", "a ", "🇩🇪", "a\u0301", "https://a.b/ ")


def many(element: str, count: int = 10_000) -> str:
    return "".join(element.format(number) for number in range(count))


@pytest.mark.parametrize(
    "inside",
    [
        *(f"<description>{(unit * 5 * MB)[: 5 * MB]}</description>" for unit in UNITS),
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
        page = about_sheet(library.statistics.facts(podcast.id), [], 76, UNICODE)
        assert time.process_time() - start < 1  # measured: 0.07 to 0.15
    finally:
        library.close()
    assert 1_000 < len(page.lines) < 25_000
    assert max(map(width_of, page.lines)) <= 76


def test_how_many_and_how_long_is_wrapped_on_a_narrow_page() -> None:
    podcast = Podcast(PodcastId(1), "https://a.example/feed", "A show", episode_count=200)
    day = datetime(2026, 3, 1, tzinfo=UTC)
    facts = PodcastStatistics(podcast, total_ms=400 * 3_600_000, average_ms=7_200_000, first=day, latest=day)
    page = about_sheet(facts, [], 40, UNICODE)
    text = ["".join(run.text for run in line) for line in page.lines]
    assert text[text.index("Episodes") + 1 :][:2] == ["200 episodes · 400 h total", "2 h on average"]
    assert max(map(width_of, page.lines)) <= 40


@pytest.mark.parametrize("columns", [8, 20, 76])
def test_episodes_of_any_year_fit_the_plot(columns: int) -> None:
    podcast = Podcast(PodcastId(1), "https://a.example/feed", "A show")
    years = tuple(((year, 1), 1) for year in range(1, 10_000, 333))
    facts = PodcastStatistics(podcast, first=datetime(1, 1, 2, tzinfo=UTC), months=years)
    assert len(about_sheet(replace(facts, podcast=podcast), [], columns, UNICODE).lines) > 5
