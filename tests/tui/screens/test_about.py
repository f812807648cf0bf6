"""A show's page: on the screen, and by `earmark podcasts PODCAST`."""

import json
import sqlite3
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from player.library.statistics import PodcastStatistics, Season
from player.model.episode import EpisodeId
from player.model.extras import Funding, Person
from player.model.filters import View
from player.model.podcast import Podcast, PodcastId
from tests.tui.stage import stocked
from tui.drawing.podcast_pages import about_sheet, links_of, long_time, plain, rhythm
from tui.drawing.runs import width_of
from tui.look.glyphs import ASCII, UNICODE
from tui.screens.about import AboutScreen

FACTS = PodcastStatistics(
    Podcast(PodcastId(1), "https://a.example/feed", "Compilers", "Ada", "All of it.", "https://a.example/",
            episode_count=40, last_refreshed=datetime(2026, 11, 20, 9, tzinfo=UTC)),
    "en", ("Technology",), (Person("Grace", "guest", url="https://grace.example/"),),
    (Funding("https://give.example/", "Give"),), 72_000_000, 1_800_000, datetime(2024, 1, 2, tzinfo=UTC),
    datetime(2026, 11, 2, tzinfo=UTC), tuple(((2024 + at // 12, at % 12 + 1), at % 5 + 1) for at in range(30)), 7.0,
    seasons=(Season(1, "", 20), Season(2, "Back ends", 20)),
)  # fmt: skip


def test_it_tells_what_listening_sites_tell() -> None:
    assert plain(about_sheet(FACTS, [], 76, ASCII).lines).split("\n") == [
        "Compilers",
        "Ada - Technology - en",
        "",
        "All of it.",
        "",
        "Episodes",
        "40 episodes - 20 h total - 30 min on average",
        "2 Jan 2024 - 2 Nov 2026 - weekly",
        "",
        ":=+#@:=+#@:=+#@:=+#@:=+#@:=+#@",
        "2024                      2026",
        "Episodes per month: 5 at most",
        "",
        f"Last refreshed 20 Nov 2026 {FACTS.podcast.last_refreshed.astimezone():%H:%M}.",  # type: ignore[union-attr]
        "",
        "Seasons",
        "Season 1  20 episodes",
        "Season 2: Back ends  20 episodes",
        "",
        "People",
        "Grace  guest",
        "",
        "Links",
        "1  Website  a.example",
        "2  Give  give.example",
        "3  Grace  grace.example",
        "4  Feed  a.example",
    ]


@pytest.mark.parametrize(
    ("ms", "words"), [(840_000, "14 min"), (3_900_000, "1 h 5 min"), (7_200_000, "2 h"), (1_152_000_000, "320 h")]
)
def test_long_times_are_less_exact(ms: int, words: str) -> None:
    assert long_time(ms) == words


@pytest.mark.parametrize(
    ("days", "words"),
    [(None, ""), (1.0, "daily"), (7.0, "weekly"), (14.0, "every two weeks"), (9.0, "every 9 days"), (30.0, "monthly"),
     (95.0, "about every 3 months")],
)  # fmt: skip
def test_how_often_it_comes(days: float | None, words: str) -> None:
    assert rhythm(days) == words


def test_each_page_is_linked_once() -> None:
    podcast = replace(FACTS.podcast, link="https://give.example/")
    assert [link.title for link in links_of(replace(FACTS, podcast=podcast))] == ["Website", "Grace", "Feed"]


_MONTHS = st.dictionaries(st.tuples(st.integers(1990, 2090), st.integers(1, 12)), st.integers(1, 400), max_size=30)


@given(_MONTHS.map(lambda some: tuple(sorted(some.items()))), st.text(max_size=30), st.integers(20, 90))
@settings(deadline=None)
def test_no_line_is_too_wide(months: tuple[tuple[tuple[int, int], int], ...], title: str, columns: int) -> None:
    facts = replace(FACTS, months=months, podcast=replace(FACTS.podcast, title=title, description=title))
    for glyphs in (UNICODE, ASCII):
        # The facts of a line of their own may be wider than a very narrow page, which cuts them.
        assert all(width_of(line) <= max(columns, 60) for line in about_sheet(facts, [], columns, glyphs).lines)


async def test_i_opens_the_page_and_enter_goes_to_an_episode() -> None:
    async with stocked() as stage:
        await stage.press("h", "i")
        await stage.until(lambda: isinstance(stage.app.screen, AboutScreen) and stage.shows("Your listening"))
        assert stage.shows("3 played · 2 in progress · 3 starred")
        assert stage.shows("★ torchdynamo")
        await stage.press("j", "enter")
        await stage.until(lambda: not isinstance(stage.app.screen, AboutScreen), "the end of the page")
        await stage.until(lambda: stage.title == "Inductor - Post-grad FX passes", "the episode")


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
        await stage.press("p")
        await stage.until(lambda: stage.shows("People in this episode"), "the people")
        await stage.press("j", "enter")
        await stage.until(lambda: stage.shows("2 episodes in your library"), "what they are heard in")
        assert stage.shows(other.title)
        await stage.press("j", "enter")
        await stage.until(lambda: not isinstance(stage.app.screen, AboutScreen) and stage.title == other.title)


@pytest.mark.long
async def test_question_mark_and_slash_work_there() -> None:
    async with stocked() as stage:
        await stage.press("i")
        await stage.until(lambda: stage.shows("Your top episodes"), "the page")
        await stage.press("question_mark")
        assert stage.shows("esc closes")
        await stage.press("escape", "slash", *"torchdyn", "enter")
        await stage.until(lambda: stage.shows("“torchdyn” 1 of 1"), "what was found")
        await stage.press("escape")
        assert isinstance(stage.app.screen, AboutScreen)


async def test_the_page_stands_in_the_middle_as_others_do() -> None:
    async with stocked() as stage:
        await stage.press("i")
        await stage.until(lambda: stage.shows("Your top episodes"), "the page")
        title = next(line for line in stage.lines() if "PyTorch Developer Podcast" in line)
        assert title.index("PyTorch") > 15


async def test_the_bar_keeps_its_chapters_there() -> None:
    async with stocked() as stage:
        await stage.until(lambda: stage.shows("╋"), "the chapters in the bar")
        await stage.press("i")
        await stage.until(lambda: isinstance(stage.app.screen, AboutScreen) and stage.shows("╋"), "the same there")


async def test_esc_closes_the_page_and_the_sound_is_steered_on_it() -> None:
    async with stocked() as stage:
        await stage.press("i", "0", "0")
        await stage.until(lambda: stage.shows("Restarted"), "the jump")
        await stage.press("escape")
        await stage.until(lambda: not isinstance(stage.app.screen, AboutScreen), "the end of the page")
