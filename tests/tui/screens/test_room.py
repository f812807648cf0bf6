"""The player bar alone, by a key or in a low terminal; a sentence where lists have no room; and back without a loss."""

from datetime import datetime

import pytest

from tests.tui.stage import Stage, stocked
from tui.controllers.panes import Room, room_for
from tui.widgets.player_bar import PlayerBar


@pytest.mark.parametrize(
    ("columns", "rows", "mini", "room"),
    [
        (120, 40, False, Room.ALL), (30, 8, False, Room.ALL), (29, 40, False, Room.SENTENCE),
        (300, 7, False, Room.SENTENCE), (300, 4, False, Room.BAR), (8, 1, False, Room.BAR), (120, 40, True, Room.BAR),
    ],
)  # fmt: skip
def test_what_there_is_room_for(columns: int, rows: int, mini: bool, room: Room) -> None:
    assert room_for(columns, rows, mini=mini) is room


def shown(stage: Stage) -> list[str]:
    return [line.strip() for line in stage.lines()]


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """What plays ends at the same minute in all of a test."""
    moment = datetime(2026, 11, 20, 18, 5).astimezone()
    monkeypatch.setattr(PlayerBar, "now", staticmethod(lambda: moment))


async def test_a_low_terminal_shows_the_bar_in_all_of_its_rows() -> None:
    async with stocked((120, 40)) as stage:
        await stage.press("l")
        before, focus = stage.lines(), stage.focus
        for rows in (1, 2, 3, 4):
            await stage.resize(80, rows)
            lines = stage.lines()
            assert len(lines) == rows
            assert "Post-grad" in lines[0]
            assert all(line.strip() for line in lines[: 1 if rows == 2 else 3]), lines
            assert ("all keys" in lines[-1]) is (rows == 4)
            await stage.press("j")
            await stage.resize(120, 40)
            await stage.press("k")
            assert [(was, line) for was, line in zip(before, stage.lines(), strict=True) if was != line] == []
            assert stage.focus == focus


async def test_playback_keys_work_in_mini_mode_and_its_key_ends_it() -> None:
    async with stocked((120, 40)) as stage:
        before = stage.lines()[:-1], stage.focus
        position = stage.screen.status.position_ms
        await stage.run("mini_mode")
        assert not any(line.strip() for line in stage.lines()[:-4])
        assert stage.news == "? “Mini player” shows everything again"
        await stage.press("right")
        await stage.until(lambda: stage.screen.status.position_ms > position, "the jump")
        await stage.press("u")
        await stage.until(lambda: stage.screen.status.position_ms <= position, "the jump back")
        await stage.resize(120, 3)
        await stage.resize(120, 40)
        assert not any(line.strip() for line in stage.lines()[:-4]), "a resize doesn't end it"
        assert not stage.screen.starts_like_this
        await stage.run("mini_mode")
        assert (stage.lines()[:-5], stage.focus) == (before[0][:-4], before[1])


@pytest.mark.long
async def test_a_selection_and_the_cursor_outlive_a_terminal_of_three_rows() -> None:
    async with stocked((120, 40)) as stage:
        await stage.press("g", "V", "j", "j")
        selected, title = stage.episodes.selected, stage.title
        await stage.resize(120, 3)
        await stage.resize(120, 40)
        assert (stage.episodes.selected, stage.title, stage.focus) == (selected, title, "episodes")


async def test_a_terminal_too_small_for_lists_says_so_once_and_plays_on() -> None:
    async with stocked((80, 24)) as stage:
        for size in ((29, 20), (80, 6)):
            await stage.resize(*size)
            assert sum("show your" in line for line in shown(stage)) == 1, size
            assert not any("PODCASTS" in line for line in shown(stage)), size
            await stage.resize(80, 24)
            assert not any("show your" in line for line in shown(stage))
            assert stage.focus == "episodes"


@pytest.mark.long
async def test_other_screens_are_the_bar_alone_too() -> None:
    async with stocked((120, 40)) as stage:
        for key in ("v", "i", "S"):
            await stage.press(key)
            await stage.resize(100, 3)
            assert "Post-grad" in stage.lines()[0]
            await stage.resize(120, 40)
            await stage.press("q")
        assert stage.focus == "episodes"
