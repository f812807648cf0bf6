"""Now playing above the player bar: it follows playback by itself, and draws only the lines that change."""

from time import monotonic

from msgspec.structs import replace
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer

from player.model.chapters import Chapter, Chapters
from player.model.playback import PlaybackState, PlaybackStatus
from player.text.durations import clock
from tui.drawing.now_playing.stage import Playing, Stage, lay_out, needs_time
from tui.drawing.runs import Line
from tui.look.glyphs import glyphs_of
from tui.pictures.covers import covers_of
from tui.terminal.pictures import CoverMode
from tui.widgets.cover import CoverFace
from tui.widgets.cursor_page import CursorPage

_TICK_S = 0.25


class NowPlayingPage(CursorPage):
    """`show` it what is known of the episode, and every status. The keys move a cursor over the chapters."""

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

    # -- what is shown ----------------------------------------------------------------------------------------

    @property
    def playing(self) -> Playing:
        return self._playing

    @property
    def chapter(self) -> Chapter | None:
        """The chapter under the cursor."""
        at = self._playing.cursor
        return None if at is None else self._playing.chapters.listed[at]

    def show(self, playing: Playing) -> None:
        """Shows another episode, or more that is known of the same one."""
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
        """The cursor is gone; the current chapter is in view."""
        self._point_at(None)

    def on_mount(self) -> None:
        self._ticking = self.set_interval(_TICK_S, self._follow, pause=True)
        self.show_status(self._status)

    def on_resize(self) -> None:
        self._follow()
        self._draw()

    def _follow(self) -> None:
        """Draws again if another chapter or line of the transcript is current, or anything else has changed."""
        playing, status = self._playing, self._status
        chapter = line = None
        time = ""
        if playing.episode is not None and status.episode is not None and status.episode.id == playing.episode.id:
            position_ms = status.at(monotonic()).position_ms
            chapter = _index(playing.chapters, position_ms)
            line = playing.transcript.at(position_ms) if playing.transcript is not None else None
            if needs_time(self.size.width, self.size.height):
                time = clock(position_ms) + (f" / {clock(status.duration_ms)}" if status.duration_ms else "")
        now = replace(playing, chapter=chapter, line=line, time=time)
        if now != playing or not self._stage.lines:
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
                self._redraw_row(row)

    def _redraw_row(self, row: int) -> None:
        self._strips.pop(row, None)
        self.refresh(Region(0, row, self.size.width, 1))

    # -- drawing ----------------------------------------------------------------------------------------------

    def margin_of(self, row: int) -> Line:  # noqa: ARG002 - this page has none
        return ()

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
                self._redraw_row(row)

    # -- the cursor -------------------------------------------------------------------------------------------

    def move_by(self, rows: int) -> None:
        at = self._playing.cursor
        start = at if at is not None else self._playing.chapter
        self._point_at(rows - 1 if start is None and rows > 0 else (start or 0) + rows)

    def move_by_pages(self, pages: float) -> None:
        self.move_by(round(pages * max(1, self.size.height // 3)))

    def move_to(self, row: int) -> None:
        self._point_at(row)

    def _point_at(self, index: int | None) -> None:
        last = len(self._playing.chapters.listed) - 1
        at = None if index is None or last < 0 else max(0, min(index, last))
        if at != self._playing.cursor:
            self._playing = replace(self._playing, cursor=at)
            self._draw()
            self.post_message(self.Moved())


def _index(chapters: Chapters, position_ms: int) -> int | None:
    """The current one among the listed chapters; a hidden one leaves the one around it current."""
    found = None
    for index, one in enumerate(chapters.listed):
        if one.start_ms > position_ms:
            break
        found = index
    return found
