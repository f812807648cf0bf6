"""The notes as a page over the whole screen: in a width of its own, with the bar and its keys below."""

from concurrent.futures import Future
from threading import Event

import pytest
from msgspec.structs import replace

from player.model.playback import PlaybackState
from player.settings import Reading
from tests.tui.stage import QUIET, Stage, stocked
from tui.screens.about import AboutScreen
from tui.screens.main import MainScreen
from tui.screens.reading import ReadingScreen
from tui.widgets.episode_page import EpisodePage


def front(stage: Stage) -> type:
    return type(stage.app.screen)


def text_columns(stage: Stage) -> int:
    """From the first to the last column of text on the page."""
    lines = [line for line in stage.lines_of(stage.app.screen.query_one(EpisodePage)) if line.strip()]
    return max(len(line.rstrip()) for line in lines) - min(len(line) - len(line.lstrip()) for line in lines)


@pytest.mark.parametrize("keys", [["v"], pytest.param(["l", "enter"], marks=pytest.mark.long)])
async def test_v_anywhere_and_enter_on_notes_open_it_and_q_v_and_escape_close_it(keys: list[str]) -> None:
    async with stocked() as stage:
        for close in ("q", "v", "escape"):
            await stage.press(*keys)
            assert front(stage) is ReadingScreen
            assert stage.shows("The post-grad passes run")
            assert not stage.shows("All episodes")
            await stage.press(close)
            assert front(stage) is MainScreen

        await stage.press("v")
        assert stage.shows("8:12 ")
        await stage.press("right")
        await stage.until(lambda: stage.shows("8:42 "), "the jump")
        await stage.press("]")
        await stage.until(lambda: stage.player.status.speed == pytest.approx(1.1), "the speed")
        assert stage.player.status.state is PlaybackState.PAUSED
        row = next(index for index, line in enumerate(stage.lines()) if "14:05" in line)
        await stage.pilot.click(offset=(stage.lines()[row].index("14:05"), row))
        await stage.until(lambda: stage.player.status.position_ms == 845_000, "the time")

        asked: list[int] = []
        stage.player.session.play = lambda episode_id, at_ms=None, view=None: asked.append(episode_id) or Future()  # type: ignore[method-assign, misc, func-returns-value]
        await stage.press("J", "enter")
        assert len(asked) == 1
        await stage.press("K", "o")
        assert stage.shows("Pull request #130935")


@pytest.mark.long
async def test_the_width_is_that_of_the_settings_until_it_is_changed_and_is_remembered() -> None:
    async with stocked((160, 40)) as stage:
        await stage.press("v")
        before = text_columns(stage)
        await stage.run("wider", "wider", "wider")
        assert stage.shows("Text width: 88")
        assert before < text_columns(stage) <= 90
        await stage.press("q", "v")
        assert text_columns(stage) > before
        await stage.run(*["narrower"] * 15)
        assert stage.shows("Text width: 32")
        assert text_columns(stage) <= 34


async def test_a_width_holds_for_the_next_page_before_it_is_on_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    async with stocked((160, 40), settings=replace(QUIET, reading=Reading(width=40))) as stage:
        disk, write = Event(), stage.library.state.set
        monkeypatch.setattr(stage.library.state, "set", lambda key, value: (disk.wait(10), write(key, value)))
        try:
            await stage.press("v")
            before = text_columns(stage)
            assert before <= 42, "as the settings say"
            await stage.run("wider", "wider", "wider")
            await stage.press("q", "v")
            assert text_columns(stage) > before
        finally:
            disk.set()


@pytest.mark.long
async def test_capital_j_and_k_turn_to_the_next_episode_and_back() -> None:
    async with stocked() as stage:
        await stage.press("v", "J")
        assert stage.shows("Notes of CUDA graph trees.")
        await stage.press("K", "K")
        assert stage.shows("Notes of Higher order operators.")
        await stage.press(*["K"] * 4)
        assert stage.shows("First episode")
        await stage.press("q")
        assert stage.title == "Compiler collectives"


async def test_i_opens_the_page_of_its_podcast_and_escape_comes_back_to_the_notes() -> None:
    async with stocked() as stage:
        await stage.press("v", "i")
        assert type(stage.app.screen) is AboutScreen
        assert stage.shows("Your listening")
        await stage.press("escape")
        assert type(stage.app.screen).__name__ == ReadingScreen.__name__


async def test_it_fits_any_terminal_and_follows_its_size() -> None:
    async with stocked((40, 12)) as stage:
        for size in ((40, 12), (20, 5), (80, 24), (200, 50)):
            await stage.resize(*size)
            await stage.press("v")
            assert stage.shows("Inductor"), size
            await stage.run("wider", "narrower")
            await stage.press("G", "g", "ctrl+d", "j", "k", "pagedown")
            await stage.resize(60, 20)
            assert stage.shows("esc back"), size
            await stage.press("?", "escape", "q")
            assert front(stage) is MainScreen, size


async def test_an_open_page_has_the_title_that_its_podcast_is_given() -> None:
    async with stocked() as stage:
        podcast_id = stage.library.podcasts.find("PyTorch Developer Podcast").id
        await stage.press("v", "?")
        await stage.write("read the notes")
        assert stage.shows("Read the notes"), "its list of commands names its keys"
        await stage.press("escape", "J")
        assert any("PyTorch Developer Podcast" in line for line in stage.lines()[:6])
        stage.player.shelf.rename(podcast_id, "Torch talk").result(10)
        await stage.until(lambda: any("Torch talk" in line for line in stage.lines()[:6]), "the new title")
        await stage.press("U")
        await stage.until(lambda: any("PyTorch Developer" in line for line in stage.lines()[:6]), "the old one again")
        stage.player.remove(podcast_id).result(10)
        await stage.settle()
        assert front(stage) is ReadingScreen
