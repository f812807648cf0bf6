"""Screens that close only once, whatever closes them."""

from typing import Any

from textual.await_complete import AwaitComplete


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
