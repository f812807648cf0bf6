"""Covers for the whole app: how this terminal shows them, their colours, and the pictures in memory."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakSet

from msgspec import Struct
from rich.style import Style
from textual.color import Color
from textual.strip import Strip

from player.artwork.picture import CoverArt, Form, Picture, Shape
from tui.look.colours import hue_of, readable
from tui.look.glyphs import ASCII, Glyphs
from tui.terminal.pixel_pictures import CoverMode, Screenful

if TYPE_CHECKING:
    from textual.app import App

_CONTRAST = 4.5
"""The contrast of a tile's initials with its background."""
_TINT = 0.22
"""The share of the podcast's own colour in the background of its tile."""
_MOST, _MOST_BYTES = 64, 3 * 1024 * 1024
"""The most pictures and bytes in memory: enough for moving back and forth in a list without reading any again."""
_FORMS = {CoverMode.KITTY: Form.KITTY, CoverMode.SIXEL: Form.SIXEL, CoverMode.BLOCKS: Form.BLOCKS}


class Source(Protocol):
    """Where pictures come from. May be called from any thread."""

    def ask(self, art: CoverArt, shape: Shape) -> "Future[Picture | None]": ...

    def hopeful(self, art: CoverArt) -> bool: ...

    def network_is_back(self) -> None: ...


class Drawn(Struct, frozen=True, eq=False):
    """A picture, and the same in block characters, a strip for each row."""

    picture: Picture
    strips: tuple[Strip, ...]


class Face(Protocol):
    """A place where a cover is shown."""

    def again(self) -> None:
        """Draws the cover again, because covers look different now."""

    def retry(self) -> None:
        """Tries again to get a missing picture."""


class Covers:
    """Use it on the screen's thread. `source` is None if there are no pictures."""

    def __init__(
        self, mode: CoverMode, glyphs: Glyphs, source: Source | None = None, *, colours: int = 1 << 24
    ) -> None:
        self.mode = mode
        self.faces: WeakSet[Face] = WeakSet()
        self.at_rest = False
        """Whether covers are only tiles: for the last frame, which the next start shows before it has pictures."""
        self._terminal = Screenful()
        self._source = source
        self._colours = colours
        self._framed, self._ascii = mode is CoverMode.PLAIN, not glyphs.rare
        self._drawn: OrderedDict[tuple[CoverArt, Shape], Drawn] = OrderedDict()
        self._bytes = 0

    def use(self, mode: CoverMode, terminal: Screenful) -> None:
        """Takes over what the terminal supports, when that is known or has changed."""
        if (mode, terminal) != (self.mode, self._terminal):
            self.mode, self._terminal = mode, terminal
            self._drawn.clear()
            self._bytes = 0
            self._all_again()

    def try_again(self) -> None:
        """The network is back: tries again to get missing pictures."""
        if self._source is not None:
            self._source.network_is_back()
        for face in list(self.faces):
            face.retry()

    def rest(self) -> None:
        self.at_rest = True
        self._all_again()

    def _all_again(self) -> None:
        for face in list(self.faces):
            face.again()

    # -- pictures ---------------------------------------------------------------------------------------------

    def found(self, art: CoverArt, columns: int, rows: int) -> Drawn | None:
        """The picture of a cover, if it is in memory."""
        key = art, self._shape(columns, rows)
        drawn = self._drawn.get(key)
        if drawn is not None:
            self._drawn.move_to_end(key)
        return None if self.at_rest else drawn

    def hopeful(self, art: CoverArt) -> bool:
        """Whether there may be a picture for this cover."""
        return self.mode in _FORMS and not self.at_rest and self._source is not None and self._source.hopeful(art)

    def want(self, art: CoverArt, columns: int, rows: int, then: Callable[[], None]) -> Callable[[], object]:
        """Gets a picture in the background, and calls `then` when it is in memory. Returns a function that cancels
        this."""
        assert self._source is not None
        shape, loop = self._shape(columns, rows), asyncio.get_running_loop()
        future = self._source.ask(art, shape)

        def draw(done: "Future[Picture | None]") -> None:
            """Called on another thread."""
            picture = None if done.cancelled() or done.exception() is not None else done.result()
            if picture is not None:
                from tui.pictures.layer import drawn_strips

                drawn = Drawn(picture, drawn_strips(picture, self._colours))
                with suppress(RuntimeError):  # the loop has ended
                    loop.call_soon_threadsafe(keep, drawn)

        def keep(drawn: Drawn) -> None:
            if shape == self._shape(columns, rows):
                self._keep((art, shape), drawn)
                if not cancelled:
                    then()

        cancelled: list[bool] = []

        def cancel() -> None:
            cancelled.append(True)
            future.cancel()

        future.add_done_callback(draw)
        return cancel

    def _shape(self, columns: int, rows: int) -> Shape:
        form = _FORMS.get(self.mode, Form.BLOCKS)
        if form is Form.BLOCKS:
            return Shape(columns, rows)
        width, height = self._terminal.cell
        return Shape(columns, rows, form, width, height, self._terminal.colours if form is Form.SIXEL else 0)

    def _keep(self, key: tuple[CoverArt, Shape], drawn: Drawn) -> None:
        before = self._drawn.pop(key, None)
        self._drawn[key] = drawn
        self._bytes += drawn.picture.size - (before.picture.size if before else 0)
        while len(self._drawn) > _MOST or (self._bytes > _MOST_BYTES and len(self._drawn) > 1):
            self._bytes -= self._drawn.popitem(last=False)[1].picture.size

    def in_blocks(self, app: "App[Any]") -> bool:
        """Whether pictures may be drawn with block characters: the terminal's own colours are too few for that."""
        return not self.at_rest and Color.parse(app.theme_variables.get("hue-0", "white")).ansi is None

    # -- tiles ------------------------------------------------------------------------------------------------

    def tile(self, art: CoverArt, columns: int, rows: int) -> list[str]:
        from tui.drawing.cover_cells import ASCII_LINES, LINES, initials, tile

        lines = ASCII_LINES if self._ascii else LINES
        return tile(initials(art.title), columns, rows, lines if self._framed else None)

    def tile_style(self, app: "App[Any]", art: CoverArt, ground: Color) -> Style:
        """The style of a tile on the background `ground`. Its initials are in the podcast's hue, made lighter or darker
        if they couldn't be read otherwise."""
        hue = app.theme_variables.get(f"hue-{hue_of(art.podcast_id)}", "white")
        return _tile_style(hue, ground, self._framed)


@lru_cache(64)
def _tile_style(own: str, ground: Color, framed: bool) -> Style:
    hue = Color.parse(own)
    if framed or hue.ansi is not None:
        return Style(color=hue.rich_color, bgcolor=ground.rich_color, bold=True)
    tint = ground.blend(hue, _TINT)
    letters = Color.parse(readable(hue.hex6.lower(), [tint.hex6.lower()], _CONTRAST))
    return Style(color=letters.rich_color, bgcolor=tint.rich_color, bold=True)


_NONE = Covers(CoverMode.OFF, ASCII)


def covers_of(app: "App[Any]") -> Covers:
    """The covers of Earmark's app; any other app shows none."""
    found = getattr(app, "covers", _NONE)
    return found if isinstance(found, Covers) else _NONE
