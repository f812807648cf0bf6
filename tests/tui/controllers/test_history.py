"""The way back through the lists that were shown."""

from player.model.episode import EpisodeId
from player.model.filters import View, ViewName
from player.model.podcast import PodcastId
from tui.controllers.history import ListHistory, Spot


class Lists:
    """A list, of which the history hears where it is and which it takes back."""

    def __init__(self) -> None:
        self.here: Spot = (View(), None)
        self.said: list[str] = []
        self.history = ListHistory(lambda: self.here, self.show, self.said.append)

    def show(self, view: View, episode_id: EpisodeId | None) -> None:
        self.here = view, episode_id

    def go(self, number: int) -> Spot:
        """Leaves for the list of a podcast."""
        self.history.leave()
        self.here = View.of(ViewName.PODCAST, PodcastId(number)), EpisodeId(number)
        return self.here


def test_back_goes_through_the_lists_that_were_left_and_says_where_it_ends() -> None:
    lists = Lists()
    start, first = lists.here, lists.go(1)
    lists.go(2)
    lists.history.back()
    assert lists.here == first
    lists.history.back()
    assert lists.here == start
    lists.history.back()
    assert lists.here == start
    assert lists.said == ["This is where you started"]


def test_a_list_that_is_left_twice_from_one_row_is_one_step() -> None:
    lists = Lists()
    start = lists.here
    lists.history.leave()
    lists.go(1)
    lists.history.back()
    assert lists.here == start
    lists.history.back()
    assert lists.said == ["This is where you started"]


def test_the_way_back_has_an_end() -> None:
    lists = Lists()
    for number in range(1, 100):
        lists.go(number)
    steps = 0
    while not lists.said:
        lists.history.back()
        steps += 1
    assert steps == 51
