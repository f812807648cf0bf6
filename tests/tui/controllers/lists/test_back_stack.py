"""The way back through the lists that were shown."""

from types import SimpleNamespace
from typing import cast

from player.errors import NotFound
from player.model.episode import Episode, EpisodeId
from player.model.filters import View, ViewName
from player.model.podcast import PodcastId
from tests.tui.controllers.fake import FakeMain, FakePlayer, episode
from tui.controllers.lists.back_stack import BackStack
from tui.controllers.lists.list import ListController, Spot


class Lists(FakeMain):
    """A screen with a list, which the stack asks what is shown, and tells what to show again."""

    def __init__(self) -> None:
        super().__init__()
        self.here: Spot = (View(), None)
        self.player = FakePlayer()
        self.ui = self
        self.back_stack = BackStack(cast(ListController, self))

    @property
    def spot(self) -> Spot:
        return self.here

    def show_list(self, view: View, episode_id: EpisodeId | None = None) -> None:
        self.here = view, episode_id

    def go(self, number: int) -> Spot:
        """Leaves for the list of a podcast."""
        self.back_stack.leave()
        self.here = View.of(ViewName.PODCAST, PodcastId(number)), EpisodeId(number)
        return self.here


def test_back_goes_through_the_lists_that_were_left_and_says_where_it_ends() -> None:
    lists = Lists()
    start, first = lists.here, lists.go(1)
    lists.go(2)
    lists.back_stack.back()
    assert lists.here == first
    lists.back_stack.back()
    assert lists.here == start
    lists.back_stack.back()
    assert lists.here == start
    assert lists.messages == ["This is where you started"]


def test_a_list_that_is_left_twice_from_one_row_is_one_step() -> None:
    lists = Lists()
    start = lists.here
    lists.back_stack.leave()
    lists.go(1)
    lists.back_stack.back()
    assert lists.here == start
    lists.back_stack.back()
    assert lists.messages == ["This is where you started"]


def test_the_way_back_has_an_end() -> None:
    lists = Lists()
    for number in range(1, 100):
        lists.go(number)
    steps = 0
    while not lists.messages:
        lists.back_stack.back()
        steps += 1
    assert steps == 51


async def test_the_list_of_an_episode_is_a_step_and_one_that_is_gone_a_sentence() -> None:
    def read(episode_id: EpisodeId) -> Episode:
        if episode_id != 7:
            raise NotFound("There is no such episode", "Choose another.")
        return episode(7)

    lists = Lists()
    start = lists.here
    subscription = SimpleNamespace(get=lambda _id: SimpleNamespace(previewed=False))
    lists.player.library = SimpleNamespace(episodes=SimpleNamespace(get=read), podcasts=subscription)
    lists.back_stack.go_to_episode(EpisodeId(7))
    await lists.finish()
    assert lists.here == (View.of(ViewName.PODCAST, PodcastId(1)), EpisodeId(7))
    lists.back_stack.go_to_episode(EpisodeId(8))
    await lists.finish()
    assert lists.messages == ["There is no such episode"]
    lists.back_stack.back()
    assert lists.here == start
