"""The queue on the screen: its keys, its marks, its view."""

import re
import threading
from datetime import datetime
from pathlib import Path

import pytest
from textual.events import MouseMove

from player.model.episode import EpisodeId
from player.model.filters import View, ViewName
from tests.tui.stage import Stage, stocked
from tui.controllers.lists.queue import QueueHeading
from tui.drawing.about.sheet import EPISODE
from tui.screens.about import AboutScreen
from tui.widgets.reorderable_list import ReorderableList


@pytest.fixture(autouse=True)
def noon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Late in the evening a queue would end tomorrow."""
    monkeypatch.setattr(QueueHeading, "now", staticmethod(lambda: datetime(2026, 11, 20, 12)))


def ids_of(stage: Stage) -> list[EpisodeId]:
    """The rows of the list."""
    return stage.screen.query_one("#episodes", ReorderableList).ids()


def queue_of(stage: Stage) -> list[str]:
    ids = stage.library.queue.ids()
    return [row.title for row in stage.library.episodes.rows(ids)]


async def test_e_and_capital_e_queue_the_episode_under_the_cursor_and_its_view_follows() -> None:
    async with stocked() as stage:
        before = ids_of(stage)
        await stage.pilot.mouse_down("#episodes", offset=(10, 2))
        await stage.pilot._post_mouse_events([MouseMove], "#episodes", offset=(10, 0), button=1)
        await stage.pilot.mouse_up("#episodes", offset=(10, 0))
        assert ids_of(stage) == before, "only the queue is in an order of one's own"

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

        await stage.until(lambda: stage.shows("≡ Queue              3"), "the count")
        await stage.press(*stage.way_to(ViewName.QUEUE), "l")
        await stage.until(lambda: stage.shows("left · ends"), "the queue")
        assert not any("≡" in line[25:80] for line in stage.lines()), "in the queue itself no row is marked"
        assert (stage.title, stage.episodes.row_count()) == ("Higher order operators", 3)
        await stage.press("j")
        stage.player.acts.queue_next([EpisodeId(stage.library.queue.ids()[1])]).result(10)
        await stage.until(lambda: stage.episodes.cursor == 0, "the new order")
        assert stage.title == "Compiler collectives"
        stage.player.acts.clear_queue().result(10)
        await stage.until(lambda: stage.shows("on an episode plays it next"), "the words")


async def test_the_pages_of_episodes_and_of_a_podcast_have_the_keys_too() -> None:
    async with stocked() as stage:
        queued = [stage.title]
        await stage.press("l", "e")
        await stage.until(lambda: queue_of(stage) == queued, "queued from the notes")
        await stage.press("h", "j", "v", "e")
        queued.append(stage.app.screen.episode.title)  # type: ignore[attr-defined]
        await stage.until(lambda: queue_of(stage) == queued, "queued from the reading view")
        await stage.press("escape", "h", "i")
        screen = stage.app.screen
        assert isinstance(screen, AboutScreen)
        await stage.until(lambda: screen.page.entry is not None, "the page")
        for _step in range(30):
            if (entry := screen.page.entry) is not None and entry.href.startswith(EPISODE):
                break
            await stage.press("j")
        await stage.press("e")
        await stage.until(lambda: len(stage.library.queue) == 3, "queued")
        await stage.until(lambda: stage.shows("Queued · 3rd"), "the words")


@pytest.mark.long
async def test_what_is_downloaded_has_a_mark_and_a_view() -> None:
    async with stocked() as stage:
        await stage.press("g")
        assert stage.screen.episode is not None
        stage.library.downloads.put(stage.screen.episode.id, Path("/nowhere/at/all.mp3"))
        stage.screen.parts.sidebar.update_counts()
        await stage.until(lambda: stage.shows("↓ Downloads"), "its list")
        await stage.press(*stage.way_to(ViewName.DOWNLOADS))
        await stage.until(lambda: stage.episodes.row_count() == 1, "the download")
        assert stage.screen.view == View.of(ViewName.DOWNLOADS)
        assert stage.title == "Compiler collectives"
        await stage.press(*stage.way_to(ViewName.ALL))
        mark = re.compile(r"PyTorch Developer Podcast · 16m +↓ ")
        await stage.until(lambda: any(map(mark.search, stage.lines())), "the mark")


async def test_n_plays_what_is_next_and_says_so_and_the_bar_names_what_comes_then() -> None:
    async with stocked() as stage:
        await stage.press("n")
        await stage.until(lambda: stage.news == "Nothing is next. Press e on an episode to queue it.", "the words")
        await stage.press("g", "e", "j", "e")
        await stage.until(lambda: stage.shows("Next: Compiler collectives · from queue"), "what is next")
        await stage.press("n")
        await stage.until(lambda: stage.news == "Playing “Compiler collectives”", "the words")
        # What is wrong with the network may take the place of what is next by now.
        await stage.until(lambda: stage.shows("Next: TORCH_TRACE and tlp") or stage.shows("refused the"), "the bar")
        following = stage.player.session.status.next_up
        assert following is not None
        assert following.episode.title.startswith("TORCH_TRACE")


# -- its view -------------------------------------------------------------------------------------------------

THREE = ["Compiler collectives", "TORCH_TRACE and tlparse", "Higher order operators"]


async def open_queue(stage: Stage) -> None:
    """Three episodes are in it, and the cursor is on the first."""
    await stage.press("g", "e", "j", "e", "j", "e")
    await stage.until(lambda: len(stage.library.queue) == 3, "three in the queue")
    await stage.press(*stage.way_to(ViewName.QUEUE), "l", "g")
    await stage.until(lambda: stage.episodes.row_count() == 3, "the rows")


def shown(stage: Stage) -> list[str]:
    """The titles of the rows."""
    lines = stage.episodes.lines_of_rows()
    rows = [stage.episodes.render_line(lines.top_of(row)).text for row in range(stage.episodes.row_count())]
    titles = [row.title for row in stage.library.episodes.rows(ids_of(stage))]
    return [title for row, title in zip(rows, titles, strict=True) if title[:8] in row]


async def test_the_heading_says_how_long_the_queue_takes_and_keys_and_the_mouse_order_it() -> None:
    async with stocked() as stage:
        await open_queue(stage)
        await stage.until(lambda: stage.shows("3 episodes · 1h 04m left · ends"), "48m, and 15:48 of what is paused")
        stage.player.session.set_speed(2.0).result(10)
        await stage.until(lambda: stage.shows("3 episodes · 32m left · ends"), "the shorter time")

        await stage.press("J")
        assert shown(stage) == [THREE[1], THREE[0], THREE[2]]
        assert stage.title == THREE[0]
        await stage.press("J", "J")
        assert stage.news == "Last in the queue"
        await stage.until(lambda: queue_of(stage) == [THREE[1], THREE[2], THREE[0]], "the order")
        await stage.press("K")
        await stage.until(lambda: queue_of(stage) == [THREE[1], THREE[0], THREE[2]], "the order")
        assert (shown(stage), stage.title) == (queue_of(stage), THREE[0])
        await stage.press("K")
        await stage.until(lambda: queue_of(stage) == THREE, "the order")

        await stage.press("j", "delete")
        assert shown(stage) == [THREE[0], THREE[2]]
        await stage.until(lambda: stage.news == "Taken out of the queue · U undoes", "the words")
        assert stage.title == THREE[2]
        await stage.press("U")
        await stage.until(lambda: shown(stage) == THREE, "the row again")

        await stage.pilot.mouse_down("#episodes", offset=(10, 4))
        for y in (2, 0):
            await stage.pilot._post_mouse_events([MouseMove], "#episodes", offset=(10, y), button=1)
        assert shown(stage) == [THREE[2], THREE[0], THREE[1]]
        assert queue_of(stage) == THREE
        await stage.pilot.mouse_up("#episodes", offset=(10, 0))
        await stage.until(lambda: queue_of(stage) == [THREE[2], THREE[0], THREE[1]], "the order")
        await stage.settle()
        assert (shown(stage), stage.title) == (queue_of(stage), THREE[2])


@pytest.mark.long
async def test_n_right_after_another_key_plays_what_that_key_put_first() -> None:
    async with stocked() as stage:
        await open_queue(stage)
        hold = threading.Event()
        stage.player._writes.submit(hold.wait)
        await stage.pilot.press("J", "n")
        await stage.pilot.pause()
        hold.set()
        await stage.until(lambda: stage.news.startswith("Playing"), "the words")
        assert stage.news == f"Playing “{THREE[1]}”"


@pytest.mark.long
async def test_rows_stand_still_while_older_orders_are_still_being_written() -> None:
    async with stocked() as stage:
        await open_queue(stage)
        hold = threading.Event()
        stage.player._writes.submit(hold.wait)
        for key in ("J", "J", "K"):
            await stage.pilot.press(key)
        await stage.pilot.pause()
        moved = [THREE[1], THREE[0], THREE[2]]
        assert (shown(stage), queue_of(stage)) == (moved, THREE)
        hold.set()
        seen: list[list[str]] = []
        await stage.until(lambda: seen.append(shown(stage)) or queue_of(stage) == moved, "the order")  # type: ignore[func-returns-value]
        await stage.settle()
        assert [one for one in seen if one != moved] == []
        assert shown(stage) == moved


async def test_z_asks_how_to_sort_the_queue() -> None:
    async with stocked() as stage:
        await open_queue(stage)
        for steps, order, words in (
            (3, [1, 0, 2], "The shortest plays first now · U undoes"),
            (7, [], "Queue cleared: 3 episodes · U undoes"),
            (0, [2, 1, 0], "The oldest plays first now · U undoes"),
            (1, [0, 1, 2], "The queue is in that order already"),
        ):
            await stage.press("z", "g", *("j" * steps), "enter")
            await stage.until(lambda words=words: stage.news == words, words)  # type: ignore[misc]
            wanted = [THREE[index] for index in order]
            await stage.until(lambda wanted=wanted: shown(stage) == wanted, words)  # type: ignore[misc]
            assert queue_of(stage) == wanted
            if wanted != THREE:
                await stage.press("U")
                await stage.until(lambda: shown(stage) == queue_of(stage) == THREE, "its undoing")


@pytest.mark.long
async def test_g_and_capital_g_go_to_the_ends_of_a_choice() -> None:
    async with stocked() as stage:
        await open_queue(stage)
        await stage.press("z", "G", "g", "G")
        assert stage.shows("Clear the queue")
        await stage.press("enter")
        await stage.until(lambda: queue_of(stage) == [], "nothing in the queue")


async def test_what_plays_is_not_to_come_and_the_heading_follows_it() -> None:
    async with stocked() as stage:
        await open_queue(stage)
        await stage.press("enter")
        await stage.until(lambda: stage.shows("2 to come · 48m left · ends"), "the first plays")
        stage.player.session.seek_to(6 * 60_000).result(10)
        await stage.until(lambda: stage.shows("2 to come · 42m left · ends"), "the jump")
        await stage.until(lambda: "10m left" in stage.episodes.render_line(1).text, "its row")
        await stage.press("j", "delete", "delete")
        await stage.until(lambda: stage.shows("the last one · 10m left · ends"), "the others gone")


@pytest.mark.long
async def test_the_sidebar_counts_what_is_to_come_as_the_heading_does() -> None:
    async with stocked() as stage:

        def in_sidebar() -> int:
            return next(one.count for one in stage.sidebar._entries if one.view == View.of(ViewName.QUEUE))

        await open_queue(stage)
        await stage.until(lambda: in_sidebar() == 3, "all three to come")
        await stage.press("enter")
        await stage.until(lambda: stage.shows("2 to come") and in_sidebar() == 2, "the first plays")
        stage.player.session.stop().result(10)
        await stage.until(lambda: stage.shows("3 episodes") and in_sidebar() == 3, "none plays")


# -- from elsewhere -------------------------------------------------------------------------------------------


async def test_ctrl_e_and_ctrl_t_queue_what_was_found() -> None:
    async with stocked() as stage:
        stage.library.search.catch_up()
        await stage.press("g", "j", "e")
        await stage.until(lambda: queue_of(stage), "the first of the queue")
        first = queue_of(stage)
        await stage.press("ctrl+f", *"collectives")
        await stage.until(lambda: stage.shows("1 match"), "the result")
        assert stage.shows("ctrl+e queue   ctrl+t play next")
        await stage.press("ctrl+e")
        await stage.until(lambda: stage.shows("Queued · 2nd"), "the words")
        assert queue_of(stage) == [*first, "Compiler collectives"]
        await stage.press("ctrl+t")
        await stage.until(lambda: stage.shows("Plays next"), "the words")
        assert queue_of(stage) == ["Compiler collectives", *first]
        await stage.press("ctrl+t", "ctrl+e")
        await stage.until(lambda: stage.shows("Already in the queue · 1st"), "the words")
        assert queue_of(stage) == ["Compiler collectives", *first]
        await stage.press(*"eE")
        assert stage.app.screen.text == "collectiveseE", "letters are typed"  # type: ignore[attr-defined]
        stage.library.queue.clear()
        await stage.press("backspace", "backspace", "backspace")
        await stage.until(lambda: stage.shows("1 match"), "the result again")
        found = stage.app.screen.found.episode  # type: ignore[attr-defined]
        assert not found.queued, "as the library has it now, not as it was shown then"


async def test_what_is_queued_from_a_search_is_so_in_the_next_results_however_long_that_takes() -> None:
    async with stocked() as stage:
        stage.library.search.catch_up()
        await stage.press("ctrl+f", *"collectives")
        await stage.until(lambda: stage.shows("1 match"), "the result")
        go_on = threading.Event()
        stage.player._writes.submit(lambda: go_on.wait(30))
        await stage.pilot.press("ctrl+e", "backspace")
        found = stage.app.screen.found  # type: ignore[attr-defined]
        await stage.until(lambda: found.episode is not None and not found.episode.queued, "the results as they are")
        go_on.set()
        await stage.until(lambda: found.episode.queued, "the result as it has become")
