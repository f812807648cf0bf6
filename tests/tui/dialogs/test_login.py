"""A server that wants a name and a password gets them: typed once, in a dialog or at a prompt."""

from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from player.errors import HttpFailure
from player.model.playback import PlaybackState
from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.player.test_secrets import Members
from tests.tui.alone import Alone, real_app, screen_text, until
from tests.tui.dialogs.test_dialogs import PODCAST, FakePlayer, message_of, open_add
from tui.dialogs.confirm import LoginScreen


async def answer(pilot: Pilot[Any], name: str, password: str) -> None:
    await until(pilot, lambda: isinstance(pilot.app.screen, LoginScreen) and pilot.app.screen.query("#name"))
    field = pilot.app.screen.query_one("#name", Input)
    field.value = name
    if field.has_focus:
        await pilot.press("enter")
    pilot.app.screen.query_one("#password", Input).value = password
    await pilot.press("enter")


async def test_adding_asks_for_them_and_tries_again() -> None:
    player = FakePlayer()
    async with Alone().run_test(size=(80, 24)) as pilot:
        await open_add(pilot, player)
        pilot.app.screen.query_one(Input).value = "example.org/feed"
        await pilot.press("enter")
        player.asked[0][1].set_exception(HttpFailure("example.org requires a username and password", status=401))
        await until(pilot, lambda: isinstance(pilot.app.screen, LoginScreen))
        assert "Sign in to example.org" in message_of(pilot)
        await answer(pilot, "me@home", "se/same")
        await until(pilot, lambda: len(player.asked) == 2)
        url, future = player.asked[1]
        assert url == "https://me%40home:se%2Fsame@example.org/feed"
        future.set_result(PODCAST)
        await until(pilot, lambda: len(pilot.app.screen_stack) == 1)


async def test_the_password_is_not_shown() -> None:
    async with Alone().run_test(size=(80, 24)) as pilot:
        await pilot.app.push_screen(LoginScreen("example.org"))
        await pilot.pause()
        pilot.app.screen.query_one("#password", Input).value = "sesame"
        await pilot.pause()
        assert "sesame" not in screen_text(pilot.app)


@pytest.mark.parametrize("size", [(40, 12), (80, 24)])
async def test_it_fits_the_smallest_terminal_and_closes_without_an_answer(size: tuple[int, int]) -> None:
    answers: list[tuple[str, str] | None] = []
    async with Alone().run_test(size=size) as pilot:
        await pilot.app.push_screen(LoginScreen("example.org"), answers.append)
        await pilot.pause()
        assert "esc" in message_of(pilot)
        await pilot.press("escape")
        await until(pilot, lambda: answers)
    assert answers == [None]


async def test_an_episode_for_members_plays_once_they_are_given(paths: Paths, server: LoopbackServer) -> None:
    members = Members(server)
    async with real_app(paths) as (app, pilot):
        player = app.player
        player.add(members.address).result(10)
        player.credentials.forget(members.feed)
        await until(pilot, lambda: "One" in screen_text(app))
        await pilot.press("g", "enter")
        await until(pilot, lambda: "requires a username and password" in (player.session.status.error or ""))
        await pilot.app.screen.run_action("act('login')")
        await answer(pilot, "me@home", "open/sesame")
        await until(pilot, lambda: player.session.status.state in (PlaybackState.PLAYING, PlaybackState.ENDED))
        assert player.credentials.find(members.feed) == ("me@home", "open/sesame")
