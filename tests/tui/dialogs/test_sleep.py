"""The sleep timer's dialog, and what the bar shows of it."""

import pytest

from player.model.playback import PlaybackState, SleepChoice, SleepUntil
from tests.quick import mostly_long
from tests.tui.stage import Stage, stocked
from tui.dialogs.sleep import SleepScreen

SIZES = ((50, 15), (120, 40))
MINUTES, EPISODE = SleepUntil.MINUTES, SleepUntil.EPISODE


async def ready(stage: Stage) -> None:
    """Playback has started, and shows the last episode."""
    await stage.until(lambda: stage.player.status.measured_at, "the session")


async def press_t(stage: Stage) -> None:
    await stage.press("t")
    await stage.until(lambda: isinstance(stage.app.screen, SleepScreen), "the dialog")


def choice(stage: Stage) -> SleepChoice | None:
    return stage.player.status.sleep.choice


def left_ms(stage: Stage) -> int:
    return stage.player.status.sleep.left_ms or 0


@pytest.mark.parametrize("size", mostly_long((size,) for size in SIZES), ids=str)
async def test_a_choice_starts_the_timer_and_is_selected_the_next_time(size: tuple[int, int]) -> None:
    async with stocked(size) as stage:
        await ready(stage)
        await press_t(stage)
        assert stage.shows("Sleep timer")
        assert stage.shows("30 minutes")
        await stage.press("k", "enter")
        await stage.until(lambda: choice(stage) == SleepChoice(MINUTES, 15), "the timer")
        stage.player.session.play(stage.library.episodes.find("Press play").id, 0)
        await stage.until(lambda: stage.player.status.state is PlaybackState.PLAYING, "sound")
        await stage.until(lambda: stage.shows("☾ 14:59"), "the time left in the bar")
        await press_t(stage)
        await stage.until(lambda: stage.shows("left"), "the time left in the dialog")
        assert stage.shows("Turn off")
        await stage.press("escape")
        stage.player.session.sleep_off()
        await stage.until(lambda: choice(stage) is None, "the end of the timer")
        await press_t(stage)
        await stage.press("enter")
        await stage.until(lambda: choice(stage) == SleepChoice(MINUTES, 15), "the last choice")


@pytest.mark.parametrize("size", mostly_long((size,) for size in SIZES), ids=str)
async def test_t_again_adds_five_minutes_each_time_and_the_dialog_turns_it_off(size: tuple[int, int]) -> None:
    async with stocked(size) as stage:
        await ready(stage)
        await stage.press("t", "t")
        await stage.until(lambda: choice(stage) == SleepChoice(MINUTES, 30), "t twice starts the selected one")
        await press_t(stage)
        await stage.press("t", "t")
        await stage.until(lambda: left_ms(stage) == 40 * 60_000, "ten minutes more")
        await stage.until(lambda: stage.shows("40:00 left"), "the time in the dialog")
        await stage.press("home", "enter")
        await stage.until(lambda: choice(stage) is None, "off")


async def test_a_number_is_typed() -> None:
    async with stocked() as stage:
        await ready(stage)
        await press_t(stage)
        await stage.press("2", "5")
        assert stage.shows("25 minutes")
        await stage.press("enter")
        await stage.until(lambda: choice(stage) == SleepChoice(MINUTES, 25), "25 minutes")
        await press_t(stage)
        await stage.press("end", "4")
        assert stage.shows("After 4 episodes")
        await stage.press("enter")
        await stage.until(lambda: choice(stage) == SleepChoice(EPISODE, 4), "4 episodes")
        await press_t(stage)
        await stage.press("9", "9", "9", "9", "9")
        assert stage.shows("After 99 episodes") or stage.shows("After 9 episodes")


async def test_the_palette_has_five_minutes_more_and_capital_t_stops_after_this_one() -> None:
    async with stocked() as stage:
        await ready(stage)
        await stage.press("T")
        await stage.until(lambda: stage.shows("Stops after this episode"), "the words")
        await stage.until(lambda: stage.shows("after this"), "the sign in the bar")
        await stage.press("T")
        await stage.until(lambda: not stage.player.status.sleep.stops_after, "the end of it")
        stage.screen.act("sleep_longer")
        await stage.until(lambda: stage.shows("No sleep timer is running"), "the sentence")
        stage.player.session.sleep(SleepChoice(MINUTES, 10)).result(5)
        stage.screen.act("sleep_longer")
        await stage.until(lambda: stage.shows("Sleep timer: 15:00 left"), "the words")
