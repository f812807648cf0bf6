"""A view of any number of lines with roles, which costs only as much as the visible lines."""

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.filter import LineFilter
from textual.geometry import Region, Size
from textual.strip import Strip

from tui.drawing.runs import Line
from tui.framework.messages import FieldMessage
from tui.framework.rendering import LineFilters
from tui.terminal.bidi import in_reading_order
from tui.terminal.style_codes import LinkIds, terminal_link
from tui.widgets.selectable_lines import SelectableLines

_LINK_IDS = LinkIds()


class PageView(SelectableLines, can_focus=True, inherit_bindings=False):
    """Scrolls by `move_by`, `move_by_pages`, `move_to` and the wheel. The role of a run names its component classes.

    A click on a run with an `href` posts `Followed`; the terminal itself can open links to web pages.
    """

    class Followed(FieldMessage):
        """A link was clicked."""

        href: str

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"page--{role}"
        for role in (
            *("title", "text", "muted", "heading", "group", "bold", "italic", "link", "number", "time"),
            *("code", "codeblock", "quote", "bar", "rule", "focus", "key"),
            *("tab", "tab-on", "now", "found", "found-here", *(f"voice-{number}" for number in range(1, 9))),
            *(f"tint-{number}" for number in range(6)),
            *(f"hue-{number}" for number in range(8)),
            *("card", "error", "selected", "said", "spoken", "word", "copied"),
        )
    }

    DEFAULT_CSS = """
    PageView {
        background: $surface;
        color: $text;
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        scrollbar-background: $surface;
        scrollbar-background-hover: $surface;
        scrollbar-background-active: $surface;

        & > .page--title { text-style: bold; }
        & > .page--text { color: $text; }
        & > .page--muted { color: $muted; }
        & > .page--heading { text-style: bold; }
        & > .page--group { color: $muted; text-style: bold; }
        & > .page--bold { text-style: bold; }
        & > .page--italic { text-style: italic; }
        & > .page--link { text-style: underline; }
        & > .page--number { color: $muted; }
        & > .page--time { color: $accent; }
        & > .page--code { background: $panel; }
        & > .page--codeblock { background: $panel; }
        & > .page--quote { color: $muted; }
        & > .page--bar { color: $faint; }
        & > .page--rule { color: $faint; }
        & > .page--focus { color: $accent; }
        & > .page--key { text-style: bold; }
        & > .page--tab { color: $muted; }
        & > .page--tab-on { color: $text; text-style: bold underline; }
        & > .page--now { color: $accent; text-style: bold; }
        & > .page--found { background: $selection; text-style: bold underline; }
        & > .page--found-here { color: $accent; text-style: bold reverse; }
        & > .page--voice-1 { color: $hue-4; text-style: bold; }
        & > .page--voice-2 { color: $hue-2; text-style: bold; }
        & > .page--voice-3 { color: $hue-6; text-style: bold; }
        & > .page--voice-4 { color: $hue-7; text-style: bold; }
        & > .page--voice-5 { color: $hue-3; text-style: bold; }
        & > .page--voice-6 { color: $hue-5; text-style: bold; }
        & > .page--voice-7 { color: $hue-1; text-style: bold; }
        & > .page--voice-8 { color: $hue-0; text-style: bold; }
        & > .page--copied { background: $faint; color: $text; }
        & > .page--tint-0 { color: $tint-0; }
        & > .page--tint-1 { color: $tint-1; }
        & > .page--tint-2 { color: $tint-2; }
        & > .page--tint-3 { color: $tint-3; }
        & > .page--tint-4 { color: $tint-4; }
        & > .page--tint-5 { color: $tint-5; }
        & > .page--said { color: $muted; }
        & > .page--spoken { background: $panel; text-style: bold; }
        & > .page--word { color: $accent; text-style: underline; }
        & > .page--card { background: $panel; }
        & > .page--selected { background: $selection; }
        & > .page--error { color: $error; }
        & > .page--hue-0 { color: $hue-0; }
        & > .page--hue-1 { color: $hue-1; }
        & > .page--hue-2 { color: $hue-2; }
        & > .page--hue-3 { color: $hue-3; }
        & > .page--hue-4 { color: $hue-4; }
        & > .page--hue-5 { color: $hue-5; }
        & > .page--hue-6 { color: $hue-6; }
        & > .page--hue-7 { color: $hue-7; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._strips: dict[int, Strip] = {}
        self._inks: dict[str, Style] = {}
        self._links: dict[tuple[str, str], Style] = {}
        self._line_filters = LineFilters()
        self.pinned = 0

    def show_lines(self, lines: list[Line], pinned: int = 0) -> None:
        """Shows lines, of which the first `pinned` ones stay at the top while the others scroll."""
        self.keep_selection(lines)
        self._lines = lines
        self.pinned = pinned
        self._strips.clear()
        self._links.clear()
        self.virtual_size = Size(self.size.width, len(lines))
        self.refresh()

    # -- movement ---------------------------------------------------------------------------------------------

    def move_by(self, rows: int) -> None:
        self.move_to(self.scroll_offset.y + rows)

    def move_by_pages(self, pages: float) -> None:
        self.move_by(round(pages * max(1, self.size.height - 1)))

    def move_to(self, row: int) -> None:
        """Scrolls a row to the top, or as far as the end allows."""
        self.move_to_row(row)

    def move_to_row(self, row: int) -> None:
        self.scroll_to(y=row, animate=False, force=True)

    # -- drawing ----------------------------------------------------------------------------------------------

    def margin_of(self, row: int) -> Line:  # noqa: ARG002 - for subclasses
        """The margin before a line."""
        return ()

    def redraw(self) -> None:
        self._strips.clear()
        self._inks.clear()
        self._links.clear()
        self.refresh()

    def redraw_row(self, row: int) -> None:
        """Draws a single line again."""
        self._strips.pop(row, None)
        y = row if row < self.pinned else row - self.scroll_offset.y
        if row < self.pinned or y >= self.pinned:
            self.refresh(Region(0, y, self.size.width, 1))

    def render_line(self, y: int) -> Strip:
        row = self.row_at(y)
        strip = self._strips.get(row)
        if strip is None:
            segments = [Segment(text, self._ink(role, href)) for text, role, href in self._line(row)]
            strip = Strip(segments).adjust_cell_length(self.size.width, self._ink("", ""))
            self._strips[row] = strip
        return self.with_selection(strip, row) if self.selection else strip

    def row_at(self, y: int) -> int:
        return y if y < self.pinned else y + self.scroll_offset.y

    def line_of(self, row: int) -> Line:
        """A line as it is drawn now, without its margin."""
        return self._lines[row] if row < len(self._lines) else ()

    def _line(self, row: int) -> Line:
        return (*self.margin_of(row), *self.line_of(row))

    def _ink(self, role: str, href: str) -> Style:
        if href:
            return self._link_ink(role, href)
        ink = self._inks.get(role)
        if ink is None:
            ink = self.rich_style
            for name in role.split():
                ink += self.get_component_rich_style(f"page--{name}", partial=True)
            self._inks[role] = ink
        return ink

    def _link_ink(self, role: str, href: str) -> Style:
        ink = self._links.get((role, href))
        if ink is None:
            ink, link = self._ink(role, ""), terminal_link(self.app, href)
            ink = self._links[role, href] = ink.update_link(link) if link else ink
        return ink

    def get_line_filters(self) -> Sequence[LineFilter]:
        self._line_filters = self._line_filters.of((*super().get_line_filters(), _LINK_IDS))
        return (self._line_filters,)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self.redraw()

    # -- the mouse --------------------------------------------------------------------------------------------

    def href_at(self, column: int, row: int) -> str:
        """The address of the run in a visible cell; "" if there is none."""
        end = 0
        for text, href in in_reading_order(self.app, ((text, href) for text, _, href in self._line(self.row_at(row)))):
            end += cell_len(text)
            if column < end:
                return href
        return ""

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if event.button != 1 or offset is None:
            return
        if self.was_dragged:
            event.stop()
        elif href := self.href_at(offset.x, offset.y):
            event.stop()
            if event.chain == 1:
                self.post_message(self.Followed(href))
        else:
            self.select_by_click(event, offset)
