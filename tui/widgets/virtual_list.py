"""A list of any number of rows that costs only as much as the visible ones, and a list in which several rows can be
selected."""

import re
from collections.abc import Hashable, Sequence
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.color import Color
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip

from player.model.episode import EpisodeId
from tui.drawing import cells
from tui.drawing.empty import empty_lines
from tui.drawing.episode_rows import Line, RowLines
from tui.framework.messages import FieldMessage
from tui.framework.rendering import LineView
from tui.look.glyphs import SPOKEN, Glyphs, glyphs_of
from tui.terminal.line_by_line import fitting

_CONTEXT = 2
"""The number of rows kept in view above and below the cursor."""
_AT_CURSOR = {"muted": "selection-muted", "faint": "selection-muted", "line": "selection-muted"}
_VARIABLES = frozenset(_AT_CURSOR.values())
"""The roles that replace other roles in the row under the cursor; they are variables of the theme."""
_ROOM_FOR_ALL = 400
"""The cells of a row in which nothing is cut."""
_COLUMNS_APART = re.compile(" {2,}")
_KEPT_SCREENS = 4
"""How many screens of drawn lines are cached: enough for scrolling, and few enough for the garbage collector."""


class VirtualList(LineView, can_focus=True, inherit_bindings=False):
    """A list with a cursor, whose rows a subclass counts, identifies and draws; `lines_of_rows` returns their lines.

    Drawn rows are cached by `row_key`: a change of a row's look must change its key, or be followed by `redraw`.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "row", "row--cursor", "row--cursor-blurred", "row--selected", "row--selected-cursor", "row--bar",
        "row--bar-blurred", "row--title", "row--strong",
        "row--muted", "row--faint", "row--alive", "row--line", "row--failed", "row--heading",
        "row--heading-lit",
    }  # fmt: skip

    class Moved(FieldMessage):
        """The cursor is on another row."""

        rows: "VirtualList"

        @property
        def control(self) -> "VirtualList":
            return self.rows

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, VirtualList.Moved) and message.rows is self.rows

    class Chosen(FieldMessage):
        """The row under the cursor was double-clicked."""

        rows: "VirtualList"

        @property
        def control(self) -> "VirtualList":
            return self.rows

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.cursor = 0
        self.empty = self.empty_glyph = ""
        """The words that are shown if there are no rows, and the glyph above them."""
        self._lines = RowLines(0)
        self.pinned = 0
        self._strips: dict[Hashable, Strip] = {}
        self._drawn: dict[int, Hashable] = {}
        self._inks: dict[str, Style] = {}
        self._draws_cursor = False

    # -- for subclasses ----------------------------------------------------------------------------------------

    def row_count(self) -> int:
        raise NotImplementedError

    def row_key(self, index: int) -> Hashable:
        """Everything that the look of a row depends on, except the cursor, the focus, the width and the theme."""
        raise NotImplementedError

    def draw_row(self, index: int, width: int, *, at_cursor: bool) -> Sequence[Segment]:
        """The row in exactly `width` cells, without the cursor's bar; styles come from `ink`."""
        raise NotImplementedError

    def draw_below(self, index: int, width: int) -> Sequence[Segment]:  # noqa: ARG002
        """The second line of the row, if rows have two."""
        return [Segment(" " * width)]

    def draw_part(self, index: int, part: int, width: int, *, at_cursor: bool) -> Sequence[Segment]:
        """A line of the row, counted from 0."""
        return self.draw_below(index, width) if part else self.draw_row(index, width, at_cursor=at_cursor)

    def lines_of_rows(self) -> RowLines:
        """The lines of the rows for the list's current size."""
        return RowLines(self.row_count())

    def pinned_lines(self) -> int:
        """The number of lines at the top that don't scroll, for the list's current size."""
        return 0

    def heading_of(self, index: int) -> tuple[str, str]:  # noqa: ARG002
        """The words of the heading above a row, and the facts beside them."""
        return "", ""

    def may_rest(self, index: int) -> bool:  # noqa: ARG002
        """Whether the cursor may be on a row."""
        return True

    def said(self, index: int, width: int) -> str:
        """The row as a screen reader should say it, if possible in `width` cells: as it is drawn where there is room
        for everything, after the heading above it."""
        heading = self.heading_of(index)[0]
        if not heading and index and self.may_rest(index) and not self.may_rest(index - 1):
            heading = self._drawn_whole(index - 1)
        row = self._drawn_whole(index)
        headed = f"{heading} {SPOKEN.dot} {row}"
        return headed if heading and cells.width(headed) <= width else row

    def _drawn_whole(self, index: int) -> str:
        drawn = "".join(one.text for one in self.draw_row(index, _ROOM_FOR_ALL, at_cursor=False))
        return _COLUMNS_APART.sub(f" {SPOKEN.dot} ", drawn.strip())

    def empty_text(self) -> str:
        """The words that are shown if there are no rows: a sentence, then lines with a key, two spaces, and what it
        does."""
        return self.empty

    def is_selected(self, index: int) -> bool:  # noqa: ARG002
        """Whether a row is one of several selected ones."""
        return False

    # -- the cursor -------------------------------------------------------------------------------------------

    def move_to(self, index: int) -> bool:
        """Moves the cursor to a row, or to the nearest row that may have it. Returns whether it moved."""
        target = self._resting_place(index, prefer_down=index >= self.cursor)
        moved = target is not None and target != self.cursor
        if target is not None and moved:
            before, self.cursor = self.cursor, target
            self.refresh_row(before)
            self.refresh_row(target)
            self.post_message(self.Moved(self))
        self.keep_cursor_in_sight()
        return moved

    def move_by(self, rows: int) -> bool:
        return self.move_to(self.cursor + rows)

    def move_by_pages(self, pages: float) -> bool:
        rows = max(1, int(abs(pages) * self.size.height / self._lines.height) - (abs(pages) >= 1))
        return self.move_by(rows if pages > 0 else -rows)

    def move_on_screen(self, share: float) -> bool:
        """Moves the cursor to a visible row where it can be without scrolling: the first (0), the last (1), or one
        between."""
        top = self.scroll_offset.y
        seen = dict.fromkeys(map(self.row_at, range(min(self.size.height, len(self._lines)))))
        rows = [row for row in seen if row is not None and self.may_rest(row) and self._top_showing(row) == top]
        return bool(rows) and self.move_to(rows[round(share * (len(rows) - 1))])

    def center(self) -> None:
        """Scrolls the row of the cursor to the middle of the screen."""
        lines, height = self._lines, self.size.height
        top = lines.top_of(self.cursor) - (height + self.pinned - lines.height + 1) // 2
        self.scroll_to(y=max(0, min(top, len(lines) - height)), animate=False, force=True)

    def keep_cursor_in_sight(self) -> None:
        if self.size.height and (wanted := self._top_showing(self.cursor)) != self.scroll_offset.y:
            self.scroll_to(y=wanted, animate=False, force=True)

    def _top_showing(self, row: int) -> int:
        """The top line with which a row and the rows around it are in sight: the current one, if possible."""
        height, lines = self.size.height, self._lines
        if self.glyphs.spoken:  # whole pages, because a screen reader says each line that is written
            top = self.scroll_offset.y
            wanted = top if top <= row < top + height else row if row > top else row - height + 1
            return max(0, min(wanted, len(lines) - height))
        context = max(0, min(_CONTEXT * lines.height, (height - self.pinned - lines.height) // 2))
        top, first = self.scroll_offset.y, lines.top_of(row)
        if first < self.pinned:
            return max(0, min(top, len(lines) - height))
        head = min(first - context, lines.head_of(row)) - self.pinned
        wanted = min(max(top, first + lines.height_of(row) + context - height), head)
        wanted = 0 if row == self._first_rest() else wanted
        return max(0, min(wanted, len(lines) - height))

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
        """The style of a role (`title`, `muted`, `hue-0`, ...), without a background. In the row under the cursor,
        which has another background, muted text gets a colour that is readable there."""
        if self._draws_cursor:
            role = _AT_CURSOR.get(role, role)
        if role in _VARIABLES or role.startswith("hue-"):
            style = self._inks.get(role)
            if style is None:
                colour = self.app.theme_variables.get(role)
                style = self._inks[role] = Style(color=Color.parse(colour).rich_color) if colour else Style()
            return style
        return self.get_component_rich_style(f"row--{role}", partial=True)

    @property
    def rows_in_sight(self) -> range:
        """The rows that are visible, if only in part."""
        top = self.scroll_offset.y
        return self._lines.rows_between(top, top + self.size.height)

    def row_at(self, y: int) -> int | None:
        """The row at a visible line, counted from the top of the screen's part of the list; None for a heading or a
        gap."""
        found = self._at(y)
        return found.row if found.part >= 0 else None

    def _at(self, y: int) -> Line:
        """The contents of a visible line."""
        return self._lines.at(y if 0 <= y < self.pinned else max(0, y + self.scroll_offset.y))

    def refresh_row(self, index: int) -> None:
        """Draws all lines of a row again."""
        top = self._lines.top_of(index)
        for line in range(top, top + self._lines.height_of(index)):
            self.refresh_line(line if line >= self.pinned else line + self.scroll_offset.y)

    def rows_changed(self) -> None:
        """Call this when the rows or their number have changed. Draws only the lines that look different."""
        self.cursor = self._resting_place(self.cursor, prefer_down=True) or 0
        self._lay_rows()
        self.keep_cursor_in_sight()
        self.refresh_changed()

    def _lay_rows(self) -> None:
        self._lines, self.pinned = self.lines_of_rows(), self.pinned_lines()
        if self.glyphs.spoken:
            self._lines, self.pinned = RowLines(self.row_count()), 0
        self.virtual_size = Size(self.row_cells, len(self._lines))

    def refresh_changed(self) -> None:
        """Draws the lines that look different from what was drawn."""
        width, height = self.size
        other = [Region(0, y, width, 1) for y in range(height) if self._drawn.get(y) != self._look_of_line(y)]
        if other:
            self.refresh(*other)

    def redraw(self) -> None:
        self._strips.clear()
        self.refresh()

    @property
    def row_cells(self) -> int:
        """The width of a row in cells, without the scrollbar."""
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
        """Everything that the look of a visible line depends on, except the theme."""
        width, (index, part) = self.row_cells, self._at(y)
        if index >= self.row_count():
            return (None if self.row_count() else (y, self.size.height, self.empty_text(), self.empty_glyph)), width
        if part < 0:
            return part, self.heading_of(index), width, self.has_focus
        at_cursor = self.is_at_cursor(index)
        return self.row_key(index), part, width, at_cursor, at_cursor and self.has_focus, self.is_selected(index)

    def is_at_cursor(self, index: int) -> bool:
        return index == self.cursor and self.may_rest(index)

    def _draw_line(self, y: int) -> Strip:
        width, (index, part) = self.row_cells, self._at(y)
        ground = self.get_component_rich_style("row")
        if index >= self.row_count():
            return Strip.blank(width, ground) if self.row_count() else self._empty_line(y, width, ground)
        if part < 0:
            lit = self.ink("heading-lit" if self.has_focus else "heading")
            words, facts = self.heading_of(index) if part == -1 else ("", "")
            heading = _heading(words, facts and f"  {self.glyphs.dot} {facts}", width, self.glyphs.ellipsis)
            segments = [Segment(text, ink) for text, ink in zip(heading, (lit, self.ink("faint")), strict=True)]
            return Strip(segments).apply_style(ground).adjust_cell_length(width, ground)
        at_cursor = self.is_at_cursor(index)
        return self._row(index, part, width, ground, at_cursor=at_cursor, focused=at_cursor and self.has_focus)

    def _row(self, index: int, part: int, width: int, ground: Style, *, at_cursor: bool, focused: bool) -> Strip:
        bar = Segment(" ")
        if self.glyphs.spoken:
            bar = Segment(self.glyphs.cursor if at_cursor else "")
            selected = f"{self.glyphs.selected} " if self.is_selected(index) else ""
            room = width - 1 - len(selected)
            return Strip([bar, Segment(selected + fitting(self.said(index, room), room))]).adjust_cell_length(
                width, ground
            )
        if self.is_selected(index):
            ground = self.get_component_rich_style("row--selected-cursor" if at_cursor else "row--selected")
            bar = Segment(self.glyphs.selected, self.ink("bar"))
        elif at_cursor:
            ground = self.get_component_rich_style("row--cursor" if focused else "row--cursor-blurred")
        if at_cursor:
            bar = Segment(self.glyphs.cursor, self.ink("bar" if focused else "bar-blurred"))
        self._draws_cursor = at_cursor
        room = max(0, width - 1)
        segments = [bar, *self.draw_part(index, part, room, at_cursor=at_cursor)]
        self._draws_cursor = False
        return Strip(segments).apply_style(ground).adjust_cell_length(width, ground)

    def _empty_line(self, y: int, width: int, ground: Style) -> Strip:
        glyph = "" if self.glyphs.spoken else self.empty_glyph
        lines = empty_lines(self.empty_text(), glyph, width, self.size.height)
        inks = {"text": "title", "key": "strong", "muted": "muted", "": "muted"}
        segments = [Segment(run.text, self.ink(inks[run.role])) for run in (lines[y] if y < len(lines) else ())]
        return Strip(segments).apply_style(ground).adjust_cell_length(width, ground)

    # -- events -----------------------------------------------------------------------------------------------

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()
        self._inks.clear()

    def on_resize(self, _event: events.Resize) -> None:
        self._lay_rows()
        self.keep_cursor_in_sight()

    def on_focus(self) -> None:
        self.refresh_changed()

    def on_blur(self) -> None:
        self.refresh_changed()

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None or event.button != 1:
            return
        index = self.row_at(offset.y)
        if index is None or index >= self.row_count() or not self.may_rest(index):
            return
        if index == self.cursor and event.chain == 2:
            self.post_message(self.Chosen(self))
        else:
            self.move_to(index)


def _heading(words: str, facts: str, width: int, ellipsis: str) -> tuple[str, str]:
    """The words and facts of a heading in `width` cells; the words are cut first."""
    return " " + cells.cut(words, max(0, width - 1 - cells.width(facts)), ellipsis), facts


def wrapped(text: str, width: int) -> list[str]:
    """A sentence in lines of at most `width` cells, broken at spaces."""
    lines: list[str] = []
    for word in text.split():
        if lines and cells.width(lines[-1]) + 1 + cells.width(word) <= width:
            lines[-1] += " " + word
        else:
            lines.append(cells.cut(word, max(1, width)))
    return lines


class SelectingList(VirtualList):
    """A list in which several rows can be selected: from the row where the selection began to the cursor, or all
    rows."""

    class Selected(FieldMessage):
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
        """The selected rows."""
        if self._all_selected:
            return range(self.row_count())
        if self._began_at is None:
            return range(0)
        return range(min(self._began_at, self.cursor), min(max(self._began_at, self.cursor) + 1, self.row_count()))

    def is_selected(self, index: int) -> bool:
        return index in self.selected and self.may_rest(index)

    def begin_selection(self) -> None:
        """Starts a selection with the row under the cursor; moving the cursor extends it."""
        self._began_on = self.episode_id
        self._select(self.cursor, everything=False)

    @property
    def selection_began_on(self) -> EpisodeId | None:
        """The episode on which the selection began, at the end away from the cursor."""
        return self._began_on if self._began_at is not None else None

    def keep_selection(self, began_on: EpisodeId | None, began_at: int | None) -> None:
        """Call this before new rows are shown, in which the episode `began_on` is at row `began_at`. A selection that
        began on another episode ends."""
        if self._began_at is not None:
            self._began_at = began_at if began_on == self._began_on else None
        self.post_message(self.Selected(self))

    def to_top(self) -> None:
        """Call this before another view is shown. Moves the cursor to the top and ends the selection."""
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
        """A click with shift extends the selection. The base class's handler, which moves the cursor, is called after
        this."""
        if event.shift and self.selectable:
            if not self.selected:
                self.begin_selection()
        else:
            self.end_selection()
