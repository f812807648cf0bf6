"""What a controller may ask of a screen with episodes, and what only the main screen answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from player.model.episode import Episode
from player.model.podcast import PodcastId
from tui.controllers.playback import PlaybackController
from tui.controllers.ui import Ui

if TYPE_CHECKING:
    from tui.drawing.about.sheet import Build


class EpisodeUi(Ui, Protocol):
    """A screen with a list of episodes, or the page of one."""

    playback: PlaybackController

    @property
    def episode(self) -> Episode | None:
        """The episode under the cursor, or that of the page."""

    @property
    def held(self) -> bool:
        """Whether nothing is drawn yet, because the first frame is still to be complete."""

    def no_episode(self) -> str:
        """Why there is no episode."""

    def instead(self) -> tuple[str, ...]:
        """What the page shows where there is no episode: a title, then lines."""

    def go_to_page(self) -> None:
        """Shows the page of the episode, and gives it the focus."""

    def open_about(self, read: Callable[[], Build], podcast_id: PodcastId | None = None) -> None:
        """Opens a page for what `read` reads in a thread, which may be about a podcast."""
