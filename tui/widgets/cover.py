"""The cover of a podcast or an episode; without a picture, a tile with the podcast's initials in its own colour."""

import asyncio
from collections.abc import Callable

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from player.artwork.picture import CoverArt, Picture
from tui.pictures.covers import Covers, Drawn, covers_of
from tui.terminal.pixel_pictures import PIXELS, CoverMode

COLUMNS, ROWS = 12, 6
"""The size of a large cover in cells: twice as many columns as rows is a square."""
SMALL_COLUMNS, SMALL_ROWS = 6, 3
_REST_S = 0.15
"""A picture is fetched and scaled only after the cursor has rested this long."""


class CoverFace:
    """The look of a cover, for a widget that draws it. `changed` is called when the look changes; `place` returns the
    cover's region in the widget, padding included. If the region is empty, the cover is drawn in blocks rather than
    pixels."""

    def __init__(self, owner: Widget, changed: Callable[[], object], place: Callable[[], Region] = Region) -> None:
        self._owner = owner
        self._changed = changed
        self._place = place
        self._drawn: Drawn | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._cancel: Callable[[], object] = lambda: None
        self.art: CoverArt | None = None
        self.columns, self.rows = 0, 0

    def show(self, art: CoverArt | None, columns: int, rows: int) -> None:
        """Shows a cover in `columns` by `rows` cells; 0 by 0 shows nothing. A picture in memory is shown at once, any
        other when it has been read."""
        if (art, columns, rows) != (self.art, self.columns, self.rows):
            self.art, self.columns, self.rows = art, columns, rows
            self._begin()
            self._changed()

    def retry(self) -> None:
        """Tries again to get the picture, if it is missing."""
        if self._drawn is None:
            self.again()

    def again(self) -> None:
        """Gets the picture in another form, because the terminal shows covers in another way now."""
        if self._owner.is_attached:
            self._begin()
            self._changed()

    def strip(self, row: int) -> Strip:
        """A row of the cover, counted from 0, in the colours of the owner's theme."""
        ground = self._owner.background_colors[1]
        if self.art is None or not 0 <= row < self.rows:
            return Strip.blank(self.columns, Style(bgcolor=ground.rich_color))
        if self._drawn is not None and self._covers.in_blocks(self._owner.app):
            return self._drawn.strips[row]
        line = self._covers.tile(self.art, self.columns, self.rows)[row]
        return Strip([Segment(line, self._covers.tile_style(self._owner.app, self.art, ground))], self.columns)

    # -- for the picture layer --------------------------------------------------------------------------------

    @property
    def owner(self) -> Widget:
        return self._owner

    @property
    def picture(self) -> Picture | None:
        """The picture that the cells show, or that is drawn over them; None for a tile."""
        covers = self._covers
        if self._drawn is None or covers.at_rest or not (covers.mode in PIXELS or covers.in_blocks(self._owner.app)):
            return None
        return self._drawn.picture

    @property
    def part(self) -> Region:
        return self._place()

    # -- the picture ------------------------------------------------------------------------------------------

    @property
    def _covers(self) -> Covers:
        return covers_of(self._owner.app)

    def _begin(self) -> None:
        self._cancel()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._drawn = None
        if self.art is None or not self.columns:
            return
        covers = self._covers
        covers.faces.add(self)
        self._drawn = covers.found(self.art, self.columns, self.rows)
        if self._drawn is None and covers.hopeful(self.art):
            # A widget's timer isn't called while the first frame is held back.
            self._timer = asyncio.get_running_loop().call_later(_REST_S, self._ask)

    def _ask(self) -> None:
        if self.art is not None and self._owner.is_attached:
            self._cancel = self._covers.want(self.art, self.columns, self.rows, self._arrived)

    def _arrived(self) -> None:
        if self.art is not None and self._owner.is_attached:
            self._drawn = self._covers.found(self.art, self.columns, self.rows)
            self._changed()


class Cover(Widget):
    """A cover of a fixed size. Call `show` as often as the cursor moves.

    None shows nothing. If covers are switched off, the widget takes no room.
    """

    DEFAULT_CSS = """
    Cover { background: transparent; }
    """

    def __init__(self, columns: int = COLUMNS, rows: int = ROWS, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._cells = columns, rows
        self._face = CoverFace(self, self.refresh, self._place)
        self.styles.width, self.styles.height = columns, rows

    def on_mount(self) -> None:
        if covers_of(self.app).mode is CoverMode.OFF:
            self.display = False

    def show(self, art: CoverArt | None) -> None:
        self._face.show(art, *self._cells)

    def render_line(self, y: int) -> Strip:
        return self._face.strip(y)

    def _place(self) -> Region:
        return Region(self.gutter.left, self.gutter.top, *self._cells)
