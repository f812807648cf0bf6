"""Offline on the screen: what can't be played is marked, refused in a sentence, and hidden if wanted."""

from pathlib import Path

from player.model.filters import View, ViewName
from player.model.playback import PlaybackState
from tests.tui.stage import Stage, stocked
from tui.look.glyphs import UNICODE


def marked(stage: Stage) -> list[int]:
    """The rows with a mark for what can't be played."""
    rows = range(min(stage.episodes.row_count(), stage.episodes.size.height))
    return [y for y in rows if UNICODE.missing in stage.episodes.render_line(y).text]


async def test_o_marks_what_cannot_be_played_then_hides_it_then_is_over() -> None:
    async with stocked() as stage:
        await stage.press("g")
        library_rows = stage.episodes.row_count()
        await stage.run("offline", "offline")
        await stage.until(lambda: stage.episodes.row_count() == 0, "the empty list")
        assert stage.shows("Nothing here can be played offline")
        await stage.run("offline")
        await stage.until(lambda: stage.episodes.row_count() == library_rows, "the whole list")
        await stage.press("g")
        here = stage.screen.episode_id
        assert here is not None
        stage.library.downloads.put(here, Path("/downloads/here.mp3"))
        stage.episodes.forget([here])
        await stage.until(lambda: stage.screen.episode is not None and stage.screen.episode.downloaded, "its row")
        assert marked(stage) == []
        await stage.run("offline")
        assert marked(stage) == [*range(1, min(library_rows, stage.episodes.size.height))]
        await stage.run("offline")
        await stage.until(lambda: stage.episodes.row_count() == 1, "the list of what is here")
        assert stage.shows("playable offline")
        await stage.run("offline")
        await stage.until(lambda: stage.episodes.row_count() == library_rows, "the whole list")
        assert marked(stage) == []


async def test_enter_on_what_is_not_here_says_so_and_what_plays_plays_on() -> None:
    async with stocked() as stage:
        welcome = View.of(ViewName.PODCAST, stage.library.podcasts.find("Welcome").id)
        stage.screen.parts.sidebar.select(welcome)
        await stage.until(lambda: "Press play" in stage.title, "the built-in podcast")
        await stage.press("enter")
        await stage.until(lambda: stage.player.status.state is PlaybackState.PLAYING, "playback")
        await stage.run("offline")
        await stage.press(*stage.way_to(ViewName.STARRED), "l", "g", "enter")
        await stage.until(lambda: "isn't on this computer" in stage.news, "the sentence")
        assert stage.player.status.episode is not None
        assert "Press play" in stage.player.status.episode.title
