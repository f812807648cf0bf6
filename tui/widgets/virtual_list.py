"""A list of any number of one-line rows that costs only as much as those on the screen."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip

from player.model.episode import EpisodeId
from tui.drawing import cells
from tui.framework.line_view import LineView
from tui.look.glyphs import Glyphs, glyphs_of

_CONTEXT = 2
"""Rows kept in view above and below the cursor."""
_KEPT_SCREENS = 4
"""How many drawn rows are cached: enough to scroll, and few enough for the garbage collector."""


class VirtualList(LineView, can_focus=True, inherit_bindings=False):
    """A cursor over rows that a subclass counts, names and draws.

    Drawn rows are cached by `row_key`: whatever changes the look of a row must change its key, or be followed by
    `redraw`.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "row", "row--cursor", "row--cursor-blurred", "row--selected", "row--selected-cursor", "row--bar",
        "row--bar-blurred", "row--title", "row--strong",
        "row--muted", "row--faint", "row--alive", "row--line", "row--failed", "row--heading",
    }  # fmt: skip

    @dataclass
    class Moved(Message):
        """The cursor is on another row."""

        rows: "VirtualList"

        @property
        def control(self) -> "VirtualList":
            return self.rows

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, VirtualList.Moved) and message.rows is self.rows

    @dataclass
    class Chosen(Message):
        """The row under the cursor was double-clicked."""

        rows: "VirtualList"

        @property
        def control(self) -> "VirtualList":
            return self.rows

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.cursor = 0
        self._strips: dict[Hashable, Strip] = {}
        self._drawn: dict[int, Hashable] = {}

    # -- for subclasses ----------------------------------------------------------------------------------------

    def row_count(self) -> int:
        raise NotImplementedError

    def row_key(self, index: int) -> Hashable:
        """Everything that the look of a row depends on, except the cursor, the focus, the width and the theme."""
        raise NotImplementedError

    def draw_row(self, index: int, width: int, *, at_cursor: bool) -> Sequence[Segment]:
        """The row in exactly `width` cells, without the cursor's bar; styles come from `ink`."""
        raise NotImplementedError

    def may_rest(self, index: int) -> bool:  # noqa: ARG002
        """Whether the cursor may rest on a row."""
        return True

    def empty_text(self) -> str:
        """What is shown instead of rows."""
        return ""

    def is_selected(self, index: int) -> bool:  # noqa: ARG002
        """Whether a row is one of several selected ones."""
        return False

    # -- the cursor -------------------------------------------------------------------------------------------

    def move_to(self, index: int) -> bool:
        """Moves the cursor to that row, or the nearest one where it may rest. Returns whether it moved."""
        target = self._resting_place(index, prefer_down=index >= self.cursor)
        moved = target is not None and target != self.cursor
        if target is not None and moved:
            before, self.cursor = self.cursor, target
            self.refresh_line(before)
            self.refresh_line(target)
            self.post_message(self.Moved(self))
        self.keep_cursor_in_sight()
        return moved

    def move_by(self, rows: int) -> bool:
        return self.move_to(self.cursor + rows)

    def move_by_pages(self, pages: float) -> bool:
        rows = max(1, int(abs(pages) * self.size.height) - (abs(pages) >= 1))
        return self.move_by(rows if pages > 0 else -rows)

    def keep_cursor_in_sight(self) -> None:
        height = self.size.height
        if not height:
            return
        context = min(_CONTEXT, (height - 1) // 2)
        top = self.scroll_offset.y
        wanted = min(max(top, self.cursor + context - height + 1), self.cursor - context)
        wanted = 0 if self.cursor == self._first_rest() else wanted
        wanted = max(0, min(wanted, self.row_count() - height))
        if wanted != top:
            self.scroll_to(y=wanted, animate=False, force=True)

    def _first_rest(self) -> int:
        return next((index for index in range(min(8, self.row_count())) if self.may_rest(index)), 0)

    def _resting_place(self, index: int, *, prefer_down: bool) -> int | None:
        last = self.row_count() - 1
        if last < 0:
            return None
        index = max(0, min(index, last))
        down = range(index, last + 1)
        up = range(index, -1, -1)
        for way in (down, up) if prefer_down else (up, down):
            for candidate in way:
                if self.may_rest(candidate):
                    return candidate
        return None

    # -- drawing ----------------------------------------------------------------------------------------------

    @property
    def glyphs(self) -> Glyphs:
        return glyphs_of(self.app)

    def ink(self, role: str) -> Style:
        """The style of a role (`title`, `muted`, ...), without a background of its own."""
        return self.get_component_rich_style(f"row--{role}", partial=True)

    def rows_changed(self) -> None:
        """The rows or their number have changed: draws only the lines that look different."""
        self.cursor = self._resting_place(self.cursor, prefer_down=True) or 0
        self.virtual_size = Size(self.row_cells, self.row_count())
        self.keep_cursor_in_sight()
        self.refresh_changed()

    def refresh_changed(self) -> None:
        """Draws the lines that look different from before."""
        width, height = self.size
        other = [Region(0, y, width, 1) for y in range(height) if self._drawn.get(y) != self._look_of_line(y)]
        if other:
            self.refresh(*other)

    def redraw(self) -> None:
        self._strips.clear()
        self.refresh()

    @property
    def row_cells(self) -> int:
        """The width of a row: everything but the scrollbar."""
        return self.scrollable_content_region.width

    def render_line(self, y: int) -> Strip:
        look = self._drawn[y] = self._look_of_line(y)
        strip = self._strips.get(look)
        if strip is None:
            if len(self._strips) > _KEPT_SCREENS * self.size.height:
                self._strips.clear()
            strip = self._strips[look] = self._draw_line(y)
        return strip

    def _look_of_line(self, y: int) -> Hashable:
        """Everything that a line of the screen depends on, except the theme."""
        width, index = self.row_cells, y + self.scroll_offset.y
        if index >= self.row_count():
            return (None if self.row_count() else (y, self.empty_text())), width
        at_cursor = self.is_at_cursor(index)
        return self.row_key(index), width, at_cursor, at_cursor and self.has_focus, self.is_selected(index)

    def is_at_cursor(self, index: int) -> bool:
        return index == self.cursor and self.may_rest(index)

    def _draw_line(self, y: int) -> Strip:
        width, index = self.row_cells, y + self.scroll_offset.y
        ground = self.get_component_rich_style("row")
        if index >= self.row_count():
            return Strip.blank(width, ground) if self.row_count() else self._empty_line(y, width, ground)
        at_cursor = self.is_at_cursor(index)
        return self._row(index, width, ground, at_cursor=at_cursor, focused=at_cursor and self.has_focus)

    def _row(self, index: int, width: int, ground: Style, *, at_cursor: bool, focused: bool) -> Strip:
        bar = Segment(" ")
        if self.is_selected(index):
            ground = self.get_component_rich_style("row--selected-cursor" if at_cursor else "row--selected")
            bar = Segment(self.glyphs.selected, self.ink("bar"))
        elif at_cursor:
            ground = self.get_component_rich_style("row--cursor" if focused else "row--cursor-blurred")
        if at_cursor:
            bar = Segment(self.glyphs.cursor, self.ink("bar" if focused else "bar-blurred"))
        segments = [bar, *self.draw_row(index, max(0, width - 1), at_cursor=at_cursor)]
        return Strip(segments).apply_style(ground).adjust_cell_length(width, ground)

    def _empty_line(self, y: int, width: int, ground: Style) -> Strip:
        lines = wrapped(self.empty_text(), width - 4)
        text = lines[y] if y < len(lines) else ""
        return Strip([Segment("  " + text, self.ink("muted"))]).apply_style(ground).adjust_cell_length(width, ground)

    # -- what happens to it -----------------------------------------------------------------------------------

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()

    def on_resize(self, _event: events.Resize) -> None:
        self.virtual_size = Size(self.row_cells, self.row_count())
        self.keep_cursor_in_sight()

    def on_focus(self) -> None:
        self.refresh_line(self.cursor)

    def on_blur(self) -> None:
        self.refresh_line(self.cursor)

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None:
            return
        index = offset.y + self.scroll_offset.y
        if not 0 <= index < self.row_count() or not self.may_rest(index):
            return
        if index == self.cursor and event.chain == 2:
            self.post_message(self.Chosen(self))
        else:
            self.move_to(index)


class SelectingList(VirtualList):
    """A list in which several rows can be selected: those from where the selection began to the cursor, or all."""

    @dataclass
    class Selected(Message):
        """The selected rows have changed."""

        rows: VirtualList

        @property
        def control(self) -> VirtualList:
            return self.rows

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, SelectingList.Selected) and message.rows is self.rows

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.selectable = True
        self._began_at: int | None = None
        self._began_on: EpisodeId | None = None
        self._all_selected = False

    @property
    def episode_id(self) -> EpisodeId | None:
        """The id of the episode under the cursor."""
        raise NotImplementedError

    @property
    def selected(self) -> range:
        """The rows that are selected."""
        if self._all_selected:
            return range(self.row_count())
        if self._began_at is None:
            return range(0)
        return range(min(self._began_at, self.cursor), min(max(self._began_at, self.cursor) + 1, self.row_count()))

    def is_selected(self, index: int) -> bool:
        return index in self.selected and self.may_rest(index)

    def begin_selection(self) -> None:
        """Starts with the row under the cursor; moving the cursor extends the selection."""
        self._began_on = self.episode_id
        self._select(self.cursor, everything=False)

    @property
    def selection_began_on(self) -> EpisodeId | None:
        """The episode at the other end of the selection from the cursor."""
        return self._began_on if self._began_at is not None else None

    def keep_selection(self, began_on: EpisodeId | None, began_at: int | None) -> None:
        """New rows are about to be shown: the episode on which the selection began is at `began_at` in them. A
        selection that began on another episode ends."""
        if self._began_at is not None:
            self._began_at = began_at if began_on == self._began_on else None
        self.post_message(self.Selected(self))

    def to_top(self) -> None:
        """Call before another view is shown: the cursor moves to the top and the selection ends."""
        self.cursor = 0
        self.end_selection()

    def select_all(self) -> None:
        self._select(None, everything=True)

    def end_selection(self) -> None:
        if self.selected:
            self._select(None, everything=False)

    def _select(self, began_at: int | None, *, everything: bool) -> None:
        self._began_at, self._all_selected = began_at, everything
        self.refresh_changed()
        self.post_message(self.Selected(self))

    def move_to(self, index: int) -> bool:
        moved = super().move_to(index)
        if moved and self._began_at is not None:
            self.refresh_changed()
            self.post_message(self.Selected(self))
        return moved

    def on_click(self, event: events.Click) -> None:
        """A click with shift extends the selection; the cursor's own handler, which moves it, is called after this."""
        if event.shift and self.selectable:
            if not self.selected:
                self.begin_selection()
        else:
            self.end_selection()


def wrapped(text: str, width: int) -> list[str]:
    """A sentence in lines of at most `width` cells, broken at spaces."""
    lines: list[str] = []
    for word in text.split():
        if lines and cells.width(lines[-1]) + 1 + cells.width(word) <= width:
            lines[-1] += " " + word
        else:
            lines.append(cells.cut(word, max(1, width)))
    return lines
