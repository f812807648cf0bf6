"""`U` and `ctrl+r` on the main screen."""

import asyncio
from collections.abc import Callable
from functools import partial

import pytest

from player.integrations.client import request
from player.model.filters import ViewName
from player.paths import Paths
from player.player import Player
from tests.tui.stage import QUIET, Stage, opened, stocked


def _says(stage: Stage, words: str) -> bool:
    return stage.news == words


async def _first_starred(stage: Stage) -> tuple[str, int]:
    """Goes to the list of stars; the title of its first episode, with the cursor on it, and the number of its rows."""
    await stage.press("h", "g")
    while stage.sidebar.view.name is not ViewName.STARRED:
        await stage.press("j")
    await stage.press("l", "g")
    return stage.title, stage.episodes.row_count()


async def test_u_takes_back_a_mark_says_so_and_ctrl_r_does_it_again() -> None:
    async with stocked() as stage:
        await stage.press("g", "m", "j", "s")
        assert stage.screen.episode is not None
        await stage.until(lambda: stage.library.acts.last(), "the acts")
        for key, words in (
            ("U", "Undone: starred “TORCH_TRACE and tlparse”"),
            ("U", "Undone: marked “Compiler collectives” as played"),
            ("U", "Nothing to undo"),
            ("ctrl+r", "Redone: marked “Compiler collectives” as played"),
            ("ctrl+r", "Redone: starred “TORCH_TRACE and tlparse”"),
            ("ctrl+r", "Nothing to redo"),
        ):
            await stage.press(key)
            await stage.until(partial(_says, stage, words), words)

        for key, starred in (("U", False), ("ctrl+r", True)):
            await stage.press("G", key)
            await stage.until(lambda: stage.title == "TORCH_TRACE and tlparse", "the cursor on it")
            await stage.until(lambda: stage.screen.episode.starred is starred, "its row")  # type: ignore[union-attr]  # noqa: B023

        await stage.until(stage.player.paths.socket.exists, "the control socket")
        reply = await asyncio.to_thread(request, stage.player.paths.socket, "undo")
        assert reply["act"]["title"] == "TORCH_TRACE and tlparse"
        words = "Undone: starred “TORCH_TRACE and tlparse”"
        await stage.until(partial(_says, stage, words), "what a shell undoes")
        await stage.until(lambda: stage.screen.episode and not stage.screen.episode.starred, "the row")


async def test_an_episode_that_left_the_list_comes_back_to_it_with_the_cursor() -> None:
    async with stocked() as stage:
        first, count = await _first_starred(stage)
        await stage.press("s")
        await stage.until(lambda: stage.library.acts.last(), "the act")
        await stage.press("j")
        await stage.until(lambda: stage.episodes.row_count() == count - 1, "the row leaves with the cursor")
        await stage.press("U")
        await stage.until(lambda: stage.episodes.row_count() == count)
        await stage.until(lambda: stage.title == first)


async def test_undo_works_after_a_restart_and_leaves_the_position_of_what_plays(paths: Paths) -> None:
    player = Player(paths, QUIET)
    player.open()
    async with opened(player) as stage:
        await stage.press("s", "enter")
        await stage.until(lambda: stage.player.status.position_ms > 0, "playback")
        assert stage.screen.episode is not None
        episode_id = stage.screen.episode.id
    again = Player(paths, QUIET)
    again.open()
    async with opened(again) as stage:
        before = stage.library.episodes.get(episode_id)
        assert before.starred
        await stage.press("space", "U")
        await stage.until(lambda: stage.news.startswith("Undone: starred"), "the star's end")
        after = stage.library.episodes.get(episode_id)
        assert not after.starred
        assert after.position_ms >= before.position_ms > 0


async def test_the_cursor_goes_to_it_though_the_list_is_read_again_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    """As after a refresh, or when a download is complete."""
    async with stocked() as stage:
        first, count = await _first_starred(stage)
        await stage.press("s", "j")
        await stage.until(lambda: stage.episodes.row_count() == count - 1, "the row leaves with the cursor")
        lists = stage.screen.parts.lists
        read, begun, go = lists.reader.read, list[object](), asyncio.Event()

        async def held(reading: Callable[[], object]) -> object:
            begun.append(reading)
            await go.wait()
            return await read(reading)

        monkeypatch.setattr(lists.reader, "read", held)
        await stage.pilot.press("U")
        await stage.until(lambda: begun, "the reading of the list")
        lists.load()
        go.set()
        await stage.until(lambda: stage.episodes.row_count() == count)
        await stage.until(lambda: stage.title == first)
