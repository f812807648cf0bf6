"""A first frame that is drawn once, with all that belongs on it.

Textual draws a screen when it is laid out, and again whenever something more comes: 12 ms each, three frames before the
rows are there, and as many for the terminal to read.
"""

import asyncio

from textual.message import Message
from textual.screen import Screen

from tui.framework.library_errors import TellsOfLibrary

_PATIENCE_S = 0.25
"""A library on a slow disk may take longer; then the screen is shown without its rows."""
_TURNS = 8
"""Of the event loop, in which widgets hear their sizes and tell what follows from them."""


class FirstFrameScreen(TellsOfLibrary, Screen[None]):
    """Draws nothing until `draw_first_frame`, or until patience ends; then sends `FirstFrame`, once."""

    class FirstFrame(Message):
        """It is on the terminal."""

    def __init__(self) -> None:
        super().__init__()
        self._held = True

    def on_mount(self) -> None:
        self.set_timer(_PATIENCE_S, self._let_go)

    async def draw_first_frame(self) -> None:
        """To be called when all is there that it is to show; does nothing afterwards."""
        if self._held:
            for _ in range(_TURNS):
                await asyncio.sleep(0)
            self._let_go()

    def _let_go(self) -> None:
        if not self._held:
            return
        self._held = False
        if self.is_current:
            # One layout draws all of it: nothing is left for a repaint.
            self._layout_required, self._repaint_required = True, False
            self._on_timer_update()
        self.post_message(self.FirstFrame())

    def _compositor_refresh(self) -> None:
        if not self._held:
            super()._compositor_refresh()
