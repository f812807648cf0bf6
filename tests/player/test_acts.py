"""What a listener does with episodes: on the disk, published, and taken back as a whole."""

from collections.abc import Iterator

import pytest

from player.acts import Acts
from player.events import Cause, EpisodesChanged, EpisodesMarked, InboxChanged, Mark, QueueChanged
from player.library.listening.queue import QueueOrder
from player.model.acts import ActKind
from player.model.episode import EpisodeId
from player.paths import Paths
from player.player import Player
from player.settings import Settings
from tests.player.library.helpers import URL, episode, take_in


@pytest.fixture
def player(paths: Paths) -> Iterator[Player]:
    opened = Player(paths, Settings())
    opened.open()
    yield opened
    opened.close()


@pytest.fixture
def ids(player: Player) -> list[EpisodeId]:
    found = take_in(player.library, player.library.podcasts.add(URL, "A show"), *map(episode, range(4))).new
    player.library.inbox.remove([EpisodeId(one) for one in player.library.inbox.ids()])
    player.library.inbox.add(found)
    return list(found)


def queue(player: Player) -> list[int]:
    return list(player.library.queue.ids())


def test_what_is_queued_is_decided_about(player: Player, ids: list[EpisodeId]) -> None:
    assert player.acts.queue_last(ids[:2]).result(10) == ids[:2]
    assert player.acts.queue_next(ids[2:3]).result(10) == ids[2:3]
    assert queue(player) == [ids[2], *ids[:2]]
    assert list(player.library.inbox.ids()) == ids[3:]
    assert player.acts.dismiss(ids[3:]).result(10) == ids[3:]
    assert len(player.library.inbox) == 0


def test_what_is_played_is_neither_queued_nor_new(player: Player, ids: list[EpisodeId]) -> None:
    player.acts.queue_last(ids[:2])
    player.acts.set_played(ids, True).result(10)
    assert queue(player) == []
    assert len(player.library.inbox) == 0
    reverted = player.acts.undo().result(10)
    assert reverted
    assert (reverted.act.kind, reverted.act.count) == (ActKind.PLAYED, 4)
    assert queue(player) == ids[:2]
    assert not any(row.played for row in player.library.episodes.rows(ids))


def test_what_is_not_done_by_a_person_is_not_undone(player: Player, ids: list[EpisodeId]) -> None:
    player.acts.set_starred(ids, True, cause=Cause.SYNC).result(10)
    assert player.acts.undo().result(10) is None


def test_undoing_and_redoing_is_published_like_the_act(player: Player, ids: list[EpisodeId]) -> None:
    events: list[object] = []
    player.acts.set_played(ids[:1], True).result(10)
    player.bus.subscribe(object, events.append)
    player.acts.undo().result(10)
    expected = [EpisodesChanged((ids[0],)), QueueChanged(Cause.PERSON), InboxChanged(Cause.PERSON)]
    assert events == [*expected, EpisodesMarked((ids[0],), Mark.PLAYED, False, Cause.PERSON)]
    events.clear()
    player.acts.redo().result(10)
    assert events == [*expected, EpisodesMarked((ids[0],), Mark.PLAYED, True, Cause.PERSON)]


@pytest.mark.parametrize(
    "change",
    [
        lambda acts: acts.sort_queue(QueueOrder.OLDEST),
        Acts.shuffle_queue,
        Acts.clear_queue,
        lambda acts: acts.move_in_queue([1, 2, 3, 4], 1),
        Acts.mix_queue,
    ],
)
def test_a_queue_in_another_order_comes_back(player: Player, ids: list[EpisodeId], change: object) -> None:
    player.acts.queue_last(ids)
    changed = change(player.acts).result(10)  # type: ignore[operator]
    player.acts.undo().result(10)
    assert queue(player) == ids if changed else True
