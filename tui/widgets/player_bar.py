"""The player bar: the playing episode, its cover, the position, and a seek bar to click."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import zip_longest
from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from msgspec.structs import replace
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from player.artwork.picture import CoverArt
from player.model.episode import Chapters
from player.model.playback import NO_SLEEP, PlaybackState, PlaybackStatus
from tui.actions.action import Action
from tui.actions.table import ACTIONS, key_for
from tui.drawing.player_bar import Around, BarLayout, changed_cells, failed, lay_out, next_look_s
from tui.drawing.seek_bar import position_at, waveform_rows
from tui.framework.messages import FieldMessage
from tui.look.colours import HUES
from tui.look.glyphs import Glyphs, glyphs_of
from tui.pictures.covers import covers_of
from tui.terminal.pixel_pictures import CoverMode
from tui.widgets.cover import SMALL_COLUMNS, SMALL_ROWS, Cover

if TYPE_CHECKING:
    from player.measuring.kinds.waveform import Waveform


LOW_TERMINAL = 20
"""In a terminal with fewer rows, the bar is a single line, or two for an error that doesn't fit in one."""
_TINY_TERMINAL = 9
"""In a terminal with fewer rows, it is always a single line."""

_ALONE_WITH_FOOTER = 4
"""From this many rows on, a bar that is alone has the footer below it."""
_ROOMY_TERMINAL = 32
"""In a terminal with at least this many rows, the chapter and the next episode have a row of their own."""
_ROWS = 3

_NEAR_MS = 500
"""A status whose position differs by less than this from the bar's own clock doesn't count as a change."""
_MINUTE_TICK_S = 15.0
"""How often the bar is updated while nothing plays: only the time at which the episode would end changes."""
_VOLUME_STEP = 5
_SPEED_STEP = 0.1
_NEWS_S = 5.0
"""How long a bar of one line names the next episode after that has changed."""


