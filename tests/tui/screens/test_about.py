"""A show's page: on the screen, and by `earmark podcasts PODCAST`."""

import json
import sqlite3

import pytest

from player.model.episode import EpisodeId
from player.model.filters import View
from tests.quick import mostly_long
from tests.tui.stage import Stage, stocked
from tui.controllers.about_pages import show
from tui.drawing.about.sheet import MOST_COLUMNS, episode_of
from tui.screens.about import AboutScreen
from tui.widgets.pages import AboutPage


async def go_to(stage: Stage, text: str) -> AboutPage:
    """Presses `j` until the cursor of the page is on an entry."""
    page = stage.app.screen.query_one(AboutPage)
    for _press in range(60):
        if page.entry is not None and page.entry.text == text:
            return page
        await stage.press("j")
    raise AssertionError(f"{text} isn't reached: {stage.lines()}")


async def test_i_opens_the_page_and_v_goes_to_the_notes_of_an_episode() -> None:
    async with stocked() as stage:
        await stage.press("h", "i")
        await stage.until(lambda: isinstance(stage.app.screen, AboutScreen), "the page")
        page = stage.app.screen
        with stage.library.transaction():  # nobody else writes meanwhile
            page.act("pin")  # type: ignore[attr-defined]
            await stage.pilot.press("escape")
            while page.is_attached:
                await stage.pilot.pause()
        await stage.until(lambda: stage.news.startswith("Pinned"), "what was begun on the page")

        await stage.press("i")
        await stage.until(lambda: isinstance(stage.app.screen, AboutScreen) and stage.shows("Your listening"))
        assert stage.shows("3 played · 2 in progress")
        await go_to(stage, "Inductor - Post-grad FX passes")
        await stage.press("v")
        await stage.until(lambda: not isinstance(stage.app.screen, AboutScreen), "the end of the page")
        await stage.until(lambda: stage.title == "Inductor - Post-grad FX passes", "the episode")


@pytest.mark.long
async def test_somebody_leads_to_what_else_they_are_heard_in() -> None:
    async with stocked() as stage:
        heard = list(stage.library.episodes.ids(View()))[:3]
        people = [[{"name": "Ada", "role": "host"}, {"name": "Grace", "role": "guest"}], [{"name": "grace"}], []]
        with sqlite3.connect(stage.player.paths.library) as database:
            for episode_id, some in zip(heard, people, strict=True):
                words = json.dumps({"person": some} if some else {})
                database.execute("UPDATE details SET extra = ? WHERE episode_id = ?", (words, episode_id))
        first = stage.library.episodes.get(EpisodeId(heard[0]))
        other = stage.library.episodes.get(EpisodeId(heard[1]))
        stage.screen.parts.back_stack.show_episode(first)
        await stage.until(lambda: stage.title == first.title and stage.filled, "the episode")
        await stage.run("people")
        await stage.until(lambda: stage.shows("People in this episode"), "the people")
        await stage.press("j", "enter")
        await stage.until(lambda: stage.shows("2 episodes in your library"), "what they are heard in")
        assert stage.shows(other.title)
        await stage.press("j", "v")
        await stage.until(lambda: not isinstance(stage.app.screen, AboutScreen) and stage.title == other.title)


@pytest.mark.long
async def test_question_mark_and_slash_work_there() -> None:
    async with stocked() as stage:
        await stage.press("i")
        await stage.until(lambda: stage.shows("Released in the last year"), "the page")
        await stage.press("question_mark")
        assert stage.shows("enter run   esc close")
        await stage.press("escape", "slash", *"torchdyn", "enter")
        await stage.until(lambda: stage.shows("“torchdyn” 1 of 1"), "what was found")
        await stage.press("escape")
        assert isinstance(stage.app.screen, AboutScreen)


async def test_the_page_stands_in_the_middle_over_a_bar_that_is_steered_and_esc_closes_it() -> None:
    async with stocked((200, 45)) as stage:
        await stage.until(lambda: stage.shows("─╶─"), "the gap before a chapter in the bar")
        await stage.press("i")
        await stage.until(lambda: stage.shows("Released in the last year") and stage.shows("─╶─"), "the page")
        lines = [line for line in stage.lines_of(stage.app.screen.query_one(AboutPage)) if line.strip()]
        left = min(len(line) - len(line.lstrip()) for line in lines)
        assert abs(left - (200 - MOST_COLUMNS) // 2) < 5
        await stage.press("0", "0")
        await stage.until(lambda: stage.shows("Restarted"), "the jump")
        await stage.press("escape")
        await stage.until(lambda: not isinstance(stage.app.screen, AboutScreen), "the end of the page")


async def test_enter_plays_an_episode_of_the_page_and_s_stars_it() -> None:
    async with stocked() as stage:
        welcome = stage.library.podcasts.find("Welcome to Earmark")
        stage.screen.open_about(show(stage.player, welcome.id), welcome.id)
        await stage.until(lambda: isinstance(stage.app.screen, AboutScreen) and stage.shows("Latest episodes"))
        page = stage.app.screen.query_one(AboutPage)
        while page.entry is None or episode_of(page.entry.href) is None:
            await stage.press("j")
        title, episode_id = page.entry.text, episode_of(page.entry.href)
        assert episode_id is not None
        await stage.press("s")
        await stage.until(lambda: stage.library.episodes.get(episode_id).starred, "the star")
        await stage.until(lambda: stage.shows("s unstar") and stage.shows("★"), "the row")
        await stage.press("enter")
        await stage.until(lambda: stage.player.status.episode and stage.player.status.episode.title == title)
        await stage.until(lambda: any(f"▶ {title}"[:12] in line for line in stage.lines_of(page)), "its sign")
        assert isinstance(stage.app.screen, AboutScreen)

        lines = stage.lines()
        row = next(at for at, line in enumerate(lines) if "2. Find your way" in line)
        column = lines[row].index("2. Find") + 4
        playing = stage.player.status.episode
        await stage.pilot.click(offset=(column, row))
        await stage.settle()
        assert stage.player.status.episode == playing
        assert page.entry is not None
        assert page.entry.text == "2. Find your way"
        await stage.pilot.click(offset=(column, row))
        await stage.until(lambda: stage.player.status.episode != playing, "another episode, by a second click")


@pytest.mark.parametrize("size", mostly_long([((30, 8),), ((80, 24),), ((300, 100),), ((40, 12),)]))
async def test_all_of_the_page_is_reached_by_j_at_any_size(size: tuple[int, int]) -> None:
    async with stocked(size) as stage:
        await stage.press("i")
        await stage.until(lambda: isinstance(stage.app.screen, AboutScreen) and stage.shows("PyTorch"), "the page")
        page = stage.app.screen.query_one(AboutPage)
        await stage.until(lambda: page.sheet is not None, "its lines")
        assert page.sheet is not None
        seen: set[int] = set()
        for _press in range(100):
            top = page.scroll_offset.y
            seen |= set(range(top, top + page.size.height))
            if page.cursor == len(page.sheet.entries) - 1:
                break
            await stage.pilot.press("j")
        assert seen >= set(range(len(page.sheet.lines)))
