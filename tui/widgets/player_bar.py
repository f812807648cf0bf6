"""The player bar: what is playing, the position, and a seek bar to click in."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from time import monotonic
from typing import ClassVar

from msgspec.structs import replace
from rich.segment import Segment
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from player.model.chapters import Chapters
from player.model.playback import PlaybackState, PlaybackStatus
from tui.actions.action import Action
from tui.actions.table import ACTIONS, key_for
from tui.drawing.bar import Around, BarLayout, lay_out
from tui.drawing.seek_bar import position_at
from tui.look.glyphs import glyphs_of

LOW_TERMINAL = 20
"""With fewer rows the bar is a single line, or two for an error that doesn't fit in one."""
_TINY_TERMINAL = 9
"""With fewer rows it is always a single line."""

_TICK_S = 0.2
_VOLUME_STEP = 5
_NEWS_S = 5.0
"""For this long, a bar of one line names the next episode after it has changed."""


class PlayerBar(Widget):
    """Shows a PlaybackStatus, and advances its position by itself while it plays."""

    @dataclass
    class Seek(Message):
        """A position was chosen in the seek bar."""

        position_ms: int

    @dataclass
    class Toggle(Message):
        """The sign of the playback state was clicked."""

    class GoToPlaying(Message):
        """The title was clicked."""

    @dataclass
    class ChangeVolume(Message):
        """The wheel was turned; `by` is in percent."""

        by: int

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"player-bar--{role}"
        for role in (
            "title",
            "text",
            "muted",
            "key",
            "alive",
            "error",
            "played",
            "position",
            "cached",
            "rest",
            "bookmark",
        )
    }

    DEFAULT_CSS = """
    PlayerBar {
        height: auto;
        background: $panel;
        color: $text;

        & > .player-bar--title { text-style: bold; }
        & > .player-bar--text { color: $text; }
        & > .player-bar--muted { color: $muted; }
        & > .player-bar--key { color: $text; text-style: bold; }
        & > .player-bar--alive { color: $accent; }
        & > .player-bar--error { color: $error; }
        & > .player-bar--played { color: $accent; }
        & > .player-bar--position { color: $accent; }
        & > .player-bar--bookmark { color: $text; }
        & > .player-bar--cached { color: $faint; }
        & > .player-bar--rest { color: $faint 60%; }
    }
    """

    def __init__(self, *, actions: Sequence[Action] = ACTIONS, id: str | None = None) -> None:
        super().__init__(id=id)
        self._actions = actions
        self._keys: dict[str, str] = {}
        self._status = PlaybackStatus()
        self._around = Around()
        self._dragged_to: int | None = None
        self._layout = BarLayout(())
        self._ticking: Timer | None = None
        self._news: Timer | None = None

    def show(self, status: PlaybackStatus) -> None:
        """Shows `status`; call it whenever there is a new one."""
        before, self._status = self._status, status
        if (before.error, before.state) != (status.error, status.state):
            self._fit()
        if _next_differs(before, status):
            self._show_news()
        if self._ticking:
            if status.state is PlaybackState.PLAYING:
                self._ticking.resume()
            else:
                self._ticking.pause()
        self._update()

    def show_chapters(self, chapters: Chapters) -> None:
        """Shows the chapters as ticks in the bar, and the current one below it."""
        self._show_around(replace(self._around, chapters=chapters))

    def show_bookmarks(self, positions: tuple[int, ...]) -> None:
        """The bookmarks' positions, in ms."""
        self._show_around(replace(self._around, bookmarks=positions))

    def offer(self, *, playable: bool) -> None:
        """Without an episode, the bar says how to play the selected one, if there is one."""
        self._show_around(replace(self._around, playable=playable))

    def _show_news(self) -> None:
        """Shows that another episode is next."""
        if self._news is not None:
            self._news.stop()
        self._news = self.set_timer(_NEWS_S, lambda: self._show_around(replace(self._around, news=False)))
        self._show_around(replace(self._around, news=True))

    def _show_around(self, around: Around) -> None:
        if around != self._around:
            self._around = around
            self._update()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002 - as Textual calls it
        return self._rows_for(width, viewport.height)

    def _rows_for(self, columns: int, terminal_rows: int) -> int:
        if terminal_rows >= LOW_TERMINAL:
            return 3
        if not self._keys:
            return 1
        return len(self._lay_out(columns, 1 if terminal_rows < _TINY_TERMINAL else 2).lines)

    def _lay_out(self, columns: int, rows: int) -> BarLayout:
        return lay_out(self._seen(), columns, rows, glyphs_of(self.app), self._keys, self._around)

    def render_line(self, y: int) -> Strip:
        base = self.rich_style
        line = self._layout.lines[y] if y < len(self._layout.lines) else ()
        strip = Strip(
            Segment(text, self.get_component_rich_style(f"player-bar--{role}") if role else base)
            for text, role, _ in line
        )
        return strip.adjust_cell_length(self.size.width, base)

    def on_mount(self) -> None:
        glyphs = glyphs_of(self.app)
        self._keys = {one: key_for(one, self._actions, glyphs) for one in ("play", "pause", "undo_jump")}
        self._ticking = self.set_interval(_TICK_S, self._update, pause=True)
        self.show(self._status)

    def on_resize(self) -> None:
        self._update()

    def _update(self) -> None:
        """Draws only the lines that have changed."""
        if not self.size.width:
            return
        before, self._layout = self._layout, self._lay_out(self.size.width, self.size.height)
        for row, (old, new) in enumerate(zip_longest(before.lines, self._layout.lines)):
            if old != new:
                self.refresh(Region(0, row, self.size.width, 1))

    def _fit(self) -> None:
        """Requests as many rows as an error needs, and gives them back afterwards."""
        if self.size.width and self._rows_for(self.size.width, self.app.size.height) != self.size.height:
            self.refresh(layout=True)

    def _seen(self) -> PlaybackStatus:
        if self._dragged_to is not None:
            return replace(self._status, position_ms=self._dragged_to)
        return self._status.at(monotonic())

    # -- the mouse --------------------------------------------------------------------------------------------

    def on_mouse_down(self, event: events.MouseDown) -> None:
        if event.button != 1:
            return
        if self._layout.seek and self._layout.seek.holds(event.x, event.y):
            self.capture_mouse()
            self._drag(event.x)
        elif self._layout.state and self._layout.state.holds(event.x, event.y):
            self.post_message(self.Toggle())
        elif self._layout.title and self._layout.title.holds(event.x, event.y):
            self.post_message(self.GoToPlaying())

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._dragged_to is not None:
            self._drag(event.x)
        else:
            self._point_at(event.x, event.y)

    def on_leave(self) -> None:
        self._show_around(replace(self._around, pointed_ms=None))

    def _point_at(self, column: int, row: int) -> None:
        """Shows the time and chapter under the mouse, below the seek bar."""
        seek, duration_ms = self._layout.seek, self._status.duration_ms
        over = seek is not None and duration_ms and seek.holds(column, row)
        ms = position_at(column - seek.start, seek.cells, duration_ms) if over and seek and duration_ms else None
        self._show_around(replace(self._around, pointed_ms=ms))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        if self._dragged_to is None:
            return
        self._drag(event.x)
        chosen, self._dragged_to = self._dragged_to, None
        self.release_mouse()
        self._status = replace(self._status, position_ms=chosen, measured_at=monotonic())
        self._update()
        self.post_message(self.Seek(chosen))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.post_message(self.ChangeVolume(_VOLUME_STEP))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.post_message(self.ChangeVolume(-_VOLUME_STEP))

    def _drag(self, column: int) -> None:
        """Shows the position under the mouse; playback jumps there when the button is released."""
        if self._layout.seek and self._status.duration_ms:
            seek = self._layout.seek
            self._dragged_to = position_at(column - seek.start, seek.cells, self._status.duration_ms)
            self._update()


def _next_differs(before: PlaybackStatus, status: PlaybackStatus) -> bool:
    """Whether another episode now follows the same one; after a change of episode, the title itself is the news."""
    if before.episode is None or status.episode is None or before.episode.id != status.episode.id:
        return False
    was, now = before.next_up, status.next_up
    return now is not None and (was is None or (was.episode.id, was.source) != (now.episode.id, now.source))
