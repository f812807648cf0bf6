"""What another program changes in the library through a running Earmark."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from player.events import EpisodesChanged, PodcastRemoved, QueueChanged
from player.integrations.orders import answer
from player.library.listening.queue import QueueOrder
from player.model.episode import EpisodeId
from player.paths import Paths
from player.player import Player
from player.settings import Playback, Settings
from tests.player.integrations.fake_session import FakeSession
from tests.player.library.helpers import URL, apply_feed, episode


@pytest.fixture
def player(paths: Paths) -> Iterator[Player]:
    made = Player(paths, Settings(playback=Playback(engine="silent")))
    made.open()
    yield made
    made.close()


@pytest.fixture
def ids(player: Player) -> list[EpisodeId]:
    podcast = player.library.podcasts.add(URL, "A show")
    return list(apply_feed(player.library, podcast, *(episode(number) for number in range(4))).new)


class Room:
    """A program that asks, and a listener who is told."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self.told: list[str] = []

    def ask(self, command: str, **arguments: Any) -> dict[str, Any]:
        line = json.dumps({"command": command, **arguments}).encode()
        return answer(line, FakeSession(), acts=self._player.acts, tell=self.told.append)

    def queue(self) -> list[int]:
        return list(self._player.library.queue.ids())


@pytest.fixture
def room(player: Player) -> Room:
    return Room(player)


def test_what_is_undone_and_redone_is_answered_and_told(room: Room, player: Player, ids: list[EpisodeId]) -> None:
    player.acts.set_starred(ids[:1], True).result(10)
    act = {"kind": "starred", "title": "Episode 0", "count": 1}
    undone = room.ask("undo")
    assert (undone["ok"], undone["act"], undone["status"]["state"]) == (True, act, "paused")
    assert not player.library.episodes.get(ids[0]).starred
    assert room.ask("redo")["act"] == act
    assert player.library.episodes.get(ids[0]).starred
    assert room.ask("redo")["act"] is None
    assert room.told == ["Undone: starred “Episode 0”", "Redone: starred “Episode 0”"]


def test_the_queue_is_changed_and_the_screen_hears_of_it(room: Room, player: Player, ids: list[EpisodeId]) -> None:
    heard: list[object] = []
    player.bus.subscribe(QueueChanged, heard.append)
    player.bus.subscribe(EpisodesChanged, heard.append)
    a, b, c, d = ids
    assert room.ask("queue", change="add", episodes=[a, b, a])["changed"] == [a, b]
    assert len(heard) == 2
    assert room.ask("queue", change="next", episodes=[c])["changed"] == [c]
    assert room.queue() == [c, a, b]
    assert room.ask("queue", change="move", episodes=[c], by=5)["ok"]
    assert room.queue() == [a, b, c]
    room.ask("queue", change="sort", order=QueueOrder.OLDEST)
    assert room.queue() == [c, b, a]
    assert room.ask("queue", change="remove", episodes=[b, d])["changed"] == [b]
    assert sorted(room.ask("queue", change="clear")["changed"]) == sorted([a, c])
    assert room.ask("queue", change="shuffle")["changed"] == []
    assert room.ask("queue", change="mix")["changed"] == []


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        ({}, "change must be one of add, next, remove, move, sort, shuffle, mix, clear"),
        ({"change": ["add"]}, "change must be one of"),
        ({"change": "add"}, "episodes must be a list of IDs"),
        ({"change": "add", "episodes": []}, "episodes must be a list of IDs"),
        ({"change": "add", "episodes": [1, True]}, "episodes must be a list of IDs"),
        ({"change": "add", "episodes": [1 << 70]}, "episodes must be a list of IDs"),
        ({"change": "add", "episodes": [1], "by": 1}, 'Unknown argument "by"'),
        ({"change": "move", "episodes": [1]}, "by must be a whole number"),
        ({"change": "sort", "order": "loudest"}, "order must be one of oldest, newest, podcast, shortest, longest"),
        ({"change": "clear", "episodes": [1]}, 'Unknown argument "episodes"'),
    ],
)
def test_what_cannot_be_meant_is_refused_and_changes_nothing(
    room: Room, ids: list[EpisodeId], asked: dict[str, Any], error: str
) -> None:
    room.ask("queue", change="add", episodes=[ids[0]])
    refused = room.ask("queue", **asked)
    assert refused["ok"] is False
    assert error in refused["error"]
    assert room.queue() == [ids[0]]


def test_a_podcast_that_cannot_come_back_is_refused_with_the_reason(room: Room, player: Player) -> None:
    podcast = player.library.podcasts.add(URL, "A show")
    apply_feed(player.library, podcast, episode(1))
    player.acts.unsubscribe(podcast.id).result(10)
    again = player.library.podcasts.add(URL, "A show")
    (one,) = apply_feed(player.library, again, episode(1)).new
    player.acts.set_starred([one], True).result(10)
    room.ask("undo")
    player.library.episodes.set_starred([one], True)
    refused = room.ask("undo")
    assert refused["ok"] is False
    assert refused["error"]
    assert "log" not in refused["error"]


def test_a_podcast_is_removed_and_the_listener_told(room: Room, player: Player, ids: list[EpisodeId]) -> None:
    heard: list[PodcastRemoved] = []
    player.bus.subscribe(PodcastRemoved, heard.append)
    podcast_id = player.library.episodes.get(ids[0]).podcast_id
    assert room.ask("remove", podcast=podcast_id)["removed"] == "A show"
    assert heard == [PodcastRemoved(podcast_id)]
    assert room.told == ["Unsubscribed from “A show”"]
    assert room.ask("remove", podcast=podcast_id)["removed"] is None
    assert len(room.told) == 1
    room.ask("undo")
    assert player.library.episodes.get(ids[0]).podcast == "A show"


@pytest.mark.parametrize(
    "asked", [{}, {"podcast": "1"}, {"podcast": 0}, {"podcast": 1 << 70}, {"podcast": 1, "yes": 1}]
)
def test_only_a_podcast_can_be_removed(room: Room, ids: list[EpisodeId], asked: dict[str, Any]) -> None:
    assert room.ask("remove", **asked)["ok"] is False


def test_without_a_library_to_change_these_commands_are_not_known() -> None:
    assert "Unknown command" in answer(b'{"command": "undo"}', FakeSession())["error"]
