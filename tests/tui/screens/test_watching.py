"""“Watch the video” in the list of commands."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from player.settings import Video
from tests.player.library.helpers import apply_feed, episode
from tests.player.video.test_in_player import program
from tests.quick import mostly_long
from tests.tui.stage import QUIET, stocked


@pytest.mark.parametrize("size", mostly_long([((80, 24),), ((40, 12),)]))
async def test_the_video_opens_and_a_notice_says_where_it_was_left(tmp_path: Path, size: tuple[int, int]) -> None:
    video = Video(program("left", tmp_path / "record"))
    async with stocked(size, settings=replace(QUIET, video=video)) as stage:
        podcast = stage.library.podcasts.add("https://example.org/films", "Films")
        item = episode(
            0, title="Passes", url="https://example.com/1.mp4", media_type="video/mp4", duration_ms=1_200_000
        )
        (film,) = apply_feed(stage.library, podcast, item).new
        stage.screen.go_to_episode(film)
        await stage.until(lambda: stage.title == "Passes", "the episode")
        await stage.press("question_mark")
        await stage.write("watch video")
        await stage.until(lambda: stage.shows("Watch the video"), "the command")
        await stage.press("enter")
        await stage.until(lambda: stage.library.episodes.get(film).position_ms == 100_000, "the position")
        await stage.until(lambda: stage.news.startswith("Watched “Passes” up to 1:40"), "what became of it")


async def test_failures_are_shown() -> None:
    async with stocked((80, 24), settings=replace(QUIET, video=Video("/nowhere/mpv"))) as stage:
        stage.screen.act("watch")
        await stage.until(lambda: stage.shows("has no video"), "why there is nothing to watch")
