"""The settings of one podcast: changed with the arrows or by typing, saved when the row is left."""

from collections.abc import Callable
from concurrent.futures import Future

import pytest
from msgspec.structs import replace
from textual.widgets import Input

from player.events import LibraryChanged
from player.model.episode import EpisodeId
from player.model.filters import Order, View, ViewName, ViewSettings
from player.model.podcast import PodcastId
from player.model.podcast_settings import (
    AS_ALL,
    EpisodeTest,
    NewEpisodeRules,
    NewEpisodes,
    PodcastDownloads,
    PodcastSettings,
)
from player.settings import Inbox
from tests.quick import mostly_long
from tests.tui.stage import QUIET, Stage, stocked
from tui.dialogs.podcast_settings import PodcastSettingsScreen
from tui.screens.about import AboutScreen

SHOW = "PyTorch Developer Podcast"


async def open_it(stage: Stage) -> None:
    """From the page about the podcast, by the key that its footer names."""
    await stage.press("i")
    await stage.until(lambda: isinstance(stage.app.screen, AboutScreen), "the page")
    await stage.until(lambda: "c settings" in stage.lines()[-1], "the key in the footer")
    await stage.press("c")
    await stage.until(lambda: isinstance(stage.app.screen, PodcastSettingsScreen), "the dialog")
    await stage.until(lambda: stage.shows(f"Settings for {SHOW}"), "the settings")


def saved(stage: Stage) -> PodcastSettings:
    return stage.library.podcast_settings.get(stage.library.podcasts.find(SHOW).id)


def is_saved(stage: Stage, settings: PodcastSettings) -> Callable[[], bool]:
    return lambda: saved(stage) == settings


def record_saved(stage: Stage) -> list[PodcastSettings]:
    """The settings after each save of the player's, from now on."""
    record: list[PodcastSettings] = []
    change_settings = stage.player.change_podcast_settings

    def recorded(
        podcast_id: PodcastId, change: Callable[[PodcastSettings], PodcastSettings]
    ) -> Future[PodcastSettings]:
        saving = change_settings(podcast_id, change)
        saving.add_done_callback(lambda done: record.append(done.result()))
        return saving

    stage.player.change_podcast_settings = recorded  # type: ignore[method-assign]
    return record


async def test_steps_are_shown_and_the_value_is_saved_when_its_row_is_left() -> None:
    async with stocked() as stage:
        await open_it(stage)
        record = record_saved(stage)
        await stage.press("right", "right", "right", "left")
        assert stage.shows("Speed: 1.2×")
        assert stage.shows("enter save")
        await stage.press("j", "j")
        assert stage.shows("enter type")
        await stage.press("right", "j", "l", "h", *"jjjj", "right")
        assert stage.shows("New episodes go to: end of the queue")
        await stage.press(*"kkkkk", "delete", "escape")
        assert isinstance(stage.app.screen, AboutScreen)
        rules = NewEpisodeRules(NewEpisodes.QUEUE)
        await stage.until(is_saved(stage, PodcastSettings(1.2, new_episodes=rules)), "the default")
        assert record == [
            PodcastSettings(1.2),
            PodcastSettings(1.2, 5_000),
            PodcastSettings(1.2, 5_000),
            PodcastSettings(1.2, 5_000, new_episodes=rules),
            PodcastSettings(1.2, new_episodes=rules),
        ]


async def test_stepping_through_the_download_rule_sets_only_the_last_choice() -> None:
    async with stocked() as stage:
        podcast = stage.library.podcasts.find(SHOW).id
        for key in ("enter", "escape", "q"):
            await open_it(stage)
            record = record_saved(stage)
            await stage.press("end", "right", "j", "right", "right", "left", "left", "left")
            assert stage.shows("Auto-download: nothing")
            await stage.settle()
            assert record == [], key
            await stage.press(key)
            await stage.until(is_saved(stage, PodcastSettings(downloads=PodcastDownloads(0))), "the last choice")
            assert len(record) == 1, key
            while not stage.ready:
                await stage.press("escape")
            stage.player.change_podcast_settings(podcast, lambda _settings: AS_ALL).result(10)
        await open_it(stage)
        await stage.press("end", "right", "j", "right", "right", "enter", "enter")
        assert stage.app.screen.query_one(Input).value == "2", "a number is typed as it is read"
        await stage.press("backspace", "x", "enter")
        assert stage.shows("Type how many of the newest")
        assert stage.app.screen.query_one(Input).value == "x", "it can be corrected"


async def test_the_keys_for_the_panes_change_a_setting_whatever_they_are() -> None:
    keys = {"pane_left": "b", "pane_right": "f,ctrl+w f", "bookmark": "F2", "filter": "F3"}
    async with stocked(settings=replace(QUIET, keys=keys)) as stage:
        await open_it(stage)
        await stage.press("f", "h", "l", "ctrl+w", "f")
        assert stage.shows("Speed: 1.2×")
        await stage.press("b")
        assert stage.shows("Speed: 1.1×")


@pytest.mark.long
async def test_a_value_is_typed_and_a_mistake_is_a_sentence() -> None:
    async with stocked() as stage:
        await open_it(stage)
        await stage.press(*"17", "enter")
        assert stage.shows("Speed must be between 0.5 and 3, or “default”.")
        await stage.press("backspace", *".7", "enter")
        assert stage.shows("Speed: 1.7×")
        await stage.press("G", "end", "k", "k", "k", "enter", *'"re run" quiz', "enter")
        assert stage.shows('Leave out titles containing: "re run" quiz')
        rules = NewEpisodeRules(exclude='"re run" quiz')
        await stage.until(is_saved(stage, PodcastSettings(1.7, new_episodes=rules)))
        await stage.press("enter", *"x", "escape")
        assert isinstance(stage.app.screen, PodcastSettingsScreen), "esc only ends the typing"
        assert stage.shows('"re run" quiz')
        await stage.press("home", "j", "enter", "backspace", "backspace", "backspace", "enter")
        assert stage.shows("Speed: 1.0× (default)")
        await stage.until(is_saved(stage, PodcastSettings(new_episodes=rules)))


