"""A list of options in a dialog, with the same cursor bar as all lists."""

from typing import ClassVar

from rich.segment import Segment
from textual.strip import Strip
from textual.widgets import OptionList

from tui.look.glyphs import glyphs_of


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

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        if self.highlighted != y + self.scroll_offset.y or not strip.cell_length:
            return strip
        (padding, *_none) = strip.crop(0, 1)
        bar = self.get_component_rich_style("options--bar", partial=True)
        style = bar if padding.style is None else padding.style + bar
        return Strip.join([Strip([Segment(glyphs_of(self.app).cursor, style)], 1), strip.crop(1)])
