"""Live shows in the app: announced, live, and gone, by a feed on loopback."""

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest

from player.model.episode import LiveState
from player.model.filters import View, ViewName
from player.model.playback import PlaybackState
from player.player import Player
from player.text.times import full_moment
from tests.loopback import LoopbackServer, Request
from tests.player.feeds.parsing.making import item, rss
from tests.tui.shelf import TODAY
from tests.tui.stage import Stage, opened, stocked_player
from tui.drawing.labels import short_date

STARTS = (datetime.now(UTC) + timedelta(days=2)).replace(second=0, microsecond=0)


def show(status: str, starts: datetime, stream: str, title: str = "Tonight") -> str:
    start = starts.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    chat = "<podcast:chat server='irc.example.org' protocol='irc' space='#show'/>"
    inside = f"<title>{title}</title><guid>{title}</guid><enclosure url='{stream}' type='audio/mpeg'/>{chat}"
    return f"<podcast:liveItem status='{status}' start='{start}'>{inside}</podcast:liveItem>"


class Station:
    """A feed whose show goes on the air when a test says so."""

    def __init__(self, server: LoopbackServer) -> None:
        self.over = threading.Event()
        self.stream = server.answer("/live", self._send)
        self.feed = server.answer("/feed", lambda request: request.reply(self.body, "application/rss+xml"))
        self.say("pending", STARTS)

    def say(self, status: str, starts: datetime) -> None:
        tag = show(status, starts, self.stream)
        self.body = rss(item(1), channel=f"<title>Talk show</title>{tag}")

    def _send(self, request: Request) -> None:
        request.send_response(200)
        request.send_header("Content-Type", "audio/mpeg")
        request.end_headers()
        request.wfile.write(b"\xff\xfb\x90\x00")
        request.wfile.flush()
        self.over.wait(30)


def player_of(station: Station) -> Player:
    player = stocked_player()
    podcast = player.library.podcasts.add(station.feed, "Talk show").id
    player.refresh([podcast]).result(30)
    return player


@asynccontextmanager
async def talk(player: Player, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Stage]:
    """The app at the show."""
    async with opened(player, size) as stage:
        podcast = stage.library.podcasts.find("Talk show")
        stage.screen.show_list(View.of(ViewName.PODCAST, podcast.id))
        await stage.until(lambda: stage.title == "Tonight" and stage.filled, "the announcement")
        yield stage


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 12)])
async def test_a_show_is_announced_goes_live_is_played_and_goes(server: LoopbackServer, size: tuple[int, int]) -> None:
    station = Station(server)
    async with talk(player_of(station), size) as stage:

        def is_now(state: LiveState) -> bool:
            return stage.library.episodes.find("Tonight").live is state

        assert stage.shows("◉")
        if size[0] > 80:
            assert stage.shows(short_date(STARTS, TODAY, 6))
        station.say("live", STARTS)
        await stage.press("r")
        await stage.until(lambda: is_now(LiveState.LIVE), "the refresh")
        words = {120: "live now", 80: " live ", 40: "◉"}[size[0]]
        await stage.until(lambda: stage.shows(words), "that it is live")
        await stage.press("enter")
        await stage.until(lambda: stage.player.status.state is PlaybackState.PLAYING, "the stream")
        assert stage.player.status.live
        heard = stage.library.episodes.find("Tonight").id
        await stage.until(lambda: stage.library.progress.last() == heard, "that it was heard")
        station.over.set()
        station.say("ended", STARTS)
        await stage.press("r")
        await stage.until(lambda: is_now(LiveState.ENDED), "its end")
        await stage.until(lambda: not stage.shows("◉"), "its row")


async def test_its_page_says_when_it_is_and_has_its_chat(server: LoopbackServer) -> None:
    async with talk(player_of(Station(server))) as stage:
        await stage.until(lambda: stage.shows(f"live on {full_moment(STARTS)}"), "when it begins")
        await stage.press("o")
        assert stage.shows("irc.example.org")
