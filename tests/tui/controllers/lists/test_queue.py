"""Keys of the queue: shown at once, asked of the player, and said in a few words with what came of it."""

from collections.abc import Callable
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any, cast

import pytest

from player.errors import LibraryError
from player.model.episode import Episode
from player.player import Player
from tests.tui.controllers.fake import FakePlayer, FakeTargets, FakeUi, episode, playing
from tui.controllers.lists.queue import QueueController
from tui.drawing.labels import ordinal


def answered(result: Any) -> "Future[Any]":
    future: Future[Any] = Future()
    if isinstance(result, Exception):
        future.set_exception(result)
    else:
        future.set_result(result)
    return future


class Keys:
    """`queue` is what the library has once the act is done, `changed` the act's answer."""

    def __init__(self, *episodes: Episode, queue: tuple[int, ...] = (), changed: Any = ()) -> None:
        answer = answered(changed)
        self.player, self.ui = FakePlayer(queue_last=answer, queue_next=answer), FakeUi()
        self.player.library = SimpleNamespace(queue=SimpleNamespace(ids=lambda: queue))
        targets = FakeTargets(*episodes)
        self.shown = targets.shown
        self.controller = QueueController(cast(Player, self.player), self.ui, targets)


def test_e_shows_the_episode_as_queued_and_says_where_it_stands() -> None:
    keys = Keys(episode(3), queue=(7, 8, 3), changed=[3])
    keys.controller.add()
    assert [one.queued for one in keys.shown] == [True]
    assert keys.player.made == [("queue_last", (3,))]
    assert keys.ui.messages == ["Queued · 3rd"]


def test_its_place_is_read_on_the_thread_that_writes_even_if_it_has_been_written_already() -> None:
    keys = Keys(episode(3), queue=(3,), changed=[3])
    asked: list[Callable[[], str]] = []

    def then(reading: Callable[[], str]) -> "Future[str]":
        asked.append(reading)
        return Future()

    keys.player.acts.then = then  # type: ignore[method-assign]
    keys.controller.add()
    assert keys.ui.messages == []
    assert [reading() for reading in asked] == ["Queued · 1st"]


def test_what_is_queued_stays_where_it_is_and_is_named_so() -> None:
    keys = Keys(episode(8), queue=(7, 8, 3), changed=[])
    keys.controller.add()
    assert keys.ui.messages == ["Already in the queue · 2nd"]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ([1, 2], "2 episodes queued · <undo> undoes"),
        ([2], "1 episode queued · 1 already in the queue · <undo> undoes"),
        ([], "All are in the queue already"),
    ],
)
def test_several_are_counted(changed: list[int], words: str) -> None:
    keys = Keys(episode(1), episode(2), queue=(1, 2), changed=changed)
    keys.controller.add()
    assert keys.player.made == [("queue_last", (1, 2))]
    assert keys.ui.messages == [words]


def test_capital_e_plays_next() -> None:
    keys = Keys(episode(3), changed=[3])
    keys.controller.add_next()
    assert keys.player.made == [("queue_next", (3,))]
    assert keys.ui.messages == ["Plays next"]


def test_what_is_playing_is_not_said_to_play_next() -> None:
    keys = Keys(episode(1), changed=[1])
    keys.player.status = playing()
    keys.controller.add_next()
    assert keys.ui.messages == ["Playing now"]


def test_an_act_that_fails_says_nothing_here() -> None:
    keys = Keys(episode(3), changed=LibraryError("The disk is full"))
    keys.controller.add()
    assert keys.ui.messages == []


def test_ranks_are_written_as_people_write_them() -> None:
    wanted = {1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 13: "13th", 21: "21st", 1112: "1,112th"}
    assert {number: ordinal(number) for number in wanted} == wanted
