"""The list New: a verdict takes an episode out of it, and the cursor goes to the following one."""

import resource
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import pytest
from msgspec.structs import replace

from player.model.episode import EpisodeId
from player.model.filters import View, ViewName
from player.model.playback import PlaybackState
from player.settings import Inbox
from tests.quick import mostly_long
from tests.tui.stage import QUIET, Stage, opened, stocked_player
from tui.screens.reading import ReadingScreen

SHOW = "CoRecursive"


@asynccontextmanager
async def in_new(count: int = 4, show: str = SHOW) -> AsyncIterator[Stage]:
    """With that many new episodes, in New, the cursor on the first."""
    player = stocked_player()
    player.library.inbox.remove([EpisodeId(one) for one in player.library.inbox.ids()])
    podcast = player.library.podcasts.find(show).id
    ids = player.library.episodes.ids(View.of(ViewName.PODCAST, podcast))[:count]
    player.library.inbox.add([EpisodeId(one) for one in ids])
    async with opened(player) as stage:
        await stage.press("h", "g")
        assert stage.sidebar.view.name is ViewName.NEW
        await stage.press("l")
        yield stage


def titles(stage: Stage) -> list[str]:
    """Of the list, as the library has it."""
    ids = [EpisodeId(one) for one in stage.library.inbox.ids()]
    return [row.title for row in stage.library.episodes.rows(ids)]


async def test_one_key_decides_and_the_cursor_goes_to_the_following_episode() -> None:
    async with in_new(7) as stage:
        waiting = titles(stage)
        assert any("dismiss" in line for line in stage.lines()[-2:])
        await stage.until(lambda: any("New" in line and " 7" in line[:30] for line in stage.lines()), "the count")
        for key in "eExsdm":
            decided = waiting.pop(0)
            assert stage.title == decided
            await stage.pilot.press(key)
            await stage.until(lambda: stage.title == waiting[0])
            await stage.until(lambda: titles(stage) == waiting)
            await stage.until(lambda: stage.episodes.row_count() == len(waiting))
            assert stage.title == waiting[0]
            episode = stage.library.episodes.find(decided)
            assert episode.starred is (key == "s")
            assert episode.played is (key == "m")
            assert (episode.id in stage.library.queue.ids()) is (key in "eE")
            left = f" {len(waiting)}"
            await stage.until(lambda left=left: any("New" in line and left in line[:30] for line in stage.lines()))  # type: ignore[misc]


async def test_keys_typed_faster_than_the_disk_are_one_verdict_for_each_episode() -> None:
    async with in_new() as stage:
        with stage.library.transaction():  # nobody else writes meanwhile
            for _ in range(7):
                await stage.pilot.press("m")
        await stage.until(lambda: not titles(stage))
        podcast = stage.library.podcasts.find(SHOW).id
        rows = stage.library.episodes.rows(
            list(map(EpisodeId, stage.library.episodes.ids(View.of(ViewName.PODCAST, podcast))))
        )
        assert [row.played for row in rows[:5]] == [True] * 4 + [rows[4].played]
        await stage.until(lambda: stage.shows("Nothing new") and stage.shows("U  undo the last change"))


