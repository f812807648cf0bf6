"""The notes of the episode under the cursor, as a page to scroll."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from player.model import Episode
from player.notes import read_notes
from tui.glyphs import Glyphs, glyphs_of
from tui.widgets.notes_page import body, head
from tui.widgets.pieces import Line, Piece

_AT_ONCE = 60_000
"""Characters of notes that are read and laid out between two frames; longer ones in a thread."""

_MARGIN = 2
_NO_NOTES: Line = (Piece("This episode has no notes.", "muted"),)


@dataclass(frozen=True, slots=True)
class _Request:
    """What the page is made of, and for how many columns of text."""

    episode: Episode
    notes: str
    columns: int


def _lay_out(request: _Request, glyphs: Glyphs) -> list[Line]:
    return body(read_notes(request.notes), request.columns, glyphs, request.episode.duration_ms) or [_NO_NOTES]


class NotesPane(ScrollView, can_focus=True, inherit_bindings=False):
    """`show` an episode and its notes. It scrolls by `move_by`, `move_by_pages`, `move_to`, and by the wheel."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"notes--{role}"
        for role in (
            *("title", "muted", "heading", "bold", "italic", "link", "number", "time"),
            *("code", "codeblock", "quote", "bar", "rule", "focus"),
        )
    }

    DEFAULT_CSS = """
    NotesPane {
        background: $surface;
        color: $text;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        scrollbar-background: $surface;
        scrollbar-background-hover: $surface;
        scrollbar-background-active: $surface;

        & > .notes--title { text-style: bold; }
        & > .notes--muted { color: $muted; }
        & > .notes--heading { text-style: bold; }
        & > .notes--bold { text-style: bold; }
        & > .notes--italic { text-style: italic; }
        & > .notes--link { text-style: underline; }
        & > .notes--number { color: $accent; }
        & > .notes--time { color: $accent; }
        & > .notes--code { background: $panel; }
        & > .notes--codeblock { background: $panel; }
        & > .notes--quote { color: $muted; }
        & > .notes--bar { color: $faint; }
        & > .notes--rule { color: $faint; }
        & > .notes--focus { color: $accent; }
    }
    """

    class _LaidOut(Message):
        def __init__(self, request: _Request, lines: list[Line]) -> None:
            super().__init__()
            self.request = request
            self.lines = lines

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._shown: tuple[Episode, str] | None = None
        self._request: _Request | None = None
        self._lines: list[Line] = []
        self._title_rows = 0
        self._body: list[Line] = []
        self._strips: dict[int, Strip] = {}
        self._inks: dict[str, Style] = {}

    # -- what it shows ----------------------------------------------------------------------------------------

    def show(self, episode: Episode, notes: str) -> None:
        """The page of an episode, from its top; where it is shown already, the page stays where it is."""
        before, self._shown = self._shown, (episode, notes)
        if before == self._shown:
            return
        if before is None or before[0].id != episode.id:
            self._body = []
            self.scroll_to(y=0, animate=False, force=True)
        self._lay_out()

    def clear(self) -> None:
        """No episode, no page."""
        self._shown = self._request = None
        self._body = []
        self._put_together([])

    def _lay_out(self) -> None:
        if self._shown is None or not self.size.width:
            return
        episode, notes = self._shown
        request = _Request(episode, notes, max(10, self.size.width - 2 * _MARGIN + 1))
        if request == self._request:
            return
        self._request = request
        top = head(episode, request.columns, glyphs_of(self.app))
        work = partial(_lay_out, request, glyphs_of(self.app))
        if len(notes) <= _AT_ONCE:
            self._body = work()
        else:
            self.run_worker(lambda: self.post_message(self._LaidOut(request, work())), thread=True, group="notes")
        self._put_together(top)

    def on_notes_pane__laid_out(self, message: _LaidOut) -> None:
        if message.request is self._request:
            self._body = message.lines
            self._put_together(head(message.request.episode, message.request.columns, glyphs_of(self.app)))

    def _put_together(self, top: list[Line]) -> None:
        self._title_rows = sum(1 for line in top if line and line[0].role == "title")
        self._lines = [(), *top, (), *self._body, ()] if top else []
        self._strips.clear()
        self.virtual_size = Size(self.size.width, len(self._lines))
        self.refresh()

    # -- movement ---------------------------------------------------------------------------------------------

    def move_by(self, rows: int) -> None:
        self.scroll_to(y=self.scroll_target_y + rows, animate=False, force=True)

    def move_by_pages(self, pages: float) -> None:
        self.move_by(round(pages * max(1, self.size.height - 1)))

    def move_to(self, row: int) -> None:
        """To a row of the page; beyond the end it is the end."""
        self.scroll_to(y=row, animate=False, force=True)

    # -- drawing ----------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        row = y + self.scroll_offset.y
        strip = self._strips.get(row)
        if strip is None:
            strip = self._strips[row] = self._draw(row)
        return strip

    def _draw(self, row: int) -> Strip:
        base = self.rich_style
        line = self._lines[row] if row < len(self._lines) else ()
        if self.has_focus and 1 <= row <= self._title_rows:
            margin = [Segment(glyphs_of(self.app).cursor, self._ink("focus", "")), Segment(" " * (_MARGIN - 1), base)]
        else:
            margin = [Segment(" " * _MARGIN, base)]
        segments = [Segment(piece.text, self._ink(piece.role, piece.href)) for piece in line]
        return Strip([*margin, *segments]).adjust_cell_length(self.size.width, base)

    def _ink(self, role: str, href: str) -> Style:
        ink = self._inks.get(role)
        if ink is None:
            ink = self.rich_style
            for name in role.split():
                ink += self.get_component_rich_style(f"notes--{name}", partial=True)
            self._inks[role] = ink
        return ink + Style(link=href) if href else ink

    def _draw_anew(self) -> None:
        self._strips.clear()
        self._inks.clear()
        self.refresh()

    # -- what happens to it -----------------------------------------------------------------------------------

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._draw_anew()

    def on_resize(self, _event: events.Resize) -> None:
        heard = self.scroll_offset.y / max(1, len(self._lines))
        self._lay_out()
        self.virtual_size = Size(self.size.width, len(self._lines))
        self._draw_anew()
        self.scroll_to(y=round(heard * len(self._lines)), animate=False, force=True)

    def on_focus(self) -> None:
        self._draw_anew()

    def on_blur(self) -> None:
        self._draw_anew()
