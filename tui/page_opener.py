"""Opens pages for those who can't import them: rooms of screens don't import one another."""

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING

from textual.app import App

from player.model.podcast import PodcastId
from tui.actions.action import Action
from tui.screens.base import BaseScreen

if TYPE_CHECKING:
    from tui.drawing.about.sheet import Build
    from tui.screens.preview import PreviewScreen


class OpensPages(App[int]):
    """An app's part; it has the actions with the listener's keys, and knows the day."""

    actions: tuple[Action, ...]
    today: Callable[[], date]

    def on_preview_screen_page_wanted(self, event: "PreviewScreen.PageWanted") -> None:
        """The page of an episode of a podcast that is previewed."""
        from tui.screens.reading import open_previewed

        open_previewed(event.preview, self.actions, event.episode, event.notes)

    def open_about(self, over: BaseScreen, read: "Callable[[], Build]", podcast_id: PodcastId | None) -> None:
        """What `read` reads, which may be about a podcast; from there to an episode as `over` goes to it."""
        from tui.screens.about import AboutScreen

        over.push(AboutScreen(over.player, self.actions, read, over.go_to_episode, podcast_id, self.today))

    def action_now_playing(self) -> None:
        from tui.screens.now_playing import open_over

        open_over(self.screen, self.today)
