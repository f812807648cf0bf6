"""A source that stands in a folder of its own is used wherever sources are, with no other file changed."""

from pathlib import Path

import pytest

import player.sources
from player.events import Bus
from player.feeds.refresh import Refresher
from player.feeds.subscribe import Subscriber
from player.library import Library
from player.media import MediaStore
from player.model.filters import View, ViewName
from player.paths import Paths
from player.sources import all_pages, all_sources
from tests.loopback import LoopbackServer
from tests.player.media.conftest import whole
from tests.player.media.sounds import mp3

SOURCE = """
from player.feeds.check import CheckResult
from player.media.protocol import NoPages
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
        feed = Feed(title="Dice", episodes=(FeedEpisode(guid="6", title="Six", url="https://dice.example/6"),))
        return CheckResult(url, FeedState(), feed)


    def server(self, url):
        return "https://dice.example" if url.startswith("dice:") else ""

    def sign_in(self, server, name, secret, network):
        assert (server, name, secret) == ("https://dice.example", "ann", "sesame")


def source(means):
    return Dice()


class Tables(NoPages):
    def serves(self, url):
        return url.startswith("https://dice.example/")

    def audio(self, page, stopped):
        return AUDIO


def pages(network, credentials):
    return Tables()
"""


def test_a_new_source_is_subscribed_to_refreshed_signed_in_to_and_heard(
    tmp_path: Path, library: Library, paths: Paths, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = mp3(100)
    (tmp_path / "dice").mkdir()
    (tmp_path / "dice" / "__init__.py").write_text(f"AUDIO = {server.audio('/6.mp3', body)!r}\n{SOURCE}")
    monkeypatch.setattr(player.sources, "__path__", [*player.sources.__path__, str(tmp_path)])
    podcast = Subscriber(library, sources=all_sources()).add("dice:two")
    assert (podcast.url, podcast.title) == ("dice:two", "Dice")
    assert Refresher(library, Bus(), sources=all_sources()).refresh().failed == ()
    rows = library.episodes.rows(library.episodes.ids(View.of(ViewName.PODCAST, podcast.id)))
    assert [row.title for row in rows] == ["Six"]
    store = MediaStore(paths, pages=all_pages())
    assert all_sources().server("dice:two") == "https://dice.example"
    assert all_sources().sign_in("dice:two", "ann", "sesame", store.network)
    assert not all_sources().sign_in("https://example.com/feed", "ann", "sesame", store.network)
    media = store.open(rows[0], lambda: None)
    assert whole(media) == body
    media.close()
    store.close()
