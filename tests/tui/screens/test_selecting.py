"""Many episodes at once: `V`, `ctrl+a`, and what every key does with them."""

from datetime import UTC, datetime, timedelta

from player.feeds.check import decide
from player.library import Library
from player.model.episode import Episode, EpisodeId
from player.model.feed import Feed, FeedEpisode, FeedState
from player.model.filters import View, ViewName
from player.model.podcast import PodcastId
from player.paths import Paths
from player.player import Player
from tests.tui.shelf import episodes_of
from tests.tui.stage import QUIET, Stage, opened, stocked
from tui.dialogs.confirm import ConfirmScreen


def rows_of(stage: Stage) -> list[Episode]:
    podcast_id = stage.screen.view.podcast_id
    assert podcast_id is not None
    return list(episodes_of(stage.library, podcast_id))


def starred(stage: Stage) -> list[int]:
    return [number for number, row in enumerate(rows_of(stage)) if row.starred]


async def test_v_starts_a_selection_that_movement_and_clicks_extend_and_esc_ends() -> None:
    async with stocked() as stage:
        await stage.press("g", "j", "s")
        assert stage.news.startswith("Star")
        await stage.press("V")
        assert stage.news == "1 selected", "rather than what was said before"
        for key, selected in (("j", range(1, 3)), ("J", range(1, 4)), ("k", range(1, 3)), ("g", range(2))):
            await stage.press(key)
            assert stage.episodes.selected == selected, key
            assert stage.news == f"{len(selected)} selected"
        await stage.press("G")
        assert stage.episodes.selected == range(1, 36)
        assert stage.shows("esc end selection")
        await stage.press("escape")
        assert not stage.episodes.selected
        assert stage.news == ""
        assert stage.focus == "episodes"

        await stage.press("g")
        await stage.pilot.click(stage.episodes, offset=(5, 4), shift=True)
        await stage.settle()
        assert stage.episodes.selected == range(5)
        await stage.pilot.click(stage.episodes, offset=(5, 2))
        await stage.settle()
        assert not stage.episodes.selected, "a plain click ends it"
        assert stage.episodes.cursor == 2

        await stage.press("ctrl+a")
        assert stage.news == "36 selected"
        await stage.press("slash", "d")
        assert not stage.episodes.selected, "a filter ends it"
        await stage.press("enter", "ctrl+a")
        assert len(stage.episodes.selected) == stage.episodes.row_count() < 36
        await stage.press("escape", "escape", "ctrl+a", "h", "j")
        assert not stage.episodes.selected, "another podcast ends it"
        assert stage.news == ""


async def test_a_key_acts_on_all_that_is_selected_says_so_and_is_one_step_to_undo() -> None:
    async with stocked() as stage:
        before = starred(stage)
        await stage.press("g", "V", "j", "j", "s")
        await stage.until(lambda: stage.news == "Starred 3 episodes · U undoes", "the stars")
        assert not stage.episodes.selected
        assert starred(stage) == sorted({0, 1, 2, *before})
        await stage.press("U")
        await stage.until(lambda: stage.news == "Undone: starred 3 episodes", "undoing them")
        assert starred(stage) == before

        rows = rows_of(stage)
        assert [row.played for row in rows[3:6]] == [False, True, True], "a mixed selection"
        for sentence, played in (("Marked 1 episode as played", True), ("Marked 3 episodes as unplayed", False)):
            await stage.press("g", "j", "j", "j", "V", "j", "j", "m")
            await stage.until(lambda sentence=sentence: stage.news.startswith(sentence), sentence)  # type: ignore[misc]
            assert [row.played for row in rows_of(stage)[3:6]] == [played] * 3

        played_before = [row.played for row in rows_of(stage)]
        await stage.press("g", *["j"] * 30)
        stage.screen.parts.marks.older_played()
        await stage.until(lambda: stage.news == "Marked 5 episodes as played · U undoes", "the older ones of the list")
        assert [row.played for row in rows_of(stage)] == [*played_before[:31], *[True] * 5]
        stage.screen.parts.marks.older_played()
        await stage.until(lambda: stage.news == "Nothing older in this list is unplayed", "nothing")
        await stage.press("U")
        await stage.until(lambda: stage.news == "Undone: marked 5 episodes as played", "undoing")
        assert [row.played for row in rows_of(stage)] == played_before


async def test_a_selection_keeps_its_episodes_and_what_works_on_one_episode_only_says_so() -> None:
    async with stocked() as stage:
        await stage.press("g", "V", "j", "enter")
        assert stage.news.startswith("Only one episode can be played")
        assert stage.episodes.selected == range(2)
        await stage.press("d")
        await stage.until(lambda: isinstance(stage.app.screen, ConfirmScreen), "the question")
        assert stage.shows("Download 2 episodes?")
        assert stage.shows("A few at a time, and after a restart too.")
        await stage.press("escape")
        assert not stage.player.downloads.is_downloading(rows_of(stage)[0].id)

        await stage.press("g", "j", "V", "j")
        view = stage.screen.view
        assert view.podcast_id is not None
        add(stage.library, view.podcast_id, "PyTorch Developer Podcast", 3)
        stage.screen.parts.lists.load()
        await stage.until(lambda: stage.episodes.row_count() == 39, "three more rows")
        assert stage.episodes.selected == range(4, 6)
        await stage.press("s")
        await stage.until(lambda: stage.news.startswith("Starred 2"), "the stars")
        assert [row.title for row in rows_of(stage)[4:6] if row.starred] == [
            "TORCH_TRACE and tlparse",
            "Higher order operators",
        ]


async def test_selected_rows_that_were_never_read_are_acted_on_too(paths: Paths) -> None:
    player = Player(paths, QUIET)
    player.open()
    podcast = player.library.podcasts.add("https://many.example/feed", "Many")
    add(player.library, podcast.id, "Many", 1200)
    async with opened(player) as stage:
        stage.screen.parts.lists.show(View.of(ViewName.PODCAST, podcast.id), None)
        await stage.until(lambda: stage.episodes.row_count() == 1200, "the list")
        await stage.press("l", "ctrl+a", "m")
        await stage.until(lambda: stage.news.startswith("Marked 1,200 episodes as played"), "the marks")
        assert player.library.podcasts.get(podcast.id).unplayed_count == 0
        assert stage.screen.episode is not None
        await stage.until(lambda: stage.screen.episode and stage.screen.episode.played, "the row")


def add(library: Library, podcast_id: PodcastId, title: str, count: int) -> list[EpisodeId]:
    items = tuple(
        FeedEpisode(
            guid=f"added/{number}",
            title=f"Added {number}",
            url=f"https://media.example/added/{number}.mp3",
            media_type="audio/mpeg",
            published=datetime(2026, 11, 20, 13, tzinfo=UTC) + timedelta(minutes=number),
        )
        for number in range(count)
    )
    return list(library.podcasts.apply(podcast_id, Feed(title=title, episodes=items), FeedState(), decide).new)
