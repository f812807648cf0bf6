"""A podcast that is being added can be called off until the last moment."""

import threading
from collections.abc import Callable, Iterator

import pytest

from player.events import PodcastAdded
from player.jobs.runner import Cancelled
from player.model.podcast import Podcast
from player.paths import Paths
from player.player import Player
from player.settings import Playback, Settings
from tests.loopback import LoopbackServer
from tests.player.feeds.parsing.making import item, rss


@pytest.fixture
def player(paths: Paths) -> Iterator[Player]:
    made = Player(paths, Settings(playback=Playback(engine="silent")))
    made.open()
    yield made
    made.close()


def test_what_was_written_in_the_moment_of_the_cancelling_is_taken_back(
    player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = "https://example.org/feed"
    written, cancelled = threading.Event(), threading.Event()

    def add(address: str, storing: Callable[[str], None]) -> Podcast:
        storing(address)
        player.library.podcasts.add(address, "A show")
        written.set()
        assert cancelled.wait(10)
        raise Cancelled("That was stopped")

    monkeypatch.setattr(player.services.jobs, "add", add)
    before = player.library.podcasts.all()
    added: list[PodcastAdded] = []
    player.bus.subscribe(PodcastAdded, added.append)
    future = player.add(url)
    assert written.wait(10)
    player.cancel_add(url)
    cancelled.set()
    assert isinstance(future.exception(10), Cancelled)
    assert (player.library.podcasts.all(), added) == (before, [])


def test_what_is_there_already_stays(player: Player, server: LoopbackServer) -> None:
    url = server.page("/feed", rss(item(1)))
    podcast = player.add(url).result(10)
    player.cancel_add(url)
    assert player.library.podcasts.get(podcast.id).title == "A show"
