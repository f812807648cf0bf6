"""The options of dialogs have the cursor's bar that all lists have."""

import pytest
from textual.widgets import OptionList

from tests.quick import mostly_long
from tests.tui.stage import Stage, stocked
from tui.actions.table import ACTIONS
from tui.dialogs.options import Options

TIMER = next(key for action in ACTIONS if action.id == "sleep" for key in action.keys)


def rows_with_bar(stage: Stage) -> list[int]:
    """Of the lines of the options."""
    rows = stage.app.screen.query_one(OptionList)
    top, left = rows.content_region.y, rows.content_region.x
    return [
        at - top for at, line in enumerate(stage.lines()) if line[left] == "▌" and top <= at < top + rows.size.height
    ]


@pytest.mark.parametrize("size", mostly_long([((50, 15),), ((80, 24),), ((120, 40),)]))
async def test_the_bar_stands_before_the_option_that_is_chosen_and_goes_along(size: tuple[int, int]) -> None:
    async with stocked(size) as stage:
        await stage.press("v", TIMER, "g")
        rows = stage.app.screen.query_one(Options)
        assert (rows.highlighted, rows_with_bar(stage)) == (0, [0])
        words = stage.lines()[rows.content_region.y][rows.content_region.x :]
        assert words.startswith("▌5 minutes"), "the words stand where they stood"
        await stage.press("down")
        assert (rows.highlighted, rows_with_bar(stage)) == (1, [1])
        await stage.press("G")
        assert rows.highlighted == rows.option_count - 1
        assert rows_with_bar(stage) == [rows.option_count - 1 - rows.scroll_offset.y]
