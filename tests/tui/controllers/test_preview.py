"""A podcast is opened before anybody subscribes to it."""

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace

from player.errors import FeedError
from player.model.podcast import Podcast, PodcastId
from player.player import Player
from tests.tui.controllers.fake import FakeUi
from tui.controllers.preview import PreviewController, Wanted
from tui.controllers.ui import LibraryReader
from tui.widgets.episodes_pane import EpisodesPane

LOOP = Podcast(PodcastId(3), "https://loop.example/feed", "Loop", previewed=True)


class PreviewScreen(FakeUi):
    def list_changed(self) -> None:
        """Nothing is drawn."""

    def go_to_library(self, podcast_id: PodcastId) -> None:
        self.podcasts.append(podcast_id)


class Stage:
    """The feed is being read: `opening` and `subscribing` end when a test says so."""

    def __init__(self) -> None:
        self.ui = PreviewScreen()
        self.opening: Future[Podcast] = Future()
        self.subscribing: Future[Podcast] = Future()
        self.asked: list[tuple[Any, ...]] = []
        pane = SimpleNamespace(show_head=lambda *_: None, episodes=SimpleNamespace(show=lambda *_: None))
        self.preview = PreviewController(
            cast(Player, SimpleNamespace(previews=self)),
            self.ui,
            LibraryReader(self.ui),
            cast(EpisodesPane, pane),
            Wanted(LOOP.url),
        )
        self.preview.open()

    def open(self, url: str) -> Future[Podcast]:
        self.asked.append(("open", url))
        self.opening = Future()
        return self.opening

    def subscribe(self, podcast_id: PodcastId) -> Future[Podcast]:
        self.asked.append(("subscribe", podcast_id))
        return self.subscribing


@pytest.fixture
def stage() -> Stage:
    return Stage()


def test_who_subscribes_while_it_is_read_is_subscribed_as_soon_as_it_is(stage: Stage) -> None:
    for _press in range(2):
        stage.preview.subscribe()
        assert stage.ui.messages[-1] == "Subscribing once it is loaded"
    assert stage.asked == [("open", LOOP.url)]
    stage.opening.set_result(LOOP)
    assert stage.asked[1:] == [("subscribe", LOOP.id)]
    stage.subscribing.set_result(replace(LOOP, previewed=False))
    assert stage.ui.messages[-1] == "Subscribed to “Loop”"
    stage.preview.subscribe()
    assert stage.ui.messages[-1] == "You are already subscribed to “Loop”"
    assert len(stage.asked) == 2


def test_what_cannot_be_read_is_not_subscribed_to_when_it_is_read_later(stage: Stage) -> None:
    stage.preview.subscribe()
    stage.opening.set_exception(FeedError("The server has no such page", "Check the address."))
    assert stage.preview.trouble == "The server has no such page. Check the address."
    stage.preview.open()
    assert stage.preview.trouble == ""
    stage.opening.set_result(LOOP)
    assert stage.preview.podcast == LOOP
    assert stage.asked == [("open", LOOP.url)] * 2


def test_a_podcast_that_is_in_the_library_is_shown_there(stage: Stage) -> None:
    stage.opening.set_result(replace(LOOP, previewed=False))
    assert (stage.ui.podcasts, stage.preview.podcast) == ([LOOP.id], None)
