"""What no longer belongs in a list leaves it: the row under the cursor when the cursor does, all others at once."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import pytest

from player.events import Cause
from player.library.lists import listing
from player.model.episode import EpisodeId
from player.model.filters import View, ViewName, ViewSettings
from tests.quick import mostly_long
from tests.tui.screens.test_selecting import add
from tests.tui.stage import Stage, opened, stocked_player
from tui.screens.reading import ReadingScreen

MANY = 1000


@asynccontextmanager
async def in_list(view: View, *, cursor: int = 0) -> AsyncIterator[Stage]:
    """In that list, which hides what is played if it can, the cursor so many rows down."""
    player = stocked_player()
    player.library.view_settings.set(view.key, ViewSettings(hide_played=view.name is not ViewName.STARRED))
    async with opened(player) as stage:
        stage.screen.parts.lists.show(view, None)
        await stage.until(lambda: stage.screen.view == view and stage.screen.parts.lists.shown_as is not None, "it")
        await stage.settle()
        await stage.press("g", *"j" * cursor)
        yield stage


def ids(stage: Stage) -> list[int]:
    listing = stage.episodes.listing
    return listing.page(0, len(listing)).tolist()


def all_here(stage: Stage, rows: range) -> bool:
    return all(stage.episodes.is_here(one) for one in rows)


async def test_a_played_row_stays_under_the_cursor_and_leaves_when_the_cursor_does() -> None:
    async with in_list(View(), cursor=3) as stage:
        before = ids(stage)
        await stage.press("m", "m")
        await stage.until(lambda: not stage.library.episodes.get(EpisodeId(before[3])).played, "taken back")
        await stage.press("j", "k")
        assert (ids(stage), stage.screen.episode_id) == (before, before[3]), "the same key takes the mark back"
        await stage.press("m")
        await stage.until(lambda: stage.screen.episode and stage.screen.episode.played, "the mark")
        await stage.until(lambda: stage.library.episodes.get(EpisodeId(before[3])).played, "on the disk")
        assert (ids(stage), stage.episodes.cursor) == (before, 3)
        await stage.press("j")
        await stage.until(lambda: ids(stage) == before[:3] + before[4:], "it is gone")
        assert stage.screen.episode_id == before[4]
        await stage.press("m", "k")
        await stage.until(lambda: ids(stage) == before[:3] + before[5:], "that one as well")
        assert stage.screen.episode_id == before[2]

        await stage.run("hide_played")
        before, listing = ids(stage), stage.episodes.listing
        await stage.press("m", "j", "k")
        assert stage.episodes.listing is listing, "a list that shows what is played isn't read again"
        assert ids(stage) == before


async def test_a_cursor_that_left_while_the_list_was_read_takes_the_row_with_it() -> None:
    async with in_list(View(), cursor=3) as stage:
        before = ids(stage)
        await stage.press("m")
        await stage.until(lambda: stage.library.episodes.get(EpisodeId(before[3])).played, "on the disk")
        await stage.settle()
        stage.episodes.move_by(1)
        stage.screen.parts.leaving.list_shown()
        await stage.until(lambda: ids(stage) == before[:3] + before[4:], "it is gone")
        assert stage.screen.episode_id == before[4]


async def test_what_is_played_elsewhere_leaves_at_once_and_the_cursor_stays_on_its_episode() -> None:
    async with in_list(View(), cursor=3) as stage:
        before = ids(stage)
        stage.player.acts.set_played([EpisodeId(before[1])], True, cause=Cause.RULE).result(10)
        await stage.until(lambda: ids(stage) == [before[0], *before[2:]], "it is gone")
        assert stage.screen.episode_id == before[3]
        await stage.press("V", "j", "m")
        await stage.until(lambda: ids(stage) == [before[0], before[2], *before[5:]], "all that were selected")


async def test_far_down_in_a_list_that_is_read_in_pages() -> None:
    player = stocked_player()
    podcast = player.library.podcasts.add("https://many.example/feed", "Many")
    add(player.library, podcast.id, "Many", MANY)
    view = View.of(ViewName.PODCAST, podcast.id)
    player.library.view_settings.set(view.key, ViewSettings(hide_played=True))
    async with opened(player) as stage:
        stage.screen.parts.lists.show(view, None)
        await stage.until(lambda: stage.episodes.row_count() == MANY, "the list")
        await stage.press("G", *"k" * 3, "m")
        before = ids(stage)
        marked = stage.screen.episode_id
        assert marked == before[-4]
        await stage.press("j")
        await stage.until(lambda: stage.episodes.row_count() == MANY - 1, "it is gone")
        assert stage.screen.episode_id == before[-3]
        await stage.until(lambda: stage.title != "", "the row")
        assert ids(stage) == before[:-4] + before[-3:]


async def test_scrolling_away_from_a_row_that_stays_and_back_shows_each_row_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(listing, "_KEPT_PAGES", 2)  # as after 16,000 rows: those around the cursor are read again
    player = stocked_player()
    podcast = player.library.podcasts.add("https://many.example/feed", "Many")
    add(player.library, podcast.id, "Many", MANY)
    view = View.of(ViewName.PODCAST, podcast.id)
    player.library.view_settings.set(view.key, ViewSettings(hide_played=True))
    async with opened(player) as stage:
        stage.screen.parts.lists.show(view, None)
        await stage.until(lambda: stage.episodes.row_count() == MANY, "the list")
        rows = stage.episodes
        before = player.library.listing(view).page(0, MANY).tolist()  # the list on the screen has yet to read them
        await stage.press("j", "m")
        await stage.until(lambda: player.library.episodes.get(EpisodeId(before[1])).played, "on the disk")
        await stage.settle()
        for top in (350, 700, MANY, 0):
            rows.scroll_to(y=top, animate=False, force=True)
            first = rows.scroll_offset.y
            sight = range(first, first + rows.size.height)
            await stage.until(partial(all_here, stage, sight), "the rows")
            assert [rows._rows.id_at(one) for one in sight] == before[sight.start : sight.stop]
        assert ids(stage) == before
        assert stage.screen.episode_id == before[1]
        await stage.press("j")
        await stage.until(lambda: ids(stage) == [before[0], *before[2:]], "it is gone")


async def test_a_star_that_is_removed_in_starred_may_be_given_back() -> None:
    async with in_list(View.of(ViewName.STARRED)) as stage:
        before = ids(stage)
        assert len(before) > 2
        await stage.press("s")
        await stage.until(lambda: not stage.library.episodes.get(EpisodeId(before[0])).starred, "no star")
        assert ids(stage) == before
        await stage.press("s", "j", "s", "j")
        await stage.until(lambda: ids(stage) == [before[0], *before[2:]], "the second has left")
        assert stage.screen.episode_id == before[2]


@pytest.mark.parametrize("query", mostly_long(["is:unplayed limit:20 sort:oldest", "is:unplayed"]))
async def test_in_a_smart_list_as_well(query: str) -> None:
    player = stocked_player()
    view = View.of_list(player.library.lists.add("Unheard", query).id)
    async with opened(player) as stage:
        stage.screen.parts.lists.show(view, None)
        await stage.until(lambda: stage.screen.view == view and stage.shows("Unheard"), "the list")
        await stage.settle()
        await stage.press("g", "j", "m")
        before = ids(stage)
        assert stage.screen.episode_id == before[1]
        await stage.press("j")
        await stage.until(lambda: before[1] not in ids(stage), "it is gone")
        assert stage.screen.episode_id == before[2]


async def test_turning_the_page_of_the_reading_view_leaves_a_row_too() -> None:
    async with in_list(View(), cursor=3) as stage:
        before, rows = ids(stage), stage.episodes
        await stage.press("m", "v")
        await stage.until(lambda: isinstance(stage.app.screen, ReadingScreen), "the page")
        await stage.press("J")
        await stage.until(lambda: len(rows.listing) == len(before) - 1, "it is gone")
        assert rows.episode_id == before[4]
