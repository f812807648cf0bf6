"""Keys typed in one go, faster than what they open comes: each reaches what the one before it led to."""

import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
from textual import events
from textual.keys import _character_to_key
from textual.widgets import Input

from player.model.filters import ViewCounts, ViewName
from player.model.playback import PlaybackState
from player.paths import Paths
from tests.tui.stage import Stage, stocked
from tui.dialogs.link_chooser import LinksScreen
from tui.framework import typing_ahead
from tui.screens.find import FindScreen
from tui.screens.main import MainScreen
from tui.screens.search import SearchScreen
from tui.widgets.footer import KeyFooter
from tui.widgets.link_list import LinkList


@pytest.fixture
async def stage(paths: Paths) -> AsyncIterator[Stage]:
    async with stocked(drawn=True) as stage:
        yield stage


def type_at_once(stage: Stage, *typed: str) -> None:
    """Names of keys, and text in quotes; nothing is waited for in between."""
    for one in typed:
        if one.startswith("'"):
            for character in one[1:-1]:
                stage.app.post_message(events.Key(_character_to_key(character), character))
        else:
            stage.app.post_message(events.Key(one, None))


def marks(stage: Stage) -> tuple[ViewCounts, str, bool]:
    return stage.library.episodes.counts(), stage.news, stage.player.status.state is PlaybackState.PLAYING


async def test_letters_after_a_slash_go_to_the_filter_and_mark_nothing(stage: Stage) -> None:
    before = marks(stage)
    type_at_once(stage, "slash", "'dms qe/'")
    field = stage.screen.query_one("#filter", Input)
    await stage.until(lambda: field.value == "dms qe/", "the words in the filter")
    await stage.settle()
    assert (stage.focus, marks(stage)) == ("filter", before)

    type_at_once(stage, "ctrl+u", "'strides'", "enter", "enter")
    await stage.until(
        lambda: (episode := stage.player.status.episode) is not None and episode.title == "Strides",
        "the episode that the words leave, played by enter",
    )


async def test_an_address_after_a_goes_to_the_dialog_and_a_digit_after_o_chooses_a_link(stage: Stage) -> None:
    type_at_once(stage, "a", "'http://127.0.0.1:9/smd'")
    await stage.until(lambda: isinstance(stage.app.screen, FindScreen), "the dialog")
    field = stage.app.screen.query_one(Input)
    await stage.until(lambda: field.value == "http://127.0.0.1:9/smd", "the address in it")

    type_at_once(stage, "escape", "o", "2")
    await stage.until(lambda: isinstance(stage.app.screen, LinksScreen), "the links")
    links = stage.app.screen.query_one("#links", LinkList)
    await stage.until(lambda: links.cursor == 1, "the second")


async def test_a_dialog_that_is_closed_gives_the_next_key_to_what_is_under_it_at_once(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(typing_ahead, "_LOST_S", 600.0)
    title, footer = stage.title, stage.screen.query_one(KeyFooter)
    type_at_once(stage, "a", "'sd'", "escape", "j", "slash", "escape", "k", "s")
    await stage.until(lambda: "Star" in footer.news, "the star")
    assert (stage.title, stage.focus) == (title, "episodes")

    type_at_once(stage, "g", *["j"] * 20, *["k"] * 5, "s")
    await stage.until(lambda: stage.episodes.episode is not None and stage.episodes.episode.starred, "the star")
    assert stage.episodes.cursor == 15, "a key that is held down moves by every press"


async def test_a_filter_that_ends_gives_the_next_key_to_the_whole_list(stage: Stage) -> None:
    type_at_once(stage, "g", "slash", "'strides'")
    await stage.until(lambda: stage.title == "Strides", "the filtered list")
    type_at_once(stage, "escape", "j", "s")
    await stage.until(lambda: "Star" in stage.news, "the star")
    assert stage.title == "AOTAutograd"


async def test_words_after_ctrl_f_are_searched_and_enter_goes_to_what_they_find_or_nowhere(stage: Stage) -> None:
    stage.library.search.catch_up()
    type_at_once(stage, "ctrl+f", "'nowhereatall'", "enter")
    await stage.until(lambda: stage.shows("No results"))
    assert isinstance(stage.app.screen, SearchScreen)

    type_at_once(stage, "ctrl+u", "'partitioner'", "enter")
    await stage.until(lambda: isinstance(stage.app.screen, MainScreen) and stage.title == "Min-cut partitioner")


async def test_the_other_pane_is_there_before_its_first_key(stage: Stage) -> None:
    type_at_once(stage, *stage.way_to(ViewName.ALL), "l", "G", "s")
    await stage.until(lambda: "Star" in stage.news, "the star")
    last = stage.library.listing(stage.screen.view)
    assert stage.screen.view.podcast_id is None
    assert stage.screen.episode_id == last.page(len(last) - 1, 1)[0]


@pytest.mark.parametrize("busy_with", ["compose", "__init__"])
async def test_a_key_waits_for_its_dialog_however_long_a_busy_machine_takes_to_open_it(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, busy_with: str
) -> None:
    monkeypatch.setattr(typing_ahead, "_LOST_S", 0.02)
    monkeypatch.setattr(typing_ahead, "_LOOKS", 500)
    before = getattr(LinksScreen, busy_with)

    def busy(screen: LinksScreen, *args: Any, **more: Any) -> Any:
        time.sleep(0.05)
        return before(screen, *args, **more)

    monkeypatch.setattr(LinksScreen, busy_with, busy)
    type_at_once(stage, "o", "2")
    await stage.until(lambda: isinstance(stage.app.screen, LinksScreen), "the links")
    links = stage.app.screen.query_one("#links", LinkList)
    await stage.until(lambda: links.cursor == 1, "the second")


async def test_keys_dont_stay_behind_a_mark_that_was_lost(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typing_ahead, "_LOST_S", 0.02)
    monkeypatch.setattr(stage.app, "_send", lambda mark: None)
    type_at_once(stage, "g", "j", "s")
    await stage.until(lambda: "Star" in stage.news, "the star")
    assert stage.episodes.cursor == 1


async def test_to_end_it_waits_for_no_key_before(stage: Stage) -> None:
    type_at_once(stage, "a", "'x'" * 50, "ctrl+q")
    await stage.until(lambda: not stage.app._running or stage.app._exit, "the end")
