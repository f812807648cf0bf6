"""A page with a cursor on its entries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from player.text.directions import without_marks
from tui.drawing.runs import Line, Run
from tui.look.glyphs import glyphs_of
from tui.widgets.page_view import PageView

if TYPE_CHECKING:
    from tui.drawing.episode_tabs import Entry, TextPage

MARGIN = 2
"""The cells before each line, where the cursor's bar is drawn."""


class CursorPage(PageView):
    """With a `sheet` of entries, whose lines begin at `first_row`, the keys move from entry to entry; without one, they
    scroll."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.sheet: TextPage | None = None
        self.first_row = 0
        self._cursor = 0
        self._found = ""
        self._found_row = -1
        """The line of the current match, on a page without entries; -1 for none."""

    @property
    def findable(self) -> bool:
        """Whether the page has text to search."""
        return self.entry is not None

    @property
    def entry(self) -> Entry | None:
        """The entry under the cursor; None if there are no entries."""
        return self.sheet.entries[self.cursor] if self.sheet and self.sheet.entries else None

    @property
    def cursor(self) -> int:
        last = len(self.sheet.entries) - 1 if self.sheet else 0
        return max(0, min(self.cursor_place(), last))

    def cursor_place(self) -> int:
        """The index of the entry at which the cursor was left; there may be fewer entries now."""
        return self._cursor

    def go_to_entry(self, entry: int) -> None:
        """Moves the cursor to an entry, or the nearest one."""
        self._cursor = entry
        self.bring_in_sight()
        self.redraw()

    def move_by(self, rows: int) -> None:
        if self.entry is None:
            super().move_by(rows)
        else:
            self._go_near(self.cursor + rows)

    def move_by_pages(self, pages: float) -> None:
        if self.entry is None or self.sheet is None:
            super().move_by_pages(pages)
            return
        rows = round(pages * max(1, self.size.height - self.pinned - 1))
        there = self.sheet.entry_of(self.entry.first + rows) or 0
        self._go_near(max(self.cursor + 1, there) if pages > 0 else min(self.cursor - 1, there))

    def move_to(self, row: int) -> None:
        if self.entry is None:
            super().move_to(row)
        else:
            self._go_near(row)

    def _go_near(self, entry: int) -> None:
        last = len(self.sheet.entries) - 1 if self.sheet else 0
        self.go_to_entry(max(0, min(entry, last)))

    def bring_in_sight(self, share: float = 0.0) -> None:
        """Scrolls the entry under the cursor into view, if necessary; with a `share`, to that share of the height."""
        sheet, entry, room = self.sheet, self.entry, self.size.height - self.pinned
        if sheet is None or entry is None or room <= 0:
            return
        before = self.first_row - self.pinned
        first, end = before + entry.first - entry.lead, before + sheet.rows_of(self.cursor).stop
        top = self.scroll_offset.y
        if first >= top and end + (1 if share else 0) <= top + room:
            return
        if self.cursor == 0:
            first = 0
        target = first - int(share * room) if share else (first if first < top else end - room)
        self.move_to_row(max(0, min(target, first)))

    # -- finding ----------------------------------------------------------------------------------------------

    @property
    def found(self) -> str:
        """The words that are marked on the page; "" for none."""
        return self._found

    def find(self, words: str, step: int = 0) -> tuple[int, int]:
        """Goes to the next entry that contains the words (1), the previous one (-1), or the nearest one from the
        cursor's entry on (0). Returns the number of the match, from 1, and the number of matches; (0, 0) for none."""
        self._found = words.casefold().strip()
        sheet = self.sheet
        if not self._found:
            self._found_row = -1
            self.redraw()
            return 0, 0
        if sheet is None:
            return self._find_line(step)
        found = [index for index, entry in enumerate(sheet.entries) if self._found in entry.text.casefold()]
        if not found:
            self.redraw()
            return 0, 0
        cursor = self.cursor
        if step < 0:
            index = next((one for one in reversed(found) if one < cursor), found[-1])
        else:
            index = next((one for one in found if one >= cursor + step), found[0])
        self.go_to_entry(index)
        self.redraw()
        return found.index(index) + 1, len(found)

    def _find_line(self, step: int) -> tuple[int, int]:
        """As `find`, for a page without entries: the matches are lines."""
        lines = (without_marks("".join(run.text for run in line)).casefold() for line in self._lines)
        found = [row for row, text in enumerate(lines) if row >= self.pinned and self._found in text]
        self.redraw()
        if not found:
            self._found_row = -1
            return 0, 0
        top, room = self.scroll_offset.y + self.pinned, self.size.height - self.pinned
        at = self._found_row if self._found_row >= 0 else top
        if step < 0:
            row = next((one for one in reversed(found) if one < at), found[-1])
        else:
            row = next((one for one in found if one >= at + step), found[0])
        self._found_row = row
        if not top <= row < top + room:
            self.move_to_row(max(0, row - self.pinned - room // 3))
        return found.index(row) + 1, len(found)

    def line_of(self, row: int) -> Line:
        line = super().line_of(row)
        if not self._found or row < self.first_row:
            return line
        return _marked(line, self._found, "found-here" if self._is_match_here(row) else "found")

    def _is_match_here(self, row: int) -> bool:
        """Whether a match in this line is the current one."""
        if self.sheet is None:
            return row == self._found_row
        return self.entry is not None and row - self.first_row in self.sheet.rows_of(self.cursor)

    # -- drawing ----------------------------------------------------------------------------------------------

    def margin_of(self, row: int) -> Line:
        sheet = self.sheet
        if self.entry is not None and sheet and self.has_focus and row - self.first_row in sheet.rows_of(self.cursor):
            return Run(glyphs_of(self.app).cursor, "focus"), Run(" " * (MARGIN - 1))
        return (Run(" " * MARGIN),)

    def on_focus(self) -> None:
        self.redraw()

    def on_blur(self) -> None:
        self.redraw()


def _marked(line: Line, words: str, mark: str) -> Line:
    """The line with the role `mark` for the words where they are within a single run."""
    pieces: list[Run] = []
    for text, role, href in line:
        folded = text.casefold()
        at = 0
        while len(folded) == len(text) and (index := folded.find(words, at)) >= 0:
            pieces += [
                Run(text[at:index], role, href),
                Run(text[index : index + len(words)], f"{role} {mark}", href),
            ]
            at = index + len(words)
        pieces.append(Run(text[at:], role, href))
    return tuple(piece for piece in pieces if piece.text)