class PlayerBar(Widget):
    """Shows a PlaybackStatus, and advances its position by itself during playback."""

    class Seek(FieldMessage):
        """A position was chosen in the seek bar."""

        position_ms: int

    class Toggle(Message):
        """The glyph of the playback state was clicked."""

    class GoToPlaying(Message):
        """The title was clicked."""

    class GoToPodcast(Message):
        """The podcast was clicked."""

    class ToggleSpeed(Message):
        """The speed was clicked."""

    class ToggleSound(Message):
        """The volume was clicked."""

    class ChangeSpeed(FieldMessage):
        """The wheel was turned over the speed."""

        by: float

    class ChangeVolume(FieldMessage):
        """The wheel was turned elsewhere over the bar; `by` is in percent."""

        by: int

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"player-bar--{role}"
        for role in (
            *("title", "text", "muted", "faint", "key", "alive", "error", "speed", "volume"),
            *("played", "earlier", "here", "cached", "missing", "position", "pointed", "bookmark", "segment"),
            *("wave-played", "wave"),
            *(f"hue-{number}" for number in range(HUES)),
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
        & > .player-bar--faint { color: $faint; }
        & > .player-bar--played { color: $accent; }
        & > .player-bar--earlier { color: $tint-4; }
        & > .player-bar--position { color: $accent; }
        & > .player-bar--pointed { color: $text; text-style: bold; }
        & > .player-bar--bookmark { color: $text; }
        & > .player-bar--segment { color: $muted; }
        & > .player-bar--here { color: $muted; }
        & > .player-bar--cached { color: $faint; }
        & > .player-bar--missing { color: $faint 60%; }
        & > .player-bar--wave-played { color: $tint-3; }
        & > .player-bar--wave { color: $faint 70%; }
        & > .player-bar--hue-0 { color: $hue-0; }
        & > .player-bar--hue-1 { color: $hue-1; }
        & > .player-bar--hue-2 { color: $hue-2; }
        & > .player-bar--hue-3 { color: $hue-3; }
        & > .player-bar--hue-4 { color: $hue-4; }
        & > .player-bar--hue-5 { color: $hue-5; }
        & > .player-bar--hue-6 { color: $hue-6; }
        & > .player-bar--hue-7 { color: $hue-7; }
    }
    """

    now: Callable[[], datetime] = staticmethod(lambda: datetime.now().astimezone())
    """The local time."""

    def __init__(self, *, actions: Sequence[Action] = ACTIONS, waves: bool = False, id: str | None = None) -> None:
        """`waves`: if there is room, the bar is higher, with a waveform."""
        super().__init__(id=id)
        self.waves = waves
        self._actions = actions
        self._keys: dict[str, str] = {}
        self._status = PlaybackStatus()
        self._around = Around()
        self._dragged_to: int | None = None
        self._layout = BarLayout(())
        self._inks: dict[str, Style] = {}
        """The style of each role, cached because looking it up takes longer than all other work for a line of the
        bar."""
        self._ticking: Timer | None = None
        self._news: Timer | None = None
        self.alone = False
        """Whether the bar is alone on the screen, except for the footer if there is room for it."""
        self.large = False
        """Whether a known waveform takes as many rows as the height allows, below a page that says what is next."""

    def show(self, status: PlaybackStatus) -> None:
        """Shows a status. Call this with every new one."""
        before, self._status = self._status, status
        if (before.error, before.state, before.live) != (status.error, status.state, status.live):
            self._fit()
        if _next_differs(before, status):
            self._show_news()
        if not _moves_on(before, status):
            self._update()
            self._look_again()

    def show_chapters(self, chapters: Chapters) -> None:
        """Shows the chapters as gaps in the seek bar, and the current one below it."""
        self._show_around(replace(self._around, chapters=chapters))

    def show_bookmarks(self, positions: tuple[int, ...]) -> None:
        """Shows bookmarks at these positions, in ms."""
        self._show_around(replace(self._around, bookmarks=positions))

    @property
    def pointed_ms(self) -> int | None:
        """The position at the mouse, while that is over the seek bar."""
        return self._around.pointed_ms

    def show_segments(self, spans: tuple[tuple[int, int], ...], begun_ms: int | None) -> None:
        """Shows segments from and to these positions, in ms, and where one begins that is being marked."""
        self._show_around(replace(self._around, segments=spans, begun_ms=begun_ms))

    def show_wave(self, wave: Waveform | None) -> None:
        """Shows the episode's waveform, as far as it is known."""
        self._show_around(replace(self._around, wave=wave))
        self._fit()

    def offer(self, *, playable: bool) -> None:
        """`playable`: a bar without an episode says how to play the selected one."""
        self._show_around(replace(self._around, playable=playable))

    def _show_news(self) -> None:
        """Shows for a while that another episode is next."""
        if self._news is not None:
            self._news.stop()
        self._news = self.set_timer(_NEWS_S, lambda: self._show_around(replace(self._around, news=False)))
        self._show_around(replace(self._around, news=True))

    def _show_around(self, around: Around) -> None:
        if around != self._around:
            self._around = around
            self._update()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002 - as Textual calls it
        return self._rows_for(width, viewport)

    def _rows_for(self, columns: int, terminal: Size) -> int:
        if self.alone:
            return max(1, min(terminal.height - (terminal.height >= _ALONE_WITH_FOOTER), _ROWS))
        known = self.large and self._around.wave is not None
        if self._has_wave and (wave_rows := waveform_rows(*terminal, glyphs_of(self.app), known=known)):
            return _ROWS + wave_rows
        if terminal.height >= LOW_TERMINAL:
            return _ROWS - (terminal.height < _ROOMY_TERMINAL)
        if not self._keys or terminal.height < _TINY_TERMINAL or not failed(self._status):
            return 1
        return len(self._lay_out(columns, 2).lines)

    @property
    def _has_wave(self) -> bool:
        """Whether the episode in the bar has a waveform, now or soon."""
        return self.waves and self._status.episode is not None and not self._status.live

    def _lay_out(self, columns: int, rows: int) -> BarLayout:
        around = replace(self._around, now=self.now(), knob=self.app.no_color, says_next=not self.large)
        return lay_out(self._seen(), columns, rows, glyphs_of(self.app), self._keys, around)

    def render_line(self, y: int) -> Strip:
        base = self._style("")
        line = self._layout.lines[y] if y < len(self._layout.lines) else ()
        strip = Strip(Segment(text, self._style(role)) for text, role, _ in line)
        return strip.adjust_cell_length(self.size.width, base)

    def _style(self, role: str) -> Style:
        style = self._inks.get(role)
        if style is None:
            style = self.get_component_rich_style(*_classes(role)) if role else self.rich_style
            self._inks[role] = style
        return style

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._inks.clear()

    def use(self, actions: Sequence[Action]) -> None:
        self._keys = _named(actions, glyphs_of(self.app))

    def on_mount(self) -> None:
        self.use(self._actions)
        self.set_interval(_MINUTE_TICK_S, self._draw)
        self.show(self._status)
        self._look_again()

    def on_resize(self) -> None:
        self._update()

    def _look_again(self) -> None:
        """During playback, schedules the next drawing for when the shown position changes."""
        if self._ticking:
            self._ticking.stop()
            self._ticking = None
        if self._status.state is PlaybackState.PLAYING and self.is_mounted:
            self._ticking = self.set_timer(next_look_s(self._status.at(monotonic())), self._tick)

    def _tick(self) -> None:
        self._ticking = None
        self._draw()
        self._look_again()

    def _draw(self) -> None:
        """Draws the bar, unless another screen covers it."""
        if not getattr(self.screen, "is_covered", False):
            self._update()

    def _update(self) -> None:
        """Draws only the cells that have changed."""
        if not self.size.width:
            return
        before, self._layout = self._layout, self._lay_out(self.size.width, self.size.height)
        for row, (old, new) in enumerate(zip_longest(before.lines, self._layout.lines)):
            for start, end in changed_cells(old or (), new or ()):
                self.refresh(Region(start, row, end - start, 1))

    def _fit(self) -> None:
        """Requests another layout if the bar needs another number of rows, such as for an error."""
        if self.size.width and self._rows_for(self.size.width, self.app.size) != self.size.height:
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
            return
        for part, message in (
            (self._layout.state, self.Toggle),
            (self._layout.title, self.GoToPlaying),
            (self._layout.podcast, self.GoToPodcast),
            (self._layout.speed, self.ToggleSpeed),
            (self._layout.volume, self.ToggleSound),
        ):
            if part and part.holds(event.x, event.y):
                self.post_message(message())

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._dragged_to is not None:
            self._drag(event.x)
        else:
            self._point_at(event.x, event.y)

    def on_leave(self) -> None:
        self._show_around(replace(self._around, pointed_ms=None))

    def _point_at(self, column: int, row: int) -> None:
        """Shows the time and chapter at the mouse, below the seek bar."""
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
        self._turn(event, 1)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._turn(event, -1)

    def _turn(self, event: events.MouseEvent, steps: int) -> None:
        """Over the speed, the wheel changes the speed; anywhere else, the volume."""
        event.stop()
        speed = self._layout.speed
        if speed and speed.holds(event.x, event.y):
            self.post_message(self.ChangeSpeed(steps * _SPEED_STEP))
        else:
            self.post_message(self.ChangeVolume(steps * _VOLUME_STEP))

    def _drag(self, column: int) -> None:
        """Shows the position at the mouse; playback jumps there when the button is released."""
        if self._layout.seek and self._status.duration_ms:
            seek = self._layout.seek
            self._dragged_to = position_at(column - seek.start, seek.cells, self._status.duration_ms)
            self._update()


