"""The interface of screens with episodes for controllers, and of the main screen."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol

from player.model.episode import Episode, EpisodeId
from player.model.filters import View
from player.model.podcast import Podcast, PodcastId
from tui.actions.action import Focus
from tui.controllers.playback import PlaybackController
from tui.controllers.ui import Ui

if TYPE_CHECKING:
    from tui.drawing.about.sheet import Build
    from tui.widgets.episode_list import EpisodeList


class EpisodeUi(Ui, Protocol):
    """A screen with a list of episodes, or the page of one."""

    playback: PlaybackController

    @property
    def episode(self) -> Episode | None:
        """The episode under the cursor, or that of the page."""

    @property
    def held(self) -> bool:
        """Whether drawing is held back until the first frame is complete."""

    def no_episode(self) -> str:
        """Why there is no episode."""

    def instead(self) -> tuple[str, ...]:
        """The words on the page if there is no episode: a title, then lines."""

    def go_to_page(self) -> None:
        """Moves the focus to the episode's page, which is shown if it was hidden."""

    def show_podcast(self, podcast_id: PodcastId) -> None:
        """Shows a podcast of the library, from which there is a way back."""

    def open_about(self, read: Callable[[], Build], podcast_id: PodcastId | None = None) -> None:
        """Opens the page that `read` reads in a thread; `podcast_id`: it is about this podcast."""


class MainUi(EpisodeUi, Protocol):
    """The main screen: sidebar, list of episodes, and the page of the one under the cursor."""

    @property
    def columns(self) -> int:
        """The number of columns of the terminal."""

    def share_out(self, sidebar: int, episodes: int, notes: int) -> None:
        """Sets the width of each pane in columns; 0 hides it."""

    def give_focus(self, where: Focus) -> None:
        """Gives the focus to a pane."""

    def load_list(self) -> None:
        """Reads the list, for which the sidebar must have been filled."""

    async def list_shown(self) -> None:
        """Call this when a list is on the screen, or can't be read. Returns when the first frame is drawn."""

    def show_list(self, view: View, episode_id: EpisodeId | None = None) -> None:
        """Shows a list without a filter, with the cursor on that episode, and moves the focus there."""

    def preview(self, episode: Episode) -> None:
        """Opens the page of a podcast without a subscription, with the cursor on that episode."""

    def open_suggestion(self, podcast: Podcast) -> None:
        """Opens the page of a suggested podcast, and reads its feed."""

    def episode_lists(self) -> Iterable[EpisodeList]:
        """The lists of episodes on the topmost screen."""

    def read(self) -> None:
        """Opens the page of the episode under the cursor over the whole screen."""

    def add(self) -> None:
        """Opens the search for podcasts."""
