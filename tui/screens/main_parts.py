"""The controllers of the main screen, each given the others and the widgets that it needs."""

from collections.abc import Awaitable, Callable
from datetime import date
from typing import cast

from player.model.episode import Episode, EpisodeId
from player.model.filters import View, ViewName
from tui.actions.action import Focus
from tui.controllers.arranging import ArrangingController
from tui.controllers.keeping import DownloadList, RowBytesController, playable
from tui.controllers.lists.back_stack import BackStack, Spot
from tui.controllers.lists.bookmarks import BookmarkList
from tui.controllers.lists.history import HistoryList
from tui.controllers.lists.inbox import NewList
from tui.controllers.lists.list import LeavingRows, ListController, ListKind
from tui.controllers.lists.marks import MarksController, UndoController
from tui.controllers.lists.queue import QueueController, QueueList
from tui.controllers.lists.selection import Selection
from tui.controllers.lists.view_options import ViewOptions
from tui.controllers.main_ui import EpisodeUi
from tui.controllers.own_lists import ListCounts, OwnLists
from tui.controllers.page.links import FindController, LinksController
from tui.controllers.page.notes import NotesController
from tui.controllers.page.page import PageBookmarks, PageController
from tui.controllers.pane_keys import PaneKeys
from tui.controllers.panes import Arrangement, PanesController
from tui.controllers.podcasts import PodcastsController
from tui.controllers.refresh import RefreshController
from tui.controllers.sidebar import SidebarController
from tui.controllers.ui import LibraryReader
from tui.screens.base import BaseScreen
from tui.screens.openers import Openers
from tui.widgets.episode_list import EpisodeList
from tui.widgets.three_panes import ThreePanes


