"""The base of all screens and dialogs: closed only once, tolerant of a library that becomes unreadable."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from textual import events
from textual.app import App
from textual.await_complete import AwaitComplete
from textual.filter import LineFilter
from textual.geometry import Size
from textual.message import Message
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widget import Widget
from textual.worker import WorkerFailed

from player.errors import LibraryError
from tui.framework.rendering import RowCompositor, TextFilter, each_of


class ClosesOnce:
    """A mixin for screens; it goes before the screen class among the bases.

    When a screen is dismissed, Textual closes whichever is on top. Two clicks in one read, or work that ends late,
    would close the one below, or the last. This one closes only itself: once, and when it is on top again.
    """

    _closes_with: tuple[Any] | None = None

    def dismiss(self: Any, result: Any = None) -> AwaitComplete:
        if self.app.screen is self:
            return super().dismiss(result)  # type: ignore[misc, no-any-return]
        if self in self.app.screen_stack:
            self._closes_with = (result,)
        return AwaitComplete()

    def on_screen_resume(self: Any) -> None:
        if self._closes_with is not None:
            (result,), self._closes_with = self._closes_with, None
            super().dismiss(result)  # type: ignore[misc]


class NotifiesOfLibraryErrors(MessagePump):
    """An app or screen whose handlers may read the library. Its errors are shown as notifications."""

    async def _dispatch_message(self, message: Message) -> None:
        try:
            await super()._dispatch_message(message)
        except LibraryError as error:  # if it were raised further, this screen would get no more messages
            notify_of(self.app, error)


def library_error(error: Exception) -> LibraryError | None:
    """The library's error, even if it comes from a worker."""
    reason = error.error if isinstance(error, WorkerFailed) else error
    return reason if isinstance(reason, LibraryError) else None


def notify_of(app: App[Any], error: LibraryError) -> None:
    app.notify(str(error), severity="error", markup=False, timeout=10)


MOST_LETTERS = 2_000
"""The longest address that is accepted.

Textual draws a whole field on each key: ten times as many would take seconds.
"""


T = TypeVar("T")


_TURNS = 8
"""Turns of the event loop in which widgets get their new sizes and react to them."""


class OwnScreen(NotifiesOfLibraryErrors, ClosesOnce, Screen[T]):
    """`runs` has the function for each action here, by the action's id. While `held`, nothing is drawn.

    A new size is drawn once, when every widget has it, and whole: a terminal that was smaller for a moment has cut what
    it showed, even if it then has the size that it had.
    """

    held = False
    _resizing = 0
    """Turns of the event loop until a new size is drawn."""

    def __init__(self, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name, id, classes)
        self._compositor = RowCompositor()
        self.runs: Mapping[str, Callable[[], object]] = {}

    def act(self, action_id: str) -> None:
        """Runs an action; an action that this screen doesn't have does nothing."""
        if (function := self.runs.get(action_id)) is not None:
            function()

    def action_act(self, action_id: str) -> None:
        self.act(action_id)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """A screen itself only draws what shows through from the one behind it, whose text has been filtered there."""
        return [one for one in each_of(super().get_line_filters()) if not isinstance(one, TextFilter)]

    def drawing(self, size: Size) -> str:
        """All of the screen, as text for a terminal; "" where it isn't laid out for `size`."""
        if self._compositor.size != size:
            return ""
        return self._compositor.render_full_update().render_segments(self.app.console)

    async def _on_resize(self, event: events.Resize) -> None:  # noqa: ARG002 - as Textual declares it
        """Runs before Textual's own handler, which lays the screen out and would draw it."""
        if not self._resizing:
            self._resizing = _TURNS
            asyncio.get_running_loop().call_soon(self._await_sizes)

    def _await_sizes(self) -> None:
        self._resizing -= 1
        if self._resizing:
            asyncio.get_running_loop().call_soon(self._await_sizes)
        elif self.is_running and self.app.screen is self:
            self._compositor._dirty_regions.add(self._compositor.size.region)
            self._compositor_refresh()

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
        """Draws nothing while another screen covers this one: it is drawn as a whole when it is uncovered.

        Textual would draw all of the screen in front again for each line that changes on the one right behind it,
        however opaque that is: while something plays, twice a second.
        """
        if self.held or self._resizing:
            return
        if self.is_covered:
            self._compositor._dirty_regions.clear()
            self._dirty_widgets.clear()
            return
        super()._compositor_refresh()

    @property
    def is_covered(self) -> bool:
        """Whether a screen in front of this one has a ground that lets nothing through."""
        stack = self.app.screen_stack
        above = stack[stack.index(self) + 1 :] if self in stack else ()
        return any(screen.styles.background.a == 1 for screen in above)
