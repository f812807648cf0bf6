"""The screen with the listener's numbers."""

from pathlib import Path

import pytest
from textual.widgets import Input

from tests.tui.heard import at, listen, listen_for_a_year
from tests.tui.stage import opened, stocked_player
from tui.dialogs.confirm import ConfirmScreen
from tui.dialogs.export import FileScreen
from tui.screens.statistics import StatisticsScreen


async def test_s_shows_the_year_and_h_the_one_before() -> None:
    player = stocked_player()
    listen_for_a_year(player.library)
    async with opened(player) as stage:
        await stage.run("statistics")
        await stage.until(lambda: stage.shows("this week"), "the numbers")
        before = next(line for line in stage.lines() if "listened ·" in line)
        assert stage.shows("h l other years")
        await stage.press("h")
        await stage.until(lambda: any("listened ·" in line and line != before for line in stage.lines()), "2025")
        await stage.press("h")
        await stage.until(lambda: stage.shows("Nothing heard in 2024"), "2024")
        await stage.press("l", "l", "l")
        assert stage.news == "That year is still to come"
        await stage.run("statistics")
        assert not isinstance(stage.app.screen, StatisticsScreen)


@pytest.mark.parametrize(("no_colours", "signs"), [(True, {"·", "█"}), (False, {"■"})])
async def test_without_colours_the_signs_of_the_calendar_differ_and_the_mouse_shows_what_was_heard_on_a_day(
    no_colours: bool, signs: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.setenv("NO_COLOR", "1") if no_colours else monkeypatch.delenv("NO_COLOR", raising=False)
    player = stocked_player()
    listen(player.library, "Strides", at(3, 7), (0, 12))
    async with opened(player, (80, 24)) as stage:
        await stage.run("statistics")
        await stage.until(lambda: stage.shows("  none "), "the calendar")
        lines = stage.lines()
        monday = next(number for number, line in enumerate(lines) if "Mon " in line)
        assert set("".join(lines[monday + 1][6:70].split())) == signs
        if no_colours:
            day = monday + at(3, 7).date().weekday()
            for elsewhere in ((2, 0), (2, 23)):  # on the page, and on the footer
                await stage.pilot.hover(offset=(lines[day].index("█"), day))
                await stage.until(lambda: stage.shows("Tue 17 Nov · 12 min"), "the day")
                await stage.pilot.hover(offset=elsewhere)
                await stage.until(lambda: stage.shows("  none "), "the scale")


async def test_enter_saves_the_year_as_markdown_and_the_history_is_deleted_after_a_yes(tmp_path: Path) -> None:
    player = stocked_player()
    listen(player.library, "Strides", at(3, 7), (0, 12))
    async with opened(player) as stage:
        await stage.run("statistics")
        await stage.press("enter")
        await stage.until(lambda: isinstance(stage.app.screen, FileScreen), "the dialog")
        field = stage.app.screen.query_one(Input)
        assert field.value == "~/earmark-2026.md"
        field.value = str(tmp_path / "gone" / "year.md")
        await stage.press("enter")
        await stage.until(lambda: stage.shows("can't be written"), "the failure")
        field.value = str(tmp_path / "year.md")
        await stage.press("enter")
        await stage.until(lambda: isinstance(stage.app.screen, StatisticsScreen), "the end of the dialog")
        assert "1. Strides (12 min)" in (tmp_path / "year.md").read_text(encoding="utf-8")
        await stage.until(lambda: stage.shows("year.md"), "the words")
        await stage.run("statistics")
        for answer, left in (("n", 1), ("y", 0)):
            stage.screen.act("forget_history")
            await stage.until(lambda: isinstance(stage.app.screen, ConfirmScreen), "the question")
            await stage.press(answer)
            assert len(player.library.history.sessions()[0]) == left
        assert stage.news == "Your listening history is deleted"
        await stage.resize(50, 15)
        await stage.run("statistics")
        await stage.until(lambda: stage.shows("Nothing heard yet. Press enter on an episode:"), "the words")
