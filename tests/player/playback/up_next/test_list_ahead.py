"""A list that plays on and takes long to read: nothing waits for it."""

from array import array
from collections.abc import Iterator
from threading import Event

import pytest

from player.errors import LibraryError
from player.events import ListsChanged
from player.library import Library
from player.library.listening.lists import Continued
from player.model.episode import EpisodeId
from player.model.filters import View
from player.model.playback import PlaybackState
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.playback.support import DEADLINE_S, wait_until
from tests.player.playback.up_next.stage import Stage

Ids = tuple[EpisodeId, ...]


@pytest.fixture
def ids(library: Library) -> Ids:
    """Six episodes of one podcast, the newest first."""
    return apply_feed(library, library.podcasts.add(URL, "A show"), *(episode(number) for number in range(6))).new


@pytest.fixture
def smart(library: Library, ids: Ids) -> View:
    """The oldest five, the oldest first."""
    view = View.of_list(library.lists.add("Oldest", "sort:oldest limit:5").id)
    library.continued.set(view, False)
    return view


@pytest.fixture
def may_read(monkeypatch: pytest.MonkeyPatch) -> Iterator[Event]:
    """Until it is set, what comes next in the list is still being read."""
    allowed, read = Event(), Continued.next_ids

    def slow(self: Continued, view: View, after: EpisodeId, most: int) -> "array[int]":
        assert allowed.wait(DEADLINE_S)
        return read(self, view, after, most)

    monkeypatch.setattr(Continued, "next_ids", slow)
    yield allowed
    allowed.set()


@pytest.fixture
def stage(library: Library, may_read: Event) -> Iterator[Stage]:
    made = Stage(library)
    yield made
    may_read.set()
    made.close()


def test_keys_and_positions_go_on_while_a_list_is_read(stage: Stage, ids: Ids, smart: View, may_read: Event) -> None:
    stage.play(ids[4], view=smart)
    stage.toggle()
    assert (stage.state, stage.next) == (PlaybackState.PAUSED, None)
    stage.toggle()
    stage.listen(5)
    assert stage.library.progress.position(ids[4]) is not None
    may_read.set()
    wait_until(lambda: stage.next == ids[3], "the next one")


def test_a_list_that_was_read_says_what_plays_while_it_is_read_again(
    stage: Stage, ids: Ids, smart: View, may_read: Event
) -> None:
    may_read.set()
    stage.play(ids[5], view=smart)
    wait_until(lambda: stage.next == ids[4])
    may_read.clear()
    stage.bus.publish(ListsChanged())
    stage.library.episodes.set_played([ids[3]], True)
    stage.skip()
    assert (stage.playing, stage.next) == (ids[4], ids[2]), "what was played meanwhile is left out"
    stage.finish()
    assert (stage.playing, stage.next) == (ids[2], ids[1])


def test_who_skips_before_the_list_was_read_hears_the_right_one(stage: Stage, ids: Ids, smart: View) -> None:
    stage.play(ids[4], view=smart)
    stage.skip()
    assert stage.playing == ids[3]


def test_a_list_that_no_longer_plays_on_is_known_at_once(stage: Stage, ids: Ids, smart: View, may_read: Event) -> None:
    may_read.set()
    stage.play(ids[5], view=smart)
    wait_until(lambda: stage.next == ids[4])
    may_read.clear()
    stage.library.continued.set(smart, None)
    stage.bus.publish(ListsChanged())
    stage.settle()
    assert stage.next is None


def test_a_list_that_can_t_be_read_is_read_at_its_next_change(
    stage: Stage, ids: Ids, smart: View, may_read: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_read.set()
    read, broken = Continued.next_ids, Event()

    def fails(self: Continued, view: View, after: EpisodeId, most: int) -> "array[int]":
        broken.set()
        raise LibraryError("The disk is gone")

    monkeypatch.setattr(Continued, "next_ids", fails)
    stage.play(ids[5], view=smart)
    assert broken.wait(DEADLINE_S)
    assert stage.next is None
    monkeypatch.setattr(Continued, "next_ids", read)
    stage.bus.publish(ListsChanged())
    wait_until(lambda: stage.next == ids[4])
