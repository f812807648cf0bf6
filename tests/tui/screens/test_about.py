"""A show's page: on the screen, and by `earmark podcasts PODCAST`."""

import json
import sqlite3
import threading
from collections.abc import Callable

import pytest

from player.model.episode import EpisodeId
from player.model.filters import View
from player.model.podcast import PodcastId
from player.player import Player
from player.sounds.repeats import Repeat
from tests.player.sounds.made import keep, made_up, with_inserted
from tests.quick import mostly_long
from tests.tui.stage import Stage, stocked
from tui.controllers.about_pages import show
from tui.dialogs.segment import SegmentScreen
from tui.drawing.about.sheet import MOST_COLUMNS, episode_of, repeat_of
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


async def test_what_is_repeated_is_heard_marked_and_gone_from_the_page_until_that_is_undone() -> None:
    async with stocked((100, 45)) as stage:
        library, welcome = stage.library, stage.library.podcasts.find("Welcome to Earmark")
        rows = [library.episodes.find(title) for title in ("Press play", "Find your way", "Make it yours")]
        library.queue.add_next([row.id for row in rows])
        for number, row in enumerate(rows):
            keep(stage.player.paths.waveforms, row, with_inserted(made_up(number, 500), 8_000, made_up(100, 100), ""))
        before = stage.player.status.episode
        stage.screen.open_about(show(stage.player, welcome.id), welcome.id)
        await stage.until(lambda: stage.shows("Repeats"), "the card")
        page = stage.app.screen.query_one(AboutPage)
        assert not stage.shows(") mark")
        while page.entry is None or repeat_of(page.entry.href) is None:
            await stage.press("j")
        assert page.entry.text.endswith("in 3 episodes")
        await stage.until(lambda: stage.shows("enter hear   ) mark"), "the keys")
        repeat = repeat_of(page.entry.href)
        assert repeat is not None
        await stage.press("enter")
        await stage.until(lambda: stage.news.startswith("Playing clip"), "the clip")
        assert stage.player.status.episode is not None
        assert stage.player.status.episode.id == repeat[0]
        assert library.episodes.get(repeat[0]).position_ms == 0
        await stage.press("u")
        await stage.until(lambda: stage.player.status.episode == before, "the return")

        await stage.press(")")
        await stage.until(lambda: isinstance(stage.app.screen, SegmentScreen), "the question")
        await stage.press("enter")
        await stage.until(lambda: stage.news.startswith("Marked an intro of"), "the words")
        (made,) = library.segments.of_episode(repeat[0])
        assert abs(made.start_ms - repeat[1]) <= 700
        assert abs(made.end_ms - repeat[2]) <= 700
        await stage.until(lambda: not stage.shows("Repeats"), "the page without it")
        await stage.press("U")
        await stage.until(lambda: not library.segments.all(), "undone")
        await stage.until(lambda: stage.shows("Repeats"), "the card again")


async def test_a_page_that_is_left_waits_for_no_repeats(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[bool] = []
    asked, left = threading.Event(), threading.Event()

    def repeats(_player: Player, _podcast_id: PodcastId, goes_on: Callable[[], bool]) -> tuple[Repeat, ...]:
        answers.append(goes_on())
        asked.set()
        left.wait(20)
        answers.append(goes_on())
        return ()

    monkeypatch.setattr("tui.screens.about.repeats", repeats)
    async with stocked() as stage:
        await stage.pilot.press("i")
        await stage.until(lambda: isinstance(stage.app.screen, AboutScreen) and asked.is_set(), "the page")
        await stage.until(lambda: stage.shows("PyTorch"), "what is known at once")
        page = stage.app.screen
        await stage.pilot.press("escape")
        await stage.until(lambda: not page.is_running, "the end of the page")
        left.set()
        await stage.until(lambda: len(answers) == 2, "the answer")
    assert answers == [True, False]


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
