"""A thin line that shows that work is in progress."""

from typing import ClassVar

from rich.segment import Segment
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from tui.look.glyphs import glyphs_of

_STEP_S = 1 / 12
_PART = 5


class BusyLine(Widget):
    """One row. While `busy`, a part of the line moves from end to end."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"busy--part"}

    DEFAULT_CSS = """
    BusyLine {
        height: 1;
        color: $faint 60%;
        & > .busy--part { color: $accent; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._busy = False
        self._step = 0
        self._timer: Timer | None = None

    @property
    def busy(self) -> bool:
        return self._busy

    @busy.setter
    def busy(self, busy: bool) -> None:
        self._busy = busy
        self._step = 0
        if self._timer:
            if busy:
                self._timer.resume()
            else:
                self._timer.pause()
        self.refresh()

    def on_mount(self) -> None:
        if self.app.animation_level != "none":
            self._timer = self.set_interval(_STEP_S, self._advance, pause=not self._busy)

    def _advance(self) -> None:
        self._step += 1
        self.refresh()

    def render_line(self, y: int) -> Strip:  # noqa: ARG002 - there is one line
        glyphs, width = glyphs_of(self.app), self.size.width
        if not self._busy:
            return Strip([Segment(glyphs.line_thin * width, self.rich_style)])
        part = max(1, width // _PART)
        offset = abs((self._step + width - part) % (2 * (width - part) or 1) - (width - part))
        return Strip(
            [
                Segment(glyphs.line_thin * offset, self.rich_style),
                Segment(glyphs.line * part, self.get_component_rich_style("busy--part")),
                Segment(glyphs.line_thin * (width - part - offset), self.rich_style),
            ]
        )
