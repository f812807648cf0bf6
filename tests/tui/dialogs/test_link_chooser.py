"""`o` lists the links of the episode: a number, a word or the cursor chooses; they open, are copied, lead to a time."""

from collections.abc import Iterator
from concurrent.futures import Future
from threading import Event

import pytest
from textual import events

from player.feeds.check import decide
from player.library.episodes import Episodes
from player.model.episode import EpisodeId
from player.model.feed import Feed, FeedEpisode, FeedState
from player.model.filters import View
from player.model.playback import PlaybackState
from player.model.podcast import STARTER_URL
from player.playback.outcomes import Done, Outcome
from tests.quick import mostly_long
from tests.tui.stage import Stage, opened, stocked, stocked_player
from tui.dialogs.link_chooser import LinksScreen
from tui.screens.main import MainScreen
from tui.widgets.link_list import LinkList

SHOW = "Inductor - Post-grad FX passes"
PULL, XLA = "https://github.com/pytorch/pytorch/pull/130935", "https://github.com/pytorch/xla"


@pytest.fixture(autouse=True)
def followed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The links that were opened; no browser is started."""
    found: list[str] = []

    def opened_instead(_app: object, address: str, say: object) -> None:
        assert callable(say)
        found.append(address)
        say("Opening in the browser")

    monkeypatch.setattr("tui.terminal.browser.open_link", opened_instead)
    monkeypatch.setattr("tui.dialogs.link_chooser.open_link", opened_instead)
    monkeypatch.setattr("tui.terminal.clipboard.programs", lambda _environ: [])
    monkeypatch.setenv("TERM", "xterm-256color")
    return found


def front(stage: Stage) -> type:
    return type(stage.app.screen)


def chosen(stage: Stage) -> str:
    entry = stage.app.screen.query_one(LinkList).chosen
    return entry.title if entry else ""


async def test_a_number_a_word_or_the_cursor_chooses_and_o_again_opens_and_stays_for_more(followed: list[str]) -> None:
    async with stocked() as stage:
        await stage.press("o", "2")
        assert front(stage) is LinksScreen
        assert chosen(stage) == "Lowering guide"
        await stage.press("1", "enter")
        assert followed == [PULL]
        assert front(stage) is MainScreen
        assert stage.news == "Opening in the browser"

        await stage.press("o", "slash", *"#1309")
        assert chosen(stage) == "Pull request #130935"
        for key in (events.Key("escape", None), events.Key("2", "2")):  # one right after the other
            stage.app.post_message(key)
        await stage.until(lambda: chosen(stage) == "Lowering guide", "the second link")
        assert front(stage) is LinksScreen
        assert isinstance(stage.app.screen.focused, LinkList), "the cursor stands out again"
        await stage.press("slash", *"xla", "enter")
        assert followed[1:] == [XLA]

        await stage.press("o", "o", "j", "o")
        assert followed[2:] == [PULL, XLA]
        assert stage.shows("Opening in the browser")
        await stage.press("q")
        assert front(stage) is MainScreen


async def test_y_and_capital_y_copy_in_the_list_of_links_and_on_the_main_screen(followed: list[str]) -> None:
    async with stocked() as stage:
        await stage.press("o", "3", "y")
        assert stage.app.clipboard.endswith("/fx_passes")
        assert stage.shows("Copied: github.com/pytorch/pytorch/tree/main/torch/_inductor/fx_passes")
        await stage.press("Y")
        assert stage.app.clipboard.splitlines()[0] == f"- [Pull request #130935](<{PULL}>)"
        assert stage.shows("3 links copied as a Markdown list")
        copied = stage.app.clipboard
        await stage.press("G", "y")
        assert stage.shows("A timestamp has no link to copy")
        assert stage.app.clipboard == copied
        assert followed == []

        await stage.press("escape", "y")
        assert stage.app.clipboard == PULL
        assert "the first link in the notes; it has no page" in stage.news
        await stage.press("Y")
        await stage.until(lambda: stage.news == "3 links copied as a Markdown list", "the words")
        await stage.press("h", "y")
        assert stage.app.clipboard == STARTER_URL, "in the sidebar the podcast's page, or its feed"


@pytest.mark.long
async def test_a_time_is_gone_to_where_that_episode_is_in_the_bar_and_stays_paused() -> None:
    async with stocked() as stage:
        await stage.press("o", "G")
        assert chosen(stage) == "Reinplacing"
        await stage.press("enter")
        await stage.until(lambda: stage.screen.status.position_ms == 845_000, "the jump")
        assert stage.screen.status.state is PlaybackState.PAUSED


async def test_a_time_of_another_episode_plays_it_from_there() -> None:
    player = stocked_player()
    podcast = player.library.podcasts.add("https://times.example/feed", "Times")
    episode = FeedEpisode("t", "One", "https://media.example/t.mp3", notes="<p>See (3:05).</p>", duration_ms=600_000)
    player.library.podcasts.apply(podcast.id, Feed(title="Times", episodes=(episode,)), FeedState(), decide)
    asked: list[tuple[EpisodeId, int | None]] = []
    answer: Future[Outcome] = Future()
    answer.set_result(Done(player.status))
    async with opened(player) as stage:
        stage.player.session.play = lambda one, at_ms=None, view=None: asked.append((one, at_ms)) or answer  # type: ignore[method-assign, misc, func-returns-value]
        assert stage.library.search.catch_up()
        await stage.press("ctrl+f", *"podcast:times", "enter", "o", "enter")
        (wanted,) = stage.library.episodes.ids(View.of(stage.screen.view.name, podcast.id))
        assert asked == [(wanted, 185_000)]
        await stage.until(lambda: stage.news == "Playing from 3:05", "the words")


async def test_a_click_on_a_time_or_a_link_in_the_notes_does_the_same(followed: list[str]) -> None:
    async with stocked() as stage:
        lines = stage.lines()
        for words in ("6:41", "Lowering guide"):
            row = next(index for index, line in enumerate(lines) if words in line)
            await stage.pilot.click(offset=(lines[row].index(words) + 1, row))
        await stage.until(lambda: stage.screen.status.position_ms == 401_000, "the jump")
        assert followed == [XLA]


@pytest.mark.long
async def test_without_links_it_says_so() -> None:
    async with stocked(show="CoRecursive") as stage:
        await stage.press("o")
        assert stage.shows("This episode has no links.")
        await stage.press("y")
        assert stage.shows("No link to copy")
        await stage.press("escape", "y")
        assert stage.news == "No link to copy"
        await stage.press("Y")
        await stage.until(lambda: stage.news == "No links to copy", "the words")


@pytest.fixture
def held_back(monkeypatch: pytest.MonkeyPatch) -> Iterator[Event]:
    """The library has no notes to give while it is clear."""
    come, read = Event(), Episodes.notes
    come.set()
    monkeypatch.setattr(Episodes, "notes", lambda *what: (come.wait(10), read(*what))[1])
    yield come
    come.set()


async def test_digits_and_enter_typed_while_the_links_are_still_sought_open_what_they_choose(
    held_back: Event, followed: list[str]
) -> None:
    async with stocked((50, 30)) as stage:
        held_back.clear()
        await stage.pilot.press("o", "3", "enter")
        assert isinstance(stage.app.screen, LinksScreen)
        held_back.set()
        await stage.until(lambda: followed, "the page")
        assert "fx_passes" in followed[0]


@pytest.mark.parametrize("size", mostly_long([((40, 12),), ((80, 24),), ((160, 45),)]))
async def test_it_fits(size: tuple[int, int]) -> None:
    async with stocked(size) as stage:
        await stage.press("o")
        assert stage.shows("▌1  Pull request #130")
        assert stage.shows("enter open")
        assert all(len(line.rstrip()) <= size[0] for line in stage.lines())
