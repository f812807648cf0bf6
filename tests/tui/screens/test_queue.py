"""The queue on the screen: its keys, its marks, its view."""

from pathlib import Path

import pytest

from player.model.filters import View, ViewName
from tests.tui.stage import Stage, stocked


def queue_of(stage: Stage) -> list[str]:
    ids = stage.library.queue.ids()
    return [row.title for row in stage.library.episodes.rows(ids)]


async def test_e_and_capital_e_queue_the_episode_under_the_cursor_and_mark_its_row() -> None:
    async with stocked() as stage:
        await stage.press("g", "e")
        await stage.until(lambda: stage.news == "Queued · 1st", "the words")
        await stage.press("j", "e")
        await stage.until(lambda: stage.news == "Queued · 2nd", "the words")
        await stage.press("j", "E")
        await stage.until(lambda: stage.news == "Plays next", "the words")
        assert queue_of(stage) == ["Higher order operators", "Compiler collectives", "TORCH_TRACE and tlparse"]
        await stage.press("e")
        await stage.until(lambda: stage.news == "Already in the queue · 1st", "the words")
        assert [line.count("≡") for line in (stage.episodes.render_line(y).text for y in range(4))] == [1, 1, 1, 0]


async def test_the_sidebar_counts_the_queue_and_its_view_follows_it() -> None:
    async with stocked() as stage:
        await stage.press("g", "e", "j", "e")
        await stage.until(lambda: stage.shows("≡ Queue              2"), "the count")
        await stage.press(*stage.way_to(ViewName.QUEUE), "l")
        assert (stage.title, stage.episodes.row_count()) == ("Compiler collectives", 2)
        await stage.press("j")
        ids = [one.id for one in stage.library.episodes.rows(stage.library.queue.ids())]
        stage.player.acts.queue_next([ids[1]]).result(10)
        await stage.until(lambda: stage.episodes.cursor == 0, "the new order")
        assert stage.title == "TORCH_TRACE and tlparse"
        stage.player.acts.clear_queue().result(10)
        await stage.until(lambda: stage.shows("The queue is empty. Press e on an"), "the words")


@pytest.mark.parametrize("keys", [("l", "e"), ("v", "e")])
async def test_the_page_of_an_episode_has_the_keys_too(keys: tuple[str, ...]) -> None:
    async with stocked() as stage:
        title = stage.title
        await stage.press(*keys)
        await stage.until(lambda: queue_of(stage) == [title], "queued")


async def test_what_is_downloaded_has_a_mark_and_a_view() -> None:
    async with stocked() as stage:
        await stage.press("g")
        assert stage.screen.episode is not None
        stage.library.downloads.put(stage.screen.episode.id, Path("/nowhere/at/all.mp3"))
        await stage.press(*stage.way_to(ViewName.DOWNLOADS))
        await stage.until(lambda: stage.episodes.row_count() == 1, "the download")
        assert stage.screen.view == View.of(ViewName.DOWNLOADS)
        assert "↓" in stage.episodes.render_line(0).text


async def test_n_plays_what_is_next_and_says_so_and_the_bar_names_what_comes_then() -> None:
    async with stocked() as stage:
        await stage.press("g", "e", "j", "e")
        await stage.until(lambda: stage.shows("Next: Compiler collectives · from queue"), "what is next")
        await stage.press("n")
        await stage.until(lambda: stage.news == "Playing “Compiler collectives”", "the words")
        await stage.until(lambda: stage.shows("Next: TORCH_TRACE and tlparse · from queue"), "what is next")


async def test_n_with_nothing_next_says_what_to_do() -> None:
    async with stocked() as stage:
        await stage.press("n")
        await stage.until(lambda: stage.news == "Nothing is next. Press e on an episode to queue it.", "the words")
