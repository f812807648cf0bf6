"""What comes next in a list that the listener made."""

from datetime import timedelta

import pytest

from player.library import Library
from player.model.episode import EpisodeId
from player.model.filters import ListId, Order, View, ViewName, ViewSettings
from tests.player.library.helpers import NEWEST, URL, apply_feed, episode


@pytest.fixture
def ids(library: Library) -> list[EpisodeId]:
    """Eight episodes of a podcast, the newest first, of 8 to 1 minutes."""
    one = library.podcasts.add(URL, "Loop")
    items = [
        episode(n, title=f"Part {n}", published=NEWEST - timedelta(days=n), duration_ms=60_000 * (8 - n))
        for n in range(8)
    ]
    return list(apply_feed(library, one, *items, title="Loop").new)


def played_on(library: Library, list_id: ListId, first: EpisodeId, most: int = 9) -> list[EpisodeId]:
    """What plays, one after the other, from `first` on; each is heard to its end."""
    heard = [first]
    library.episodes.set_played([first], True)
    while len(heard) < most and (
        found := library.continued.next_of(View.of_list(list_id), heard[-1], newest_first=False)
    ):
        heard.append(found)
        library.episodes.set_played([found], True)
    return heard


def test_a_playlist_plays_on_in_the_order_of_the_hand(library: Library, ids: list[EpisodeId]) -> None:
    playlist = library.lists.add("Later").id
    library.lists.add_episodes(playlist, [ids[5], ids[1], ids[7], ids[2], ids[4]])
    library.episodes.set_played([ids[7]], True)
    assert library.continued.next_of(View.of_list(playlist), ids[1], newest_first=False, besides=[ids[2]]) == ids[4]
    assert played_on(library, playlist, ids[1]) == [ids[1], ids[2], ids[4]]


def test_a_playlist_plays_on_in_the_order_that_is_shown(library: Library, ids: list[EpisodeId]) -> None:
    playlist = library.lists.add("Later").id
    library.lists.add_episodes(playlist, [ids[5], ids[1], ids[7]])
    library.view_settings.set(View.of_list(playlist).key, ViewSettings(Order.OLDEST, hide_played=True))
    assert played_on(library, playlist, ids[7]) == [ids[7], ids[5], ids[1]]


def test_a_playlist_begins_anew_behind_what_was_taken_out_of_it(library: Library, ids: list[EpisodeId]) -> None:
    playlist = library.lists.add("Later").id
    library.lists.add_episodes(playlist, [ids[5], ids[1], ids[7]])
    library.lists.take_out(playlist, [ids[1]])
    assert played_on(library, playlist, ids[1]) == [ids[1], ids[5], ids[7]]


@pytest.mark.parametrize(
    ("query", "order"),
    [
        ("is:unplayed podcast:loop sort:oldest", [4, 3, 2, 1, 0]),
        ("is:unplayed podcast:loop", [4, 5, 6, 7]),
        ("is:unplayed podcast:loop sort:shortest", [4, 3, 2, 1, 0]),
        ("podcast:loop sort:longest", [4, 5, 6, 7]),
        ("podcast:loop sort:oldest duration:<7m", [4, 3, 2]),
        ("part is:unplayed sort:oldest", [4, 3, 2, 1, 0]),
        ("part is:unplayed sort:shortest limit:6", [4, 3, 2, 1, 0]),
        ("podcast:loop sort:oldest limit:5", [4, 3]),
        ("podcast:nobody", [4]),
    ],
)
def test_a_smart_list_plays_on_in_its_order_though_what_was_heard_may_leave_it(
    library: Library, ids: list[EpisodeId], query: str, order: list[int]
) -> None:
    saved = library.lists.add("Smart", query)
    library.search.catch_up()
    assert played_on(library, saved.id, ids[4]) == [ids[one] for one in order]


def test_a_limit_lets_the_next_ones_into_the_list(library: Library, ids: list[EpisodeId]) -> None:
    saved = library.lists.add("Two", "is:unplayed podcast:loop sort:oldest limit:2")
    assert played_on(library, saved.id, ids[7]) == ids[::-1]


def test_a_list_that_is_gone_plays_on_no_more(library: Library, ids: list[EpisodeId]) -> None:
    playlist = library.lists.add("Later").id
    library.lists.add_episodes(playlist, ids)
    library.lists.remove(playlist)
    assert library.continued.next_of(View.of_list(playlist), ids[0], newest_first=False) is None


def test_of_one_moment_the_oldest_first_are_the_newest_the_other_way_round(library: Library) -> None:
    one = library.podcasts.add(URL, "At once")
    ids = list(apply_feed(library, one, *(episode(n, published=NEWEST) for n in range(4)), title="At once").new)
    view = View.of(ViewName.PODCAST, one.id)
    shown = library.listing(view).page(0, 9).tolist()
    for newest_first, order in ((True, shown), (False, shown[::-1])):
        after = [
            library.continued.next_of(view, EpisodeId(one), newest_first=newest_first, besides=()) for one in order
        ]
        assert after == [*order[1:], None]
    assert sorted(shown) == sorted(ids)
