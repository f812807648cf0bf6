"""The notes of the episode under the cursor, as a page that scrolls.

The modules that parse the notes and lay them out take 25 ms to import. They are imported with the first page, so that
the first frame doesn't wait for them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from player.artwork.picture import CoverArt
from player.model.episode import Episode
from player.text.sentences import _
from tui.drawing.empty import empty_lines
from tui.drawing.runs import Line, Run
from tui.look.glyphs import glyphs_of
from tui.pictures.covers import covers_of
from tui.terminal.pixel_pictures import CoverMode
from tui.widgets.cover import COLUMNS, ROWS, CoverFace
from tui.widgets.cursor_page import MARGIN, CursorPage

if TYPE_CHECKING:
    from tui.drawing.notes.notes_page import Request

LOW_TERMINAL = 20
"""In a terminal with fewer rows, there is no blank line at the top."""
_GAP = 2
_COVERS = ((52, 26, COLUMNS, ROWS), (38, 20, 8, 4))
"""The least columns and rows of a page with a cover, and the columns and rows of that cover. The title and the facts
are beside it."""


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
        """The lines laid out so far; `whole`: there are no more."""

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
        """The greatest text width in columns; 0: a comfortable width."""
        self.art_of: Callable[[Episode], CoverArt | None] = lambda _episode: None
        """Returns where an episode's cover comes from; None, if that isn't known, shows no cover."""
        self._face = CoverFace(self, self._redraw_cover, self._place_of_cover)
        self._cover_rows = range(0)
        self._cover_cells = 0, 0
        """The columns and rows for a cover when the page was put together."""

    def show(self, episode: Episode | None, notes: str) -> None:
        """Shows an episode from the top of its page; if it is shown already, the page doesn't move."""
        shown = None if episode is None else (episode, notes)
        if shown == self._shown:
            return
        if shown is None or self._shown is None or shown[0].id != self._shown[0].id:
            self._body = []
            self.to_top()
        self._shown = shown
        self._lay_out()

    @property
    def findable(self) -> bool:
        return self._shown is not None

    def show_words(self, words: tuple[str, ...]) -> None:
        """Shows a title and lines instead of an episode."""
        self._words_instead = words
        self.show(None, "")
        self._lay_out()

    def _lay_out(self) -> None:
        if self._shown is None:
            self._request = None
            self._title_rows = range(0)
            self._cover_rows = range(0)
            self.show_lines(self._instead())
        elif self.size.width:
            from tui.drawing.notes.notes_page import COMFORTABLE, Request

            columns = max(10, min(self.widest or COMFORTABLE, self.size.width - 2 * MARGIN))
            request = Request(*self._shown, columns, glyphs_of(self.app))
            if request != self._request:
                self._request = request
                self._read(request)
            elif self._cover_cells != self._room_for_cover():
                self._put_together()

    def _instead(self) -> list[Line]:
        words = "\n".join(self._words_instead)
        columns = max(10, self.size.width - 2 * MARGIN)
        return list(empty_lines(words, glyphs_of(self.app).playlist, columns, self.size.height))

    def _read(self, request: Request) -> None:
        """Shows the first lines at once. If long notes were scrolled, the old lines stay until all new ones are
        ready."""
        from tui.drawing.notes.notes_page import begin

        lines, whole = begin(request)
        self._outdated = not whole and bool(self._body) and self.scroll_offset.y > 0
        if not self._outdated:
            self._body = (lines or [_no_notes()]) if whole else lines
        if not whole:
            self.run_worker(lambda: self._read_on(request), thread=True, exclusive=True, group="notes")
        self._put_together()

    def _read_on(self, request: Request) -> None:
        from tui.drawing.notes.notes_page import read_on

        for lines, whole in read_on(request, lambda: request is self._request):
            self.post_message(self._LaidOut(request, lines, whole))

    def on_notes_pane__laid_out(self, message: _LaidOut) -> None:
        if message.request is not self._request or (self._outdated and not message.whole):
            return
        read = self._letters_above() if self._outdated else None
        self._outdated = False
        self._body = message.lines or [_no_notes()]
        self._put_together()
        if read is not None:
            self._move_below(read)

    def _put_together(self) -> None:
        self.show_lines([*self.head_lines(), (), *self._body, ()])

    def head_lines(self, *, covered: bool = True) -> list[Line]:
        """The first rows of the page: the title and the facts, beside the cover if there is room for one."""
        from tui.drawing.notes.notes_page import head

        if self._request is None:
            self._cover_rows = range(0)
            return []
        top: list[Line] = [] if self.app.size.height < LOW_TERMINAL else [()]
        aside = self._place_cover(len(top)) if covered else 0
        if not aside:
            self._cover_rows = range(0)
        columns = self._request.columns - aside
        lines = head(self._request.episode, columns, glyphs_of(self.app))
        titles = sum(1 for line in lines if any(run.role == "title" for run in line))
        self._title_rows = range(len(top), len(top) + titles)
        lines += self.more_facts(columns)
        lines += [()] * (len(self._cover_rows) - len(lines))
        return [*top, *((Run(" " * aside), *line) if aside else line for line in lines)]

    def more_facts(self, columns: int) -> list[Line]:  # noqa: ARG002 - for subclasses
        """The lines after the title and its facts."""
        return []

    # -- the cover --------------------------------------------------------------------------------------------

    def _place_cover(self, first_row: int) -> int:
        """Places the cover at `first_row`. Returns the columns that it takes with the gap after it; 0 for no cover."""
        assert self._request is not None
        art = self.art_of(self._request.episode)
        columns, rows = self._cover_cells = self._room_for_cover()
        if art is None or not columns or covers_of(self.app).mode is CoverMode.OFF:
            return 0
        self._cover_rows = range(first_row, first_row + rows)
        self._face.show(art, columns, rows)
        return columns + _GAP

    def _room_for_cover(self) -> tuple[int, int]:
        fits = (
            (columns, rows)
            for least_columns, least_rows, columns, rows in _COVERS
            if self.size.width >= least_columns and self.size.height >= least_rows
        )
        return next(fits, (0, 0))

    def _place_of_cover(self) -> Region:
        first = self._cover_rows.start - (0 if self.pinned else self.scroll_offset.y)
        left, top = self.styles.padding.left + MARGIN, self.styles.padding.top + first
        return Region(left, top, self._face.columns, len(self._cover_rows))

    def _redraw_cover(self) -> None:
        for row in self._cover_rows:
            self._strips.pop(row, None)
        top = self._cover_rows.start - (0 if self.pinned else self.scroll_offset.y)
        self.refresh(Region(0, max(0, top), self.size.width, max(0, len(self._cover_rows) + min(0, top))))

    def render_line(self, y: int) -> Strip:
        strip, row = super().render_line(y), self.row_at(y)
        if row not in self._cover_rows:
            return strip
        cover = self._face.strip(row - self._cover_rows.start)
        after = MARGIN + cover.cell_length
        return Strip.join([strip.crop(0, MARGIN), cover, strip.crop(after, strip.cell_length)])

    def margin_of(self, row: int) -> Line:
        if self.entry is None and self.has_focus and row in self._title_rows and not self.is_spoken:
            return Run(glyphs_of(self.app).cursor, "focus"), Run(" " * (MARGIN - 1))
        return super().margin_of(row)

    def be_wide(self, columns: int, beside: int) -> None:
        """Limits the text to `columns` columns, with `beside` empty columns on either side."""
        self.widest = columns
        self.styles.padding = (0, beside)
        self._lay_out_again()

    def centre(self, beside: int) -> None:
        """Leaves this many columns empty on either side."""
        if self.styles.padding.left != beside:
            self.be_wide(self.widest, beside)

    def on_resize(self, _event: events.Resize) -> None:
        self._lay_out_again()

    def _lay_out_again(self) -> None:
        """Lays the text out for a new width, keeping the same lines in view."""
        read = self._letters_above()
        self._lay_out()
        self.show_lines(self._lines, self.pinned)
        self._move_below(read)

    def _letters_above(self) -> int:
        """How much of the text is above the first line in view. It is the same in each width, also while only the
        first lines are laid out."""
        return sum(map(_letters, self._lines[self.pinned : self.pinned + self.scroll_offset.y]))

    def _move_below(self, letters: int) -> None:
        """Scrolls to the line that goes on after so many letters."""
        ends = list(accumulate(map(_letters, self._lines[self.pinned :])))
        self.move_to_row(bisect_right(ends, letters) if letters else 0)


def _letters(line: Line) -> int:
    return sum(len(run.text) - run.text.count(" ") for run in line)


def _no_notes() -> Line:
    return (Run(_("This episode has no notes."), "muted"),)
