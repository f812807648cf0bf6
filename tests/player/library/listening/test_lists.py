"""Smart lists and playlists in the library."""

from datetime import timedelta

import pytest

from player.errors import LibraryError, NotFound
from player.library import Library
from player.library.listening.lists import problems_of
from player.model.episode import EpisodeId
from player.model.filters import ListId, Order, View, ViewSettings
from tests.player.library.helpers import NEWEST, URL, apply_feed, episode


@pytest.fixture
def ids(library: Library) -> list[EpisodeId]:
    """Ten episodes of a podcast, the newest first, of 10 to 1 minutes; the first three are played."""
    one = library.podcasts.add(URL, "Loop")
    items = [
        episode(n, title=f"Part {n}", published=NEWEST - timedelta(days=n), duration_ms=60_000 * (10 - n))
        for n in range(10)
    ]
    ids = list(apply_feed(library, one, *items, title="Loop").new)
    library.episodes.set_played(ids[:3], True)
    return ids


def found(library: Library, list_id: ListId, settings: ViewSettings | None = None, title: str = "") -> list[int]:
    view = View.of_list(list_id).narrowed(title).shown(settings or ViewSettings())
    listing = library.listing(view)
    ids = listing.page(0, 999).tolist()
    assert len(listing) == len(ids)
    assert [listing.rank(EpisodeId(one)) for one in ids] == [*range(len(ids))]
    return ids


def test_a_smart_list_has_what_its_search_finds_in_its_order(library: Library, ids: list[EpisodeId]) -> None:
    saved = library.lists.add("Short", "podcast:loop duration:<8m sort:oldest")
    assert library.lists.all() == [saved]
    assert found(library, saved.id) == ids[:2:-1]
    assert found(library, saved.id, ViewSettings(Order.NEWEST)) == ids[3:]
    assert found(library, saved.id, ViewSettings(Order.SHORTEST), title="part 5") == [ids[5]]


def test_a_limit_is_the_lists_whatever_it_is_narrowed_by(library: Library, ids: list[EpisodeId]) -> None:
    saved = library.lists.add("Five", "podcast:loop sort:longest limit:5")
    assert found(library, saved.id) == ids[:5]
    listing = library.listing(View.of_list(saved.id))
    assert [listing.rank(one) for one in ids[4:7]] == [4, None, None]
    assert found(library, saved.id, ViewSettings(Order.OLDEST)) == ids[4::-1]
    assert found(library, saved.id, ViewSettings(hide_played=True)) == ids[3:5]
    words = library.lists.add("Words", "part podcast:loop sort:oldest limit:3")
    assert library.search.catch_up()
    assert found(library, words.id) == ids[:6:-1]


def test_a_list_of_one_podcast_is_as_long_as_the_podcast(
    library: Library, ids: list[EpisodeId], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("player.library.episodes.MOST_FILTERED", 3)
    saved = library.lists.add("Loop", "podcast:loop sort:oldest")
    assert found(library, saved.id) == ids[::-1]


def test_what_is_gone_or_names_no_podcast_is_empty(library: Library, ids: list[EpisodeId]) -> None:
    assert ids
    assert found(library, ListId(99)) == []
    assert found(library, library.lists.add("None", "podcast:nobody").id) == []
    assert found(library, library.lists.add("Untagged", "tag:nothing").id) == []


def test_a_mistake_in_a_saved_search_is_named(library: Library) -> None:
    assert "Unknown filter" in problems_of(library.lists.add("Wrong", "is:nonsense"))[0]
    assert problems_of(library.lists.add("By hand")) == ()


def test_a_playlist_keeps_the_order_of_the_hand(library: Library, ids: list[EpisodeId]) -> None:
    playlist = library.lists.add("Later")
    assert library.lists.add_episodes(playlist.id, [ids[5], ids[1], ids[9], ids[5]]) == [ids[5], ids[1], ids[9]]
    assert library.lists.add_episodes(playlist.id, [ids[1], ids[2], EpisodeId(10**6)]) == [ids[2]]
    assert found(library, playlist.id) == [ids[5], ids[1], ids[9], ids[2]]
    library.lists.move_episodes(playlist.id, [ids[9]], -1)
    library.lists.move_episodes(playlist.id, [ids[5]], -1)
    assert found(library, playlist.id) == [ids[5], ids[9], ids[1], ids[2]]
    assert found(library, playlist.id, ViewSettings(hide_played=True)) == [ids[5], ids[9]]
    assert found(library, playlist.id, ViewSettings(Order.OLDEST)) == [ids[9], ids[5], ids[2], ids[1]]
    library.lists.take_out(playlist.id, [ids[9], ids[0]])
    assert found(library, playlist.id) == [ids[5], ids[1], ids[2]]
    library.podcasts.remove(library.podcasts.find("Loop").id)
    assert found(library, playlist.id) == []


def test_lists_are_renamed_moved_and_removed(library: Library, ids: list[EpisodeId]) -> None:
    lists = library.lists
    one, two, three = lists.add("One", "is:new"), lists.add("Two"), lists.add("Three", "is:queued")
    lists.move(three.id, -2)
    lists.move(three.id, -1)
    assert [saved.title for saved in lists.all()] == ["Three", "One", "Two"]
    lists.change(one.id, "  Uno  ", "is:starred")
    lists.change(two.id, "Dos", None)
    assert [(saved.title, saved.query) for saved in lists.all()][1:] == [("Uno", "is:starred"), ("Dos", None)]
    lists.add_episodes(two.id, ids)
    library.view_settings.set(View.of_list(two.id).key, ViewSettings(Order.OLDEST))
    lists.remove(two.id)
    assert lists.find("un").id == one.id
    assert library.view_settings.get(View.of_list(two.id).key) == ViewSettings()
    with pytest.raises(NotFound, match="There is no list “Dos”"):
        lists.find("Dos")
    with pytest.raises(NotFound, match="gone"):
        lists.add_episodes(two.id, ids)


def test_names_are_taken_once_and_not_empty(library: Library) -> None:
    library.lists.add("Café")
    with pytest.raises(LibraryError, match="There is a list called “CAFE” already"):
        library.lists.add("CAFE", "is:new")
    with pytest.raises(LibraryError, match="needs a name"):
        library.lists.add(" \t ")
