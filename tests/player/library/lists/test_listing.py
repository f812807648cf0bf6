"""A list is the same read by the page as read whole, wherever one begins."""

import random
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path

import pytest

from player.library import Interrupted, Library, episodes
from player.library.lists import listing as first_rows
from player.library.lists import listing as listings
from player.library.lists.listing import PAGE, IndexedList
from player.model.episode import EpisodeId
from player.model.filters import State, View, ViewName
from player.model.podcast import PodcastId
from tests.player.library.helpers import NEWEST, URL, apply_feed, episode, refill

SIZE = 3 * PAGE + 40


@pytest.fixture
def shows(library: Library) -> tuple[PodcastId, PodcastId]:
    return refill(library, _shows)


def _shows(library: Library) -> tuple[PodcastId, PodcastId]:
    """Two shows, one of them with many episodes of the same moment, and marks at random."""
    dice = random.Random(1)
    one, other = library.podcasts.add(URL), library.podcasts.add("https://other.example")
    moments = [NEWEST - timedelta(days=dice.randrange(0, 200)) for _ in range(SIZE)]
    ids = apply_feed(library, one, *(episode(at, published=when) for at, when in enumerate(moments))).new
    undated = apply_feed(library, other, *(episode(number, published=None) for number in range(SIZE))).new
    everything = [*ids, *undated]
    library.episodes.set_played(dice.sample(everything, SIZE), True)
    library.episodes.set_starred(dice.sample(everything, PAGE + 7), True)
    for episode_id in dice.sample(everything, 60):
        library.progress.save(episode_id, 1000, None, datetime.now(UTC) - timedelta(minutes=dice.randrange(99)))
    library.queue.add_last(dice.sample(everything, 60))
    library.inbox.add(dice.sample(everything, 60))
    for episode_id in dice.sample(everything, 60):
        library.downloads.put(episode_id, Path(f"/files/{episode_id}"))
    return one.id, other.id