@contextmanager
def disk_full() -> Iterator[None]:
    """Nothing can be written to a file any more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_a_verdict_that_cannot_be_written_is_taken_back_and_the_key_works_again_later() -> None:
    async with in_new(6) as stage:
        for key in "eExsm":
            first, second, *others = titles(stage)
            stage.app.clear_notifications()
            with disk_full():
                await stage.press(key)
                await stage.until(lambda: stage.shows("library.db"), f"the sentence about the disk after {key}")
                await stage.until(lambda second=second: stage.title == second, key)  # type: ignore[misc]
                await stage.press("k")
                await stage.until(lambda first=first: stage.title == first, key)  # type: ignore[misc]
                episode = stage.episodes.episode
                assert episode
                before = replace(episode, queued=False, starred=False, played=False)
                await stage.until(lambda before=before: stage.episodes.episode == before, key)  # type: ignore[misc]
            await stage.press(key)
            left = [second, *others]
            await stage.until(lambda left=left: titles(stage) == left, key)  # type: ignore[misc]
            await stage.until(lambda left=left: stage.episodes.row_count() == len(left), key)  # type: ignore[misc]


async def test_undo_brings_it_back_and_it_can_be_decided_again_while_it_is_read() -> None:
    async with in_new(1) as stage:
        first, rows = stage.title, stage.episodes
        await stage.pilot.press("x")
        await stage.until(lambda: stage.news.startswith("Dismissed"))
        await stage.until(lambda: rows.row_count() == 0)
        await stage.pilot.press("U")
        await stage.until(lambda: stage.title == first)
        await stage.press("v", "x")
        await stage.until(lambda: rows.row_count() == 0, "the empty list")
        assert (reading(stage), titles(stage)) == (first, [])
        await stage.press("x")
        await stage.until(lambda: stage.shows("Only episodes in New"), "it isn't new any more")
        await stage.press("J")
        await stage.until(lambda: stage.shows("Last episode"), "no other")


async def test_what_is_played_is_no_longer_new() -> None:
    async with in_new(2, "Welcome to Earmark") as stage:
        _first, second = titles(stage)
        await stage.pilot.press("enter")
        await stage.until(lambda: stage.player.status.state is PlaybackState.PLAYING)
        await stage.until(lambda: titles(stage) == [second])
        await stage.until(lambda: stage.episodes.row_count() == 1)
        assert stage.title == second


async def test_elsewhere_a_verdict_leaves_the_cursor_alone() -> None:
    async with in_new() as stage:
        stage.screen.parts.back_stack.leave()
        podcast = stage.library.podcasts.find(SHOW).id
        stage.screen.parts.sidebar.select(View.of(ViewName.PODCAST, podcast))
        await stage.settle()
        first, *others = titles(stage)
        assert stage.title == first
        await stage.pilot.press("x")
        await stage.until(lambda: titles(stage) == others)
        assert stage.title == first
        await stage.pilot.press("x")
        await stage.until(lambda: stage.news == "Only episodes in New can be dismissed. m: mark as played")

        first, *others = others
        stage.screen.parts.lists.show(View(), stage.library.episodes.find(first).id)
        await stage.until(lambda: stage.screen.view == View() and stage.title == first, "all episodes")
        await stage.settle()
        await stage.press("v")
        await stage.until(lambda: isinstance(stage.app.screen, ReadingScreen), "the page")
        assert "x dismiss" not in stage.lines()[-1]
        await stage.press("x")
        await stage.until(lambda: titles(stage) == others, "the verdict")
        assert reading(stage) == first, "over another list the page stays"
        await stage.press("U")
        await stage.until(lambda: titles(stage) == [first, *others], "undone")
        assert reading(stage) == first


async def test_an_inbox_that_is_off_has_no_row() -> None:
    player = stocked_player(settings=replace(QUIET, inbox=Inbox(enabled=False)))
    async with opened(player) as stage:
        await stage.press("h", "g")
        assert stage.sidebar.view.name is ViewName.QUEUE


# -- on the page of an episode --------------------------------------------------------------------------------


@pytest.mark.long
async def test_over_new_x_dismisses_the_episode_that_is_read_and_brings_the_following_one() -> None:
    async with in_new() as stage:
        _first, second, third, last = titles(stage)
        rows = stage.episodes
        await stage.press("v")
        await stage.until(lambda: isinstance(stage.app.screen, ReadingScreen), "the page")
        assert "x dismiss" in stage.lines()[-1]
        await stage.press("x")
        await stage.until(lambda: titles(stage) == [second, third, last], "the verdict")
        await stage.until(lambda: stage.shows("Dismissed · U undoes"), "the words")
        assert reading(stage) == second
        await stage.until(lambda: rows.row_count() == 3, "the list")
        await stage.press("J")
        assert reading(stage) == third
        await stage.press("K", "x")
        assert reading(stage) == third
        await stage.press("U")
        await stage.until(lambda: titles(stage) == [second, third, last], "undone")
        await stage.until(lambda: reading(stage) == second, "the page again")
        await stage.press("escape")
        await stage.until(lambda: stage.title == second, "the cursor")


@pytest.mark.long
async def test_what_is_queued_over_new_is_still_read_and_the_next_page_is_of_what_followed_it() -> None:
    async with in_new() as stage:
        first, second, third, _last = titles(stage)
        rows = stage.episodes
        await stage.press("v", "e")
        await stage.until(lambda: rows.row_count() == 3, "the list without it")
        assert reading(stage) == first
        await stage.press("J")
        assert reading(stage) == second
        await stage.press("J")
        assert reading(stage) == third


@pytest.mark.parametrize("count", mostly_long([3, 1]))
async def test_after_the_last_one_that_left_under_its_page_there_is_none_and_the_one_before_it_is_before_it(
    count: int,
) -> None:
    async with in_new(count) as stage:
        waiting = titles(stage)
        rows = stage.episodes
        await stage.press("G", "v")
        assert reading(stage) == waiting[-1]
        await stage.press("e")
        await stage.until(lambda: rows.row_count() == count - 1, "the list without it")
        await stage.press("J")
        await stage.until(lambda: stage.shows("Last episode"), "no other")
        await stage.press("J")
        assert reading(stage) == waiting[-1]
        await stage.press("K")
        assert reading(stage) == waiting[-2:][0]
        if count > 1:
            await stage.press("K", "J")
            assert reading(stage) == waiting[-2]


def reading(stage: Stage) -> str:
    screen = stage.app.screen
    return screen.episode.title if isinstance(screen, ReadingScreen) else ""
