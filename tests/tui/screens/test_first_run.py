"""The first start with a new library: the built-in podcast, and one that is suggested."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from player.model.podcast import STARTER_URL
from player.paths import Paths
from player.player import Player
from tests.loopback import LoopbackServer
from tests.player.feeds.parsing.making import item, rss
from tests.player.media.sounds import mp3
from tests.quick import mostly_long
from tests.tui.stage import QUIET, Stage, opened
from tui.screens.main import MainScreen
from tui.screens.preview import PreviewScreen

TITLE = "<title>PyTorch Developer Podcast</title>"
SIZES = mostly_long([((80, 24),), ((60, 20),), ((120, 30),)])


@asynccontextmanager
async def first_run(server: LoopbackServer, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Stage]:
    """With the feed of the suggested podcast at a server of this computer."""
    audio = server.audio("/audio.mp3", mp3(60_000))
    feed = rss(*(item(one, title=f"Talk {one}", url=f"{audio}?{one}") for one in (1, 2)), channel=TITLE)
    player = Player(Paths.of(), QUIET)
    player.open()
    (suggested,) = player.library.previews.suggestions()
    player.library.podcasts.move(suggested.id, server.page("/feed", feed))
    async with opened(player, size) as stage:
        yield stage


def sidebar(stage: Stage) -> list[str]:
    """The titles in the sidebar, from the podcasts on."""
    titles = [entry.title for entry in stage.sidebar._entries]
    return [one for one in titles[titles.index("Podcasts") :] if one]


@pytest.mark.parametrize("size", SIZES)
async def test_all_of_it_fits_and_the_suggestion_is_called_one(server: LoopbackServer, size: tuple[int, int]) -> None:
    async with first_run(server, size) as stage:
        assert sidebar(stage) == ["Podcasts", "Welcome to Earmark", "Suggested", "PyTorch Developer Podcast"]
        for words in ("PODCASTS", "Welcome to", "SUGGESTED", "PyTorch D", "1. Press play", "enter play", "? all keys"):
            assert stage.shows(words)
        row = next(line for line in stage.lines() if "PyTorch D" in line)
        assert not any(character.isdigit() for character in row[: stage.sidebar.region.right]), "it isn't counted"
        assert len(server.seen) == 0, "nothing is fetched that nobody has opened"


@pytest.mark.parametrize("size", SIZES)
async def test_the_suggestion_is_opened_and_the_first_play_subscribes(
    server: LoopbackServer, size: tuple[int, int]
) -> None:
    async with first_run(server, size) as stage:
        await stage.press("h", "G")
        assert stage.shows("Suggested by Earmark")
        await stage.press("enter")
        await stage.until(lambda: isinstance(stage.app.screen, PreviewScreen), "its page")
        await stage.until(lambda: stage.shows("Talk 1"), "its episodes")
        assert stage.shows("a subscribe")
        await stage.press("enter")
        await stage.until(lambda: stage.shows("subscribed"), "the subscription")
        assert not stage.shows("a subscribe")
        await stage.press("escape")
        await stage.until(lambda: isinstance(stage.app.screen, MainScreen), "the library")
        await stage.until(lambda: "Suggested" not in sidebar(stage), "its row")
        assert sidebar(stage) == ["Podcasts", "PyTorch Developer Podcast", "Welcome to Earmark"]


async def test_a_suggestion_that_was_only_looked_at_stays_one(server: LoopbackServer) -> None:
    async with first_run(server) as stage:
        await stage.press("h", "G", "r")
        await stage.until(lambda: stage.shows("Talk 1"), "its episodes")
        await stage.press("escape")
        await stage.until(lambda: stage.shows("suggestion · 2 episodes"), "them in the library")
        assert sidebar(stage)[-2:] == ["Suggested", "PyTorch Developer Podcast"]
        assert stage.library.episodes.counts().all == 3, "without the two of the suggestion"


async def test_a_suggestion_is_removed_and_brought_back(server: LoopbackServer) -> None:
    async with first_run(server) as stage:
        await stage.press("h", "G", "delete")
        assert stage.shows("Remove the suggestion “PyTorch Developer Podcast”?")
        await stage.press("left", "enter")
        await stage.until(lambda: "Suggestion removed" in stage.news, "the words")
        await stage.until(lambda: sidebar(stage) == ["Podcasts", "Welcome to Earmark"], "that it is gone")
        await stage.press("U")
        await stage.until(lambda: sidebar(stage)[-2:] == ["Suggested", "PyTorch Developer Podcast"], "it again")
        assert [one.suggested for one in stage.library.previews.suggestions()] == [True]
        assert stage.library.podcasts.by_url(STARTER_URL) is None


async def test_the_episodes_of_the_built_in_show_follow_each_other(server: LoopbackServer) -> None:
    async with first_run(server) as stage:
        await stage.press("enter")
        await stage.until(lambda: stage.shows("Next: 2. Find your way"), "what comes next")
        stage.player.session.seek_to(41_500)
        await stage.until(lambda: stage.shows("▶ 2. Find your way"), "the second")
        await stage.until(lambda: stage.shows("Next: 3. Make it yours"), "what comes after it")
