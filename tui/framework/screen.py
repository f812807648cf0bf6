"""The base of all screens and dialogs, which close only once and stay usable if the library becomes unreadable; and
running work on the event loop in the background of one.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, TypeVar

from textual import events
from textual.app import App
from textual.await_complete import AwaitComplete
from textual.dom import DOMNode
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

    When a screen is dismissed, Textual closes the topmost screen. Two clicks read at once, or work that ends late,
    would close the screen below, or the last one. With this mixin a screen closes only itself, once; if another screen
    is on top, as soon as that one has closed.
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
        except LibraryError as error:  # if it propagated, this screen would get no more messages
            notify_of(self.app, error)


def library_error(error: Exception) -> LibraryError | None:
    """The library's error, also if a worker has wrapped it; None for any other error."""
    reason = error.error if isinstance(error, WorkerFailed) else error
    return reason if isinstance(reason, LibraryError) else None


def notify_of(app: App[Any], error: LibraryError) -> None:
    app.notify(str(error), severity="error", markup=False, timeout=10)


MOST_LETTERS = 2_000
"""The longest address that is accepted.

Textual draws the whole field on each key: for an address ten times as long, that would take seconds.
"""


T = TypeVar("T")


_TURNS = 8
"""The number of turns of the event loop in which widgets get their new sizes and react to them."""


class OwnScreen(NotifiesOfLibraryErrors, ClosesOnce, Screen[T]):
    """A screen or dialog. `runs` are the functions of its actions, by action id. While `held`, nothing is drawn.

    After a change of size, the whole screen is drawn once, when every widget has its new size. That includes a change
    back to the same size: a terminal that was smaller for a moment has cut off what it showed.
    """

    held = False
    _resizing = 0
    """The turns of the event loop that are left until a new size is drawn."""

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
        """Leaves out the filters that change text: a screen itself draws only the text that shows through from the
        screen behind it, where it has been filtered already."""
        return [one for one in each_of(super().get_line_filters()) if not isinstance(one, TextFilter)]

    def drawing(self, size: Size) -> str:
        """The whole screen as text for a terminal; "" if it isn't laid out for `size`."""
        if self._compositor.size != size:
            return ""
        return self._compositor.render_full_update().render_segments(self.app.console)

    async def _on_resize(self, event: events.Resize) -> None:  # noqa: ARG002 - as Textual declares it
        """Runs before Textual's handler, which lays the screen out and would draw it."""
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
        """Keeps Textual's handler, which runs after this one, from styling all widgets again: 35 ms of the first frame.

        They were styled when they were mounted a moment ago; only the scrollbars are styled here.
        """
        if not self.held:
            return
        event.refresh_styles = False
        for widget in self.walk_children(Widget):
            vertical, horizontal = widget.scrollbars_enabled
            for bar in [widget.vertical_scrollbar] * vertical + [widget.horizontal_scrollbar] * horizontal:
                self.app.stylesheet.apply(bar)

    def _compositor_refresh(self) -> None:
        """Draws nothing while another screen covers this one, which is drawn as a whole when it is uncovered.

        Textual would draw the whole screen in front again for each line that changes on the screen right behind it,
        even if the front one is opaque: twice a second during playback.
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
        """Whether a screen in front of this one has an opaque background."""
        stack = self.app.screen_stack
        above = stack[stack.index(self) + 1 :] if self in stack else ()
        return any(screen.styles.background.a == 1 for screen in above)


def start_worker(
    node: DOMNode, work: Callable[[], Coroutine[Any, Any, object]], *, group: str = "default", exclusive: bool = False
) -> None:
    """Runs `work` until it is done, `node` is removed, or (`exclusive`) other work of the same `group` begins.

    It takes a function rather than a coroutine: a coroutine whose worker is cancelled before its first step, as when
    the app closes, would never be awaited, and Python would warn about that.
    """
    made: Any = work  # Textual's type only allows coroutines without a result
    node.run_worker(made, group=group, exclusive=exclusive)
