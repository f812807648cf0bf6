"""The notes of the episode under the cursor, as a page that scrolls.

What reads and lays them out takes 25 ms to load, and is loaded with the first page, so that the first frame doesn't
need it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.message import Message

from player.model.episode import Episode
from player.text.sentences import _
from tui.drawing.cells import steady
from tui.drawing.runs import Line, Run, wrap
from tui.look.glyphs import glyphs_of
from tui.widgets.cursor_page import MARGIN, CursorPage

if TYPE_CHECKING:
    from tui.drawing.notes.loader import Request

LOW_TERMINAL = 20
"""With fewer rows, nothing is shown above the first line."""


class NotesPane(CursorPage):
    """Call `show` with an episode and its notes."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"page--label", "page--keyword", "page--string", "page--comment"}

    DEFAULT_CSS = """
    NotesPane {
        & > .page--label { color: $muted; text-style: bold; }
        & > .page--keyword { text-style: bold; }
        & > .page--string { color: $success; }
        & > .page--comment { color: $muted; text-style: italic; }
    }
    """

    class _LaidOut(Message):
        """The lines so far; `whole`: there are no more."""

        def __init__(self, request: Request, lines: list[Line], whole: bool) -> None:
            super().__init__()
            self.request = request
            self.lines = lines
            self.whole = whole

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._shown: tuple[Episode, str] | None = None
        self._request: Request | None = None
        self._body: list[Line] = []
        self._outdated = False
        self._words_instead: tuple[str, ...] = ()
        self._title_rows = range(0)
        self.widest = 0
        """The greatest text width in columns; 0: whatever is comfortable."""

    def show(self, episode: Episode | None, notes: str) -> None:
        """Shows an episode from the top of its page; if it is shown already, the page doesn't move."""
        shown = None if episode is None else (episode, notes)
        if shown == self._shown:
            return
        if shown is None or self._shown is None or shown[0].id != self._shown[0].id:
            self._body = []
            self.move_to_row(0)
        self._shown = shown
        self._lay_out()

    def show_words(self, words: tuple[str, ...]) -> None:
        """Shows a title and lines instead of an episode."""
        self._words_instead = words
        self.show(None, "")
        self._lay_out()

    def _lay_out(self) -> None:
        if self._shown is None:
            self._request = None
            self._title_rows = range(0)
            self.show_lines(self._instead())
        elif self.size.width:
            from tui.drawing.notes.loader import Request
            from tui.drawing.notes.page import COMFORTABLE

            columns = max(10, min(self.widest or COMFORTABLE, self.size.width - 2 * MARGIN))
            request = Request(*self._shown, columns, glyphs_of(self.app))
            if request != self._request:
                self._request = request
                self._read(request)

    def _instead(self) -> list[Line]:
        title, *others = self._words_instead or ("",)
        top: list[Line] = [] if self.app.size.height < LOW_TERMINAL else [()]
        columns = max(10, self.size.width - 2 * MARGIN)
        lines = wrap([Run(steady(title), "title" if others else "muted")], columns)
        for words in others:
            key, _, does = words.partition("  ")
            pieces = [Run(f"{key}  ", "key"), Run(does.strip(), "muted")] if does else [Run(words, "muted")]
            lines += wrap(pieces, columns)
        return [*top, *lines]

    def _read(self, request: Request) -> None:
        """Shows the first lines at once; long notes that were scrolled keep their old lines until all new ones are
        ready."""
        from tui.drawing.notes.loader import begin

        lines, whole = begin(request)
        self._outdated = not whole and bool(self._body) and self.scroll_offset.y > 0
        if not self._outdated:
            self._body = (lines or [_no_notes()]) if whole else lines
        if not whole:
            self.run_worker(lambda: self._read_on(request), thread=True, exclusive=True, group="notes")
        self._put_together()

    def _read_on(self, request: Request) -> None:
        from tui.drawing.notes.loader import read_on

        for lines, whole in read_on(request, lambda: request is self._request):
            self.post_message(self._LaidOut(request, lines, whole))

    def on_notes_pane__laid_out(self, message: _LaidOut) -> None:
        if message.request is not self._request or (self._outdated and not message.whole):
            return
        read = self.scroll_offset.y / max(1, len(self._lines))
        self._body = message.lines or [_no_notes()]
        self._put_together()
        if self._outdated:
            self._outdated = False
            self.move_to_row(round(read * len(self._lines)))

    def _put_together(self) -> None:
        self.show_lines([*self.head_lines(), (), *self._body, ()])

    def head_lines(self) -> list[Line]:
        """The title and the facts, as the first rows of the page."""
        from tui.drawing.notes.page import head

        if self._request is None:
            return []
        top: list[Line] = [] if self.app.size.height < LOW_TERMINAL else [()]
        lines = head(self._request.episode, self._request.columns, glyphs_of(self.app))
        titles = sum(1 for line in lines if line and line[0].role == "title")
        self._title_rows = range(len(top), len(top) + titles)
        return [*top, *lines]

    def margin_of(self, row: int) -> Line:
        if self.entry is None and self.has_focus and row in self._title_rows:
            return Run(glyphs_of(self.app).cursor, "focus"), Run(" " * (MARGIN - 1))
        return super().margin_of(row)

    def be_wide(self, columns: int, beside: int) -> None:
        """Limits the text to `columns` columns, with `beside` empty ones on either side."""
        self.widest = columns
        self.styles.padding = (0, beside)
        self._lay_out_again()

    def on_resize(self, _event: events.Resize) -> None:
        self._lay_out_again()

    def _lay_out_again(self) -> None:
        """Lays the text out for a new width, keeping the same lines in view."""
        read = self.scroll_offset.y / max(1, len(self._lines))
        self._lay_out()
        self.show_lines(self._lines, self.pinned)
        self.move_to_row(round(read * len(self._lines)))


def _no_notes() -> Line:
    return (Run(_("This episode has no notes."), "muted"),)
