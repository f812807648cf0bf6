"""A server's address in the dialog: it asks for a login, lists the podcasts, and adds the chosen ones; they play."""

import pytest
from textual.widgets import Input

from player.feeds.source import Offered
from player.model.playback import PlaybackState
from player.paths import Paths
from player.text.directions import isolated
from tests.audiobookshelf import PASSWORD, USER, AudiobookshelfServer
from tests.player.media.sounds import mp3
from tests.player.sources.audiobookshelf.conftest import shelf, signed_in
from tests.tui.alone import Alone, real_app, screen_text, until
from tests.tui.dialogs.test_login import answer
from tui.dialogs.add import PodcastChooser
from tui.dialogs.confirm import LoginScreen

__all__ = ["shelf"]

OFFERED = (
    Offered("audiobookshelf:https://a.example/item/1", "Casting Stones", episodes=12),
    Offered("audiobookshelf:https://a.example/item/2", "Rain", episodes=1, place="More", known=True),
    Offered("audiobookshelf:https://a.example/item/3", "Wind [b]bold", place="More"),
)
HEBREW = Offered("audiobookshelf:https://a.example/item/4", "שיחה", episodes=3)


async def test_a_podcast_of_a_server_is_added_and_heard_and_a_wrong_password_can_be_corrected(
    paths: Paths, shelf: AudiobookshelfServer
) -> None:
    shelf.add_podcast("Rain").add_episode("Drops", b"")
    shelf.add_podcast("Casting Stones").add_episode("Amber", mp3(2000))
    async with real_app(paths, (80, 24)) as (app, pilot):
        await pilot.press("a")
        await until(pilot, lambda: "Words; or a URL" in screen_text(app))
        await pilot.press(*shelf.address, "enter")
        await answer(pilot, USER, "wrong")
        await until(pilot, lambda: "refused the login" in screen_text(app))
        assert app.screen.query_one("#name", Input).value == USER
        await pilot.press("x", "y")
        assert app.screen.query_one("#password", Input).value == "xy", "a password is never typed where it can be read"
        await answer(pilot, USER, PASSWORD)
        await until(pilot, lambda: isinstance(app.screen, PodcastChooser))
        assert "127.0.0.1 has 2 podcasts" in screen_text(app)
        await pilot.press("j", "x", "enter")
        await until(pilot, lambda: "Amber" in screen_text(app))
        assert [one.title for one in app.player.library.podcasts.all() if one.title == "Rain"] == []
        app.player.session.play(app.player.library.episodes.find("Amber").id)
        await until(pilot, lambda: app.player.session.status.state is PlaybackState.PLAYING)
        await until(pilot, lambda: "▶" in screen_text(app))


async def test_several_podcasts_are_added_at_once_and_the_outcome_is_reported(
    paths: Paths, shelf: AudiobookshelfServer
) -> None:
    for title in ("Casting Stones", "Rain", "Wind"):
        shelf.add_podcast(title).add_episode(f"{title} One", mp3(200))
    async with real_app(paths, (80, 24)) as (app, pilot):
        await pilot.press("a")
        await until(pilot, lambda: "Words; or a URL" in screen_text(app))
        await pilot.press(*shelf.address, "enter")
        await answer(pilot, "", shelf.api_key())
        await until(pilot, lambda: isinstance(app.screen, PodcastChooser))
        await pilot.press("a", "enter")
        await until(pilot, lambda: "3 podcasts added." in screen_text(app))
        podcasts = app.player.library.podcasts
        assert [podcasts.find(title).episode_count for title in ("Casting Stones", "Rain", "Wind")] == [1, 1, 1]


async def test_signing_in_again_plays_what_could_not_be_played(paths: Paths, shelf: AudiobookshelfServer) -> None:
    shelf.add_podcast("Casting Stones").add_episode("Amber", mp3(2000))
    async with real_app(paths, (80, 24)) as (app, pilot):
        player = app.player
        player.add(signed_in(shelf.address)).result(20)
        shelf.end_sessions()
        shelf.later_s += 3601
        await until(pilot, lambda: "Amber" in screen_text(app))
        await pilot.press("g", "enter")
        await until(pilot, lambda: "no longer accepts your login" in (player.session.status.error or ""))
        await pilot.app.screen.run_action("act('login')")
        await answer(pilot, USER, "wrong")
        await until(pilot, lambda: any("refused the login" in one.message for one in app._notifications))
        await pilot.app.screen.run_action("act('login')")
        await answer(pilot, USER, PASSWORD)
        await until(pilot, lambda: player.session.status.state in (PlaybackState.PLAYING, PlaybackState.ENDED))


@pytest.mark.parametrize("size", [(40, 12), (80, 24)])
async def test_the_answer_is_the_chosen_podcasts_or_the_one_under_the_cursor(size: tuple[int, int]) -> None:
    answers: list[tuple[Offered, ...] | None] = []

    async def chosen(*keys: str) -> tuple[Offered, ...] | None:
        async with Alone().run_test(size=size) as pilot:
            await pilot.app.push_screen(PodcastChooser("a.example has 3 podcasts", OFFERED), answers.append)
            await until(pilot, lambda: "Casting" in screen_text(pilot.app))
            await pilot.press(*keys)
            await until(pilot, lambda: len(pilot.app.screen_stack) == 1)
            return answers.pop()

    first, _known, third = OFFERED
    assert await chosen("enter") == (first,)
    assert await chosen("x", "x", "x", "enter") == (first, third)
    assert await chosen("a", "enter") == (first, third)
    assert await chosen("a", "a", "G", "enter") == (third,)
    assert await chosen("j", "enter", "escape") is None, "nothing more can be added of what is there"


async def test_rows_show_the_number_of_episodes_and_subscriptions() -> None:
    async with Alone().run_test(size=(80, 24)) as pilot:
        await pilot.app.push_screen(PodcastChooser("a.example has 4 podcasts", (*OFFERED, HEBREW)))
        await until(pilot, lambda: "Casting" in screen_text(pilot.app))
        text = screen_text(pilot.app)
        assert "[ ] Casting Stones (12 episodes)" in text
        assert "    Rain (subscribed)" in text
        assert "[ ] Wind [b]bold (More)" in text
        assert f"[ ] {isolated(HEBREW.title)} (3 episodes)" in text, "only the title runs the other way"
        await pilot.press("x")
        await until(pilot, lambda: "[x] Casting Stones" in screen_text(pilot.app))


async def test_an_api_key_needs_no_name_where_the_server_takes_one() -> None:
    answers: list[tuple[str, str] | None] = []
    for takes_key in (False, True):
        async with Alone().run_test(size=(80, 24)) as pilot:
            await pilot.app.push_screen(LoginScreen("a.example", takes_key=takes_key), answers.append)
            await pilot.pause()
            pilot.app.screen.query_one("#password", Input).value = "key"
            await pilot.press("enter")
            await pilot.pause()
    assert answers == [("", "key")]