NAMED_IN_BAR = ("play", "pause", "undo_jump", "segment_skip", "segment_leave", "segment_end")


def _named(actions: Sequence[Action], glyphs: Glyphs) -> dict[str, str]:
    """The keys that the bar's sentences name, by action id."""
    return {one: key_for(one, actions, glyphs) for one in NAMED_IN_BAR}


def _moves_on(before: PlaybackStatus, status: PlaybackStatus) -> bool:
    """Whether `status` differs from the one before only by continued playback, which the bar shows by itself."""
    if status.state is not PlaybackState.PLAYING or status.sleep != NO_SLEEP:
        return False
    expected = before.at(status.measured_at)
    near = abs(expected.position_ms - status.position_ms) < _NEAR_MS
    return near and replace(expected, position_ms=status.position_ms, measured_at=status.measured_at) == status


def _next_differs(before: PlaybackStatus, status: PlaybackStatus) -> bool:
    """Whether the next episode has changed while the current one is the same; after a change of episode, the title
    itself is the news."""
    if before.episode is None or status.episode is None or before.episode.id != status.episode.id:
        return False
    was, now = before.next_up, status.next_up
    return now is not None and (was is None or (was.episode.id, was.source) != (now.episode.id, now.source))


def _classes(role: str) -> list[str]:
    return [f"player-bar--{one}" for one in role.split()]


_LEAST_COLUMNS = 120
_MARGIN = 2


class BarRow(Horizontal):
    """The player bar beside a cover. Without a cover, the bar has the whole width."""

    DEFAULT_CSS = """
    BarRow {
        height: auto;
        background: $panel;
        & > Cover { display: none; margin-left: 2; }
        & > PlayerBar { width: 1fr; }
    }
    """

    def __init__(self, bar: PlayerBar) -> None:
        super().__init__()
        self._bar = bar
        self.cover = Cover(SMALL_COLUMNS, SMALL_ROWS)
        self._art: CoverArt | None = None

    def compose(self) -> ComposeResult:
        yield self.cover
        yield self._bar

    def show_cover(self, art: CoverArt | None) -> None:
        self._art = art
        if self.is_mounted:
            self._fit()

    def on_mount(self) -> None:
        self._fit()

    def on_resize(self, _event: events.Resize) -> None:
        self._fit()

    def _fit(self) -> None:
        width, height = self.app.size
        pictured = covers_of(self.app).mode not in (CoverMode.OFF, CoverMode.PLAIN)
        roomy = width >= _LEAST_COLUMNS and height >= _ROOMY_TERMINAL
        self.cover.display = pictured and self._art is not None and roomy
        self.cover.styles.margin = (max(0, self.size.height - SMALL_ROWS) // 2, 0, 0, _MARGIN)
        self.cover.show(self._art)
