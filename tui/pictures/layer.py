"""Pictures over the cells that widgets leave for them: pixel pictures, or pictures of block characters."""

import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Protocol
from weakref import WeakSet

from msgspec import Struct
from rich.color import Color as RichColor
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, CompositorUpdate
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from player.artwork.picture import Form, Picture
from tui.drawing.cover_cells import Cell, Colour, cells, nearest_of_256
from tui.framework.rendering import seen_rows, without, writes_all_of, writes_everything, writes_in
from tui.terminal.pixel_pictures import at, kitty_forget, kitty_hide, kitty_place, kitty_send

_MOST_SENT = 24
"""The most pictures in the terminal's memory at once."""


class PixelFace(Protocol):
    """A place for a picture in a widget. `part` counts from the widget's outer corner, and is empty while there is no
    picture."""

    @property
    def owner(self) -> Widget: ...

    @property
    def picture(self) -> Picture | None: ...

    @property
    def part(self) -> Region: ...


class _Spot(Struct, frozen=True):
    """The visible `rows` of a picture on the screen. `column` and `row` are the place of its first row, visible or
    not."""

    picture: Picture
    column: int
    row: int
    rows: tuple[int, ...]

    def line(self, row: int) -> Region:
        return Region(self.column, self.row + row, self.picture.shape.columns, 1)


class PictureLayer:
    """Use it on the screen's thread."""

    def __init__(self, faces: "WeakSet[Any]") -> None:
        self._faces: WeakSet[PixelFace] = faces
        self._shown: dict[int, _Spot] = {}
        """The pictures on the terminal, by the number of their place."""
        self._sent: dict[int, tuple[Picture, int]] = {}
        """The pictures that kitty keeps, with their numbers there, by `id` of the picture."""
        self._numbers = iter(range((os.getpid() & 0x7FFF) << 12 | 1, 1 << 31))

    def complete(self, screen: Screen[Any], update: CompositorUpdate) -> CompositorUpdate:
        """The update with pictures; the same update if there are none."""
        if not self._shown and not any(face.picture is not None for face in self._faces):
            return update
        return _Completed(update, lambda inner: self._around(screen, inner))

    def lost(self) -> None:
        """Forgets what was drawn, because the terminal may have lost it, or never received it."""
        self._shown.clear()
        self._sent.clear()

    def farewell(self) -> str:
        """The codes that remove all pictures from the terminal. May be called from any thread."""
        return "".join(kitty_forget(number) for _, number in list(self._sent.values()))

    # -- while an update is written ---------------------------------------------------------------------------

    def _around(self, screen: Screen[Any], update: CompositorUpdate) -> tuple[CompositorUpdate, str]:
        """The update without the cells of pictures that stay, and the codes to write after it."""
        wanted = dict(self._wanted(screen))
        if writes_everything(update):
            kept: dict[int, _Spot] = {}
        else:
            kept = {place: spot for place, spot in wanted.items() if self._shown.get(place) == spot}
            if isinstance(update, ChopsUpdate):
                lines = [spot.line(row) for spot in kept.values() for row in spot.rows]
                update = without(update, [line for line in lines if writes_in(update, line)])
        gone = {place: spot for place, spot in self._shown.items() if place not in wanted}
        new = {place: spot for place, spot in wanted.items() if place not in kept}
        made = [*self._hide(gone), *(self._draw(place, spot) for place, spot in new.items())]
        self._shown = {
            place: spot
            for place, spot in wanted.items()
            if place in kept or spot.picture.shape.form is not Form.BLOCKS or _writes_all(update, spot)
        }
        return update, "".join(made)

    def _wanted(self, screen: Screen[Any]) -> Iterator[tuple[int, _Spot]]:
        for face in list(self._faces):
            picture = face.picture
            if picture is None or not face.owner.is_attached or face.owner.screen is not screen:
                continue
            column, row, rows = seen_rows(screen, face.owner, face.part)
            if picture.shape.form is Form.SIXEL:
                # A sixel in the last row would make the terminal scroll.
                rows = range(rows.start, min(rows.stop, screen.size.height - 1 - row))
            if rows:
                yield id(face) & 0xFFFFFF, _Spot(picture, column, row, tuple(rows))

    def _draw(self, place: int, spot: _Spot) -> str:
        picture, first = spot.picture, spot.rows[0]
        if picture.shape.form is Form.SIXEL:
            return "".join(at(spot.column, spot.row + row) + picture.sixels[row] for row in spot.rows)
        if picture.shape.form is not Form.KITTY:
            return ""
        sent = self._sent.get(id(picture))
        made = ""
        if sent is None:
            made = self._make_room()
            sent = self._sent[id(picture)] = picture, next(self._numbers)
            made += kitty_send(sent[1], picture)
        before = self._shown.get(place)
        if before is not None and before.picture is not picture:
            made += "".join(self._hide({place: before}))
        return made + at(spot.column, spot.row + first) + kitty_place(sent[1], place, picture, first, len(spot.rows))

    def _hide(self, spots: dict[int, _Spot]) -> Iterator[str]:
        """The codes that hide pictures. Sixels need none: text written in their place removes them."""
        for place, spot in spots.items():
            if (sent := self._sent.get(id(spot.picture))) is not None:
                yield kitty_hide(sent[1], place)

    def _make_room(self) -> str:
        made = ""
        shown = {id(spot.picture) for spot in self._shown.values()}
        for key in [key for key in self._sent if key not in shown][: max(0, len(self._sent) + 1 - _MOST_SENT)]:
            made += kitty_forget(self._sent.pop(key)[1])
        return made


def _writes_all(update: CompositorUpdate, spot: _Spot) -> bool:
    return all(writes_all_of(update, spot.line(row)) for row in spot.rows)


class _Completed(CompositorUpdate):
    def __init__(
        self, update: CompositorUpdate, around: Callable[[CompositorUpdate], tuple[CompositorUpdate, str]]
    ) -> None:
        self._update = update
        self._around = around

    def render_segments(self, console: Console) -> str:
        update, pictures = self._around(self._update)
        return update.render_segments(console) + pictures


def drawn_strips(picture: Picture, colours: int) -> tuple[Strip, ...]:
    """The picture in block characters, for a terminal with this number of colours."""
    shape = picture.shape
    colour = partial(_colour, colours)
    return tuple(
        Strip([_segment(cell, colour) for cell in row], shape.columns)
        for row in cells(picture.quarters, shape.columns, shape.rows)
    )


def _segment(cell: Cell, colour: Callable[[Colour], RichColor]) -> Segment:
    front = colour(cell.front) if cell.front is not None else None
    return Segment(cell.glyph, Style(color=front, bgcolor=colour(cell.ground)))


def _colour(colours: int, colour: Colour) -> RichColor:
    return RichColor.from_ansi(nearest_of_256(colour)) if colours <= 256 else RichColor.from_rgb(*colour)
