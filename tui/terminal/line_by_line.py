"""Sends the screens to the terminal as a screen reader needs them: lines of words, each only when it has changed, with
the terminal's own cursor on the selected row, and news in the last rows.

Screen readers say what is written, and the line under the cursor. So nothing else may be written.
"""

from collections.abc import Callable, Iterator
from time import monotonic
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.app import App
from textual.events import Key
from textual.geometry import Offset
from textual.screen import Screen
from textual.widgets import Input

from tui.look.glyphs import CURSOR, as_words

NEWS_ROWS = 3
"""The last rows of the terminal, which aren't part of the app's screens."""
_IN_FIELD = frozenset(("backspace", "delete", "left", "right", "home", "end"))
_SAME_S = 0.3
"""The same news from two screens within this time is said once."""


class Words(CompositorUpdate):
    """Text and codes for the terminal."""

    def __init__(self, text: str) -> None:
        self.text = text

    def render_segments(self, console: Console) -> str:  # noqa: ARG002 - as Textual declares it
        return self.text


class LineByLine:
    """`complete` is for `DrawsOver`. `write` sends text to the terminal unchanged."""

    def __init__(self, app: App[Any], write: Callable[[str], object]) -> None:
        self._app = app
        self._write = write
        self._columns = 0
        self._drawn: list[str] = []
        """The lines of the screen, as drawn with placeholders."""
        self._sent: dict[int, str] = {}
        """The lines that the terminal shows, by row."""
        self._begun = False
        """Whether the terminal shows the screen and its cursor."""
        self._at = Offset(0, 0)
        self._row = -1
        """The row with the drawn cursor; -1 for none."""
        self._typed: object = None
        self._types = self._typed_before = self._moves = False
        """Whether the cursor is in a field, rather than on a row of the list that belongs to it; whether it was when
        the last key was pressed; and whether that key may have moved it to the row."""
        self._screen: Screen[Any] | None = None
        """The screen that was sent last."""
        self._news = ""
        self._said_at = 0.0

    @property
    def news(self) -> str:
        """What was said last."""
        return self._news

    def forget(self) -> None:
        """Everything is sent again with the next update, because the terminal may have lost it."""
        self._begun = False
        self._sent.clear()

    # -- the screen -------------------------------------------------------------------------------------------

    def pressed(self, key: Key) -> None:
        """Call this with each key."""
        self._typed_before = self._types  # the next update may move the cursor before the key is carried out
        self._moves = not (key.is_printable or key.key in _IN_FIELD)

    def goes_to_row(self) -> bool:
        """Moves the cursor from a field to the row that is selected already, which hasn't been said; False if it wasn't
        in a field when the key was pressed."""
        if not self._typed_before or self._row < 0 or self._screen is not self._app.screen:
            return False
        self._typed_before, self._moves = False, True
        self._look()
        return True

    def _look(self) -> None:
        field = self._app.focused
        if self._begun and isinstance(field, Input) and (at := self._place(field)) != self._at:
            self._at = self._app.cursor_position = at
            self._write(f"\x1b[{at.y + 1};{at.x + 1}H")

    def complete(self, screen: Screen[Any], update: CompositorUpdate) -> CompositorUpdate | None:
        """The update as words; None if the terminal shows them already."""
        columns, rows = screen.size
        if (columns, rows) != (self._columns, len(self._drawn)):
            self.forget()
            self._columns, self._drawn = columns, [""] * rows
        for y, line in _lines(update):
            if y < rows:
                self._drawn[y] = line
        self._screen = screen
        field = screen.focused if isinstance(screen.focused, Input) else None
        first = "" if self._begun else "\x1b[0m\x1b[2J\x1b[?25h"
        written = "".join(self._sent_anew(y, line, field) for y, line in enumerate(self._drawn))
        news = "" if self._begun else self._news_codes()
        before, self._at = self._at, self._place(field)
        self._app.cursor_position = self._at
        if self._begun and not written and before == self._at:
            return None
        self._begun = True
        return Words(first + written + news)

    def _sent_anew(self, y: int, line: str, field: Input | None) -> str:
        """The codes that change a row to the words of the line. Where the listener types, only what differs is written,
        because all that is written is said."""
        typed = field is not None and field.content_region.y == y
        words = "".join(_around(line, field.content_region.x)) if field is not None and typed else as_words(line)
        before = self._sent.get(y, "")
        words = words if typed else fitting(words, self._columns)
        if words == before:
            return ""
        self._sent[y] = words
        same = [one == other for one, other in zip(before, words, strict=False)]
        kept = words[: (*same, False).index(False)] if typed else ""
        return f"\x1b[{y + 1};{cell_len(kept) + 1}H{words[len(kept) :]}\x1b[K"

    def _place(self, field: Input | None) -> Offset:
        """The place of the cursor: in the field with the focus, or, once a key has moved there, on the row with the
        drawn cursor; without either, on the first line below the title."""
        self._row = next((y for y, line in enumerate(self._drawn) if CURSOR in line), -1)
        typed = (field, field.value, field.cursor_position) if field is not None else None
        if typed != self._typed:
            self._typed, self._types = typed, typed is not None
        elif self._moves and self._row >= 0:
            self._types = False
        if field is not None and (self._types or self._row < 0):
            start, y = field.content_region.offset
            label, _rest = _around(self._drawn[y] if 0 <= y < len(self._drawn) else "", start)
            typed_cells = cell_len(field.value[: field.cursor_position]) - field.scroll_offset.x
            return Offset(cell_len(label) + typed_cells, y)
        if self._row >= 0:
            before_mark = self._drawn[self._row].partition(CURSOR)[0]
            return Offset(cell_len(as_words(before_mark)), self._row)
        filled = [y for y, line in enumerate(self._drawn) if self._sent.get(y)]
        return Offset(0, next((y for y in filled if y), 0))

    # -- news -------------------------------------------------------------------------------------------------

    def say(self, words: str) -> None:
        """Shows words in the last rows, where they stay until the next ones."""
        words, now = as_words(" ".join(words.split())), monotonic()
        if not words or (words == self._news and now - self._said_at < _SAME_S):
            return
        self._news, self._said_at = words, now
        if self._begun:
            x, y = self._at
            self._write(f"{self._news_codes()}\x1b[{y + 1};{x + 1}H")

    def _news_codes(self) -> str:
        """The last lines of the news are in the last rows."""
        lines = [line.plain for line in Text(self._news).wrap(self._app.console, max(1, self._columns))][:NEWS_ROWS]
        rows = [""] * (NEWS_ROWS - len(lines)) + lines
        first = len(self._drawn) + 1
        return "".join(f"\x1b[{first + number};1H{line.rstrip()}\x1b[K" for number, line in enumerate(rows))


