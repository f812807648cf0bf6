"""What the search for podcasts asks of its screen."""

from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from tui.look.glyphs import Glyphs


class FindingUi(Protocol):
    @property
    def glyphs(self) -> Glyphs: ...

    @property
    def again_key(self) -> str:
        """The key that asks again, as a sentence names it."""

    def in_background(self, work: Callable[[], Coroutine[Any, Any, object]], group: str) -> None:
        """Runs `work` on the event loop until it is done, or another of its `group` begins."""

    def call_later(self, callback: Callable[..., Any], *args: Any) -> object:
        """From any thread: calls it on the screen's, soon."""
