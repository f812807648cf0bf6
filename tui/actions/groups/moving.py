"""Moving through lists, panes and text."""

from player.text.sentences import mark
from tui.actions.action import IN_LIST, PANES, Action, Focus, Group

_M = Group.MOVE

MOVING: tuple[Action, ...] = (
    Action("go_back", "back_stack.back", ("ctrl+o",), mark("Go back to the previous list"), "", _M),
    Action("down", "move.down", ("j", "down"), mark("Move down"), "", _M, palette=False),
    Action("up", "move.up", ("k", "up"), mark("Move up"), "", _M, palette=False),
    Action("half_page_down", "move.half_page_down", ("ctrl+d",), mark("Move down half a page"), "", _M, palette=False),
    Action("half_page_up", "move.half_page_up", ("ctrl+u",), mark("Move up half a page"), "", _M, palette=False),
    Action("page_down", "move.page_down", ("pagedown",), mark("Move down a page"), "", _M, palette=False),
    Action("page_up", "move.page_up", ("pageup",), mark("Move up a page"), "", _M, palette=False),
    Action("first", "move.first", ("g", "home"), mark("Go to the first row"), "", _M, palette=False),
    Action("last", "move.last", ("G", "end"), mark("Go to the last row"), "", _M, palette=False),
    Action("screen_top", "move.screen_top", (), mark("Go to the first row on the screen"), "", _M, palette=False),
    Action("screen_middle", "move.screen_middle", (), mark("Go to the row in the middle of the screen"), "", _M,
           palette=False),
    Action("screen_bottom", "move.screen_bottom", (), mark("Go to the last row on the screen"), "", _M, palette=False),
    Action("center", "move.center", (), mark("Scroll this row to the middle"), "", _M, palette=False),
    Action("pane_left", "panes.left", ("h",), mark("Go to the pane on the left"), "", _M, palette=False),
    Action("pane_right", "panes.right", ("l",), mark("Go to the pane on the right"), "", _M, palette=False),
    Action("next_pane", "panes.next", ("tab",), mark("Go to the next pane"), "", _M, 15, mark("panes"), PANES,
           palette=False),
    Action("previous_pane", "panes.previous", ("shift+tab",), mark("Go to the previous pane"), "", _M, palette=False),
    Action("back", "here.back", ("escape",), mark("Back"), mark("End selection, clear filter, or go left"), _M, 95,
           mark("clear"), (Focus.FILTER, Focus.SIDEBAR_FILTER, *IN_LIST, Focus.READING, Focus.ABOUT, Focus.NOW_PLAYING),
           palette=False),
)  # fmt: skip
