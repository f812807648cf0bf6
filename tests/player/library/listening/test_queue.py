"""The queue: what is added, moved, sorted and mixed, and what it never does."""

import random
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.library import Library
from player.library.listening.queue import QueueLeft, QueueOrder, mixed, moved
from player.model.episode import EpisodeId
from player.model.filters import View, ViewName
from player.model.podcast import Podcast
from tests.player.library.helpers import apply_feed, episode

Ids: TypeAlias = tuple[EpisodeId, ...]


def test_episodes_are_added_to_the_end(library: Library, ids: Ids) -> None:
    assert library.queue.add_last([ids[2], ids[0]]) == [ids[2], ids[0]]
    assert library.queue.add_last([ids[1]]) == [ids[1]]
    assert list(library.queue.ids()) == [ids[2], ids[0], ids[1]]
    assert len(library.queue) == 3


def test_what_is_queued_already_stays_where_it_is(library: Library, ids: Ids) -> None:
    library.queue.add_last(ids)
    assert library.queue.add_last([ids[0], ids[0]]) == []
    assert list(library.queue.ids()) == list(ids)


def test_what_shall_play_next_goes_to_the_head_in_its_order(library: Library, ids: Ids) -> None:
    library.queue.add_last(ids)
    assert library.queue.add_next([ids[2], ids[1]]) == [ids[2], ids[1]]
    assert list(library.queue.ids()) == [ids[2], ids[1], ids[0], *ids[3:]]
    assert library.queue.add_next([ids[2]]) == []


def test_what_is_gone_from_the_library_is_not_queued(library: Library, ids: Ids) -> None:
    assert library.queue.add_last([EpisodeId(999), ids[0]]) == [ids[0]]


def test_a_removed_podcast_takes_its_episodes_out(library: Library, podcast: Podcast, ids: Ids) -> None:
    library.queue.add_last(ids)
    library.podcasts.remove(podcast.id)
    assert len(library.queue) == 0


def test_the_first_that_is_none_of_some(library: Library, ids: Ids) -> None:
    assert library.queue.first() is None
    library.queue.add_last(ids)
    assert library.queue.first() == ids[0]
    assert library.queue.first(besides=ids[:2]) == ids[2]
    assert library.queue.first(besides=ids) is None


def test_the_view_of_the_queue_is_in_its_order(library: Library, ids: Ids) -> None:
    library.queue.add_last([ids[2], ids[0]])
    view = library.listing(View.of(ViewName.QUEUE))
    assert list(view.page(0, 10)) == [ids[2], ids[0]]
    assert (library.episodes.counts().queued, library.episodes.counts().to_come) == (2, 2)
    assert library.episodes.counts(EpisodeId(library.queue.ids()[0])).to_come == 1


@pytest.mark.parametrize(
    ("rows", "by", "expected"),
    [([0], 1, "bacd"), ([3], -1, "abdc"), ([0], -1, "abcd"), ([1, 2], 5, "adbc"), ([0, 2], 1, "badc"), ([], 1, "abcd")],
)
def test_rows_move_together_until_the_first_or_last_row(rows: Sequence[int], by: int, expected: str) -> None:
    order = [EpisodeId(one) for one in range(4)]
    found = moved(order, [order[row] for row in rows], by)
    assert "".join("abcd"[one] for one in found) == expected


def test_a_move_is_saved(library: Library, ids: Ids) -> None:
    library.queue.add_last(ids)
    assert set(library.queue.move([ids[0]], 1)) == {ids[0], ids[1]}
    assert list(library.queue.ids())[:2] == [ids[1], ids[0]]


def test_it_is_sorted_by_date_and_length(library: Library, podcast: Podcast) -> None:
    apply_feed(library, podcast, *(episode(n, duration_ms=n * 1000) for n in (1, 2, 3)))
    newest = [EpisodeId(one) for one in library.episodes.ids(View.of(podcast_id=podcast.id))]
    library.queue.add_last([newest[1], newest[2], newest[0]])
    library.queue.sort(QueueOrder.NEWEST)
    assert list(library.queue.ids()) == newest
    library.queue.sort(QueueOrder.OLDEST)
    assert list(library.queue.ids()) == newest[::-1]
    library.queue.sort(QueueOrder.SHORTEST)
    assert list(library.queue.ids()) == newest


def test_it_is_shuffled_without_loss(library: Library, ids: Ids) -> None:
    library.queue.add_last(ids)
    library.queue.shuffle(random.Random(3))
    assert sorted(library.queue.ids()) == sorted(ids)
    assert list(library.queue.ids()) != list(ids)


@given(st.lists(st.integers(1, 6), min_size=1, max_size=5))
def test_a_mix_spreads_each_podcast_and_keeps_its_order(sizes: list[int]) -> None:
    groups = [[EpisodeId(100 * group + n) for n in range(size)] for group, size in enumerate(sizes)]
    found = mixed(groups)
    assert sorted(found) == sorted(one for group in groups for one in group)
    for group in groups:
        rows = [found.index(one) for one in group]
        assert rows == sorted(rows)
        # In each half of the mix stands half of each podcast, give or take one.
        half = sum(row < len(found) / 2 for row in rows)
        assert abs(half - len(group) / 2) <= 1


def test_how_much_is_left_leaves_out_what_was_heard(library: Library, podcast: Podcast) -> None:
    apply_feed(library, podcast, episode(1, duration_ms=60_000), episode(2, duration_ms=None))
    one, two = library.episodes.ids(View.of(podcast_id=podcast.id))
    library.queue.add_last([EpisodeId(one), EpisodeId(two)])
    library.progress.save(EpisodeId(one), 20_000, None, datetime.now(UTC))
    assert library.queue.left() == QueueLeft(40_000, 1)
    assert library.queue.left(EpisodeId(one)) == QueueLeft(0, 1, EpisodeId(one), has_besides=True)
    assert library.queue.left(EpisodeId(4711)) == QueueLeft(40_000, 1, EpisodeId(4711))


def test_a_finished_episode_is_out_of_the_queue_and_the_inbox(library: Library, ids: Ids) -> None:
    library.queue.add_last(ids)
    library.inbox.add(ids)
    library.progress.finish(ids[0])
    assert ids[0] not in library.queue.ids()
    assert ids[0] not in library.inbox.ids()