def goes_to_row(app: App[Any]) -> bool:
    """As `LineByLine.goes_to_row`; False if this app isn't for a screen reader."""
    reader = getattr(app, "reader", None)
    return isinstance(reader, LineByLine) and reader.goes_to_row()


def fitting(words: str, cells: int) -> str:
    """Words in at most so many cells, without the facts at the end that aren't whole."""
    if cell_len(words) <= cells:
        return words
    cut = set_cell_size(words, cells)
    return cut.rpartition(", ")[0] or cut.rstrip()


def say(app: App[Any], words: str) -> bool:
    """Says words to the screen reader; False if this app isn't for one."""
    reader = getattr(app, "reader", None)
    if isinstance(reader, LineByLine):
        reader.say(words)
        return True
    return False


def _lines(update: CompositorUpdate) -> Iterator[tuple[int, str]]:
    """The rows of an update, whole, with their text."""
    if isinstance(update, LayoutUpdate):
        for y, strips in enumerate(update.strips, update.region.y):
            yield y, "".join(strip.text for strip in strips if strip is not None)
    elif isinstance(update, ChopsUpdate):
        for y in dict.fromkeys(y for y, _start, _end in update.spans):
            yield y, "".join(strip.text for strip in update.chops[y].values() if strip is not None)


def _around(line: str, cells: int) -> tuple[str, str]:
    """A line with a field that begins after so many cells: the words before it, and its text as it was typed."""
    label = line[:cells] if line.isascii() else set_cell_size(line, cells)
    words = as_words(label)
    return (f"{words} " if words else ""), line[len(label) :].rstrip()
