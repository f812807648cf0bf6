"""Panes on the screen: alone, resized by keys and by the mouse, and as they were at the next start."""

from textual import events

from player.paths import Paths
from player.player import Player
from tests.tui.stage import QUIET, Stage, opened, stocked
from tui.drawing.notes.notes_page import COMFORTABLE
from tui.widgets.cursor_page import MARGIN
from tui.widgets.three_panes import WIDEST_NOTES


def widths(stage: Stage) -> list[int]:
    return [pane.size.width + pane.styles.padding.width for pane in stage.screen.query("#body > *") if pane.display]


async def drag(stage: Stage, start: int, end: int, row: int = 5) -> None:
    where = stage.screen.get_widget_at(start, row)[0]
    at = where.region.offset
    await stage.pilot._post_mouse_events([events.MouseDown], where, (start - at.x, row - at.y), button=1)
    await stage.pilot._post_mouse_events([events.MouseMove], where, (end - at.x, row - at.y), button=1)
    await stage.pilot._post_mouse_events([events.MouseUp], where, (end - at.x, row - at.y), button=1)
    await stage.settle()


async def test_the_widest_text_of_notes_fills_its_pane() -> None:
    assert COMFORTABLE + 2 * MARGIN + 1 == WIDEST_NOTES


async def test_focus_mode_gives_one_pane_the_screen_and_widths_are_there_at_the_next_start() -> None:
    async with stocked((160, 45)) as stage:
        cursor = stage.title
        await stage.run("focus_mode")
        assert (stage.panes, stage.news.partition(".")[0]) == (["pane"], "Zoomed")
        await stage.press("tab")
        assert stage.panes == ["notes"]
        assert stage.screen.page.size.width <= WIDEST_NOTES + 1, "the text is in the middle"
        await stage.press("2", "escape")
        assert (stage.panes, stage.focus) == (["sidebar", "pane", "notes"], "notes")
        await stage.press("h")
        await stage.run("focus_mode", "focus_mode")
        assert (stage.panes, stage.title) == (["sidebar", "pane", "notes"], cursor)

        before = widths(stage)
        edge = before[0] + before[1]
        await drag(stage, edge, edge - 10)
        assert widths(stage) != before
        await stage.pilot.double_click(offset=(widths(stage)[0] + widths(stage)[1], 5))
        await stage.settle()
        assert widths(stage) == before, "a double click on an edge gives the usual widths"

        sidebar, _, notes = before
        await stage.press("l")
        await stage.run("pane_wider")
        assert widths(stage)[2] == notes + 2
        await drag(stage, sidebar, sidebar + 9)
        assert widths(stage)[0] == sidebar + 9
        assert stage.focus == "notes"
    again = Player(Paths.of(), QUIET)
    again.open()
    async with opened(again, (160, 45)) as stage:
        assert (widths(stage)[0], widths(stage)[2]) == (sidebar + 9, notes + 2)
        await stage.resize(40, 12)
        await drag(stage, 0, 20)
        assert stage.panes == ["pane"], "one pane has no edge"
