"""ctrl+f finds podcasts by their names, above the episodes."""

from tests.tui.alone import text_of
from tests.tui.screens.test_search import searched
from tests.tui.stage import Stage, stocked
from tui.widgets.search_results import FoundList, FoundPodcasts


def podcasts(stage: Stage) -> list[str]:
    """Those that are offered above the episodes."""
    return [one.title for one in stage.app.screen.query_one(FoundPodcasts)._podcasts]


async def test_a_podcast_whose_name_begins_so_is_under_the_cursor_and_enter_opens_it() -> None:
    async with stocked() as stage:
        await searched(stage, "chang")
        assert podcasts(stage) == ["Changelog"]
        found = stage.app.screen.query_one(FoundPodcasts)
        assert (found.podcast and found.podcast.title) == "Changelog"
        assert any("Changelog" in line and "podcast · 9 unplayed" in line for line in stage.lines())
        assert stage.shows("enter open podcast")
        await stage.pilot.click(FoundList, offset=(5, 2))
        await stage.until(lambda: stage.shows("enter show in list"), "the cursor on the episode")
        assert stage.app.screen.query_one(FoundList).cursor == 1
        await stage.pilot.click(FoundPodcasts, offset=(5, 0))
        await stage.until(lambda: stage.shows("enter open podcast"), "the cursor on the podcast")
        await stage.press("enter")
        await stage.until(lambda: stage.title == "Changelog 9", "its list")
        assert (stage.focus, stage.sidebar.podcast and stage.sidebar.podcast.title) == ("episodes", "Changelog")
        await stage.press("ctrl+o")
        assert stage.sidebar.podcast is not None
        assert stage.sidebar.podcast.title == "PyTorch Developer Podcast"
        await stage.press("ctrl+f", "ctrl+u")
        await stage.write("changelog is:unplayed ")
        assert podcasts(stage) == [], "more than words"
        assert stage.shows("Changelog 9")


async def test_else_the_cursor_begins_on_an_episode_and_goes_up_to_the_podcasts() -> None:
    async with stocked() as stage:
        await searched(stage, "python")
        assert podcasts(stage) == ["Talk Python To Me"]
        assert stage.shows("enter show in list")
        await stage.press("up")
        assert stage.shows("enter open podcast")
        await stage.press("down")
        assert stage.shows("enter show in list")
        await stage.press("up", "enter")
        await stage.until(lambda: stage.title.startswith("Talk Python To Me"), "its list")
        await stage.press("ctrl+f", "ctrl+u")
        await stage.write("plugged")
        assert podcasts(stage) == ["Unplugged Radio"], "by parts of words where no episode is"
        await stage.press("down", "enter")
        await stage.until(lambda: stage.sidebar.podcast and stage.sidebar.podcast.title == "Unplugged Radio", "it")


async def test_a_cursor_that_was_moved_off_a_podcast_stays_on_its_episode_while_one_types() -> None:
    async with stocked() as stage:
        await searched(stage, "chan")
        await stage.press("down", "down")
        rows = stage.app.screen.query_one(FoundList)
        assert rows.cursor == 1
        stays = rows.episode_id
        await stage.press("g")
        assert stage.shows("enter show in list")
        assert (rows.cursor, rows.episode_id) == (1, stays)
        await stage.press("escape")
        await stage.resize(50, 15)
        await stage.press("ctrl+f", "ctrl+u")
        await stage.write("chang")
        assert podcasts(stage) == ["Changelog"], "on a small terminal too"
        await stage.press("enter")
        await stage.until(lambda: stage.title == "Changelog 9", "its list")


async def test_a_few_podcasts_are_shown_and_the_heading_says_that_there_are_more() -> None:
    async with stocked() as stage:
        for number in range(4):
            stage.library.podcasts.add(f"https://talks.example/{number}", f"Talks {number}")
        screen = await searched(stage, "talks")
        assert len(podcasts(stage)) == 4
        assert text_of(screen.told)[0].startswith("4 podcasts · ")
        stage.library.podcasts.add("https://talks.example/4", "Talks 4")
        await stage.press("space")
        assert len(podcasts(stage)) == 4
        assert text_of(screen.told)[0].startswith("4+ podcasts · ")
