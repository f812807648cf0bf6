"""The directories of a running Earmark."""

import threading
from collections.abc import Iterator
from time import monotonic

import pytest

from player.directory.directory import FoundPodcast
from player.directory.searching import SearchState
from player.errors import LibraryError
from player.paths import Paths
from player.player import Player
from player.settings import Playback, Settings
from tests import directories as fake
from tests.loopback import Request

WAIT_S = 20.0


@pytest.fixture
def player(paths: Paths, world: fake.Directories) -> Iterator[Player]:
    made = Player(paths, Settings(playback=Playback(engine="silent"), directories=world.settings))
    made.open()
    yield made
    made.close()


def test_a_search_knows_what_is_subscribed_to_at_that_moment(player: Player, world: fake.Directories) -> None:
    found = [fake.gpodder_podcast("One", "https://one.example.com"), fake.gpodder_podcast("Two", fake.ONE_FEED)]
    world.says(f"{fake.GPODDER}/search.json", found)
    podcast = player.library.podcasts.add("http://one.example.com/", "One")
    search = player.directories.search("x", lambda _state: None)
    state = search.wait(WAIT_S)
    assert {one.title: one.podcast_id for one in state.found} == {"One": podcast.id, "Two": None}
    added = player.library.podcasts.add(fake.ONE_FEED, "Two")
    marked = player.directories.marked(state.found).result(WAIT_S)
    assert {one.title: one.podcast_id for one in marked} == {"One": podcast.id, "Two": added.id}
    starters = player.directories.marked(player.directories.starter_podcasts()).result(WAIT_S)
    assert [one.podcast_id is None for one in starters] == 30 * [True], "a suggestion is no subscription"
    assert player.directories is player.directories


def test_the_end_of_earmark_ends_a_search(player: Player, world: fake.Directories) -> None:
    over, begun = threading.Event(), threading.Event()

    def hang(_request: Request) -> None:
        begun.set()
        over.wait(WAIT_S)

    for path in (
        f"{fake.APPLE}/search",
        f"{fake.FYYD}/0.2/search/podcast",
        f"{fake.GPODDER}/search.json",
        f"{fake.INDEX}/api/1.0/search/byterm",
    ):
        world.does(path, hang)
    states: list[SearchState[FoundPodcast]] = []
    search = player.directories.search("x", states.append)
    assert begun.wait(WAIT_S)
    told = len(states)
    before = monotonic()
    player.close()
    assert monotonic() - before < WAIT_S / 2
    ended = search.wait(WAIT_S)
    assert ended.cancelled or ended.failed, "whichever of its parts closes first"
    assert len(states) <= told + 1 + len(ended.directories), "that they are asked, and the end of each"
    over.set()
    assert player.directories.search("y", lambda _state: None).wait(WAIT_S).failed


def test_without_a_library_that_can_be_read_podcasts_are_found_all_the_same(
    player: Player, world: fake.Directories, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.says(f"{fake.GPODDER}/search.json", [fake.gpodder_podcast("One", fake.ONE_FEED)])

    def fail() -> None:
        raise LibraryError("The library is gone")

    monkeypatch.setattr(player.library.podcasts, "all", fail)
    assert [one.title for one in player.directories.search("x", lambda _state: None).wait(WAIT_S).found] == ["One"]
