"""A page with a cursor on its entries."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from player.text.directions import without_marks
from tui.drawing.runs import Line, Run
from tui.look.glyphs import as_words, glyphs_of
from tui.widgets.page_view import PageView

if TYPE_CHECKING:
    from tui.drawing.episode_tabs import Entry, TextPage

MARGIN = 2
"""The cells before each line, where the cursor's bar is drawn."""


class CursorPage(PageView):
    """With a `sheet` of entries, whose lines begin at `first_row`, the keys move from entry to entry; without one, they
    scroll. For a screen reader, they move from line to line in both cases."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.sheet: TextPage | None = None
        self.first_row = 0
        self._cursor = 0
        self._found = ""
        self._found_row = -1
        """The line of the current match, on a page without entries; -1 for none."""
        self._read_at = 0
        """The line that a screen reader says."""

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
        sheet, here = self.sheet, self._read_at - self.first_row
        if sheet is not None and self.entry is not None and here not in sheet.rows_of(self.cursor):
            self._read_at = self.first_row + self.entry.first
        self.redraw()

    def move_by(self, rows: int) -> None:
        if self.is_spoken:
            self._read_on_by(rows)
        elif self.entry is None:
            super().move_by(rows)
        else:
            self._go_near(self.cursor + rows)

    def move_by_pages(self, pages: float) -> None:
        if self.is_spoken:
            self._read_on_by(round(pages * max(1, self.size.height - self.pinned - 1)))
        elif self.entry is None or self.sheet is None:
            super().move_by_pages(pages)
        else:
            rows = round(pages * max(1, self.size.height - self.pinned - 1))
            there = self.sheet.entry_of(self.entry.first + rows) or 0
            self._go_near(max(self.cursor + 1, there) if pages > 0 else min(self.cursor - 1, there))

    def move_to(self, row: int) -> None:
        if self.is_spoken:
            self._read_on_by(row - self._read_at)
        elif self.entry is None:
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

    # -- line by line, for a screen reader --------------------------------------------------------------------

    @property
    def is_spoken(self) -> bool:
        return glyphs_of(self.app).spoken

    def to_top(self) -> None:
        """Shows the page from its top."""
        self._read_at = 0
        self.move_to_row(0)

    def _read_on_by(self, rows: int) -> None:
        """Goes on by so many lines with text, as far as possible. The cursor goes to the entry of the line."""
        at, end = min(self._spoken_line, len(self._lines)), len(self._lines)
        ahead = range(at + 1, end) if rows > 0 else range(at - 1, -1, -1)
        there = list(islice((row for row in ahead if self._has_words(row)), abs(rows)))
        if there:
            self.read_line(there[-1])

    def read_line(self, row: int) -> None:
        """Goes to a line, scrolling by whole pages."""
        self._read_at = row
        top, room = self.scroll_offset.y, self.size.height - self.pinned
        if row >= self.pinned and not top <= row - self.pinned < top + room:
            self.move_to_row(max(0, row - self.pinned if row - self.pinned > top else row - self.pinned - room + 1))
        at = self.sheet.entry_of(row - self.first_row) if self.sheet and row >= self.first_row else None
        if at is not None and self.entry is not None and at != self.cursor:
            self.go_to_entry(at)
        self.redraw()

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
        if self.is_spoken:
            self.read_line(row)
        elif not top <= row < top + room:
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
        if self.is_spoken:
            return (Run(glyphs_of(self.app).cursor),) if self.has_focus and row == self._spoken_line else ()
        if self.entry is not None and sheet and self.has_focus and row - self.first_row in sheet.rows_of(self.cursor):
            return Run(glyphs_of(self.app).cursor, "focus"), Run(" " * (MARGIN - 1))
        return (Run(" " * MARGIN),)

    @property
    def _spoken_line(self) -> int:
        """The line under the cursor, or the next one with text."""
        rows = range(min(self._read_at, max(0, len(self._lines) - 1)), len(self._lines))
        return next((row for row in rows if self._has_words(row)), self._read_at)

    def _has_words(self, row: int) -> bool:
        return bool(as_words("".join(run.text for run in self._lines[row])))

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
