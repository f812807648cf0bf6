"""A first frame that is drawn once, complete.

Textual draws a screen when it is laid out, and again whenever something is added: 12 ms each, three frames before the
rows are there, and as many for the terminal to read.
"""

import asyncio
from typing import Any

from textual.message import Message

from tui.framework.screen import OwnScreen

_PATIENCE_S = 0.25
"""A library on a slow disk may take longer; then the screen is shown without its rows."""
_TURNS = 8
"""Turns of the event loop in which widgets get their sizes and react to them."""


class FirstFrame:
    """Holds `screen` back until `draw`, or until time runs out after `begin`; then the screen sends `Drawn`, once."""

    class Drawn(Message):
        """The first frame is on the terminal."""

    def __init__(self, screen: OwnScreen[Any]) -> None:
        self.screen = screen
        screen.held = True

    def begin(self) -> None:
        """Call this when the screen is mounted."""
        self.screen.set_timer(_PATIENCE_S, self.let_go)

    async def draw(self) -> None:
        """Call this when everything to be shown is there; later calls do nothing."""
        if self.screen.held:
            for _ in range(_TURNS):
                await asyncio.sleep(0)
            self.let_go()

    def let_go(self) -> None:
        """Draws whatever is there."""
        screen = self.screen
        if not screen.held:
            return
        screen.held = False
        if screen.is_current:
            # One layout draws everything: nothing is left to repaint.
            screen._layout_required, screen._repaint_required = True, False
            screen._on_timer_update()
        screen.post_message(self.Drawn())
