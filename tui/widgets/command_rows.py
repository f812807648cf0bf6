"""The list of commands: rows with a title and keys, and the field above them."""

from collections.abc import Callable, Hashable, Sequence

from msgspec import Struct
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.widgets import Input

from tui.drawing import cells
from tui.widgets.virtual_list import VirtualList

_LEAST_DETAIL = 8


class CommandRow(Struct, frozen=True):
    """`keys` are shown at the right, `detail` muted after the title; `hits` are the indices of the title's matching
    letters. A row without an `answer` can't be chosen; `heading`: the row is the title of a group."""

    title: str
    keys: str = ""
    detail: str = ""
    hits: tuple[int, ...] = ()
    answer: str = ""
    heading: bool = False
    quiet: bool = False
    """Whether `keys` are drawn muted, because they aren't the command's own keys."""


class CommandRows(VirtualList):
    """A list of commands. `chosen` is the row under the cursor."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._rows: Sequence[CommandRow] = ()
        self._empty = ""

    def show_rows(self, rows: Sequence[CommandRow], empty: str = "", *, from_top: bool = True) -> None:
        """Shows the rows; `empty` is shown if there are none. The cursor goes to the first row, or stays if not
        `from_top`."""
        self._rows, self._empty = rows, empty
        if from_top:
            self.cursor = 0
            self.scroll_to(y=0, animate=False, force=True)
        self.rows_changed()

    @property
    def chosen(self) -> CommandRow | None:
        return self._rows[self.cursor] if self.cursor < len(self._rows) else None

    def row_count(self) -> int:
        return len(self._rows)

    def row_key(self, index: int) -> Hashable:
        return self._rows[index]

    def may_rest(self, index: int) -> bool:
        return not self._rows[index].heading

    def empty_text(self) -> str:
        return self._empty

    def draw_row(self, index: int, width: int, *, at_cursor: bool) -> Sequence[Segment]:
        row, ellipsis = self._rows[index], self.glyphs.ellipsis
        room = max(0, width - 1)
        if row.heading:
            return [Segment(cells.fit(row.title, width, ellipsis=ellipsis), self.ink("heading"))]
        keys = cells.cut(row.keys, room // 2, ellipsis)
        room -= cells.width(keys) + (2 if keys else 0)
        title = cells.cut(row.title, room, ellipsis)
        segments = [*self._title(title, row.hits, at_cursor=at_cursor)]
        room -= cells.width(title)
        if row.detail and room > _LEAST_DETAIL:
            detail = "  " + cells.cut(row.detail, room - 2, ellipsis)
            segments.append(Segment(detail, self.ink("muted")))
            room -= cells.width(detail)
        segments.append(Segment(" " * (room + (2 if keys else 0))))
        if keys:
            segments.append(Segment(keys, self.ink("muted" if row.quiet else "strong")))
        return [*segments, Segment(" ")]

    def _title(self, title: str, hits: Sequence[int], *, at_cursor: bool) -> list[Segment]:
        """The title with the matching letters in the accent."""
        style = self.ink("strong" if at_cursor else "title")
        hit = style + self.ink("alive") + Style(bold=True)
        marked = set(hits)
        segments: list[Segment] = []
        for at, letter in enumerate(title):
            ink = hit if at in marked else style
            if segments and segments[-1].style is ink:
                segments[-1] = Segment(segments[-1].text + letter, ink)
            else:
                segments.append(Segment(letter, ink))
        return segments


class SearchField(Input):
    """A field that passes each key except letters and digits to `take` while it is empty. `take` returns whether it
    used the key."""

    def __init__(self, take: Callable[[str], bool], *, placeholder: str = "", max_length: int = 0) -> None:
        super().__init__(placeholder=placeholder, max_length=max_length)
        self._take = take

    async def _on_key(self, event: events.Key) -> None:
        """Runs before Textual's handler, which would type the character."""
        if not self.value and not (event.character or "").isalnum() and self._take(event.key):
            event.stop()
            event.prevent_default()
