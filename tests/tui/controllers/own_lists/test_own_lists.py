"""Smart lists and playlists, by keys: made, shown in the sidebar with their counts, changed, deleted."""

from collections.abc import Callable
from typing import cast

import pytest
from textual.widgets import Static

from player.library import Interrupted
from player.library.search.query import FILTERS
from player.model.episode import EpisodeId
from player.model.filters import State, View, ViewName
from tests.quick import mostly_long
from tests.tui.alone import text_of
from tests.tui.stage import Stage, opened, stocked_player
from tui.dialogs.lists import ListEditor


def titles(stage: Stage) -> list[str]:
    rows = [stage.episodes._rows.row_at(row) for row in range(stage.episodes.row_count())]
    return [row.title for row in rows if row is not None]


def number_of(stage: Stage, title: str) -> int:
    """The number beside a list in the sidebar."""
    return next((one.count for one in stage.sidebar._entries if one.title == title), 0)


async def test_a_search_is_saved_as_a_list_that_is_counted_and_opened() -> None:
    player = stocked_player()
    async with opened(player) as stage:
        assert player.library.search.catch_up()
        await stage.press("ctrl+f")
        await stage.write("is:unplayed longer:1h sort:longest")
        await stage.press("ctrl+s")
        assert isinstance(stage.app.screen, ListEditor)
        await stage.write("Long")
        await stage.press("enter")
        await stage.until(lambda: stage.screen.view.name is ViewName.LIST, "the new list")
        await stage.settle()
        (saved,) = player.library.lists.all()
        assert (saved.title, saved.query) == ("Long", "is:unplayed longer:1h sort:longest")
        found = titles(stage)
        assert found[0].startswith("❤️ Thanks")
        rows = player.library.episodes.rows(player.library.listing(View.of_list(saved.id)).page(0, 999))
        lengths = [row.duration_ms or 0 for row in rows]
        assert lengths == sorted(lengths, reverse=True)
        assert min(lengths) >= 3_600_000
        await stage.until(lambda: number_of(stage, saved.title) == len(found), "its count")
        assert stage.shows("LISTS")
        await stage.press("m")
        await stage.until(lambda: number_of(stage, saved.title) == len(found) - 1, "its new count")


