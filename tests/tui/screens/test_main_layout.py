"""Panes by the size of the terminal, columns that stay straight, and a cursor that no resize loses."""

import re
from itertools import product

import pytest
from rich.cells import cell_len

from tests.quick import mostly_long
from tests.tui.stage import Stage, stocked
from tui.actions.action import Focus
from tui.controllers.panes import Pair, Room, arrange, pair_for

SIZES = (
    (160, 45),
    (120, 40),
    (110, 30),
    (109, 30),
    (80, 24),
    (60, 20),
    (59, 19),
    (40, 12),
    (20, 5),
    (10, 3),
    (200, 60),
)


@pytest.mark.parametrize(
    ("width", "focus", "pair", "shown"),
    [
        (160, Focus.EPISODES, Pair.LEFT, (True, True, True)),
        (110, Focus.NOTES, Pair.RIGHT, (True, True, True)),
        (109, Focus.EPISODES, Pair.LEFT, (True, True, False)),
        (80, Focus.EPISODES, Pair.RIGHT, (False, True, True)),
        (60, Focus.SIDEBAR, Pair.LEFT, (True, True, False)),
        (59, Focus.SIDEBAR, Pair.LEFT, (True, False, False)),
        (40, Focus.EPISODES, Pair.LEFT, (False, True, False)),
        (20, Focus.NOTES, Pair.RIGHT, (False, False, True)),
    ],
)
def test_panes_by_width(width: int, focus: Focus, pair: Pair, shown: tuple[bool, ...]) -> None:
    made = arrange(width, focus, pair)
    assert (made.sidebar > 0, made.episodes > 0, made.notes > 0) == shown


def test_panes_share_the_whole_width() -> None:
    for width, focus, pair in product(range(1, 260), (Focus.SIDEBAR, Focus.EPISODES, Focus.NOTES), Pair):
        made = arrange(width, focus, pair_for(focus, pair))
        assert made.sidebar + made.episodes + made.notes == width
        assert {Focus.SIDEBAR: made.sidebar, Focus.EPISODES: made.episodes, Focus.NOTES: made.notes}[focus] > 0


def test_a_very_wide_terminal_keeps_titles_near_their_dates() -> None:
    made = arrange(300, Focus.EPISODES, Pair.LEFT, titles=44)
    assert (made.sidebar, made.episodes, made.notes) == (44, 149, 107)


async def test_two_panes_follow_the_focus_at_80_columns() -> None:
    async with stocked((80, 24)) as stage:
        assert stage.panes == ["sidebar", "pane"]
        await stage.press("l")
        assert stage.panes == ["pane", "notes"]
        await stage.press("h")
        assert (stage.panes, stage.focus) == (["pane", "notes"], "episodes")
        await stage.press("h")
        assert (stage.panes, stage.focus) == (["sidebar", "pane"], "sidebar")
        await stage.press("l", "G")
        row = next(line for line in stage.lines() if "DataLoader" in line)
        assert re.search(r"DataLoader with multiple \w+… ", row)
        bar = stage.screen.query_one("#bar")
        assert bar.size.height == 2
        await stage.resize(80, 19)
        assert bar.size.height == 1


async def test_one_pane_is_drilled_into_and_out_of_below_60() -> None:
    async with stocked((40, 12)) as stage:
        assert stage.panes == ["pane"]
        await stage.press("l")
        assert stage.panes == ["notes"]
        assert stage.shows("The post-grad passes")
        await stage.press("escape")
        assert stage.panes == ["pane"]
        await stage.press("h")
        assert stage.panes == ["sidebar"]
        await stage.press("enter")
        assert (stage.panes, stage.focus) == (["pane"], "episodes")


@pytest.mark.parametrize(
    "keys", [("G",), pytest.param(("h",), marks=pytest.mark.long), pytest.param(("l",), marks=pytest.mark.long)]
)
async def test_no_resize_loses_the_cursor_or_the_focus(keys: tuple[str, ...]) -> None:
    async with stocked((120, 40)) as stage:
        assert stage.panes == ["sidebar", "pane", "notes"]
        await stage.press(*keys)
        kept = stage.title, stage.focus, stage.sidebar.view
        for width, height in (*SIZES, (120, 40)):
            await stage.resize(width, height)
            assert (stage.title, stage.sidebar.view) == (kept[0], kept[2]), (width, height)
            assert stage.focus == kept[1] or stage.screen.room is not Room.ALL, (width, height)
            assert _cursor_is_in_sight(stage), (width, height)


def _cursor_is_in_sight(stage: Stage) -> bool:
    rows = stage.sidebar if stage.focus == "sidebar" else stage.episodes
    top, height = rows.scroll_offset.y, rows.size.height
    return not rows.is_on_screen or height == 0 or top <= rows.cursor < top + height


@pytest.mark.parametrize("size", mostly_long([((10, 3),), ((80, 24),), ((160, 45),), ((59, 19),), ((20, 5),)]))
async def test_every_pane_and_key_works_at_every_size(size: tuple[int, int]) -> None:
    async with stocked(size) as stage:
        for key in (
            "h",
            "j",
            "k",
            "l",
            "l",
            "ctrl+d",
            "h",
            "G",
            "g",
            "slash",
            "x",
            "escape",
            "question_mark",
            "escape",
        ):
            await stage.press(key)
        assert stage.focus in ("episodes", "sidebar")
        assert all(cell_len(line) == size[0] for line in stage.lines())


async def test_emoji_hangul_hebrew_and_accents_keep_the_columns_straight() -> None:
    async with stocked((160, 45), show="Signs & scripts") as stage:
        await stage.press("g")
        for size in ((160, 45), (120, 40), (80, 24), (60, 24), (40, 12)):
            await stage.resize(*size)
            strips = [stage.episodes.render_line(y) for y in range(6)]
            assert all(strip.cell_length == stage.episodes.row_cells for strip in strips), size
            ends = {cell_len(strip.text.rstrip()) for strip in strips if strip.text.rstrip().endswith(("m", "left"))}
            assert len(ends) <= 1, size
            assert stage.episodes.region.width == stage.episodes.row_cells + 1, size
        for width in range(20, 100, 7):
            await stage.resize(width, 24)
            for y in range(6):
                text = stage.episodes.render_line(y).text
                assert "\u200d" not in text, "no title is cut in the middle of a grapheme"
                assert not text.lstrip("▌ ●◐").startswith(("\u0301", "\ufe0f")), width
