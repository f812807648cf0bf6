"""What the player bar shows, and where on it the mouse finds what."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from player.model.chapters import Chapters
from player.model.playback import PlaybackStatus
from tui.drawing.runs import Line, Run
from tui.drawing.seek_bar import Track

if TYPE_CHECKING:
    from player.measuring.kinds.waveform import Waveform

Keys = Mapping[str, str]
"""Returns how the key of an action is written, given the action's id."""

MARGIN = 2
GAP = 2
APART = "   "
LEAST_TITLE = 12


class Span(Struct, frozen=True):
    """Cells of one line, or of several, one above the other."""

    row: int
    start: int
    cells: int
    rows: int = 1

    def holds(self, column: int, row: int) -> bool:
        return self.row <= row < self.row + self.rows and self.start <= column < self.start + self.cells

    def moved(self, columns: int, rows: int = 0) -> Span:
        return replace(self, row=self.row + rows, start=self.start + columns)


class BarLayout(Struct, frozen=True):
    """The lines, and which cells the parts that take the mouse are in; None: that part isn't shown.

    `seek` is the seek bar, with the waveform above it; `state` the glyph of the state.
    """

    lines: tuple[Line, ...]
    seek: Span | None = None
    state: Span | None = None
    title: Span | None = None
    podcast: Span | None = None
    speed: Span | None = None
    volume: Span | None = None


class Around(Struct, frozen=True):
    """What the bar shows besides the status.

    `pointed_ms` is the position under the mouse, None while it is elsewhere; `playable`: the selected row is an episode
    that can be played; `bookmarks`: their positions, in ms; `news`: the next episode has just changed; `hue` is the
    number of the podcast's, `wave` how loud the episode is, None if they aren't known; `knob`: see `Track`; `now` is
    the local time, without which the bar doesn't say when the episode ends.
    """

    chapters: Chapters = Chapters()
    pointed_ms: int | None = None
    playable: bool = True
    bookmarks: tuple[int, ...] = ()
    news: bool = False
    hue: int | None = None
    wave: Waveform | None = None
    knob: bool = False
    now: datetime | None = None

    def track(self, status: PlaybackStatus) -> Track:
        """The facts of the seek bar."""
        starts = tuple(one.start_ms for one in self.chapters.listed)
        return Track(
            status.position_ms, status.duration_ms, status.cached, starts, self.bookmarks, self.pointed_ms, self.knob
        )


def indent(line: Line, cells: int) -> Line:
    return (Run(" " * cells), *line) if line else ()


def indented(layout: BarLayout, margin: int) -> BarLayout:
    """The same, `margin` cells to the right; a click left of the glyph of the state still means it."""

    def moved(span: Span | None) -> Span | None:
        return span and span.moved(margin)

    state = layout.state
    return BarLayout(
        tuple(indent(line, margin) for line in layout.lines),
        moved(layout.seek),
        state and Span(state.row, 0, state.start + state.cells + margin),
        moved(layout.title),
        moved(layout.podcast),
        moved(layout.speed),
        moved(layout.volume),
    )
