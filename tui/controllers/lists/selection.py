"""What the keys of the main screen mean: the episode under the cursor, and the podcast that goes with it."""

from player.model.episode import Episode
from player.model.podcast import Podcast, PodcastId
from player.text.sentences import _
from tui.actions.action import Focus
from tui.controllers.lists.list import ListController
from tui.controllers.panes import PanesController
from tui.widgets.episode_list import EpisodeList
from tui.widgets.sidebar import Sidebar


class Selection:
    """By the pane that has the focus, and the cursor of the list."""

    def __init__(self, panes: PanesController, lists: ListController, sidebar: Sidebar, episodes: EpisodeList) -> None:
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
