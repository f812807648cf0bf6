"""Every list that is empty says why, and names the key that fills it, on a wide screen and on a small one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import product

import pytest

from player.model.episode import EpisodeId
from player.model.filters import View, ViewName
from player.paths import Paths
from player.player import Player
from tests.tui.stage import QUIET, Stage, opened
from tui.screens.find import FindScreen
from tui.widgets.episodes_pane import EpisodesPane

SIZES = ((120, 40), (50, 15))
WORDS = {
    ViewName.NEW: "Nothing new R check all podcasts U undo the last change",
    ViewName.QUEUE: "The queue is empty e on an episode adds it E on an episode plays it next",
    ViewName.IN_PROGRESS: "Nothing in progress yet enter on an episode plays it",
    ViewName.STARRED: "Nothing starred yet s on an episode stars it",
    ViewName.DOWNLOADS: "Nothing downloaded yet d on an episode downloads it",
    ViewName.BOOKMARKS: "No bookmarks yet b bookmarks this moment B the same, with a note",
    ViewName.HISTORY: "Nothing heard yet enter on an episode plays it, and lists it here",
}
NO_PODCASTS = (
    "No podcasts yet a find some, or add one by its URL enter see suggestions ? type “import” for OPML or another app"
)


@asynccontextmanager
async def in_list(player: Player) -> AsyncIterator[Stage]:
    """With nothing new, and the list in sight."""
    player.library.inbox.remove([EpisodeId(one) for one in player.library.inbox.ids()])
    async with opened(player) as stage:
        yield stage


@pytest.fixture
def player(paths: Paths) -> Player:
    made = Player(paths, QUIET)
    made.open()
    return made


async def show(stage: Stage, view: View) -> None:
    stage.screen.parts.sidebar.select(view)
    await stage.settle()


def page_text(stage: Stage) -> str:
    """The text of the list's pane."""
    pane = stage.screen.query_one(EpisodesPane).region
    return " ".join(" ".join(line[pane.x : pane.right] for line in stage.lines()[pane.y : pane.bottom]).split())


async def test_each_view_says_what_fills_it(player: Player) -> None:
    async with in_list(player) as stage:
        for size, (name, words) in product(SIZES, WORDS.items()):
            await stage.resize(*size)
            await show(stage, View.of(name))
            await stage.until(lambda: words in page_text(stage), f"“{words}”")  # noqa: B023


async def test_without_a_podcast_each_view_says_how_to_add_one_and_enter_finds_some(player: Player) -> None:
    async with in_list(player) as stage:
        for podcast in player.library.podcasts.all():
            player.remove(podcast.id).result(10)
        for size, name in product(SIZES, (*WORDS, ViewName.ALL)):
            await stage.resize(*size)
            await show(stage, View.of(name))
            await stage.until(lambda: NO_PODCASTS in page_text(stage), f"“{NO_PODCASTS}” in {name}")
        await stage.press("enter")
        await stage.until(lambda: isinstance(stage.app.screen, FindScreen), "the search")
        await stage.until(lambda: stage.shows("Suggested by Earmark"), "what Earmark suggests")
        await stage.press("escape")
        await stage.until(lambda: stage.app.screen is stage.screen, "the main screen")


async def test_lists_of_ones_own_say_what_fills_them(player: Player) -> None:
    starred = player.lists.save_search("Kept", "is:starred").result(10)
    commute = player.lists.new_playlist("Commute").result(10)
    async with in_list(player) as stage:
        for size in SIZES:
            await stage.resize(*size)
            await show(stage, View.of_list(commute.id))
            await stage.until(lambda: "This playlist is empty p on an episode adds it" in page_text(stage))
            await show(stage, View.of_list(starred.id))
            await stage.until(lambda: "Nothing fits “is:starred” now" in page_text(stage))
            assert "R check all podcasts ? type “edit” to change the search" in page_text(stage)
            for name, words in (
                (ViewName.ALL, "Nothing matches “xyz”"),
                (ViewName.BOOKMARKS, "No bookmarks match “xyz”"),
            ):
                await show(stage, View.of(name))
                await stage.press("slash", *"xyz")
                await stage.until(lambda: f"{words} esc clear the filter" in page_text(stage), words)  # noqa: B023
                await stage.press("escape")
