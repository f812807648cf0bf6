"""What all screens and dialogs are made from: safe to close, calm when the library fails, and run by the table."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from textual import events
from textual.screen import Screen
from textual.widget import Widget

from tui.framework.closing import ClosesOnce
from tui.framework.library_errors import NotifiesOfLibraryErrors

T = TypeVar("T")


class OwnScreen(NotifiesOfLibraryErrors, ClosesOnce, Screen[T]):
    """`runs` says what each action does here, by the id of the action. While `held`, nothing is drawn."""

    held = False

    def __init__(self, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name, id, classes)
        self.runs: Mapping[str, Callable[[], object]] = {}

    def act(self, action_id: str) -> None:
        """Runs an action; one that this screen doesn't have does nothing."""
        if (function := self.runs.get(action_id)) is not None:
            function()

    def action_act(self, action_id: str) -> None:
        self.act(action_id)

    def _on_screen_resume(self, event: events.ScreenResume) -> None:
        """Before Textual's own, which gives all widgets their styles again, 35 ms of a first frame.

        They have had them since they were mounted, a moment ago; only scroll bars come later.
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
