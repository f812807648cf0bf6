"""Opens page screens on behalf of `BaseScreen`, which can't import the modules that are based on it."""

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING

from textual.app import App

from player.model.episode import Episode
from player.model.podcast import PodcastId
from tui.actions.action import Action
from tui.screens.base import BaseScreen, Step

if TYPE_CHECKING:
    from tui.controllers.lists.inbox import New
    from tui.drawing.about.sheet import Build


class OpensPages(App[int]):
    """A mixin for the app, which has the actions with the listener's keys, and today's date."""

    actions: tuple[Action, ...]
    today: Callable[[], date]

    def open_reading(self, over: BaseScreen, episode: Episode, step: Step, inbox: "New", notes: str | None) -> None:
        """Opens the page of an episode from the list of the screen `over`."""
        from tui.screens.reading import ReadingScreen

        over.push(ReadingScreen(over.player, self.actions, episode, step, over.go_to_episode, inbox, notes))

    def open_about(self, over: BaseScreen, read: "Callable[[], Build]", podcast_id: PodcastId | None) -> None:
        """Opens the page that `read` reads, which may be about a podcast. An episode chosen there is shown by the
        screen `over`."""
        from tui.screens.about import AboutScreen

        over.push(AboutScreen(over.player, self.actions, read, over.go_to_episode, podcast_id, self.today))

    def open_now_playing(self, over: BaseScreen) -> None:
        from tui.screens.now_playing import NowPlayingScreen

        over.push(NowPlayingScreen(over.player, over.actions, over.go_to_episode, self.today))
