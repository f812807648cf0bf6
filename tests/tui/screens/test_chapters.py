"""From chapter to chapter by keys, and over those that nobody wants to hear."""

from msgspec.structs import replace

from player.model.playback import PlaybackState
from player.settings import Chapters
from tests.tui.screens.test_main import to_welcome
from tests.tui.stage import QUIET, Stage, stocked


async def at_position(stage: Stage, ms: int) -> None:
    await stage.until(lambda: stage.screen.status.position_ms == ms, f"the jump to {ms}")


async def test_comma_and_full_stop_lead_from_chapter_to_chapter() -> None:
    async with stocked() as stage:  # paused in an episode whose notes tell of three
        await stage.until(lambda: stage.player.session.chapters.listed, "the chapters")
        stage.player.session.seek_to(0)
        await at_position(stage, 0)
        for key, words, position in (
            ("full_stop", "“Pattern matcher”", 401_000),
            ("full_stop", "“Reinplacing”", 845_000),
            ("full_stop", "This is the last chapter", 845_000),
            ("comma", "“Pattern matcher”", 401_000),
            ("comma", "“What a pass may assume”", 0),
            ("comma", "Restarted", 0),
        ):
            await stage.press(key)
            await stage.until(lambda words=words: stage.news == words, words)  # type: ignore[misc]
            await at_position(stage, position)

        other = stage.library.episodes.find("Compiler collectives")
        stage.player.session.play(other.id)
        await stage.until(lambda: stage.screen.status.episode == other, "the other one")
        await stage.press("full_stop")
        await stage.until(
            lambda: stage.news.startswith("No chapters known for this episode yet. shift+→ "), "the answer"
        )


async def test_an_unwanted_chapter_is_stepped_over_and_u_goes_back() -> None:
    settings = replace(QUIET, chapters=Chapters(skip=("pause",)))
    async with stocked(settings=settings) as stage:
        await to_welcome(stage)
        welcome = stage.screen.episode
        assert welcome is not None
        stage.player.session.play(welcome.id, 9_500)
        await stage.until(lambda: stage.shows("Skipped “Pause and jump” · u returns"), "the sentence")
        await stage.until(lambda: stage.screen.status.position_ms >= 26_300, "the position behind it")
        await stage.press("space")
        await stage.until(lambda: stage.screen.status.state is PlaybackState.PAUSED, "the pause")
        await stage.press("u")
        await stage.until(lambda: 10_000 <= stage.screen.status.position_ms < 13_500, "the way back")
        await stage.press("space")
        await stage.until(lambda: stage.screen.status.state is PlaybackState.PLAYING, "going on")
        assert stage.screen.status.position_ms < 20_000