async def test_a_count_that_is_not_wanted_any_more_is_no_failure(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def size_of(_query: str, _cancelled: Callable[[], bool]) -> tuple[int, bool]:
        raise Interrupted

    async with opened(stocked_player(), (80, 24)) as stage:
        monkeypatch.setattr(stage.library, "size_of", size_of)
        await stage.press("ctrl+f")
        await stage.write("is:starred ")
        await stage.press("ctrl+s")
        assert isinstance(stage.app.screen, ListEditor)
        assert not stage.shows("Something went wrong")
    assert "failed" not in caplog.text


async def test_what_a_list_would_have_is_counted_while_its_search_is_typed_and_completed() -> None:
    async with opened(stocked_player(), (80, 24)) as stage:
        await stage.press("ctrl+f")
        await stage.write("is:starred ")
        await stage.press("ctrl+s")
        dialog = stage.app.screen
        assert isinstance(dialog, ListEditor)
        number = stage.library.episodes.counts().starred
        assert text_of(dialog.told) == [f"{number} episodes now"]
        assert {one.partition(":")[0] for one in syntax_of(dialog) if ":" in one} == {*FILTERS} - {"podcast-id", "in"}
        await stage.press("tab", "end", "space", *"li")
        assert text_of(dialog.told) == ["→ completes: limit:"]
        await stage.press("right")
        assert text_of(dialog.told) == ["→ completes: limit:50"]
        await stage.press("2")
        assert text_of(dialog.told) == ["2 episodes now"]
        await stage.press("ctrl+u", *"is:wet ")
        assert text_of(dialog.told)[0].startswith("Unknown filter “is:wet”")
        await stage.press("ctrl+u", *"limit:1")
        assert text_of(dialog.told) == ["1 episode now"]
        await stage.press("ctrl+u")
        assert text_of(dialog.told) == [""]


def syntax_of(dialog: ListEditor) -> list[str]:
    return " ".join(text_of(dialog.query_one("#syntax", Static))).split()


@pytest.mark.parametrize(
    ("query", "expected"),
    [("is:starred ", 3), ("limit:2", 2), ("inductor", 1), ("podcast:nobody", 0), ("sort:oldest limit:500", 108)],
)
def test_a_list_would_have_what_it_has_once_it_is_saved(query: str, expected: int) -> None:
    player = stocked_player()
    library = player.library
    saved = library.lists.add("A list", query)
    assert library.size_of(query) == (len(library.listing(View.of_list(saved.id))), False)
    assert library.size_of(query)[0] >= expected
    player.close()


async def test_a_list_is_edited_renamed_moved_and_deleted() -> None:
    player = stocked_player()
    first, second = player.library.lists.add("One", "is:starred"), player.library.lists.add("Two", "is:played")
    async with opened(player) as stage:
        stage.screen.parts.sidebar.select(View.of_list(second.id))
        await stage.settle()
        await stage.press("h", "h", "K")
        await stage.until(lambda: [one.title for one in stage.sidebar.lists] == ["Two", "One"], "the move")
        stage.screen.act("edit_list")
        await stage.settle()
        await stage.press("ctrl+u")
        await stage.write("One")
        await stage.press("enter")
        assert stage.shows("There is a list called “One” already.")
        await stage.press("ctrl+u")
        await stage.write("Starred")
        await stage.press("tab", "ctrl+u")
        await stage.write("is:nonsense")
        await stage.press("enter")
        assert stage.shows("Unknown filter “is:nonsense”")
        await stage.press("ctrl+u")
        await stage.write("is:starred")
        await stage.press("enter")
        await stage.until(lambda: stage.sidebar.saved_list and stage.sidebar.saved_list.title == "Starred", "the name")
        await stage.settle()
        assert len(titles(stage)) == stage.library.episodes.counts().starred
        await stage.press("delete", "y")
        await stage.until(lambda: [one.id for one in stage.sidebar.lists] == [first.id], "the deletion")


@pytest.mark.long
@pytest.mark.parametrize("size", [(120, 40), (50, 15)])
async def test_a_list_is_downloaded_by_itself_as_far_as_is_typed(size: tuple[int, int]) -> None:
    player = stocked_player()
    saved = player.library.lists.add("Evening", "is:starred")
    async with opened(player, size) as stage:
        stage.screen.parts.sidebar.select(View.of_list(saved.id))
        await stage.settle()
        stage.screen.act("download_list")
        await stage.until(lambda: stage.shows("Download “Evening”"), "the dialog")
        await stage.press(*"501", "enter")
        assert stage.shows("Type a number up to 500.")
        await stage.press(*["backspace"] * 3, "3", "enter")
        await stage.until(lambda: player.library.downloads.facts.lists() == {saved.id: 3}, "the rule")
        await stage.until(lambda: stage.news.startswith("The first 3 episodes of “Evening”"), "the words")
        stage.screen.act("download_list")
        await stage.until(lambda: stage.shows("  3"), "the number that is set")
        await stage.press("backspace", "0", "enter")
        await stage.until(lambda: player.library.downloads.facts.lists() == {}, "no rule")


async def test_episodes_come_into_a_playlist_are_moved_and_taken_out() -> None:
    player = stocked_player()
    async with opened(player) as stage:
        await stage.press("g")
        await stage.run("playlist")
        await stage.press(*"Later", "enter")
        await stage.until(lambda: stage.sidebar.lists, "the playlist")
        (playlist,) = stage.sidebar.lists
        one = cast(EpisodeId, stage.screen.episode_id)
        await stage.press("j")
        await stage.run("playlist")
        await stage.press("enter")
        two = cast(EpisodeId, stage.screen.episode_id)
        await stage.until(lambda: stage.news == "Added to “Later”", "the words")
        await stage.run("playlist")
        await stage.press("enter")
        await stage.until(lambda: stage.news == "Already in “Later”", "the words")
        assert player.library.lists.episodes(playlist.id).tolist() == [one, two]
        stage.screen.parts.sidebar.select(View.of_list(playlist.id))
        await stage.settle()
        assert len(titles(stage)) == 2
        await stage.press("g", "J")
        await stage.until(lambda: player.library.lists.episodes(playlist.id).tolist() == [two, one], "the move")
        await stage.until(lambda: stage.episodes.cursor == 1, "the list in its new order")
        assert stage.screen.episode_id == one
        await stage.press("delete")
        await stage.until(lambda: stage.episodes.row_count() == 1, "it is out")
        assert player.library.lists.episodes(playlist.id).tolist() == [two]
        await stage.press("z", "J")
        assert stage.news.startswith("Rows can be moved only in the playlist's own order")
        await stage.press("delete")
        await stage.until(lambda: stage.shows("This playlist is empty"), "no rows")
        assert stage.shows("p  on an episode adds it")


@pytest.mark.parametrize("size", mostly_long([((50, 15),), ((120, 40),)]))
async def test_a_start_shows_the_list_that_was_open_last(size: tuple[int, int]) -> None:
    player = stocked_player()
    saved = player.library.lists.add("Starred ones", "is:starred sort:oldest")
    async with opened(player, size) as stage:
        stage.screen.parts.sidebar.select(View.of_list(saved.id))
        await stage.settle()
        assert stage.shows("Starred ones")
        assert State.UNPLAYED not in stage.screen.view.filter.states
        stage.app._keep_view()
        assert player.remembered("screen").startswith(f"list {saved.id} ")