@pytest.mark.parametrize(("text", "stride"), [("", 8192), ("", 30), ("7", 8192)])
def test_pages_and_ranks_are_those_of_the_whole_list(
    library: Library, shows: tuple[PodcastId, PodcastId], text: str, stride: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a short stride row marks are left on each way, and used by the lists that are made after."""
    monkeypatch.setattr(listings, "_STRIDE", stride)
    monkeypatch.setattr(listings, "_NEAR", stride // 4)
    views: list[tuple[ViewName, PodcastId | None]] = [(ViewName.PODCAST, one) for one in shows]
    views += [(name, None) for name in ViewName if name is not ViewName.PODCAST]
    for (name, podcast_id), states in product(views, ((), (State.UNPLAYED,))):
        query = View.of(name, podcast_id, title=text, states=states)
        whole = library.episodes.ids(query)
        dice = random.Random(2)
        for first in range(4):
            listing = library.episodes.listing(query)
            assert len(listing) == len(whole) > 0, query
            for step in range(25):
                start = [0, len(whole) - 20, len(whole) // 2, dice.randrange(len(whole))][(step + first) % 4]
                size = dice.choice([1, 30, 60, PAGE, 2 * PAGE])
                assert listing.page(start, size) == whole[max(0, start) : max(0, start) + size], query
                row = dice.randrange(len(whole))
                assert listing.rank(EpisodeId(whole[row])) == row, query


@pytest.mark.usefixtures("shows")
def test_what_is_not_in_the_list_has_no_rank(library: Library) -> None:
    starred = library.episodes.listing(View.of(ViewName.STARRED))
    outside = next(one for one in library.episodes.ids(View()) if not library.episodes.get(EpisodeId(one)).starred)
    assert starred.rank(EpisodeId(outside)) is None
    assert starred.rank(EpisodeId(0)) is None
    assert starred.rank(None) is None
    assert library.episodes.listing(View.of(ViewName.PODCAST, PodcastId(999))).page(0, 10).tolist() == []


def test_what_goes_while_the_list_is_open_leaves_a_gap_at_its_end(
    library: Library, shows: tuple[PodcastId, PodcastId]
) -> None:
    listing = library.episodes.listing(View())
    first = listing.page(0, 10)
    library.podcasts.remove(shows[1])
    assert listing.page(0, 10) == first
    assert len(listing.page(len(listing) - PAGE, PAGE)) < 2 * PAGE
    assert listing.rank(EpisodeId(first[3])) == 3


@pytest.mark.usefixtures("shows")
def test_moving_on_reads_next_to_what_was_read(library: Library) -> None:
    listing = library.episodes.listing(View())
    assert isinstance(listing, IndexedList)
    skipped: list[int] = []
    step = listing._step

    def watched(*arguments: object, **how: object) -> list[tuple[int, int]]:
        skipped.append(arguments[3])  # type: ignore[arg-type]
        return step(*arguments, **how)  # type: ignore[arg-type]

    listing._step = watched  # type: ignore[method-assign]
    for start in (*range(0, len(listing), 60), *range(len(listing) - 60, 0, -60)):
        listing.page(start, 60)
    assert len(skipped) == -(-len(listing) // PAGE), "each page is read once"
    assert max(skipped) <= 1


def test_a_list_made_again_finds_its_ranks_by_what_was_counted_before(
    library: Library, shows: tuple[PodcastId, PodcastId], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listings, "_STRIDE", 50)
    monkeypatch.setattr(listings, "_NEAR", 5)
    steps: list[int] = []
    step = IndexedList._step

    def watched(*arguments: object, **how: object) -> list[tuple[int, int]]:
        steps.append(arguments[4])  # type: ignore[arg-type]
        return step(*arguments, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(IndexedList, "_step", watched)

    def strides_to(row: int) -> int:
        """How many strides it takes to find that row's rank."""
        whole = library.episodes.ids(View())
        steps.clear()
        assert library.episodes.listing(View()).rank(EpisodeId(whole[row])) == row
        return steps.count(50)

    assert strides_to(SIZE) > 10
    assert strides_to(SIZE - 20) <= 1, "the row marks are there still"
    library.progress.save(EpisodeId(1), 5, None, datetime.now(UTC))
    assert strides_to(SIZE - 120) <= 1, "a position that is saved moves no row"
    one = library.podcasts.get(shows[0])
    apply_feed(library, one, episode(9000, published=NEWEST + timedelta(days=1)))
    assert strides_to(SIZE) > 10, "all below a new episode stand elsewhere"
    assert strides_to(SIZE - 20) <= 1
    apply_feed(library, one, episode(9000, published=NEWEST - timedelta(days=90)))
    assert strides_to(SIZE) > 10, "and all between its old date and its new one"
    library.podcasts.remove(shows[1])
    assert strides_to(SIZE - 1) > 10, "and all below what was removed"


@pytest.mark.parametrize("text", ["7", "77", "episode", "sode", "1 7", "episode 7", "no such word"])
def test_a_filter_shows_the_newest_that_fit(
    library: Library, shows: tuple[PodcastId, PodcastId], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many of the newest titles are looked at first."""
    queries = (View().narrowed(text), View.of(ViewName.PODCAST, shows[0], title=text))
    for newest, query in product((1, 50, SIZE, 100 * SIZE), queries):
        monkeypatch.setattr(first_rows, "_NEWEST_FIRST", newest)
        whole = library.episodes.ids(query)
        for most in (30, 10 * SIZE):
            monkeypatch.setattr(episodes, "MOST_FILTERED", most)
            listing = library.episodes.listing(query)
            assert listing.page(0, 10 * SIZE) == whole[:most]
            assert listing.more is (len(whole) > most)


@pytest.mark.usefixtures("shows")
def test_of_what_is_in_progress_the_last_heard_are_shown(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    query = View.of(ViewName.IN_PROGRESS)
    whole = library.episodes.ids(query)
    assert len(whole) > 20
    for most in (5, len(whole)):
        monkeypatch.setattr(episodes, "MOST_FILTERED", most)
        listing = library.episodes.listing(query)
        assert listing.page(0, SIZE) == whole[:most]
        assert listing.more is (most == 5)


@pytest.mark.usefixtures("shows")
@pytest.mark.parametrize("text", ["episode", "episode 7", "epi 70"])
def test_what_a_filter_finds_in_the_index_stands_in_the_order_of_the_list(library: Library, text: str) -> None:
    library.search.catch_up()
    found = library.listing(View().narrowed(text)).page(0, 10 * SIZE).tolist()
    assert found
    assert [one for one in library.episodes.ids(View().narrowed(text)) if one in set(found)] == found


@pytest.mark.usefixtures("shows")
def test_a_filter_that_is_not_wanted_any_more_ends(library: Library) -> None:
    with pytest.raises(Interrupted):
        library.episodes.listing(View().narrowed("no such word"), cancelled=lambda: True)
    assert len(library.episodes.listing(View().narrowed("episode 77"))) > 0
