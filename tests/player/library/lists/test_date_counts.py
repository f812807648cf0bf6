"""How many rows of a list are newer than a moment, whatever kind of list it is."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from player.library import Library, Listing, WithRow
from player.library.lists import listing as listings
from player.library.lists.listing import KnownRowMarks
from player.model.episode import EpisodeId
from player.model.filters import Order, State, View, ViewName, ViewSettings
from tests.player.library.helpers import NEWEST, URL, apply_feed, episode, refill
from tests.quick import mostly_long

MOMENTS = [NEWEST + timedelta(days=1) - timedelta(days=7 * week) for week in range(40)]
"""The newest first, from after the newest episode to before the oldest with a date."""


@pytest.fixture(autouse=True)
def shows(library: Library) -> None:
    refill(library, _shows)


def _shows(library: Library) -> None:
    dice = random.Random(1)
    one, other = library.podcasts.add(URL), library.podcasts.add("https://other.example")
    dates = [NEWEST - timedelta(days=dice.randrange(200)) for _ in range(300)]
    ids = apply_feed(library, one, *(episode(at, published=when) for at, when in enumerate(dates))).new
    apply_feed(library, other, *(episode(number, published=None) for number in range(20)))
    library.episodes.set_played(dice.sample(ids, 100), True)
    library.episodes.set_starred(dice.sample(ids, 50), True)
    library.inbox.add(dice.sample(ids, 40))


@pytest.mark.parametrize("order", [Order.NEWEST, Order.OLDEST])
@pytest.mark.parametrize("states", [(), (State.UNPLAYED,)])
@pytest.mark.parametrize("name", [ViewName.ALL, ViewName.STARRED, ViewName.NEW])
def test_counts_are_those_of_the_rows_one_by_one(
    library: Library, name: ViewName, states: tuple[State, ...], order: Order
) -> None:
    view = View.of(name, states=states).shown(ViewSettings(order=order))
    listing = library.episodes.listing(view)
    rows = library.episodes.rows(listing.page(0, len(listing)))
    dates = [row.published or datetime(1970, 1, 1, tzinfo=UTC) for row in rows]
    expected = [sum(published >= moment for published in dates) for moment in MOMENTS]
    for _again in range(2):
        found = library.episodes.counts_since(listing, MOMENTS)
        assert found == (expected, order is Order.OLDEST)


def test_of_a_very_long_list_only_the_newest_are_counted(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many episodes the moment has at which that many are exceeded."""
    whole = library.episodes.counts_since(library.episodes.listing(View()), MOMENTS)
    for name in ("MOST_DATED", "_MOST_CHECKED"):
        monkeypatch.setattr(listings, name, 100)
    for states in ([], [State.UNPLAYED], [State.STARRED]):
        library.episodes._row_marks = KnownRowMarks()
        counts = library.episodes.counts_since(library.episodes.listing(View.of(states=states)), MOMENTS)
        assert whole is not None
        assert counts is not None
        assert len(counts.counts) > 0
        assert (len(counts.counts) < len(MOMENTS)) == (State.STARRED not in states)
        assert max(counts.counts) <= 100


def test_a_row_that_stays_for_the_cursor_counts_where_it_stands(library: Library) -> None:
    view = View.of(ViewName.ALL, states=(State.UNPLAYED,))
    listing = library.episodes.listing(view)
    played = next(row for row in library.episodes.rows(library.episodes.ids(View())) if row.played)
    before = library.episodes.counts_since(listing, MOMENTS)
    counts = library.episodes.counts_since(WithRow(listing, 5, played.id), MOMENTS)
    assert before is not None
    assert played.published is not None
    assert counts is not None
    expected = [count + (played.published >= one) for count, one in zip(before.counts, MOMENTS, strict=True)]
    assert counts.counts == expected


SMART = [
    "",
    "is:unplayed",
    "is:starred",
    "sort:oldest",
    "podcast:show",
    "notes",
    "notes sort:oldest",
    "limit:30",
    "limit:30 sort:oldest",
    "after:2026-01-01",
]
"""Searches whose episodes stand by date, read through an index, whole, or in part."""


@pytest.mark.parametrize("order", mostly_long([Order.OWN, Order.OLDEST, Order.NEWEST], quick=2))
@pytest.mark.parametrize("query", SMART)
def test_a_smart_list_by_date_counts_as_any_other_list(library: Library, query: str, order: Order) -> None:
    library.search.catch_up()
    saved = library.lists.add("Mine", query)
    view = View.of_list(saved.id).shown(ViewSettings(order=order))
    for narrowed in (view, view.shown(ViewSettings(order=order, hide_played=True))):
        listing = library.listing(narrowed)
        rows = library.episodes.rows(listing.page(0, len(listing)))
        dates = [row.published or datetime(1970, 1, 1, tzinfo=UTC) for row in rows]
        found = library.episodes.counts_since(listing, MOMENTS)
        assert len(dates) > 10
        assert found is not None
        assert found.counts == [sum(published >= moment for published in dates) for moment in MOMENTS]
        assert found.oldest_first == (dates[0] < dates[-1])


@pytest.mark.parametrize("query", ["sort:longest", "limit:30 sort:longest"])
def test_a_list_in_another_order_has_no_counts(library: Library, query: str) -> None:
    view = View.of_list(library.lists.add("Mine", query).id)
    assert library.episodes.counts_since(library.listing(view), MOMENTS) is None
    by_date = library.listing(view.shown(ViewSettings(order=Order.NEWEST)))
    assert library.episodes.counts_since(by_date, MOMENTS) is not None


def test_a_playlist_has_counts_only_where_it_is_shown_by_date(library: Library) -> None:
    playlist = library.lists.add("Mine")
    library.lists.add_episodes(playlist.id, [EpisodeId(one) for one in library.episodes.ids(View(), 20)])
    view = View.of_list(playlist.id)
    assert library.episodes.counts_since(library.listing(view), MOMENTS) is None
    oldest = library.listing(view.shown(ViewSettings(order=Order.OLDEST)))
    assert (found := library.episodes.counts_since(oldest, MOMENTS)) is not None
    assert found.oldest_first


def test_of_a_list_that_was_read_whole_nothing_is_read_again(library: Library) -> None:
    listing = library.episodes.listing(View.of(ViewName.NEW))
    assert statements(library, listing) == []


def statements(library: Library, listing: Listing) -> list[str]:
    """Those that are run to count its dates."""
    asked: list[str] = []
    for traced in (asked.append, None):
        with library._connected.reading() as connection:  # the same one each time
            connection.set_trace_callback(traced)
        if traced:
            found = library.episodes.counts_since(listing, MOMENTS)
            assert found is not None
            assert found.counts[-1] > 0
    return asked


@pytest.mark.parametrize("states", [(), (State.UNPLAYED,), (State.STARRED,)])
def test_a_list_with_an_index_is_counted_in_one_statement(library: Library, states: tuple[State, ...]) -> None:
    listing = library.episodes.listing(View.of(states=states))
    assert len(statements(library, listing)) == 1
