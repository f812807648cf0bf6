"""The main screen's keys whose effect depends on the pane: `enter`, `esc`, `/`, `y`, `z`, `H` ..."""

from collections.abc import Callable

from player.text.sentences import _
from tui.actions.action import Focus
from tui.controllers.lists.list import ListController
from tui.controllers.lists.selection import Selection
from tui.controllers.lists.view_options import ViewOptions
from tui.controllers.page.links import FindController
from tui.controllers.page.page import PageBookmarks, PageController
from tui.controllers.panes import PanesController
from tui.controllers.playback import PlaybackController
from tui.controllers.podcasts import PodcastsController
from tui.controllers.refresh import RefreshController
from tui.controllers.sidebar import SidebarController
from tui.controllers.ui import Ui
from tui.drawing import labels
from tui.widgets.episodes_pane import EpisodesPane


class PaneKeys:
    """`read` opens the page of the selected episode over the whole screen, `add` the search for podcasts."""

    def __init__(
        self,
        ui: Ui,
        panes: PanesController,
        selection: Selection,
        pane: EpisodesPane,
        pages: PageController,
        playback: PlaybackController,
        *,
        finding: FindController,
        refreshing: RefreshController,
        podcasts: PodcastsController,
        bookmarks: PageBookmarks,
        sidebar: SidebarController,
        lists: ListController,
        view_options: ViewOptions,
        read: Callable[[], None],
        add: Callable[[], None],
    ) -> None:
        self._ui = ui
        self._panes = panes
        self._selection = selection
        self._pane = pane
        self._pages = pages
        self._playback = playback
        self._finding = finding
        self._refreshing = refreshing
        self._podcasts = podcasts
        self._bookmarks = bookmarks
        self._sidebar = sidebar
        self._lists = lists
        self._view_options = view_options
        self._read = read
        self._add = add

    def enter(self) -> None:
        if self._selection.in_sidebar:
            if not self._sidebar.fold():
                self.open_view()
        elif self._selection.on_page:
            if not self._pages.follow_entry():
                self._read()
        elif len(self._selection.rows) > 1:
            self._ui.say(_("Only one episode can be played. {key} ends the selection.", key=self._ui.key_of("back")))
        elif self._lists.kind.enter():
            pass
        elif (episode := self._selection.episode) is not None:
            self._playback.play_episode(episode.id, self._selection.view)
        elif self._selection.is_of_no_podcast:
            self._add()
        else:
            self._ui.say(self._selection.no_episode())

    def open_view(self) -> None:
        """Goes to the episodes of the sidebar's view. If a podcast failed, a panel says why."""
        if not self._sidebar.choose():
            return
        podcast = self._selection.podcast_in_sidebar
        if podcast is not None and podcast.error and not labels.is_suggestion(podcast):
            self._ui.notify(podcast.error, title=podcast.title, severity="warning", markup=False, timeout=10)
        self._panes.go_to(Focus.EPISODES)

    def back(self) -> None:
        in_sidebar = self._selection.in_sidebar
        if not in_sidebar and self._selection.end():
            return
        if in_sidebar and self._sidebar.end_filter():
            self._panes.go_to(Focus.SIDEBAR)
            return
        if self._pane.filtering and self._panes.focus is Focus.EPISODES:
            self._pane.close_filter()
            self._panes.go_to(Focus.EPISODES)
        elif not self._panes.leave_focus_mode() and not self._refreshing.stop():
            self._panes.left()

    def find(self) -> None:
        if self._selection.in_sidebar:
            self._sidebar.find()
            return
        if self._selection.on_page and self._finding.open():
            return
        self._panes.go_to(Focus.EPISODES)
        one_podcast = self._selection.podcast is not None
        self._pane.open_filter(_("Filter by title") if one_podcast else _("Filter by title or podcast"))

    def order(self) -> None:
        """Changes the order of the podcasts in the sidebar, or of the list."""
        if self._selection.in_sidebar:
            self._sidebar.order()
        else:
            self._view_options.order()

    def hide_played(self) -> None:
        """Hides or shows played podcasts in the sidebar, or played episodes in the list."""
        if self._selection.in_sidebar:
            self._sidebar.hide_played()
        else:
            self._view_options.hide_played()

    def copy(self) -> None:
        """Copies the podcast's link in the sidebar; otherwise the entry's or the episode's."""
        if not self._selection.in_sidebar or not self._podcasts.copy_link():
            self._pages.copy_link()

    def delete(self) -> None:
        """Deletes the bookmark or list under the cursor, or removes the episode from the queue or playlist that is
        shown; otherwise unsubscribes from the podcast."""
        if not self._bookmarks.delete() and not self._lists.kind.delete():
            self._podcasts.unsubscribe()

    def next(self) -> None:
        if not self._lists.kind.move(1):
            self._lists.next()

    def previous(self) -> None:
        if not self._lists.kind.move(-1):
            self._lists.previous()

    def narrower(self) -> None:
        self._ui.say(_("Width can only be changed in the reading view ({key})", key=self._ui.key_of("read")))

    wider = narrower
