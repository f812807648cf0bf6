"""What the keys of the main screen mean: the episodes they act on, and the podcast that goes with them."""

from collections.abc import Callable
from dataclasses import dataclass

from player.model.episode import Episode, EpisodeId
from player.model.filters import View
from player.model.podcast import Podcast, PodcastId
from player.text.sentences import _
from tui.actions.action import Focus
from tui.controllers.lists.list import ListController
from tui.controllers.panes import PanesController
from tui.controllers.ui import Ui
from tui.widgets.episode_list import EpisodeList
from tui.widgets.sidebar import Sidebar


@dataclass(frozen=True, slots=True)
class Targets:
    """The episodes that a key acts on, in the order of the list. `episode` is the row of a single one under the cursor;
    None for several that were selected, whose rows need not have been read."""

    ids: tuple[EpisodeId, ...]
    episode: Episode | None = None


class Selection:
    """By the pane that has the focus, and the cursor of the list."""

    def __init__(
        self, ui: Ui, panes: PanesController, lists: ListController, sidebar: Sidebar, episodes: EpisodeList
    ) -> None:
        self._ui = ui
        self._panes = panes
        self._lists = lists
        self._sidebar = sidebar
        self._episodes = episodes

    @property
    def in_sidebar(self) -> bool:
        return self._panes.focus is Focus.SIDEBAR

    @property
    def on_page(self) -> bool:
        return self._panes.focus is Focus.NOTES

    @property
    def episode(self) -> Episode | None:
        """The one that a key means: none in the sidebar."""
        return None if self.in_sidebar else self._episodes.episode

    def episodes(self, act: Callable[[Targets], object]) -> None:
        """Calls `act` with the episodes that a key means: those that are selected, else the one under the cursor. Where
        there is none it says why, and `act` isn't called. `act` runs on the screen's thread, perhaps a moment later:
        the ids of many selected rows have to be read first."""
        if (episode := self.episode) is not None:
            act(Targets((episode.id,), episode))
        else:
            self._ui.say(self.no_episode())

    @property
    def view(self) -> View:
        """What the list shows."""
        return self._lists.view

    @property
    def podcast(self) -> Podcast | None:
        """The one whose episodes are listed, if they are of one podcast."""
        return self._lists.podcast

    @property
    def podcast_in_sidebar(self) -> Podcast | None:
        """The one under the sidebar's cursor, if there is one."""
        return self._sidebar.podcast

    @property
    def podcast_id(self) -> PodcastId | None:
        """That of the list, else that of the episode."""
        episode = self.episode
        return self._lists.view.podcast_id or (episode.podcast_id if episode else None)

    def no_episode(self) -> str:
        """Why there is none."""
        return _("This row is still being read") if self._episodes.is_awaited else _("No episode selected")
