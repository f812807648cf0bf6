"""Adding, asking, all keys, the palette: each answers to its keys and to the mouse."""

from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, cast

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from player.errors import NotAFeed
from player.model.podcast import Podcast, PodcastId
from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.tui.alone import Alone, real_app, screen_text, until
from tui.actions.matching import match
from tui.actions.palette import Command, Palette, commands, rank, theme_words
from tui.actions.table import ACTIONS, key_label, remapped
from tui.bridge import PodcastArrived
from tui.dialogs.add import AddScreen
from tui.dialogs.confirm import ConfirmScreen
from tui.drawing.runs import width_of
from tui.look.glyphs import ASCII, UNICODE
from tui.look.themes import THEMES
from tui.screens.help import HelpScreen, key_page
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
    """All that is on the screen, without its line breaks."""
    return " ".join(screen_text(pilot.app).split())


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
        add, close = pilot.app.screen.query(ChoiceLabel)
        await pilot.click(add)
        assert len(player.asked) == 1
        await pilot.click(close)
        assert len(pilot.app.screen_stack) == 1


# -- asking ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "answer"), [("y", True), ("enter", True), ("n", False), ("escape", False), ("q", False)]
)
async def test_a_question_is_answered_by_key(key: str, answer: bool) -> None:
    answers: list[bool | None] = []
    async with Alone().run_test(size=(80, 24)) as pilot:
        pilot.app.push_screen(ConfirmScreen("Remove “[b]X[/b]”?", "Its places go with it.", "Remove"), answers.append)
        await pilot.pause()
        assert "Remove “[b]X[/b]”? Its places go with it. y Remove n Cancel" in message_of(pilot)
        await pilot.press("x", key)
        assert answers == [answer]


async def test_a_question_is_answered_by_click() -> None:
    answers: list[bool | None] = []
    async with Alone().run_test(size=(40, 12)) as pilot:
        pilot.app.push_screen(ConfirmScreen("Remove it?"), answers.append)
        await pilot.pause()
        await pilot.click(list(pilot.app.screen.query(ChoiceLabel))[1])
        assert answers == [False]


# -- all keys -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [34, 74, 114, 154])
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_the_help_tells_every_key_of_every_action(columns: int, glyphs: Any) -> None:
    lines = key_page(ACTIONS, columns, glyphs)
    page_text = "\n".join("".join(piece.text for piece in line) for line in lines)
    for action in ACTIONS:
        if action.keys:
            assert key_label(action.keys[0], glyphs) in page_text
            assert (action.help or action.title).split()[0] in page_text
    assert max(map(width_of, lines)) <= columns


def test_the_help_tells_keys_as_they_were_remapped() -> None:
    lines = key_page(remapped({"star": "ctrl+s"})[0], 74, UNICODE)
    assert any("ctrl+s" in line[0].text for line in lines if line)


async def test_the_help_scrolls_and_closes_by_the_key_that_opened_it() -> None:
    async with Alone().run_test(size=(60, 12)) as pilot:
        for key in ("question_mark", "escape", "q"):
            pilot.app.push_screen(HelpScreen())
            await pilot.pause()
            assert "Keys" in message_of(pilot)
            await pilot.press("j", "j")
            assert "Keys" not in message_of(pilot)
            await pilot.press("G")
            assert "an estimate until" in message_of(pilot)
            await pilot.press("g")
            assert "Keys" in message_of(pilot)
            await pilot.press("ctrl+d", "pagedown")
            assert "Keys" not in message_of(pilot)
            await pilot.press(key)
            assert len(pilot.app.screen_stack) == 1


# -- the palette ----------------------------------------------------------------------------------------------


class WithPalette(Alone):
    """Keeps what the palette runs."""

    def action_run(self, name: str) -> None:
        self.heard.append(name)

    def action_choose_theme(self, name: str) -> None:
        self.heard.append(name)

    def on_podcast_arrived(self, message: PodcastArrived) -> None:
        self.heard.append(message.podcast_id)


async def test_the_palette_shows_the_commands_in_the_order_of_the_table() -> None:
    app = WithPalette()
    async with app.run_test(size=(80, 40)) as pilot:
        found = list(commands(app.screen, ACTIONS, [PODCAST]))
        app.push_screen(Palette(found))
        await until(pilot, lambda: ACTIONS[0].title in message_of(pilot))
        page_text = screen_text(app)
        lines_found = [page_text.index(command.title) for command in found if command.title in page_text]
        assert len(lines_found) > 15
        assert lines_found == sorted(lines_found)


async def test_the_palette_finds_a_podcast_whose_title_looks_like_markup_and_goes_there() -> None:
    app = WithPalette()
    async with app.run_test(size=(80, 30)) as pilot:
        app.push_screen(Palette(list(commands(app.screen, ACTIONS, [PODCAST]))))
        await pilot.press(*"python")
        await until(pilot, lambda: "Go to Talk [b]Python[/b] To Me" in message_of(pilot))
        await pilot.press("enter")
        await until(pilot, lambda: PODCAST.id in app.heard)


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("help", "Show all keys"), ("dark", "Theme: ink"), ("light", "Theme: paper"), ("theme", "Theme:"),
        ("volume", "Turn the volume"), ("speed", "Play at normal speed"), ("mute", "Mute or unmute"),
        ("settings", "Settings of this podcast"), ("delete", "Delete this list"),
        ("unsubscribe", "Unsubscribe"), ("subscribe", "Find or add podcasts"),
        ("charts", "Podcast charts"), ("starter", "Podcasts suggested"),
        ("playing", "Go to the episode that's playing"), ("sound", "Choose the sound output"),
        ("restart", "Restart the episode"), ("opml", "Import podcasts from a file"),
        ("next epi", "Select the next episode"),
    ],
)  # fmt: skip
def test_the_palette_knows_the_words_that_people_type(words: str, first: str) -> None:
    themes = [Command(f"Theme: {name}", "", lambda: None, theme_words(name)) for name in THEMES]
    table = [Command(action.title, "", lambda: None, action.also) for action in ACTIONS if action.palette] + themes
    best = max(table, key=lambda one: rank(words, one) + match(words, one.title)[0])
    assert best.title.startswith(first)


async def test_the_palette_switches_the_theme() -> None:
    app = WithPalette()
    async with app.run_test(size=(80, 30)) as pilot:
        app.push_screen(Palette(list(commands(app.screen, ACTIONS, []))))
        await pilot.press(*"theme: pa")
        await until(pilot, lambda: "Theme: paper" in message_of(pilot))
        await pilot.press("enter")
        await until(pilot, lambda: app.heard == ["paper"])


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


async def test_help_and_palette_open_by_their_keys_and_the_palette_does_what_it_says(paths: Paths) -> None:
    async with real_app(paths) as (app, pilot):
        await pilot.press("question_mark")
        assert "Keys esc closes" in message_of(pilot)
        await pilot.press("question_mark", "ctrl+p")
        await pilot.press(*"star the")
        await until(pilot, lambda: "Star the episode" in message_of(pilot))
        await pilot.press("enter")
        await until(pilot, lambda: app.player.library.episodes.counts().starred == 1)
        await pilot.press("ctrl+p")
        await pilot.press(*"paper")
        await until(pilot, lambda: "Theme: paper" in message_of(pilot))
        await pilot.press("enter")
        await until(pilot, lambda: app.theme == "paper")
