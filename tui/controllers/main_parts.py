"""Builds the controllers of the main screen. Each is handed the controllers that it works with, and asks the screen for
everything else."""

from collections.abc import Callable
from datetime import date

from player.model.episode import EpisodeId
from player.model.filters import View
from player.player import Player
from tui.controllers.keeping import DownloadList, RowBytesController
from tui.controllers.links import FindController, LinksController
from tui.controllers.lists.back_stack import BackStack
from tui.controllers.lists.bookmarks import BookmarkList
from tui.controllers.lists.history import HistoryList
from tui.controllers.lists.inbox import NewList
from tui.controllers.lists.list import LeavingRows, ListController
from tui.controllers.lists.marks import MarksController, UndoController
from tui.controllers.lists.queue import QueueController, QueueList
from tui.controllers.lists.selection import Selection
from tui.controllers.lists.welcome import WelcomeList
from tui.controllers.main_ui import MainUi
from tui.controllers.own_lists import ListCounts, OwnLists
from tui.controllers.page import NotesController, PageBookmarks, PageController
from tui.controllers.panes import PanesController
from tui.controllers.podcasts import ArrangingController, PodcastsController
from tui.controllers.refresh import ProgressLine, RefreshController
from tui.controllers.sidebar import SidebarController
from tui.controllers.ui import LibraryReader
from tui.widgets.three_panes import ThreePanes


class MainParts:
    """`line` shows the progress of a refresh; `first` are the view and the episode that are selected at the start."""

    def __init__(
        self,
        player: Player,
        ui: MainUi,
        body: ThreePanes,
        line: ProgressLine,
        *,
        first: tuple[View | None, EpisodeId | None],
        today: Callable[[], date],
    ) -> None:
        page, episodes = body.page, body.pane.episodes
        body.sidebar.key_of = ui.key_of
        self.panes = PanesController(player, ui)
        self.links = LinksController(player, ui, page)
        self.pages = PageController(player, ui, page, self.links)
        self.page_bookmarks = PageBookmarks(player, ui, page)
        self.finding = FindController(ui, page)
        self.notes = NotesController(ui, page, self.pages, episodes)
        self.reader = LibraryReader(ui)
        self.sidebar = SidebarController(player, ui, self.reader, body.sidebar_pane, first[0], self.panes.make_room)
        self.lists = lists = ListController(
            player, ui, self.reader, body, filling=self.sidebar, notes=self.notes, first=first, today=today
        )
        self.selection = Selection(self.panes, lists)
        self.back_stack = BackStack(lists)
        self.leaving = LeavingRows(lists)
        self.inbox = NewList(lists, self.selection)
        self.queue_view = QueueList(lists, self.selection)
        self.own_lists = OwnLists(lists, self.selection)
        self.list_counts = ListCounts(player, ui, body.sidebar)
        self.bookmarks = BookmarkList(lists, self.selection)
        self.history = HistoryList(lists)
        self.welcome = WelcomeList(lists, self.selection)
        self.downloads = DownloadList(lists, self.selection)
        self.row_bytes = RowBytesController(player, ui, self.downloads, self.sidebar.update_counts)
        episodes.bytes_of = self.row_bytes.of
        self.marks = MarksController(player, ui, self.inbox)
        self.queue = QueueController(player, ui, self.inbox)
        self.undoing = UndoController(player, ui, self.inbox)
        self.refreshing = RefreshController(player, ui, line, self.selection)
        self.podcasts = PodcastsController(player, ui, self.refreshing, self.selection)
        self.arranging = ArrangingController(player, ui, self.selection)

    def go_to(self, view: View) -> None:
        """Selects a view in the sidebar; the back key returns from there."""
        self.back_stack.leave()
        self.sidebar.select(view)
