"""A list of options in a dialog, with the same cursor bar and the same keys as all lists."""

from collections.abc import Callable
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widgets import OptionList

from tui.actions.table import ACTIONS, bindings
from tui.look.glyphs import glyphs_of

_MOVES = ("down", "up", "first", "last")
MOVES = bindings(action for action in ACTIONS if action.id in _MOVES)
"""For the bindings of a dialog whose `runs` has those of `Options.moves`."""


class Options(OptionList):
    """Each option is one line, with a cell before it for the bar."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"options--bar"}
    DEFAULT_CSS = """
    Options {
        text-wrap: nowrap;
        text-overflow: ellipsis;
        & > .options--bar { color: $accent; }
    }
    """

    def moves(self) -> dict[str, Callable[[], None]]:
        """What the actions that move in lists run, by the action's id."""
        steps = self.action_cursor_down, self.action_cursor_up, self.action_first, self.action_last
        return dict(zip(_MOVES, steps, strict=True))

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        if self.highlighted != y + self.scroll_offset.y or not strip.cell_length:
            return strip
        if self.get_component_rich_style("option-list--option-highlighted", partial=True).reverse:
            # Without colours: Textual draws options in a style that knows no reverse video.
            strip = strip.apply_style(Style(reverse=True))
        (padding, *_none) = strip.crop(0, 1)
        bar = self.get_component_rich_style("options--bar", partial=True)
        style = bar if padding.style is None else padding.style + bar
        return Strip.join([Strip([Segment(glyphs_of(self.app).cursor, style)], 1), strip.crop(1)])
