"""The list of a podcast that is previewed, read from a real library, and what its head says."""

from collections.abc import Iterator
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any, cast

import pytest

from player.library import Library, Listing, RowsRead
from player.model.podcast import Podcast, PodcastId
from player.paths import Paths
from player.player import Player
from tests.player.library.helpers import URL, apply_feed, episode
from tests.tui.controllers.fake import FakePlayer, FakeUi
from tui.controllers.preview import PreviewController, Wanted
from tui.controllers.ui import LibraryReader
from tui.widgets.episodes_pane import EpisodesPane


class PreviewUi(FakeUi):
    def list_changed(self) -> None:
        """Nothing is drawn."""

    def go_to_library(self, podcast_id: PodcastId) -> None:
        self.podcasts.append(podcast_id)


class Pane:
    """`title` and `facts` are its head, `titles` its rows."""

    episode_id, cursor = None, 0

    def __init__(self) -> None:
        self.episodes = self
        self.title = ""
        self.facts: list[str] = []
        self.titles: list[str] = []
        self.empty = ""

    def row_count(self) -> int:
        return len(self.titles)

    def show(self, listing: Listing, row: int | None, empty: str, *, read: RowsRead) -> None:
        self.titles, self.empty = [one.title for one in read.rows], empty

    def show_head(self, title: str, facts: tuple[str, ...], trouble: str) -> None:
        self.title, self.facts = title, list(facts)


@pytest.fixture
def library(paths: Paths) -> Iterator[Library]:
    made = Library(paths)
    made.open()
    yield made
    made.close()


def done(result: Podcast) -> "Future[Podcast]":
    future: Future[Podcast] = Future()
    future.set_result(result)
    return future


async def test_the_head_says_that_the_feed_is_fetched_then_how_much_of_it_there_is_and_what_it_is(
    library: Library,
) -> None:
    def subscribe(podcast_id: PodcastId) -> "Future[Podcast]":
        library.previews.subscribe(podcast_id)
        return done(library.podcasts.get(podcast_id))

    opening: Future[Podcast] = Future()
    ui, pane, player = PreviewUi(), Pane(), cast(Any, FakePlayer())
    player.library = library
    player.previews = SimpleNamespace(open=lambda _url: opening, subscribe=subscribe)
    controller = PreviewController(
        cast(Player, player), ui, LibraryReader(ui), cast(EpisodesPane, pane), Wanted(URL, "A find")
    )
    controller.open()
    assert (pane.title, pane.facts) == ("A find", ["Fetching feed…"])
    found = library.previews.add(URL, "A show")
    apply_feed(library, found, episode(1), episode(2))
    opening.set_result(library.podcasts.get(found.id))
    await ui.finish()
    assert pane.titles == ["Episode 1", "Episode 2"]
    assert (pane.title, pane.facts[-1]) == ("A show", "preview")
    assert "preview · 2 episodes" in pane.facts
    controller.filter("episode 2")
    await ui.finish()
    assert (pane.titles, pane.facts) == (["Episode 2"], ["preview · 1 match", "preview"])
    controller.filter("nowhere")
    await ui.finish()
    assert pane.empty == "No titles match “nowhere”. Press <back> to clear."
    controller.filter("")
    controller.subscribe()
    await ui.finish()
    assert "subscribed · 2 episodes" in pane.facts
