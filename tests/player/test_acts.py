"""What a listener does with episodes: on the disk, published, and taken back as a whole."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from player.acts import Acts
from player.events import Cause, EpisodesChanged, EpisodesMarked, InboxChanged, Mark, PodcastAdded, QueueChanged
from player.library import Library
from player.library.listening.acts import undone_words
from player.library.listening.queue import QueueOrder
from player.model.episode import EpisodeId
from player.model.listening import ActKind
from player.paths import Paths
from player.player import Player
from player.settings import Settings
from tests.player.library.helpers import URL, apply_feed, episode


@pytest.fixture
def player(paths: Paths) -> Iterator[Player]:
    opened = Player(paths, Settings())
    opened.open()
    yield opened
    opened.close()


@pytest.fixture
def ids(player: Player) -> list[EpisodeId]:
    found = apply_feed(player.library, player.library.podcasts.add(URL, "A show"), *map(episode, range(4))).new
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


# -- moves of one row ---------------------------------------------------------------------------------------------


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(player: Player) -> Clock:
    clock = Clock()
    player.acts._clock = clock
    return clock


def kinds(player: Player) -> list[str]:
    """Of all acts, the last first; what was undone isn't done again."""
    found = []
    while (reverted := player.acts.undo().result(10)) is not None:
        found.append(reverted.act.kind.value)
    return found


def test_moves_of_a_row_in_quick_succession_are_undone_together(
    player: Player, ids: list[EpisodeId], clock: Clock
) -> None:
    a, b, c, d = ids
    player.acts.queue_last(ids).result(10)
    for _ in range(3):
        player.acts.move_in_queue([d], -1).result(10)
        clock.now += 9.9
    assert queue(player) == [d, a, b, c]
    undone = player.acts.undo().result(10)
    assert undone is not None
    assert (undone.act.kind, undone.act.title) == (ActKind.MOVED, "Episode 3")
    assert queue(player) == [a, b, c, d]
    player.acts.redo().result(10)
    assert queue(player) == [d, a, b, c]
    assert kinds(player) == ["moved", "queued"]


def test_a_row_that_comes_back_to_where_it_was_leaves_nothing_to_undo(
    player: Player, ids: list[EpisodeId], clock: Clock
) -> None:
    player.acts.queue_last(ids).result(10)
    player.acts.move_in_queue(ids[:1], 1).result(10)
    player.acts.move_in_queue(ids[:1], -1).result(10)
    player.acts.move_in_queue(ids[:1], 2).result(10)
    player.acts.move_in_queue(ids[:1], -2).result(10)
    assert kinds(player) == ["queued"]


def test_moves_of_another_row_later_or_after_something_else_are_acts_of_their_own(
    player: Player, ids: list[EpisodeId], clock: Clock
) -> None:
    acts = player.acts
    acts.queue_last(ids).result(10)
    acts.move_in_queue(ids[:1], 1).result(10)
    acts.move_in_queue(ids[1:2], 1).result(10)
    acts.move_in_queue(ids[:1], 1).result(10)
    clock.now += 10.1
    acts.move_in_queue(ids[:1], 1).result(10)
    acts.set_starred(ids[:1], True).result(10)
    acts.move_in_queue(ids[:1], -1).result(10)
    assert kinds(player) == ["moved", "starred", "moved", "moved", "moved", "moved", "queued"]


def test_a_move_after_an_undone_one_is_no_part_of_those_before(
    player: Player, ids: list[EpisodeId], clock: Clock
) -> None:
    a, b, c, d = ids
    player.acts.queue_last(ids).result(10)
    player.acts.move_in_queue([a], 1).result(10)
    player.acts.set_starred([b], True).result(10)
    player.acts.undo().result(10)
    player.acts.move_in_queue([a], 1).result(10)
    player.acts.undo().result(10)
    assert queue(player) == [b, a, c, d]


def test_each_move_is_on_the_disk_before_the_next(player: Player, ids: list[EpisodeId], clock: Clock) -> None:
    a, b, c, d = ids
    player.acts.queue_last(ids).result(10)
    player.acts.move_in_queue([d], -1).result(10)
    player.acts.move_in_queue([d], -1).result(10)
    crashed = Library(player.paths)
    crashed.open()
    try:
        assert list(crashed.queue.ids()) == [a, d, b, c]
        assert crashed.acts.undo() is not None
        assert list(crashed.queue.ids()) == [a, b, c, d]
    finally:
        crashed.close()
    player.acts.move_in_queue([d], -1).result(10)
    assert queue(player) == [a, b, d, c]


def test_podcasts_that_another_device_unsubscribed_at_once_come_back_at_once(player: Player) -> None:
    podcasts = [player.library.podcasts.add(f"https://example.org/{number}", f"Show {number}") for number in range(5)]
    player.acts.unsubscribe(podcasts[0].id).result(10)
    at = datetime.now(UTC)
    for one in podcasts[1:]:
        player.acts.unsubscribe(one.id, cause=Cause.SYNC, at=at).result(10)
    added: list[int] = []
    player.bus.subscribe(PodcastAdded, lambda event: added.append(event.podcast_id))

    def here() -> list[str]:
        return sorted(one.title for one in player.library.podcasts.all() if one.title.startswith("Show"))

    undone = player.acts.undo().result(10)
    assert undone
    assert undone_words(undone.act.kind, undone.act.title, undone.act.count).endswith("unsubscribed from 4 podcasts")
    assert sorted(added) == [one.id for one in podcasts[1:]]
    assert here() == ["Show 1", "Show 2", "Show 3", "Show 4"]
    player.acts.redo().result(10)
    assert here() == []
    player.acts.undo().result(10)
    player.acts.undo().result(10)
    assert here() == [f"Show {number}" for number in range(5)]
