"""A source that stands in a folder of its own is used wherever sources are, with no other file changed."""

from pathlib import Path

import pytest

import player.sources
from player.events import Bus
from player.feeds.refresh import Refresher
from player.feeds.subscribe import Subscriber
from player.library import Library
from player.model.filters import View, ViewName
from player.sources import all_sources

SOURCE = """
from datetime import UTC, datetime, timedelta

from player.feeds.check import CheckResult
from player.model.feed import Feed, FeedEpisode, FeedState
from player.model.podcast_settings import PodcastSettings


class Dice:
    def serves(self, url):
        return url.startswith("dice:")

    def address(self, text):
        return text if self.serves(text) else ""

    def settings(self):
        return PodcastSettings()

    async def behind(self, there, connections):
        return None

    async def ask(self, url, state, schedule, load, connections):
        feed = Feed(title="Dice", episodes=(FeedEpisode(guid="6", title="Six", url="https://dice.example/6.mp3"),))
        return CheckResult(url, FeedState(), feed)


def source(means):
    return Dice()
"""


def test_it_is_subscribed_to_and_refreshed(tmp_path: Path, library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "dice").mkdir()
    (tmp_path / "dice" / "__init__.py").write_text(SOURCE)
    monkeypatch.setattr(player.sources, "__path__", [*player.sources.__path__, str(tmp_path)])
    podcast = Subscriber(library, sources=all_sources()).add("dice:two")
    assert (podcast.url, podcast.title) == ("dice:two", "Dice")
    assert Refresher(library, Bus(), sources=all_sources()).refresh().failed == ()
    rows = library.episodes.rows(library.episodes.ids(View.of(ViewName.PODCAST, podcast.id)))
    assert [row.title for row in rows] == ["Six"]
