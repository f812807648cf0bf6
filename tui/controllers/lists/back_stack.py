"""The stack of previous lists, each with its cursor, and going from an episode to its list."""

import asyncio
from collections.abc import Callable
from functools import partial

from player.errors import NotFound
from player.model.episode import Episode, EpisodeId
from player.model.filters import View, ViewName
from player.model.playback import Severity
from player.model.podcast import PodcastId
from player.text.sentences import _
from tui.actions.action import Focus
from tui.controllers.lists.list import ListController, Spot

_MOST = 50
"""The number of lists that are remembered."""


class BackStack:
    """Call `leave` before going to another list; `back` returns to the list that was left."""

    def __init__(self, lists: ListController) -> None:
        self._player = lists.player
        self._ui = lists.ui
        self._lists = lists
        self._left: list[Spot] = []
        self._entered: Spot | None = None
        """The list that had the focus last."""
        self._pane: Focus | None = None

    def leave(self) -> None:
        self._remember(self._lists.spot)
        self._entered = None

    def focused(self, where: Focus) -> None:
        """Call this when a pane has got the focus. Choosing a list in the sidebar leaves the previous list only when
        the chosen one gets the focus, not while the sidebar's cursor passes over others."""
        here, entered, before = self._lists.spot, self._entered, self._pane
        self._pane = where
        if where is Focus.SIDEBAR and before is not Focus.SIDEBAR:
            self._entered = here
        elif where is Focus.EPISODES:
            if entered is not None and entered[0].key != here[0].key:
                self._remember(entered)
            self._entered = here

    def _remember(self, spot: Spot) -> None:
        if not self._left or self._left[-1] != spot:
            self._left = [*self._left[1 - _MOST :], spot]

    def back(self) -> None:
        if self._left:
            spot = self._left.pop()
            self._entered = spot
            self._ui.show_list(*spot)
        else:
            self._ui.say(_("This is where you started"))

    def show_episode(self, episode: Episode) -> None:
        """Shows the list of the episode's podcast, with the cursor on the episode."""
        self.leave()
        self._ui.show_list(View.of(ViewName.PODCAST, episode.podcast_id), episode.id)

    def show_podcast(self, podcast_id: PodcastId) -> None:
        """Shows the podcast's list, with the cursor where it was left."""
        self.leave()
        self._ui.show_list(View.of(ViewName.PODCAST, podcast_id))

    def go_to_episode(self, episode_id: EpisodeId) -> None:
        """As `show_episode`, for an episode that has to be read from the library first."""
        self._ui.in_background(partial(self._read_and_show, episode_id, self.show_episode), "go")

    def go_to_podcast_of(self, episode_id: EpisodeId) -> None:
        """As `show_podcast`, for the podcast of an episode that has to be read from the library first."""

        def show(episode: Episode) -> None:
            self.show_podcast(episode.podcast_id)

        self._ui.in_background(partial(self._read_and_show, episode_id, show), "go")

    async def _read_and_show(self, episode_id: EpisodeId, show: Callable[[Episode], None]) -> None:
        library = self._player.library

        def read() -> tuple[Episode, bool]:
            episode = library.episodes.get(episode_id)
            return episode, library.podcasts.get(episode.podcast_id).previewed

        reading = asyncio.ensure_future(asyncio.to_thread(read))
        self._ui.keys_wait(asyncio.shield(reading))
        try:
            episode, previewed = await reading
        except NotFound as error:
            self._ui.say(error.what, Severity.WARNING)
        else:
            (self._ui.preview if previewed else show)(episode)