async def test_what_plays_is_heard_at_the_speed_that_is_chosen() -> None:
    async with stocked() as stage:
        await stage.until(lambda: stage.player.status.episode is not None)
        await open_it(stage)
        await stage.press("right", "enter")
        await stage.until(lambda: stage.player.status.speed == 1.1, "the speed in the bar")


@pytest.mark.parametrize("size", mostly_long([((40, 12),), ((50, 15),)]))
async def test_all_of_it_can_be_reached_on_a_small_terminal(size: tuple[int, int]) -> None:
    async with stocked(size=size) as stage:
        await stage.press("i", "c")
        await stage.until(lambda: stage.shows("Speed"), "the settings")
        await stage.press("end", "enter", "end")
        assert stage.shows("Transcribe")
        await stage.press(*"kkkkkkkk")
        assert stage.shows("Leave out titles containing")
        await stage.press(*'"a', "enter")
        assert stage.shows('Leave out titles containing: "a')


async def test_the_order_of_its_list_is_one_with_that_of_the_keys() -> None:
    async with stocked() as stage:
        podcast = stage.library.podcasts.find(SHOW)
        view = View.of(ViewName.PODCAST, podcast.id)
        stage.screen.parts.lists.show(view, None)
        await stage.until(lambda: stage.screen.view == view, "the list")
        await stage.settle()
        behind = stage.episodes
        newest = behind.listing.page(0, 500).tolist()
        unplayed = sum(not one.played for one in stage.library.episodes.rows([EpisodeId(one) for one in newest]))
        assert unplayed < len(newest)
        await stage.press("z")
        await stage.until(is_saved(stage, PodcastSettings(view=ViewSettings(Order.OLDEST))), "what z has set")
        stage.screen.push(PodcastSettingsScreen(stage.player, podcast.id))
        await stage.until(lambda: stage.shows("1 changed") and stage.shows("oldest first"), "the order")
        await stage.press("end", "k", "k", "k", "right", "j", "left", "enter")
        assert stage.shows("Sort order: newest first")
        await stage.until(lambda: behind.listing.page(0, 500).tolist() == newest, "the list behind it")
        await stage.press("j", "right", "enter")
        assert stage.shows("Hide played episodes: on")
        await stage.until(is_saved(stage, PodcastSettings(view=ViewSettings(hide_played=True))), "what is hidden")
        await stage.until(lambda: behind.row_count() == unplayed, "the list behind it without what is played")
        await stage.press("escape")
        await stage.run("hide_played")
        await stage.until(is_saved(stage, AS_ALL), "what H has set")


@pytest.mark.long
async def test_what_another_process_sets_for_a_list_is_shown() -> None:
    async with stocked() as stage:
        podcast = stage.library.podcasts.find(SHOW)
        stage.screen.parts.lists.show(View.of(ViewName.PODCAST, podcast.id), None)
        await stage.settle()
        assert not stage.shows("oldest first")
        stage.library.podcast_settings.set(podcast.id, PodcastSettings(view=ViewSettings(Order.OLDEST)))
        stage.player.bus.publish(LibraryChanged())
        await stage.until(lambda: stage.shows("oldest first"), "the order")


@pytest.mark.long
async def test_an_inbox_that_is_turned_off_is_not_offered() -> None:
    async with stocked(settings=replace(QUIET, inbox=Inbox(enabled=False))) as stage:
        await stage.press("i", "c")
        await stage.until(lambda: stage.shows("nowhere (New is off)"), "where new episodes go")
        await stage.press("slash", *"new", "enter")
        answers = []
        for _step in range(4):
            await stage.press("right")
            answers.append(next(line for line in stage.lines() if "New episodes go to:" in line))
        assert [one.partition(": ")[2].strip(" │") for one in answers] == [
            "end of the queue", "head of the queue", "nowhere", "end of the queue",
        ]  # fmt: skip
        await stage.press("left")
        assert stage.shows("New episodes go to: nowhere")
        await stage.press("delete")
        assert stage.shows("New episodes go to: nowhere (New is off)")


async def test_a_podcast_that_is_gone_is_said() -> None:
    async with stocked() as stage:
        podcast = stage.library.podcasts.find(SHOW).id
        stage.library.podcasts.remove(podcast)
        stage.screen.push(PodcastSettingsScreen(stage.player, podcast))
        await stage.until(lambda: stage.shows("This podcast is no longer in the library"))
        await stage.press("right", "enter", "backspace", "1")
        assert stage.library.podcast_settings.get(podcast) == AS_ALL


async def test_what_rules_download_is_stepped_and_typed() -> None:
    async with stocked() as stage:
        podcast = stage.library.podcasts.find(SHOW)
        stage.screen.push(PodcastSettingsScreen(stage.player, podcast.id))
        await stage.until(lambda: stage.shows("What comes by itself"), "the rule for downloads")
        await stage.press("end", "right", "j", "right", "right")
        assert stage.shows("Auto-download: the newest 2")
        await stage.press(*"7", "enter", "j", *'"a', "enter", *"jj", *"-1h", "enter")
        assert stage.shows("Download lengths of: under 1h")
        downloads = PodcastDownloads(7, EpisodeTest('"a', "", None, 3_600_000))
        await stage.until(is_saved(stage, PodcastSettings(downloads=downloads)), "what was set")
