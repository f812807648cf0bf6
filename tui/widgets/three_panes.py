"""The three panes of the main screen, side by side."""

from collections.abc import Callable
from datetime import date

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.message import Message
from textual.widget import Widget

from player.library import Fetch
from tui.actions.action import Focus
from tui.framework.messages import FieldMessage
from tui.widgets.episode_page import EpisodePage
from tui.widgets.episodes_pane import EpisodesPane
from tui.widgets.sidebar import SidebarPane
from tui.widgets.virtual_list import VirtualList

WIDEST_NOTES = 81
"""The cells of the widest text of notes with its margins and the scrollbar; in a wider pane, the text is centred."""


class ThreePanes(Horizontal):
    """The sidebar, the list of episodes, and the page of the episode under the cursor.

    The edge between two panes can be dragged. It is the first column of the right pane, which is always blank.
    """

    class EdgeMoved(FieldMessage):
        """An edge is being dragged to a column; `pane` is the pane to its right."""

        pane: Focus
        column: int

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, ThreePanes.EdgeMoved)

    class EdgeReleased(Message):
        """Dragging an edge has ended."""

    class EdgeDoubleClicked(Message):
        """An edge was double-clicked."""

    def __init__(self, fetch: Fetch, today: Callable[[], date], *, id: str) -> None:
        super().__init__(id=id)
        self.sidebar_pane = SidebarPane(id="sidebar-pane")
        self.sidebar = self.sidebar_pane.rows
        self.pane = EpisodesPane(fetch, today, id="pane")
        self.page = EpisodePage(id="notes")
        self._dragged: Focus | None = None

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
        self.page.centre(max(0, (cells[-1] - WIDEST_NOTES) // 2))

    def where(self, focused: Widget | None) -> Focus | None:
        """The pane of the widget with the focus, or its filter."""
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
        """The list or page that the moving keys act on while a pane has the focus."""
        panes: dict[Focus, VirtualList | EpisodePage] = {Focus.SIDEBAR: self.sidebar, Focus.NOTES: self.page}
        return panes.get(focus, self.pane.episodes)

    # -- the edges --------------------------------------------------------------------------------------------

    def edge_at(self, column: int) -> Focus | None:
        """The pane whose left edge is in a column of the screen; None if there is no edge between two panes."""
        for pane, focus in ((self.pane, Focus.EPISODES), (self.page, Focus.NOTES)):
            if pane.display and pane.region.x == column > self.region.x:
                return focus
        return None

    def on_mouse_down(self, event: events.MouseDown) -> None:
        if event.button == 1 and (edge := self.edge_at(event.screen_x)) is not None:
            self._dragged = edge
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._dragged is None:
            return
        if not event.button:  # released outside the terminal
            self._release()
        else:
            self.post_message(self.EdgeMoved(self._dragged, event.screen_x - self.region.x))

    def on_mouse_up(self) -> None:
        if self._dragged is not None:
            self._release()

    def on_click(self, event: events.Click) -> None:
        if event.chain == 2 and self.edge_at(event.screen_x) is not None:
            self.post_message(self.EdgeDoubleClicked())

    def _release(self) -> None:
        self._dragged = None
        self.release_mouse()
        self.post_message(self.EdgeReleased())
