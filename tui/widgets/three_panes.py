"""The three panes of the main screen, side by side."""

from collections.abc import Callable
from datetime import date

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widget import Widget

from player.library import Fetch
from tui.actions.action import Focus
from tui.widgets.episode_page import EpisodePage
from tui.widgets.episodes_pane import EpisodesPane
from tui.widgets.sidebar.pane import SidebarPane
from tui.widgets.virtual_list import VirtualList


class ThreePanes(Horizontal):
    """The views and podcasts, the list of episodes, and the page of the episode under the cursor."""

    def __init__(self, fetch: Fetch, today: Callable[[], date], *, id: str) -> None:
        super().__init__(id=id)
        self.sidebar_pane = SidebarPane(id="sidebar-pane")
        self.sidebar = self.sidebar_pane.rows
        self.pane = EpisodesPane(fetch, today, id="pane")
        self.page = EpisodePage(id="notes")

    def compose(self) -> ComposeResult:
        yield self.sidebar_pane
        yield self.pane
        yield self.page

    def share_out(self, *cells: int) -> None:
        """Sets the widths from left to right; a pane with no cells is hidden."""
        for pane, width in zip((self.sidebar_pane, self.pane, self.page), cells, strict=True):
            pane.display = width > 0
            if width:
                pane.styles.width = width

    def where(self, focused: Widget | None) -> Focus | None:
        """The pane that contains the widget with the focus."""
        if self.pane.typing:
            return Focus.FILTER
        if self.sidebar_pane.typing:
            return Focus.SIDEBAR_FILTER
        panes: dict[Widget | None, Focus] = {
            self.sidebar: Focus.SIDEBAR,
            self.pane.episodes: Focus.EPISODES,
            self.page: Focus.NOTES,
        }
        return panes.get(focused)

    def moving(self, focus: Focus) -> VirtualList | EpisodePage:
        """What the moving keys act on while that pane has the focus."""
        panes: dict[Focus, VirtualList | EpisodePage] = {Focus.SIDEBAR: self.sidebar, Focus.NOTES: self.page}
        return panes.get(focus, self.pane.episodes)
