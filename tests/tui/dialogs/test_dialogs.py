"""Adding, asking: each answers to its keys and to the mouse."""

from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, cast

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from player.errors import NotAFeed
from player.model.podcast import Podcast, PodcastId
from player.notes.episode_links import Link, Links
from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.tui.alone import Alone, click_key, real_app, until, words_of
from tui.actions.table import keymap, remapped
from tui.dialogs.add import AddScreen
from tui.dialogs.confirm import ConfirmScreen
from tui.dialogs.link_chooser import LinksScreen
from tui.dialogs.palette import Palette
from tui.widgets.choices import ChoiceLabel

if TYPE_CHECKING:
    from player.player import Player

PODCAST = Podcast(PodcastId(7), "https://example.org/feed", "Talk [b]Python[/b] To Me")


class FakePlayer:
    """Takes addresses and lets the test answer."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Future[Podcast]]] = []
        self.cancelled: list[str] = []

    def add(self, url: str) -> Future[Podcast]:
        future: Future[Podcast] = Future()
        self.asked.append((url, future))
        return future

    def cancel_add(self, url: str) -> None:
        self.cancelled.append(url)


def message_of(pilot: Pilot[Any]) -> str:
    """All that is on the screen, without its line breaks and the dialog's frame."""
    return words_of(pilot.app)


async def open_add(pilot: Pilot[None], player: FakePlayer) -> None:
    await pilot.app.push_screen(AddScreen(cast("Player", player)))
    await pilot.pause()


# -- adding ---------------------------------------------------------------------------------------------------


async def test_an_address_is_looked_up_and_the_dialog_closes_when_the_podcast_is_there() -> None:
    player = FakePlayer()
    async with Alone().run_test(size=(80, 24)) as pilot:
        await open_add(pilot, player)
        pilot.app.screen.query_one(Input).value = " example.org/feed "
        await pilot.press("enter")
        assert "Fetching feed…" in message_of(pilot)
        ((url, future),) = player.asked
        assert url == "example.org/feed"
        future.set_result(PODCAST)
        await until(pilot, lambda: len(pilot.app.screen_stack) == 1)


async def test_a_failure_stays_on_the_dialog_with_the_address_kept_for_another_try() -> None:
    player = FakePlayer()
    async with Alone().run_test(size=(80, 24)) as pilot:
        await open_add(pilot, player)
        pilot.app.screen.query_one(Input).value = "example.org"
        await pilot.press("end", "enter")
        player.asked[0][1].set_exception(NotAFeed("example.org is a page without a feed", "Add its feed instead."))
        await until(pilot, lambda: "example.org is a page without a feed. Add its feed instead." in message_of(pilot))
        assert pilot.app.screen.query_one(Input).value == "example.org"
        await pilot.press("/", "enter")
        assert [url for url, _ in player.asked] == ["example.org", "example.org/"]


async def test_enter_asks_once_while_it_looks_and_never_for_nothing() -> None:
    player = FakePlayer()
    async with Alone().run_test(size=(80, 24)) as pilot:
        await open_add(pilot, player)
        await pilot.press("enter", "space", "enter")
        assert player.asked == []
        await pilot.press("a", "enter", "enter", "b", "enter")
        assert [url for url, _ in player.asked] == ["a"]


async def test_an_address_can_be_pasted() -> None:
    player = FakePlayer()
    async with Alone().run_test(size=(80, 24)) as pilot:
        await open_add(pilot, player)
        pilot.app.screen.query_one(Input).post_message(events.Paste("https://example.org/feed\n"))
        await pilot.pause()
        await pilot.press("enter")
        assert [url for url, _ in player.asked] == ["https://example.org/feed"]


async def test_closing_the_dialog_before_the_answer_cancels() -> None:
    player = FakePlayer()
    async with Alone().run_test(size=(80, 24)) as pilot:
        await open_add(pilot, player)
        await pilot.press("a", "enter", "escape")
        assert len(pilot.app.screen_stack) == 1
        assert player.cancelled == ["a"]


async def test_an_answer_that_comes_while_another_screen_covers_the_dialog_closes_it_afterwards() -> None:
    player = FakePlayer()
    async with Alone().run_test(size=(80, 24)) as pilot:
        await open_add(pilot, player)
        await pilot.press("a", "enter")
        await pilot.app.push_screen(Palette(()))
        player.asked[0][1].set_result(PODCAST)
        await pilot.pause()
        assert isinstance(pilot.app.screen, Palette)
        await pilot.press("escape")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 1)


async def test_a_bug_is_told_without_a_traceback() -> None:
    player = FakePlayer()
    async with Alone().run_test(size=(80, 24)) as pilot:
        await open_add(pilot, player)
        await pilot.press("a", "enter")
        player.asked[0][1].set_exception(ZeroDivisionError("division"))
        await until(pilot, lambda: "Something went wrong inside Earmark." in message_of(pilot))


