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
_PATIENCE_COVERED_S = 1.0
_TURNS = 8
"""Turns of the event loop in which widgets get their sizes and react to them."""


class FirstFrame:
    """Holds `screen` back until `draw`, or until time runs out after `begin`; then the screen sends `Drawn`, once."""

    class Drawn(Message):
        """The first frame is on the terminal."""

    def __init__(self, screen: OwnScreen[Any], *, covered: bool = False) -> None:
        self.screen = screen
        self._covered = covered
        screen.held = True

    @property
    def is_covered(self) -> bool:
        """Whether the terminal still shows a frame from before, so that this one can wait until it is complete."""
        return self._covered and self.screen.held

    def begin(self) -> None:
        """Call this when the screen is mounted."""
        self.screen.set_timer(_PATIENCE_COVERED_S if self._covered else _PATIENCE_S, self.let_go)

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
