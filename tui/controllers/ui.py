"""What a controller may ask of the screen it works for."""

from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from textual.screen import Screen

from tui.look.glyphs import Glyphs

if TYPE_CHECKING:
    from player.notes.episode_links import Links

T = TypeVar("T")


class Ticker(Protocol):
    """Something that is done at intervals, while it isn't paused."""

    def pause(self) -> None: ...

    def resume(self) -> None: ...


class Ui(Protocol):
    """`BaseScreen` is one; a test's is a list of what was asked for."""

    @property
    def glyphs(self) -> Glyphs: ...

    @property
    def rows(self) -> int:
        """Of the screen."""

    def say(self, words: str) -> None:
        """A few words in the footer, for a moment."""

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: Literal["information", "warning", "error"] = "information",
        timeout: float | None = None,
        markup: bool = True,
    ) -> None:
        """A panel in the corner, for `timeout` seconds."""

    def key_of(self, action_id: str) -> str:
        """How a sentence names the listener's key for an action; its name in the palette where it has none."""

    def push(self, screen: Screen[T], closed: Callable[[T | None], None] | None = None) -> None:
        """Opens another screen or a dialog; `closed` is called with its answer."""

    def in_background(self, work: Callable[[], Coroutine[Any, Any, object]], group: str) -> None:
        """Runs `work` on the event loop until it is done, or another of its `group` begins."""

    def cancel(self, group: str) -> None:
        """Ends the work of that group."""

    def call_later(self, callback: Callable[..., Any], *args: Any) -> object:
        """From any thread: calls it on the screen's, soon."""

    def every(self, seconds: float, function: Callable[[], None]) -> Ticker:
        """Paused at first."""

    def keys_wait(self, until: Awaitable[object]) -> None:
        """What is typed from now on is meant for what this brings."""

    def open_link(self, address: str) -> None:
        """In the browser; says what came of it."""

    def copy_link(self, address: str, what: str = "") -> None:
        """To the clipboard; says what came of it. `what` it is, in a few words."""

    def copy_links(self, links: "Links") -> None:
        """All of them, as a list in Markdown; says what came of it."""
