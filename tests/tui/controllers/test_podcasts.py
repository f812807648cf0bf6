"""What is done with podcasts: each asks for what it needs, and does it only then."""

from concurrent.futures import Future
from typing import cast

from player.errors import DiskFull
from player.model.episode import Episode
from player.model.podcast import Podcast, PodcastId
from player.player import Player
from tests.tui.controllers.fake import Calls, FakePlayer, FakePodcasts, FakeUi, episode
from tui.controllers.lists.selection import Selection
from tui.controllers.podcasts import PodcastsController
from tui.controllers.refresh import RefreshController
from tui.dialogs.confirm import ConfirmScreen, LoginScreen

LOOP = Podcast(PodcastId(1), "https://h.example/feed?key=secret", "Loop")


class Selected(FakePodcasts):
    def __init__(self, episode: Episode | None = None, podcast: Podcast | None = None) -> None:
        super().__init__(podcast.id if podcast else None)
        self.episode, self.podcast = episode, podcast


class Podcasts:
    def __init__(self, episode: Episode | None = None, podcast: Podcast | None = None) -> None:
        self.kept: Future[None] = Future()
        self.removed: Future[str | None] = Future()
        self.player, self.ui = FakePlayer(remember_login=self.kept, remove=self.removed), FakeUi()
        self.ui.playback = Calls(self.player.made)
        self.controller = PodcastsController(
            cast(Player, self.player),
            self.ui,
            cast(RefreshController, Calls(self.player.made)),
            cast(Selection, Selected(episode, podcast)),
        )


def test_without_a_podcast_the_keys_say_what_to_select() -> None:
    podcasts = Podcasts()
    podcasts.controller.about()
    podcasts.controller.unsubscribe()
    podcasts.controller.sign_in()
    assert not podcasts.controller.copy_link()
    assert podcasts.player.made == []
    assert podcasts.ui.messages == [
        "Select a podcast or episode first",
        "Select a podcast to unsubscribe from it",
        "Select a podcast or episode first",
    ]


def test_unsubscribing_asks_first() -> None:
    podcasts = Podcasts(podcast=LOOP)
    podcasts.controller.unsubscribe()
    assert isinstance(podcasts.ui.dialog, ConfirmScreen)
    podcasts.ui.answer(False)
    assert podcasts.player.made == []
    podcasts.ui.answer(True)
    assert podcasts.player.made == [("remove", LOOP.id)]


def test_unsubscribed_is_said_once_it_is_written() -> None:
    podcasts = Podcasts(podcast=LOOP)
    podcasts.controller.unsubscribe()
    podcasts.ui.answer(True)
    assert podcasts.ui.messages == []
    podcasts.removed.set_result("Loop")
    assert podcasts.ui.messages == ["Unsubscribed · <undo> undoes"]


def test_on_a_full_disk_unsubscribing_says_that_the_podcast_stays() -> None:
    podcasts = Podcasts(podcast=LOOP)
    podcasts.controller.unsubscribe()
    podcasts.ui.answer(True)
    podcasts.removed.set_exception(DiskFull("No space left"))
    assert podcasts.ui.messages == []
    assert podcasts.ui.panels == [("", "You are still subscribed to “Loop”.")]


def test_signing_in_tries_again_what_needed_it_once_the_password_is_kept() -> None:
    for podcasts, again in (
        (Podcasts(episode(), LOOP), ("play_episode", 1)),
        (Podcasts(None, LOOP), ("begin", [LOOP.id])),
    ):
        podcasts.controller.sign_in()
        assert isinstance(podcasts.ui.dialog, LoginScreen)
        podcasts.ui.answer(None)
        assert podcasts.player.made == []
        podcasts.ui.answer(("me", "sesame"))
        assert [call[0] for call in podcasts.player.made] == ["remember_login"]
        podcasts.kept.set_result(None)
        assert podcasts.player.made[-1] == again


def test_the_link_of_a_podcast_is_its_website_and_else_its_feed() -> None:
    podcasts = Podcasts(podcast=LOOP)
    assert podcasts.controller.copy_link()
    ((_, address, what),) = podcasts.ui.links
    assert address.startswith("https://h.example/feed")
    assert what == "the podcast's feed"


def test_what_is_told_of_a_podcast_is_read_later() -> None:
    podcasts = Podcasts(podcast=LOOP)
    podcasts.controller.about()
    assert len(podcasts.ui.abouts) == 1
    assert podcasts.player.made == []
