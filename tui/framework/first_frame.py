"""A first frame that is drawn once, with all that belongs on it.

Textual draws a screen when it is laid out, and again whenever something more comes: 12 ms each, three frames before the
rows are there, and as many for the terminal to read.
"""

import asyncio
from typing import Any

from textual.message import Message

from tui.framework.screen import OwnScreen

_PATIENCE_S = 0.25
"""A library on a slow disk may take longer; then the screen is shown without its rows."""
_TURNS = 8
"""Of the event loop, in which widgets hear their sizes and tell what follows from them."""


class FirstFrame:
    """Holds `screen` until `draw`, or until patience ends after `begin`; then the screen sends `Drawn`, once."""

    class Drawn(Message):
        """It is on the terminal."""

    def __init__(self, screen: OwnScreen[Any]) -> None:
        self.screen = screen
        screen.held = True

    def begin(self) -> None:
        """To be called when the screen is mounted."""
        self.screen.set_timer(_PATIENCE_S, self.let_go)

    async def draw(self) -> None:
        """To be called when all is there that it is to show; does nothing afterwards."""
        if self.screen.held:
            for _ in range(_TURNS):
                await asyncio.sleep(0)
            self.let_go()

    def let_go(self) -> None:
        """Draws what there is."""
        screen = self.screen
        if not screen.held:
            return
        screen.held = False
        if screen.is_current:
            # One layout draws all of it: nothing is left for a repaint.
            screen._layout_required, screen._repaint_required = True, False
            screen._on_timer_update()
        screen.post_message(self.Drawn())