class MainParts:
    """`first` is the view and the episode that are selected at the start; `list_shown` is awaited with every list."""

    def __init__(
        self,
        screen: BaseScreen,
        body: ThreePanes,
        *,
        first: tuple[View | None, EpisodeId | None],
        today: Callable[[], date],
        list_shown: Callable[[], Awaitable[None]],
    ) -> None:
        player, playback, page, episodes = screen.player, screen.playback, body.page, body.pane.episodes
        self._body = body
        body.sidebar.shows_new = player.settings.inbox.enabled
        body.sidebar.key_of = screen.key_of
        self.panes = PanesController(
            lambda: screen.app.size.width,
            self._share_out,
            self._give_focus,
            say=screen.say,
            key_of=screen.key_of,
            remembered=player.remembered("panes"),
            remember=lambda widths: player.remember("panes", widths),
        )
        self.view_options = ViewOptions(player, screen, lambda: self.lists)
        self.row_bytes = RowBytesController(
            player,
            screen,
            lambda: screen.app.screen.query(EpisodeList),
            lambda snapshot: self.downloads.moved(snapshot),
        )
        episodes.bytes_of = self.row_bytes.of
        self.reader = LibraryReader(screen)
        self.sidebar = SidebarController(
            player,
            screen,
            self.reader,
            body.sidebar_pane,
            first=first[0],
            filled=lambda: self.lists.load(),
            unread=list_shown,
        )
        self.lists = ListController(
            player,
            screen,
            self.reader,
            body.sidebar,
            body.pane,
            filling=self.sidebar,
            first=first,
            shown_as=lambda view: playable(player, self.view_options.shown(view), self._kind_of(view)),
            kind_of=self._kind_of,
            read_too=lambda episode: self.notes.read_first(episode),
            shown=list_shown,
            today=today,
        )
        self.selection = Selection(screen, self.panes, self.lists, body.sidebar, episodes)
        no_episode = self.selection.no_episode
        self.back_stack = BackStack(
            player, screen, self._here, self._show_list, lambda episode: self.opening.preview(episode)
        )
        self.opening = Openers(
            screen,
            self._episode,
            no_episode,
            playback,
            show=self.back_stack.show_episode,
            show_podcast=self.back_stack.show_podcast,
            go_to=self.back_stack.go_to_episode,
            step=self.lists.step,
            inbox=lambda: self.inbox,
            podcasts=lambda: body.sidebar.podcasts,
            places=lambda: body.sidebar.places,
            show_place=self._go_to_place,
            notes=lambda episode: self.notes.known(episode),
            today=today,
            queue=lambda *found: self.queue.add_found(*found),
            bytes_of=self.row_bytes.of,
        )
        ui = cast(EpisodeUi, screen)
        self.links = LinksController(player, ui, page)
        self.pages = PageController(player, ui, page, self.links)
        self.finding = FindController(screen, page)
        self.notes = NotesController(ui, page, self.pages, episodes)
        self.leaving = LeavingRows(
            episodes,
            lambda: self.lists.shown_as,
            lambda view: (saved := body.sidebar.list_of(view)) is not None and not saved.is_playlist,
            self.lists.load,
            self.lists.load_around_cursor,
        )
        self.inbox = NewList(player, screen, self.lists, self.selection, episodes)
        self.marks = MarksController(
            player,
            screen,
            self.inbox.episodes,
            self.selection.with_list,
            episodes.put,
            decided=self.inbox.decided,
            downloading=self.inbox.downloading,
        )
        self.queue = QueueController(player, screen, self.inbox.episodes, episodes.put, decided=self.inbox.decided)
        self.queue_view = QueueList(player, screen, self.lists, self.selection, episodes, self.reader)
        self.undoing = UndoController(player, screen, self.inbox.take_back)
        self.list_counts = ListCounts(
            player, screen, lambda: body.sidebar.lists, lambda counts: body.sidebar.show_list_counts(counts)
        )
        body.sidebar.on_filled = self.list_counts.changed
        self.own_lists = OwnLists(
            player,
            screen,
            self.lists,
            self.selection,
            body.sidebar,
            self.view_options,
            show=lambda view: self._show_list(view, None),
            searched=lambda: self.opening.searched,
        )
        self.refreshing = RefreshController(
            player,
            screen,
            screen.footer,
            lambda: self.selection.podcasts_here,
            lambda: self.lists.titles,
            show_podcast=self.back_stack.show_podcast,
        )
        self.podcasts = PodcastsController(
            player, screen, playback, self.refreshing, self.selection, open_about=screen.open_about
        )
        self.arranging = ArrangingController(player, screen, lambda: self.selection.podcast_id)
        self.page_bookmarks = PageBookmarks(player, screen, page)
        self.bookmarks = BookmarkList(player, screen, self.lists, self.selection, playback, episodes)
        self.history = HistoryList(player, screen, self.lists, playback, episodes, today=today)
        self.downloads = DownloadList(player, screen, self.lists, self.selection, episodes, today=today)
        self._plain = ListKind(player, screen, self.lists)
        self._kinds = {
            ViewName.NEW: self.inbox,
            ViewName.QUEUE: self.queue_view,
            ViewName.DOWNLOADS: self.downloads,
            ViewName.BOOKMARKS: self.bookmarks,
            ViewName.HISTORY: self.history,
        }
        self.keys = PaneKeys(
            screen,
            self.panes,
            self.selection,
            body.pane,
            self.pages,
            playback,
            finding=self.finding,
            refreshing=self.refreshing,
            podcasts=self.podcasts,
            bookmarks=self.page_bookmarks,
            sidebar=self.sidebar,
            lists=self.lists,
            view_options=self.view_options,
            read=self.opening.read,
            add=self.opening.add,
        )

    def by_name(self) -> dict[str, object]:
        """By their names in the table of actions."""
        return {
            "here": self.keys,
            "panes": self.panes,
            "list": self.lists,
            "view": self.view_options,
            "history": self.history,
            "own_lists": self.own_lists,
            "back_stack": self.back_stack,
            "open": self.opening,
            "links": self.links,
            "page": self.pages,
            "inbox": self.inbox,
            "marks": self.marks,
            "undoing": self.undoing,
            "queue": self.queue,
            "queue_view": self.queue_view,
            "selection": self.selection,
            "refresh": self.refreshing,
            "downloads": self.downloads,
            "podcasts": self.podcasts,
            "arranging": self.arranging,
        }

    def place(self) -> Callable[[], None]:
        """A function that brings back the pane and tab of this moment."""
        tab, focus = self.pages.place(), self.panes.focus

        def back() -> None:
            tab()
            if self.panes.focus is not focus:
                self.panes.go_to(focus)

        return back

    def _kind_of(self, view: View) -> ListKind:
        return self.own_lists if view.list_id is not None else self._kinds.get(view.name, self._plain)

    def _episode(self) -> Episode | None:
        """The episode under the list's cursor, whichever pane has the focus."""
        return self._body.pane.episodes.episode

    def _here(self) -> Spot:
        return self.lists.view.whole, self._body.pane.episodes.episode_id

    def _show_list(self, view: View, episode_id: EpisodeId | None) -> None:
        self.lists.show(view, episode_id)
        self.panes.go_to(Focus.EPISODES)

    def _go_to_place(self, view: View) -> None:
        self.back_stack.leave()
        self.sidebar.select(view)

    def _share_out(self, arrangement: Arrangement) -> None:
        self._body.share_out(arrangement.sidebar, arrangement.episodes, arrangement.notes)
        self.notes.show()

    def _give_focus(self, where: Focus) -> None:
        self._body.moving(where).focus()
        if where is Focus.EPISODES:
            self.lists.hold_keys()
