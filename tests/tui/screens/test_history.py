"""The History view, from the spans in the library to what `enter` plays."""

import pytest

from player.events import EpisodesChanged
from player.library import Library
from player.library.history import spans
from player.model.filters import View, ViewName
from tests.tui.heard import MINUTE, at, listen, listen_for_a_year
from tests.tui.stage import Stage, opened, stocked, stocked_player

HISTORY = View.of(ViewName.HISTORY)


async def show(stage: Stage) -> None:
    stage.screen.parts.sidebar.select(HISTORY)
    await stage.settle()


def some(library: Library) -> None:
    listen(library, "Changelog 3", at(1, 21), (0, 20), 2.0)
    listen(library, "Strides", at(0, 7), (2, 6))
    listen(library, "Strides", at(0, 7, 5), (6, 9))
    listen(library, "Changelog 3", at(0, 12), (20, 30))


async def test_what_was_heard_is_listed_under_its_day_with_how_long_and_when() -> None:
    player = stocked_player()
    some(player.library)
    async with opened(player) as stage:
        await show(stage)
        lines = [" ".join(line[26:79].split()).lstrip("▌ ") for line in stage.lines()]
        first = lines.index("Today · 17m")
        assert lines[first : first + 8] == [
            "Today · 17m", "◐ Changelog 3", "▎Changelog · 10m · 12:00", "◐ Strides",
            "▎PyTorch Developer Podcast · 7m · 07:00", "", "Yesterday · 10m", "◐ Changelog 3",
        ]  # fmt: skip
        assert stage.title == "Changelog 3"
        await stage.press("j", "j")
        assert stage.title == "Changelog 3"
        assert stage.screen.parts.history.selected is not None
        assert stage.screen.parts.history.selected.to_ms == 20 * MINUTE

        assert stage.episodes.row_count() == 3, "three sessions of two episodes"
        await stage.press("ctrl+a")
        assert stage.news == "2 selected"
        assert all(map(stage.episodes.is_selected, range(3)))
        await stage.press("escape", "g", "j", "V", "j")
        assert stage.news == "2 selected", "episodes, and no headings"
        await stage.press("s")
        await stage.until(lambda: stage.news.startswith("Starred 2 episodes"), "the stars")

        await stage.press("/", *"strid")
        assert stage.shows("1 match")
        assert stage.title == "Strides"
        await stage.press("escape", "g", "j")
        assert stage.shows("enter play from here")
        await stage.press("enter")
        await stage.until(lambda: (one := stage.player.status.episode) is not None and one.title == "Strides")
        assert 9 * MINUTE <= stage.player.status.position_ms < 10 * MINUTE


async def test_an_episode_that_is_gone_is_listed_and_says_so() -> None:
    player = stocked_player()
    some(player.library)
    player.library.podcasts.remove(player.library.podcasts.find("Changelog").id)
    async with opened(player) as stage:
        await show(stage)
        assert stage.shows("Changelog 3")
        await stage.press("enter")
        assert stage.news == "“Changelog 3” is no longer in your library"
        await stage.press("s")
        assert stage.news == "Select an episode first"
        await stage.press("g", "V")
        assert stage.news == "0 selected"
        await stage.press("s")
        assert stage.news == "Select an episode first"
        await stage.press("escape", "h", "s")
        assert stage.news == "Select an episode first: tab goes to the list"


async def test_a_low_list_has_rows_of_one_line_and_its_days() -> None:
    player = stocked_player()
    some(player.library)
    async with opened(player, (60, 12)) as stage:
        await show(stage)
        await stage.press("l", "G")
        for size in ((60, 12), (70, 14)):
            await stage.resize(*size)
            assert stage.shows("Yesterday  · 10m"), size
            assert stage.shows("21:00"), size
            assert stage.episodes._lines.height == 1, size


async def test_an_empty_history_names_the_key_that_fills_it() -> None:
    async with stocked((60, 15)) as stage:
        await show(stage)
        assert stage.shows("Nothing heard yet")
        assert stage.shows("enter  on an episode plays it")


async def test_a_mark_shows_on_every_row_of_the_episode_however_long_ago_they_were_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(spans.History.sessions, "__defaults__", (None, None, 2))
    player = stocked_player()
    for day in range(6):
        listen(player.library, "Strides", at(day, 7), (0, 2))
    async with opened(player) as stage:
        await show(stage)
        await stage.until(lambda: len(stage.episodes.listing) == 6, "all of it")
        assert not any("✓ Strides" in line for line in stage.lines())
        await stage.press("j", "m")
        await stage.until(lambda: sum("✓ Strides" in line for line in stage.lines()) == 6, "six marks")


async def test_the_rest_follows_the_first_page_and_the_cursor_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spans.History.sessions, "__defaults__", (None, None, 40))
    player = stocked_player()
    listen_for_a_year(player.library)
    async with opened(player) as stage:
        await show(stage)
        await stage.until(lambda: not stage.episodes.listing.more, "the rest")
        all_of_them = len(stage.episodes.listing)
        assert all_of_them > 300
        await stage.press("j", "j", "j")
        before = stage.screen.parts.history.selected
        listen(player.library, "Strides", at(0, 23), (0, 2))
        stage.screen.parts.history.touched()
        await stage.until(lambda: len(stage.episodes.listing) == all_of_them + 1, "the new session")
        assert stage.screen.parts.history.selected == before
        assert before is not None


async def test_what_plays_comes_into_the_history_that_is_shown() -> None:
    player = stocked_player()
    listen(player.library, "Changelog 3", at(1, 21), (0, 20))
    async with opened(player) as stage:
        await show(stage)
        listen(player.library, "Strides", at(0, 7), (0, 20))
        player.bus.publish(EpisodesChanged((player.library.episodes.find("Strides").id,)))
        await stage.until(lambda: stage.shows("2 sessions"), "the session")
        await stage.press("g", "enter")
        await stage.until(lambda: (one := stage.player.status.episode) is not None and one.title == "Strides")
        assert stage.player.status.position_ms < MINUTE, "heard to its end, it plays from the start"
