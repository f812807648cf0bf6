"""The interface of screens for controllers, and reads of the library off the screen's thread."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from textual.screen import Screen

from player.errors import LibraryError
from player.model.playback import Severity
from player.processes.scheduler import SharedThreads
from player.text.sentences import _
from tui.look.glyphs import Glyphs

if TYPE_CHECKING:
    from concurrent.futures import Future

    from player.notes.episode_links import Links


T = TypeVar("T")


def no_episode(key: str = "") -> str:
    """A sentence for keys that act on an episode while none is selected. In another pane, `key` is the one that leads
    to the list."""
    return _("Select an episode first: {key} goes to the list", key=key) if key else _("Select an episode first")


class Ticker(Protocol):
    """A timer that repeats until it is paused."""

    def pause(self) -> None: ...

    def resume(self) -> None: ...


class Ui(Protocol):
    """`BaseScreen` implements it; in tests, a recorder does."""

    @property
    def glyphs(self) -> Glyphs: ...

    @property
    def rows(self) -> int:
        """The number of rows of the screen."""

    @property
    def on_page(self) -> bool:
        """Whether the page of the screen has the focus, so that keys act on its entries."""

    def show_hints(self) -> None:
        """Updates the key hints in the footer."""

    def say(self, words: str, severity: Severity = Severity.INFORMATION) -> None:
        """Shows a few words in the footer for a moment; the more severe, the longer."""

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: Literal["information", "warning", "error"] = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """Shows a panel in the corner for `timeout` seconds."""

    def key_of(self, action_id: str) -> str:
        """The listener's key for an action as sentences name it, or its title if it has none."""

    def push(self, screen: Screen[T], closed: Callable[[T | None], None] | None = None) -> None:
        """Opens another screen or a dialog; `closed` is called with its answer."""

    def in_background(self, work: Callable[[], Coroutine[Any, Any, object]], group: str) -> None:
        """Runs `work` on the event loop until it is done, or until other work of the same `group` begins."""

    def cancel(self, group: str) -> None:
        """Cancels the work of that group."""

    def call_later(self, callback: Callable[..., Any], *args: Any) -> object:
        """Schedules a call on the screen's thread. May be called from any thread."""

    def say_later(self, words: Callable[[], str]) -> None:
        """Calls `words` soon, on the screen's thread, and says the result unless it is "": on this screen, or on the
        open one if this screen has been closed. May be called from any thread."""

    def every(self, seconds: float, function: Callable[[], None]) -> Ticker:
        """A timer that calls `function` at this interval; paused at first."""

    def keys_wait(self, until: Awaitable[object]) -> None:
        """Holds keys back until `until` is done, because they are meant for its result."""

    def open_link(self, address: str) -> None:
        """Opens the address in the browser, and reports the outcome."""

    def copy_link(self, address: str, what: str = "") -> None:
        """Copies the address to the clipboard, and reports the outcome. `what` describes the address in a few words."""

    def copy_links(self, links: "Links") -> None:
        """Copies all links as a Markdown list, and reports the outcome."""


def after(ui: Ui, act: "Future[T]", done: Callable[[T], object], failed: Callable[[], object] | None = None) -> None:
    """Calls `done` on the screen's thread with the result of `act`, or `failed` if `act` failed (which a Notice
    reports) or was cancelled. Once the screen is closed, neither is called."""

    def ended(future: "Future[T]") -> None:
        """Called on the thread on which `act` ends."""
        if not future.cancelled() and future.exception() is None:
            ui.call_later(done, future.result())
        elif failed is not None:
            ui.call_later(failed)

    act.add_done_callback(ended)


def say_after(ui: Ui, act: "Future[T]", words: Callable[[T], str]) -> None:
    """Says the `words` for the result of `act`, on the screen that is open when it ends. A failure is published as a
    Notice."""

    def ended(future: "Future[T]") -> None:
        """Called on the thread on which `act` ends."""
        if not future.cancelled() and future.exception() is None:
            ui.say_later(lambda: words(future.result()))

    act.add_done_callback(ended)


class LibraryReader:
    """Reads the library on a single thread, in the order of the requests."""

    def __init__(self, ui: Ui) -> None:
        self._ui = ui
        self._thread = SharedThreads(1, "earmark-read")

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def read(self, reading: Callable[[], T]) -> T | None:
        """The result of `reading`; None if the library can't be read, of which the listener is notified."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, reading)
        except LibraryError as error:
            self._ui.notify(str(error), severity="error", markup=False)
            return None
