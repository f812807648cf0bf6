"""The notes of the episode under the cursor, as a page to scroll.

What reads and lays them out takes 25 ms to load, and is loaded with the first page: the first frame comes without.
"""

from dataclasses import dataclass
from functools import partial

from textual import events
from textual.message import Message

from player.model import Episode
from tui.glyphs import Glyphs, glyphs_of
from tui.widgets.page_view import PageView
from tui.widgets.pieces import Line, Piece

_AT_ONCE = 20_000
"""Characters of notes that are read and laid out between two frames, in 25 ms at most; longer ones in a thread."""

_MARGIN = 2
_LOW_TERMINAL = 20
_NO_NOTES: Line = (Piece("This episode has no notes.", "muted"),)


@dataclass(frozen=True, slots=True)
class _Request:
    """What the page is made of, and for how many columns of text."""

    episode: Episode
    notes: str
    columns: int


def _lay_out(request: _Request, glyphs: Glyphs) -> list[Line]:
    from player.notes import read_notes
    from tui.widgets.notes_page import body

    return body(read_notes(request.notes), request.columns, glyphs, request.episode.duration_ms) or [_NO_NOTES]


class NotesPane(PageView):
    """`show` it an episode and its notes."""

    class _LaidOut(Message):
        def __init__(self, request: _Request, lines: list[Line]) -> None:
            super().__init__()
            self.request = request
            self.lines = lines

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._shown: tuple[Episode, str] | None = None
        self._request: _Request | None = None
        self._body: list[Line] = []
        self._title_rows = range(0)

    def show(self, episode: Episode | None, notes: str) -> None:
        """The page of an episode, from its top; where it is shown already, the page stays where it is."""
        shown = None if episode is None else (episode, notes)
        if shown == self._shown:
            return
        if shown is None or self._shown is None or shown[0].id != self._shown[0].id:
            self._body = []
            self.move_to(0)
        self._shown = shown
        self._lay_out()

    def _lay_out(self) -> None:
        if self._shown is None:
            self._request = None
            self._title_rows = range(0)
            self.show_lines([])
        elif self.size.width:
            from tui.widgets.notes_page import COMFORTABLE

            request = _Request(*self._shown, max(10, min(COMFORTABLE, self.size.width - 2 * _MARGIN)))
            if request != self._request:
                self._request = request
                self._read(request)

    def _read(self, request: _Request) -> None:
        glyphs = glyphs_of(self.app)
        if len(request.notes) <= _AT_ONCE:
            self._body = _lay_out(request, glyphs)
        else:
            self.run_worker(partial(self._read_aside, request, glyphs), thread=True, exclusive=True, group="notes")
        self._put_together(request)

    def _read_aside(self, request: _Request, glyphs: Glyphs) -> None:
        if request is self._request:
            self.post_message(self._LaidOut(request, _lay_out(request, glyphs)))

    def on_notes_pane__laid_out(self, message: _LaidOut) -> None:
        if message.request is self._request:
            self._body = message.lines
            self._put_together(message.request)

    def _put_together(self, request: _Request) -> None:
        from tui.widgets.notes_page import head

        top: list[Line] = [] if self.app.size.height < _LOW_TERMINAL else [()]
        told = head(request.episode, request.columns, glyphs_of(self.app))
        titles = sum(1 for line in told if line and line[0].role == "title")
        self._title_rows = range(len(top), len(top) + titles)
        self.show_lines([*top, *told, (), *self._body, ()])

    def margin_of(self, row: int) -> Line:
        if self.has_focus and row in self._title_rows:
            return Piece(glyphs_of(self.app).cursor, "focus"), Piece(" " * (_MARGIN - 1))
        return (Piece(" " * _MARGIN),)

    def on_resize(self, _event: events.Resize) -> None:
        read = self.scroll_offset.y / max(1, len(self._lines))
        self._lay_out()
        self.show_lines(self._lines)
        self.move_to(round(read * len(self._lines)))

    def on_focus(self) -> None:
        self.redraw()

    def on_blur(self) -> None:
        self.redraw()
