"""Lines of text that can be selected with the mouse."""

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Offset
from textual.strip import Strip
from textual.timer import Timer

from tui.drawing.line_ends import is_of_right_to_left
from tui.drawing.runs import Line, width_of
from tui.drawing.selected_text import Selection, Spot, between, copied, paragraph_at, placed, snapped, word_at
from tui.framework.messages import FieldMessage
from tui.framework.rendering import LineView
from tui.terminal.bidi import cell_as_written

_SCROLL_S = 0.05
"""While text is selected past an edge, the view scrolls by a line at this interval."""
_MANY_COLOURS = ("256", "truecolor")


class SelectableLines(LineView):
    """Dragging selects text, a double click a word, a triple click a paragraph; each posts `Selected`.

    A subclass draws `_lines`, each as returned by `line_of` after its `margin_of`, and calls `select_by_click` and
    `with_selection`.
    """

    class Selected(FieldMessage):
        """Text was selected, to be copied."""

        page: "SelectableLines"
        text: str

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._lines: list[Line] = []
        self.selection: Selection | None = None
        self._pressed: Spot | None = None
        """Where the mouse button went down, while it is down."""
        self._dragged = False
        self._pointer = Offset(0, 0)
        self._scrolling: Timer | None = None

    # -- for subclasses ---------------------------------------------------------------------------------------

    def margin_of(self, row: int) -> Line:
        """The margin before a line."""
        raise NotImplementedError

    def line_of(self, row: int) -> Line:
        """A line as it is drawn now, without its margin."""
        raise NotImplementedError

    def row_at(self, y: int) -> int:
        """The line at a visible row."""
        raise NotImplementedError

    def select_by_click(self, event: events.Click, offset: Offset) -> None:
        """Selects the word of a double click, or the paragraph of a triple click."""
        if event.chain < 2:
            return
        spot = self._spot(offset)
        line = self._lines[spot.row] if spot.row < len(self._lines) else ()
        word = word_at(line, *spot) if event.chain == 2 else None
        self._select(word or (paragraph_at(self._lines, spot.row) if event.chain > 2 else None))
        self._tell_selected()

    @property
    def was_dragged(self) -> bool:
        """Whether the mouse button was released after dragging, so that the click doesn't count."""
        return self._dragged

    # -- the selection ----------------------------------------------------------------------------------------

    @property
    def selected_text(self) -> str:
        return copied(self._lines, self.selection) if self.selection else ""

    def clear_selection(self) -> bool:
        """Ends the selection; False if nothing was selected."""
        had = self.selection is not None
        self._select(None)
        return had

    def on_mouse_down(self, event: events.MouseDown) -> None:
        if event.button != 1:
            return
        self.clear_selection()
        self._dragged = False
        offset = event.get_content_offset(self)
        if offset is not None and self._lines:
            self._pressed = self._spot(offset)
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._pressed is None:
            return
        if not event.button:  # released outside the terminal
            self._release()
            return
        self._pointer = event.get_content_offset_capture(self)
        if not self._dragged:
            if self._spot(self._pointer) == self._pressed:
                return
            self._dragged = True
        self._extend()
        if 0 <= self._pointer.y < self.size.height:
            self._stop_scrolling()
        elif self._scrolling is None:
            self._scrolling = self.set_interval(_SCROLL_S, self._scroll_on)

    def on_mouse_up(self) -> None:
        if self._pressed is not None:
            self._release()

    def on_mouse_release(self) -> None:
        """This widget no longer captures the mouse."""
        self._pressed = None
        self._stop_scrolling()

    def _release(self) -> None:
        self._pressed = None
        self._stop_scrolling()
        self.release_mouse()
        if self._dragged:
            self._tell_selected()

    def _tell_selected(self) -> None:
        if text := self.selected_text:
            self.post_message(self.Selected(self, text))

    def _scroll_on(self) -> None:
        """Scrolls to the next line, and selects up to it."""
        y = self.scroll_offset.y + (1 if self._pointer.y > 0 else -1)
        self.scroll_to(y=y, animate=False, force=True)
        self._extend()

    def _stop_scrolling(self) -> None:
        if self._scrolling is not None:
            self._scrolling.stop()
            self._scrolling = None

    def _extend(self) -> None:
        if self._pressed is not None:
            self._select(between(self._pressed, self._spot(self._pointer)))

    def _select(self, selection: Selection | None) -> None:
        if selection != self.selection:
            self.selection = selection
            self.refresh()

    def keep_selection(self, lines: Sequence[Line]) -> None:
        """Ends the selection if the selected lines change."""
        if self.selection is not None:
            selected = slice(self.selection.start.row, self.selection.end.row + 1)
            if list(self._lines[selected]) != list(lines[selected]):
                self.selection = self._pressed = None

    def _spot(self, offset: Offset) -> Spot:
        """The spot in the lines nearest to an offset in the visible part."""
        row = self.row_at(max(0, min(offset.y, self.size.height - 1)))
        if row >= len(self._lines):
            last = max(0, len(self._lines) - 1)
            return Spot(last, width_of(self._lines[last]) if self._lines else 0)
        margin, line = self.margin_of(row), self.line_of(row)
        cell = max(0, cell_as_written(self.app, placed((*margin, *line)), offset.x) - width_of(margin))
        before_end = is_of_right_to_left(line) and line[0].text.isspace() and cell < width_of(line[:1])
        return Spot(row, width_of(line) if before_end else cell)

    def with_selection(self, strip: Strip, row: int) -> Strip:
        line = self.line_of(row)
        if self.selection is None or not (cells := snapped(line, self.selection.cells_of(row, width_of(line)))):
            return strip
        margin = width_of(self.margin_of(row))
        first, last = cells.start + margin, cells.stop + margin
        marked = Strip(
            Segment(segment.text, self._inverted(segment.style or Style.null())) for segment in strip.crop(first, last)
        )
        return Strip.join([strip.crop(0, first), marked, strip.crop(last, strip.cell_length)])

    def _inverted(self, ink: Style) -> Style:
        """The style of selected text, which is reversed if there are few colours."""
        if self.app.no_color or self.app.console.color_system not in _MANY_COLOURS:
            return ink + Style(reverse=not ink.reverse)
        return ink + self.get_component_rich_style("page--copied", partial=True)
