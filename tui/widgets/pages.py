"""Pages over the whole screen: about a podcast, a person or the statistics, and Now playing."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from time import monotonic

from msgspec.structs import replace
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer

from player.model.episode import Chapter, Chapters
from player.model.playback import PlaybackState, PlaybackStatus
from player.sounds.repeats import Repeat
from player.text.durations import clock
from tui.drawing.about.blocks import ColumnsSheet, with_mark, with_role
from tui.drawing.about.sheet import MOST_COLUMNS, Look, episode_of
from tui.drawing.episode_tabs import TextPage
from tui.drawing.now_playing import Playing, Stage, lay_out, needs_time
from tui.drawing.runs import Line, Run
from tui.look.glyphs import glyphs_of
from tui.pictures.covers import covers_of
from tui.terminal.pixel_pictures import CoverMode
from tui.widgets.cover import CoverFace
from tui.widgets.cursor_page import MARGIN, CursorPage

Build = Callable[[Look], TextPage]
_LOW_TERMINAL = 20
_TOP = 1
_ROOMY, _FRAMED = 30, 16
"""The least rows of a terminal with empty lines on cards, and with cards at all."""
_NARROW = 40
_SCROLL = 3
_COVERS = ((100, 38, 20, 10), (60, 24, 12, 6))
"""The least columns of a page and rows of the terminal for a cover, and the columns and rows of that cover."""
_MANY_COLOURS = ("256", "truecolor")


class AboutPage(CursorPage):
    """Call `fill` with a function that builds the page, for at most `columns` cells of text; the page is centred."""

    class Moved(Message):
        """The cursor is on another entry."""

    @dataclass
    class Chosen(Message):
        """The entry under the cursor was clicked."""

        href: str

    def __init__(
        self, columns: int = MOST_COLUMNS, today: Callable[[], date] = date.today, hint: Callable[[], str] = lambda: ""
    ) -> None:
        super().__init__(id="page")
        self._columns = columns
        self._today = today
        self._hint = hint
        self._build: Build | None = None
        self._status = PlaybackStatus()
        self._whole = False
        self._repeats: tuple[Repeat, ...] = ()
        self._face = CoverFace(self, self.redraw, self._place_of_cover)

    @property
    def tinted(self) -> bool:
        """Whether the terminal has enough colours to distinguish the tints."""
        return not self.app.no_color and self.app.console.color_system in _MANY_COLOURS

    def fill(self, build: Build) -> None:
        self._build = build
        self._lay_out()

    def show_repeats(self, repeats: tuple[Repeat, ...]) -> None:
        before, self._repeats = self._repeats, repeats
        if before != repeats:
            self._lay_out()

    def say_instead(self, sentence: str) -> None:
        self.show_lines([(), (Run(sentence, "muted"),)])

    def show_whole(self) -> None:
        """Shows the whole description."""
        self._whole = True
        self._lay_out()

    def show_status(self, status: PlaybackStatus) -> None:
        """Marks the playing episode."""
        before, self._status = self._status, status
        if _marked(before) != _marked(status) and self.sheet is not None:
            self._lay_out()

    def _lay_out(self) -> None:
        if self._build is None or not self.size.width:
            return
        room = max(1, self.app.size.width - 2 * MARGIN - 1)
        columns = max(10, min(self._columns, room))
        self.styles.padding = (0, max(0, (room - columns) // 2))
        href = self.entry.href if self.entry else ""
        self.sheet = self._build(self._look(columns))
        self.first_row = _TOP if self.app.size.height >= _LOW_TERMINAL else 0
        self.show_lines([*[()] * self.first_row, *self.sheet.lines, ()])
        if isinstance(self.sheet, ColumnsSheet):
            self._face.show(self.sheet.cover, *self.sheet.cover_cells)
        hrefs = [entry.href for entry in self.sheet.entries]
        if href in hrefs and hrefs.index(href) != self.cursor:
            self._cursor = hrefs.index(href)
        self.post_message(self.Moved())

    def _look(self, columns: int) -> Look:
        height = self.app.size.height
        off = covers_of(self.app).mode is CoverMode.OFF
        sizes = ((cells, rows) for least, low, cells, rows in _COVERS if columns >= least and height >= low)
        return Look(
            columns,
            glyphs_of(self.app),
            self._today(),
            tinted=self.tinted,
            framed=height >= _FRAMED and columns >= _NARROW and not self.is_spoken,
            roomy=height >= _ROOMY,
            whole=self._whole,
            art=(0, 0) if off else next(sizes, (0, 0)),
            status=self._status,
            hint=self._hint(),
            repeats=self._repeats,
        )

    def on_resize(self, _event: events.Resize) -> None:
        self._lay_out()

    def go_to_entry(self, entry: int) -> None:
        super().go_to_entry(entry)
        self.post_message(self.Moved())

    def _place_of_cover(self) -> Region:
        left, top = self.styles.padding.left + MARGIN, self.styles.padding.top + self.first_row
        return Region(left, top - self.scroll_offset.y, self._face.columns, self._face.rows)

    def render_line(self, y: int) -> Strip:
        strip, row = super().render_line(y), self.row_at(y) - self.first_row
        if not 0 <= row < self._face.rows:
            return strip
        cover = self._face.strip(row)
        return Strip.join([strip.crop(0, MARGIN), cover, strip.crop(MARGIN + cover.cell_length, strip.cell_length)])

    # -- moving -----------------------------------------------------------------------------------------------

    def move_by(self, rows: int) -> None:
        """Goes to the next entry if it is visible; otherwise scrolls towards it, so that no text is skipped."""
        sheet, top = self.sheet, self.scroll_offset.y
        if sheet is None or self.entry is None or self.is_spoken:
            super().move_by(rows)
            return
        seen = range(top - self.first_row, top - self.first_row + self.size.height)
        inside = [index for index, entry in enumerate(sheet.entries) if entry.first in seen]
        if self.cursor not in inside:
            ahead = [index for index in inside if (index > self.cursor) == (rows > 0)]
            wanted = (ahead[0] if rows > 0 else ahead[-1]) if ahead else None
        else:
            wanted = self.cursor + rows if 0 <= self.cursor + rows < len(sheet.entries) else None
            wanted = wanted if wanted in inside else None
        if wanted is not None:
            self.go_to_entry(wanted)
            return
        self.move_to_row(max(0, top + _SCROLL * (1 if rows > 0 else -1)))

    # -- entries beside each other ----------------------------------------------------------------------------

    def margin_of(self, row: int) -> Line:
        return (Run(" " * MARGIN),) if self._mark_column() and not self.is_spoken else super().margin_of(row)

    def line_of(self, row: int) -> Line:
        line, sheet = super().line_of(row), self.sheet
        if self.is_spoken or not (isinstance(sheet, ColumnsSheet) and sheet.entries and self.has_focus):
            return line
        if row - self.first_row not in sheet.rows_of(self.cursor):
            return line
        if episode_of(sheet.entries[self.cursor].href) is not None:
            line = with_role(line, sheet.cells_of(self.cursor), "selected")
        if column := self._mark_column():
            line = with_mark(line, column - MARGIN, Run(glyphs_of(self.app).cursor, "focus"))
        return line

    def _mark_column(self) -> int:
        """The column in which the entry under the cursor begins; 0 is the left edge of the page."""
        sheet = self.sheet
        return sheet.columns[self.cursor] if isinstance(sheet, ColumnsSheet) and sheet.entries else 0

    def on_click(self, event: events.Click) -> None:
        """A click selects a row, and a second click chooses it; a click on a link follows it at once."""
        offset, sheet = event.get_content_offset(self), self.sheet
        ours = isinstance(sheet, ColumnsSheet) and event.button == 1 and not self.was_dragged
        if offset is None or not ours or self.href_at(offset.x, offset.y):
            super().on_click(event)
            return
        assert isinstance(sheet, ColumnsSheet)
        at = sheet.at(self.row_at(offset.y) - self.first_row, offset.x - MARGIN)
        if at is None or episode_of(sheet.entries[at].href) is None:
            return
        event.stop()
        if at == self.cursor or event.chain > 1:
            self.post_message(self.Chosen(sheet.entries[at].href))
        self.go_to_entry(at)


def _marked(status: PlaybackStatus) -> tuple[object, ...]:
    return status.episode and status.episode.id, status.state


_TICK_S = 0.25


class NowPlayingPage(CursorPage):
    """Now playing. Call `show` with the facts about the episode, and `show_status` with every status. The keys move a
    cursor over the chapters."""

    class Moved(Message):
        """The cursor is on another chapter, or on none."""

    DEFAULT_CSS = """
    NowPlayingPage { overflow-y: hidden; background: $background; }
    """

    def __init__(self) -> None:
        super().__init__(id="page")
        self._playing = Playing()
        self._status = PlaybackStatus()
        self._stage = Stage(())
        self._drawn: Playing | None = None
        self._face = CoverFace(self, self._redraw_cover, self._place_of_cover)
        self._ticking: Timer | None = None

    # -- contents ---------------------------------------------------------------------------------------------

    @property
    def playing(self) -> Playing:
        return self._playing

    @property
    def chapter(self) -> Chapter | None:
        """The chapter under the cursor."""
        at = self._playing.cursor
        return None if at is None else self._playing.chapters.listed[at]

    def show(self, playing: Playing) -> None:
        """Shows another episode, or more facts about the same one."""
        same = playing.chapters == self._playing.chapters
        self._playing = replace(playing, cursor=self._playing.cursor if same else None)
        self._follow()

    def show_status(self, status: PlaybackStatus) -> None:
        self._status = status
        if self._ticking:
            if status.state is PlaybackState.PLAYING:
                self._ticking.resume()
            else:
                self._ticking.pause()
        self._follow()

    def follow_again(self) -> None:
        """Removes the cursor, and brings the current chapter into view."""
        self._point_at(None)

    def on_mount(self) -> None:
        self._ticking = self.set_interval(_TICK_S, self._follow, pause=True)
        self.show_status(self._status)

    def on_resize(self) -> None:
        self._follow()
        self._draw()

    def _follow(self) -> None:
        """Draws the page again if the current chapter, line or word of the transcript, or anything else, has
        changed."""
        playing, status = self._playing, self._status
        chapter = line = word = None
        time = ""
        if playing.episode is not None and status.episode is not None and status.episode.id == playing.episode.id:
            position_ms = status.at(monotonic()).position_ms
            chapter = _index(playing.chapters, position_ms)
            if self.is_spoken:  # what moves with playback would be said
                self._draw_changed(replace(playing, chapter=chapter))
                return
            line = playing.transcript.at(position_ms) if playing.transcript is not None else None
            if playing.transcript is not None and line is not None:
                word = playing.transcript.lines[line].word_at(position_ms)
            if needs_time(self.size.width, self.size.height):
                time = clock(position_ms) + (f" / {clock(status.duration_ms)}" if status.duration_ms else "")
        self._draw_changed(replace(playing, chapter=chapter, line=line, word=word, time=time))

    def _draw_changed(self, now: Playing) -> None:
        if now != self._playing or not self._stage.lines:
            self._playing = now
        if self._playing is not self._drawn:
            self._draw()

    def _draw(self) -> None:
        size = self.size
        if not size.width or not self.is_mounted:
            return
        self._drawn = self._playing
        covers = covers_of(self.app).mode is not CoverMode.OFF
        before, self._stage = (
            self._stage,
            lay_out(self._playing, size.width, size.height, glyphs_of(self.app), covers=covers),
        )
        cover = self._stage.cover
        self._face.show(self._playing.art if cover else None, *(cover[2:] if cover else (0, 0)))
        if len(before.lines) != len(self._stage.lines) or before.cover != cover or not self._lines:
            self.show_lines(list(self._stage.lines))
            return
        self._lines = list(self._stage.lines)
        for row, (old, new) in enumerate(zip(before.lines, self._stage.lines, strict=True)):
            if old != new:
                self.redraw_row(row)

    # -- drawing ----------------------------------------------------------------------------------------------

    def margin_of(self, row: int) -> Line:
        return super().margin_of(row) if self._is_read else ()

    @property
    def _is_read(self) -> bool:
        """Whether the keys move from line to line, as there are no chapters."""
        return self.is_spoken and not self._playing.chapters.listed

    def render_line(self, y: int) -> Strip:
        strip, cover = super().render_line(y), self._stage.cover
        if cover is None or not 0 <= y - cover[0] < cover[3]:
            return strip
        drawn = self._face.strip(y - cover[0])
        after = cover[1] + drawn.cell_length
        return Strip.join([strip.crop(0, cover[1]), drawn, strip.crop(after, strip.cell_length)])

    def _place_of_cover(self) -> Region:
        row, column, cells, rows = self._stage.cover or (0, 0, 0, 0)
        return Region(column, row, cells, rows)

    def _redraw_cover(self) -> None:
        if (cover := self._stage.cover) is not None:
            for row in range(cover[0], cover[0] + cover[3]):
                self.redraw_row(row)

    # -- the cursor -------------------------------------------------------------------------------------------

    def move_by(self, rows: int) -> None:
        if self._is_read:
            super().move_by(rows)
            return
        at = self._playing.cursor
        start = at if at is not None else self._playing.chapter
        self._point_at(rows - 1 if start is None and rows > 0 else (start or 0) + rows)

    def move_by_pages(self, pages: float) -> None:
        self.move_by(round(pages * max(1, self.size.height // 3)))

    def move_to(self, row: int) -> None:
        if self._is_read:
            super().move_to(row)
        else:
            self._point_at(row)

    def _point_at(self, index: int | None) -> None:
        last = len(self._playing.chapters.listed) - 1
        at = None if index is None or last < 0 else max(0, min(index, last))
        if at != self._playing.cursor:
            self._playing = replace(self._playing, cursor=at)
            self._draw()
            self.post_message(self.Moved())


def _index(chapters: Chapters, position_ms: int) -> int | None:
    """The index of the current chapter among the listed ones; a hidden chapter counts as part of the listed one before
    it."""
    found = None
    for index, one in enumerate(chapters.listed):
        if one.start_ms > position_ms:
            break
        found = index
    return found
