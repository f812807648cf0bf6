"""Covers for the whole app: how this terminal shows them, in which colours, and those that are in memory."""

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

from player.artwork.cover_art import CoverArt
from player.artwork.picture import Form, Picture, Shape
from tui.look.colours import hue_of, readable
from tui.look.glyphs import ASCII, Glyphs
from tui.terminal.pictures import CoverMode, Screenful

if TYPE_CHECKING:
    from textual.app import App

_CONTRAST = 4.5
"""Of a tile's initials to its ground."""
_TINT = 0.22
"""How much of a podcast's own colour is in the ground of its tile."""
_MOST, _MOST_BYTES = 64, 3 * 1024 * 1024
"""Pictures in memory: all that a list shows in a while, so that moving back and forth in it reads nothing."""
_FORMS = {CoverMode.KITTY: Form.KITTY, CoverMode.SIXEL: Form.SIXEL, CoverMode.BLOCKS: Form.BLOCKS}


class Source(Protocol):
    """Where pictures come from, for any thread."""

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
        """What covers look like has changed."""

    def retry(self) -> None:
        """A picture that couldn't be had may be now."""


class Covers:
    """On the screen's thread. `source` is None where there are no pictures."""

    def __init__(
        self, mode: CoverMode, glyphs: Glyphs, source: Source | None = None, *, colours: int = 1 << 24
    ) -> None:
        self.mode = mode
        self.faces: WeakSet[Face] = WeakSet()
        self.at_rest = False
        """Whether there are only tiles: for the last frame, which the next start shows before it has pictures."""
        self._terminal = Screenful()
        self._source = source
        self._colours = colours
        self._framed, self._ascii = mode is CoverMode.PLAIN, glyphs == ASCII
        self._drawn: OrderedDict[tuple[CoverArt, Shape], Drawn] = OrderedDict()
        self._bytes = 0

    def use(self, mode: CoverMode, terminal: Screenful) -> None:
        """What the terminal can do is known now, or has changed."""
        if (mode, terminal) != (self.mode, self._terminal):
            self.mode, self._terminal = mode, terminal
            self._drawn.clear()
            self._bytes = 0
            self._all_again()

    def try_again(self) -> None:
        """The network is back: what couldn't be had may be now."""
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
        """A picture that is in memory."""
        key = art, self._shape(columns, rows)
        drawn = self._drawn.get(key)
        if drawn is not None:
            self._drawn.move_to_end(key)
        return None if self.at_rest else drawn

    def hopeful(self, art: CoverArt) -> bool:
        """Whether there may be a picture for it."""
        return self.mode in _FORMS and not self.at_rest and self._source is not None and self._source.hopeful(art)

    def want(self, art: CoverArt, columns: int, rows: int, then: Callable[[], None]) -> Callable[[], object]:
        """Fetches a picture in the background, and calls `then` when it is in memory. Returns what cancels that."""
        assert self._source is not None
        shape, loop = self._shape(columns, rows), asyncio.get_running_loop()
        future = self._source.ask(art, shape)

        def draw(done: "Future[Picture | None]") -> None:
            """On another thread."""
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
        """Whether a picture may be drawn with characters: in the terminal's own colours there are too few of them."""
        return not self.at_rest and Color.parse(app.theme_variables.get("hue-0", "white")).ansi is None

    # -- tiles ------------------------------------------------------------------------------------------------

    def tile(self, art: CoverArt, columns: int, rows: int) -> list[str]:
        from tui.drawing.covers import ASCII_LINES, LINES, initials, tile

        lines = ASCII_LINES if self._ascii else LINES
        return tile(initials(art.title), columns, rows, lines if self._framed else None)

    def tile_style(self, app: "App[Any]", art: CoverArt, ground: Color) -> Style:
        """The colours of a tile on a surface of the colour `ground`. Its initials are in its hue, or lighter or darker
        where they couldn't be read."""
        hue = app.theme_variables.get(f"hue-{hue_of(art.feed_url)}", "white")
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
    """Those of Earmark's app; any other shows none."""
    found = getattr(app, "covers", _NONE)
    return found if isinstance(found, Covers) else _NONE