async def test_the_dialog_answers_to_clicks() -> None:
    player = FakePlayer()
    async with Alone().run_test(size=(80, 24)) as pilot:
        await open_add(pilot, player)
        await pilot.press("a")
        await click_key(pilot, "take")
        assert len(player.asked) == 1
        await click_key(pilot, "close")
        assert len(pilot.app.screen_stack) == 1


# -- asking ---------------------------------------------------------------------------------------------------


async def test_a_question_is_answered_by_key() -> None:
    answers: list[bool | None] = []
    async with Alone().run_test(size=(80, 24)) as pilot:
        for key in ("y", "enter", "n", "escape", "q"):
            question = ConfirmScreen("Remove “[b]X[/b]”?", "Its places go with it.", "Remove")
            pilot.app.push_screen(question, answers.append)
            await pilot.pause()
            assert "Remove “[b]X[/b]”? Its places go with it. y Remove n Cancel" in message_of(pilot)
            await pilot.press("x", key)
        assert answers == [True, True, False, False, False]


async def test_where_a_yes_deletes_something_enter_answers_no_until_yes_is_chosen() -> None:
    answers: list[bool | None] = []
    async with Alone().run_test(size=(80, 24)) as pilot:
        for keys in (["enter"], ["right", "enter"], ["tab", "tab", "enter"], ["y"]):
            pilot.app.push_screen(ConfirmScreen("Unsubscribe?", yes="unsubscribe", danger=True), answers.append)
            await pilot.pause()
            (chosen,) = pilot.app.screen.query(".-chosen").results(ChoiceLabel)
            assert "Cancel" in str(chosen.render())
            await pilot.press(*keys)
        assert answers == [False, True, False, True]


async def test_a_question_is_answered_by_click() -> None:
    answers: list[bool | None] = []
    async with Alone().run_test(size=(40, 12)) as pilot:
        pilot.app.push_screen(ConfirmScreen("Remove it?"), answers.append)
        await pilot.pause()
        await pilot.click(list(pilot.app.screen.query(ChoiceLabel))[1])
        assert answers == [False]


# -- sequences of keys ----------------------------------------------------------------------------------------


async def test_two_keys_for_one_action_work_in_the_list_of_a_dialog_but_not_in_a_field() -> None:
    app = Alone()
    app.actions, _problems = remapped({"preset": "vim"})  # type: ignore[attr-defined]
    links = Links(tuple(Link(n, f"Page {n}", f"https://example.org/{n}", "example.org") for n in range(30)))
    async with app.run_test(size=(70, 16)) as pilot:
        app.set_keymap(keymap(app.actions))  # type: ignore[attr-defined]
        app.push_screen(LinksScreen(links, lambda _words: None))
        await pilot.pause()
        await pilot.press("G")
        assert "Page 29" in message_of(pilot)
        await pilot.press("g", "g")
        assert "Page 0" in message_of(pilot)
        await pilot.press("G", "g", "x", "j")
        assert "Page 29" in message_of(pilot), "which no action has"
        await pilot.press("slash", "g", "g")
        assert app.screen.query_one(Input).value == "gg"
        await pilot.press("escape", "g", "escape")
        assert len(app.screen_stack) == 1


# -- in Earmark itself ----------------------------------------------------------------------------------------

FEED = b"""<rss version="2.0"><channel><title>Loopback Radio</title><item><title>The first one</title><guid>1</guid>
<enclosure url="http://127.0.0.1/1.mp3" type="audio/mpeg" length="1"/></item></channel></rss>"""


@pytest.mark.long
async def test_a_podcast_that_was_added_stands_on_the_screen(paths: Paths, server: LoopbackServer) -> None:
    async with real_app(paths) as (app, pilot):
        await pilot.press("a")
        app.screen.query_one(Input).value = server.url("/gone")
        await pilot.press("enter")
        await until(pilot, lambda: "404" in message_of(pilot))
        app.screen.query_one(Input).value = server.page("/feed", FEED)
        await pilot.press("enter")
        await until(pilot, lambda: "The first one" in message_of(pilot))
        assert len(app.screen_stack) == 1
        assert "Loopback Radio 1 episode" in message_of(pilot)


async def test_a_podcast_is_removed_after_a_yes(paths: Paths) -> None:
    async with real_app(paths) as (app, pilot):
        await pilot.press("delete")
        assert "Unsubscribe from “Welcome to Earmark”?" in message_of(pilot)
        await pilot.press("n", "delete", "y")
        await until(pilot, lambda: "1. Press play" not in message_of(pilot))
        assert "Welcome to Earmark" not in [podcast.title for podcast in app.player.library.podcasts.all()]
