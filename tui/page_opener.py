"""Opens pages for those who can't import them: rooms of screens don't import one another."""

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING

from textual.app import App

from tui.actions.action import Action

if TYPE_CHECKING:
    from tui.screens.preview import PreviewScreen


class OpensPages(App[int]):
    """An app's part; it has the actions with the listener's keys, and knows the day."""

    actions: tuple[Action, ...]
    today: Callable[[], date]

    def on_preview_screen_page_wanted(self, event: "PreviewScreen.PageWanted") -> None:
        """The page of an episode of a podcast that is previewed."""
        from tui.screens.reading import open_previewed

        open_previewed(event.preview, self.actions, event.episode, event.notes)

    def action_now_playing(self) -> None:
        from tui.screens.now_playing import open_over

        open_over(self.screen, self.today)
