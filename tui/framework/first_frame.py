"""Draws the first frame once, when it is complete.

Textual draws a screen when it is laid out, and again whenever something is added: 12 ms each time, and three frames,
which the terminal has to read too, before the rows are there.
"""

import asyncio
from typing import Any

from textual.message import Message

from tui.framework.screen import OwnScreen

_PATIENCE_S = 0.25
"""If reading the library takes longer, as on a slow disk, the screen is shown without its rows."""
_PATIENCE_COVERED_S = 1.0
_TURNS = 8
"""The number of turns of the event loop in which widgets get their sizes and react to them."""


class FirstFrame:
    """Holds back the drawing of `screen` until `draw`, or until a time limit after `begin`; then the screen sends
    `Drawn`, once."""

    class Drawn(Message):
        """The first frame is on the terminal."""

    def __init__(self, screen: OwnScreen[Any], *, covered: bool = False) -> None:
        self.screen = screen
        self._covered = covered
        screen.held = True

    @property
    def is_covered(self) -> bool:
        """Whether the terminal still shows the last frame of the previous run, so that this one can wait until it is
        complete."""
        return self._covered and self.screen.held

    def begin(self) -> None:
        """Call this when the screen is mounted."""
        self.screen.set_timer(_PATIENCE_COVERED_S if self._covered else _PATIENCE_S, self.let_go)

    async def draw(self) -> None:
        """Call this when the contents of the first frame are complete; later calls do nothing."""
        if self.screen.held:
            for _ in range(_TURNS):
                await asyncio.sleep(0)
            self.let_go()

    def let_go(self) -> None:
        """Draws the screen with the contents that it has."""
        screen = self.screen
        if not screen.held:
            return
        screen.held = False
        if screen.is_current:
            # One layout draws everything: nothing is left to repaint.
            screen._layout_required, screen._repaint_required = True, False
            screen._on_timer_update()
        screen.post_message(self.Drawn())
