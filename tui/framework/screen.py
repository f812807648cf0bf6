"""The base of all screens and dialogs: safe to close, tolerant of library errors, with actions from the table."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from textual import events
from textual.geometry import Size
from textual.screen import Screen
from textual.widget import Widget

from tui.framework.closing import ClosesOnce
from tui.framework.library_errors import NotifiesOfLibraryErrors

T = TypeVar("T")


class OwnScreen(NotifiesOfLibraryErrors, ClosesOnce, Screen[T]):
    """`runs` has the function for each action here, by the action's id. While `held`, nothing is drawn."""

    held = False

    def __init__(self, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name, id, classes)
        self.runs: Mapping[str, Callable[[], object]] = {}

    def act(self, action_id: str) -> None:
        """Runs an action; an action that this screen doesn't have does nothing."""
        if (function := self.runs.get(action_id)) is not None:
            function()

    def action_act(self, action_id: str) -> None:
        self.act(action_id)

    def drawing(self, size: Size) -> str:
        """All of the screen, as text for a terminal; "" where it isn't laid out for `size`."""
        if self._compositor.size != size:
            return ""
        return self._compositor.render_full_update().render_segments(self.app.console)

    def _on_screen_resume(self, event: events.ScreenResume) -> None:
        """Runs before Textual's own handler, which styles all widgets again, 35 ms of a first frame.

        They have been styled since they were mounted a moment ago; only scrollbars are added later.
        """
        if not self.held:
            return
        event.refresh_styles = False
        for widget in self.walk_children(Widget):
            vertical, horizontal = widget.scrollbars_enabled
            for bar in [widget.vertical_scrollbar] * vertical + [widget.horizontal_scrollbar] * horizontal:
                self.app.stylesheet.apply(bar)

    def _compositor_refresh(self) -> None:
        if not self.held:
            super()._compositor_refresh()
