"""Somebody who has no podcasts yet is offered the libraries of other apps on this computer."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from player.paths import Paths
from player.player import Player
from tests.loopback import LoopbackServer
from tests.player.feeds.parsing.making import item, rss
from tests.player.transfer import libraries
from tests.tui.stage import QUIET, Stage, opened
from tui.dialogs.import_file import ImportScreen

NEWSBOAT = "newsboat: 2 podcasts, queue of 1"
SIZES = [(80, 24), (40, 12), (120, 30)]


@asynccontextmanager
async def started(size: tuple[int, int] = (80, 24)) -> AsyncIterator[Stage]:
    player = Player(Paths.of(), QUIET)
    player.open()
    async with opened(player, size) as stage:
        yield stage


def library_of(make: Callable[[Path, str], Path], server: LoopbackServer, name: str) -> None:
    """A library of that app, whose podcast is at a server of this computer."""
    url = server.page(f"/{name}.xml", rss(item(1), channel=f"<title>{name}</title>"))
    make(Path.home(), url)


async def offered(stage: Stage, words: str = NEWSBOAT) -> None:
    await stage.until(lambda: stage.shows(words), "the offer")


@pytest.mark.parametrize("size", SIZES)
async def test_an_offer_is_a_row_below_the_episodes_and_the_cursor_stays(size: tuple[int, int]) -> None:
    libraries.newsboat(Path.home())
    async with started(size) as stage:
        await offered(stage)
        assert stage.shows("1. Press play")
        assert stage.shows("On this computer")
        assert [one.title[:2] for one in (stage.screen.episode,) if one] == ["1."]
        await stage.press("G")
        assert not stage.screen.episode
        assert stage.shows("enter show")
        assert stage.shows("x dismiss")
        await stage.press("enter")
        await stage.until(lambda: isinstance(stage.app.screen, ImportScreen), "the dialog")
        await stage.until(lambda: stage.shows("Press enter to"), "the preview")
        await stage.press("escape")
        assert stage.shows(NEWSBOAT), "it was only looked at"


async def test_a_wide_terminal_says_more() -> None:
    libraries.newsboat(Path.home())
    async with started((120, 30)) as stage:
        await offered(stage)
        await stage.press("G")
        await stage.until(lambda: stage.shows("show what would come"), "its page")
        assert stage.shows("~/.newsboat/urls")


@pytest.mark.parametrize("rows", [24, 50])
async def test_a_row_with_room_says_what_the_key_does(rows: int) -> None:
    libraries.newsboat(Path.home())
    async with started((200, rows)) as stage:
        await offered(stage)
        assert stage.shows("2 played · enter shows what would come")


async def test_all_libraries_are_offered_and_each_is_imported_or_dismissed(server: LoopbackServer) -> None:
    library_of(libraries.newsboat, server, "newsboat")
    library_of(libraries.castero, server, "castero")
    libraries.kasts(Path.home())
    async with started() as stage:
        await offered(stage)
        await offered(stage, "castero: 1 podcast, 1 in progress")
        await offered(stage, "Kasts: 1 podcast, 2 in progress")
        await stage.press("G", "x")
        await stage.until(lambda: not stage.shows("Kasts:"), "that it is gone")
        assert "Not offered again" in stage.news
        await stage.press("k", "enter")
        await stage.until(lambda: stage.shows("Press enter to"), "the preview")
        await stage.press("enter")
        await stage.until(lambda: len(stage.library.podcasts.all()) == 3, "the podcasts")
        await stage.until(lambda: not stage.shows(NEWSBOAT), "that it is gone")
        await stage.until(lambda: stage.shows("castero: 1 podcast"), "the other one, which stays")
        assert stage.player.remembered("import offers").split("\n") == ["Kasts", "newsboat"]
        await stage.press("U")
        await stage.until(lambda: stage.library.episodes.counts().queued == 0, "the queue as it was")
    async with started() as again:
        await again.until(lambda: again.shows("enter play"), "the screen")
        assert not again.shows("castero:"), "there are podcasts"


async def test_a_dismissed_offer_does_not_come_back_and_another_does() -> None:
    libraries.newsboat(Path.home())
    libraries.castero(Path.home())
    async with started() as stage:
        await offered(stage)
        await stage.press("G", "k", "delete")
        await stage.until(lambda: not stage.shows(NEWSBOAT), "that it is gone")
        assert not stage.shows("Unsubscribe")
    async with started() as again:
        await offered(again, "castero: 1 podcast")
        assert not again.shows("newsboat")


async def test_podcasts_that_come_another_way_end_the_offers(server: LoopbackServer) -> None:
    libraries.newsboat(Path.home())
    url = server.page("/own.xml", rss(item(1), channel="<title>My Own</title>"))
    async with started() as stage:
        await offered(stage)
        stage.player.add(url).result(20)
        await stage.until(lambda: stage.shows("My Own"), "the podcast")
        await stage.press("h", "G", "k", "l")
        await stage.until(lambda: stage.shows("1. Press play"), "the built-in podcast")
        assert not stage.shows(NEWSBOAT)


async def test_a_filter_finds_episodes_only_and_a_click_selects(server: LoopbackServer) -> None:
    libraries.newsboat(Path.home())
    async with started() as stage:
        await offered(stage)
        await stage.press("/", *"press", "enter")
        await stage.until(lambda: not stage.shows("2. Find"), "the filter")
        assert not stage.shows(NEWSBOAT)
        await stage.press("escape")
        await offered(stage)
        lines = stage.lines()
        row = next(at for at, line in enumerate(lines) if NEWSBOAT in line)
        await stage.pilot.click(offset=(lines[row].index("newsboat") + 2, row))
        await stage.until(lambda: stage.shows("enter show"), "the row under the cursor")
        await stage.pilot.click(offset=(lines[row].index("newsboat") + 2, row), times=2)
        await stage.until(lambda: isinstance(stage.app.screen, ImportScreen), "the dialog")


async def test_without_another_app_there_is_nothing() -> None:
    async with started() as stage:
        await stage.until(lambda: stage.screen.parts.welcome._looked, "the look")
        await stage.press("G")
        assert stage.screen.episode is not None
        assert not stage.shows("On this computer")


async def test_a_library_of_somebody_with_podcasts_is_not_looked_at(
    server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    libraries.newsboat(Path.home())
    player = Player(Paths.of(), QUIET)
    player.open()
    player.library.podcasts.add(server.url("/x"), "Mine")
    monkeypatch.setattr("player.transfer.load.found_files", lambda: pytest.fail("looked"))
    async with opened(player) as stage:
        await stage.until(lambda: stage.screen.parts.welcome._looked, "the first list")
        await stage.press("j")
