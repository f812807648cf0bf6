"""Pixel pictures for the app: asks the terminal whether it can show them, and draws them if it can."""

import asyncio
import fcntl
import os
import struct
import termios
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from textual._compositor import CompositorUpdate
from textual.app import App
from textual.screen import Screen

from tui.look.glyphs import Glyphs
from tui.pictures.covers import Covers, Source
from tui.terminal.driver import TerminalDriver
from tui.terminal.pixel_pictures import Asking, cover_mode

if TYPE_CHECKING:
    from tui.pictures.layer import PictureLayer


class Pixels:
    """Use it on the screen's thread. `wish` is the setting `art`."""

    def __init__(self, covers: Covers, wish: str) -> None:
        self.covers = covers
        self._asking = Asking(covers.mode, wish, os.environ)
        self._layer: PictureLayer | None = None
        """None before the first frame, when there are no pictures yet."""
        self._driver: TerminalDriver | None = None

    def attach(self, driver: TerminalDriver, farewell: Callable[[], str]) -> None:
        """Connects this object with the driver. `farewell` returns other codes to write to the terminal at the end."""
        self._driver = driver
        driver.drawn_anew = self._lost
        driver.farewell = lambda: (self._layer.farewell() if self._layer is not None else "") + farewell()

    def begin(self) -> None:
        """Call this after the first frame, which doesn't wait for the terminal's answers."""
        from tui.pictures.layer import PictureLayer

        self._layer = PictureLayer(self.covers.faces)
        if self._driver is not None and (question := self._asking.begin()):
            loop = asyncio.get_running_loop()

            def answered(answer: str) -> None:
                """Called on the thread that reads the terminal."""
                with suppress(RuntimeError):  # the loop has ended
                    loop.call_soon_threadsafe(self._answered, answer)

            self._driver.answered = answered
            self._driver.write(question)
            self.resized()

    def resized(self) -> None:
        """The size of the window or of its font may have changed."""
        if self._driver is not None and (cell := _cell_size(self._driver.fileno)) is not None:
            self._asking.sized(cell)
            self._use()

    def network_is_back(self) -> None:
        """Tries again to get missing pictures."""
        self.covers.try_again()

    def complete(self, screen: Screen[Any], update: CompositorUpdate) -> CompositorUpdate:
        return self._layer.complete(screen, update) if self._layer is not None else update

    def _lost(self) -> None:
        if self._layer is not None:
            self._layer.lost()

    def _answered(self, answer: str) -> None:
        if (question := self._asking.answered(answer)) and self._driver is not None:
            self._driver.write(question)
        self._use()

    def _use(self) -> None:
        self.covers.use(self._asking.mode, self._asking.terminal)


def pixels_for(app: App[Any], wish: str, glyphs: Glyphs, source: Source) -> Pixels:
    """The pixel pictures for an app, its terminal and its glyphs."""
    colours = app.console.color_system
    mode = cover_mode(wish, colours, ascii_only=not glyphs.rare, no_color=app.no_color)
    return Pixels(Covers(mode, glyphs, source, colours=256 if colours == "256" else 1 << 24), wish)


def _cell_size(descriptor: int) -> tuple[int, int] | None:
    """The width and height of a cell in pixels, if the terminal has told the system (TIOCGWINSZ)."""
    try:
        rows, columns, width, height = struct.unpack("4H", fcntl.ioctl(descriptor, termios.TIOCGWINSZ, bytes(8)))
    except OSError:
        return None
    return (width // columns, height // rows) if rows and columns and width and height else None
