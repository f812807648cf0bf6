"""The main screen's keys whose effect depends on the pane or the list: `enter`, `esc`, `/`, `y`, `z`, `H` ..."""

from msgspec.structs import replace

from player.model.filters import Order, State, View, ViewSettings
from player.model.podcast import Podcast
from player.player import Player
from player.text.sentences import _, mark, translate
from tui.actions.action import Focus
from tui.controllers.main_parts import MainParts
from tui.controllers.main_ui import MainUi
from tui.controllers.ui import say_after
from tui.drawing import labels

_CONTINUES = {
    None: mark("This list doesn't play on by itself"),
    False: mark("After the queue this list plays on, oldest first"),
    True: mark("After the queue this list plays on, newest first"),
}
_CONTINUES_IN_ORDER = mark("After the queue this list plays on, in its order")
_ORDERS = (Order.NEWEST, Order.OLDEST, Order.LONGEST, Order.SHORTEST)


class PaneKeys:
    def __init__(self, player: Player, ui: MainUi, parts: MainParts) -> None:
        self._player = player
        self._ui = ui
        self._parts = parts
        self._panes = parts.panes
        self._selection = parts.selection
        self._sidebar = parts.sidebar
        self._lists = parts.lists

    def enter(self) -> None:
        if self._selection.in_sidebar:
            if not self._sidebar.fold():
                self.open_view()
        elif self._selection.on_page:
            if not self._parts.pages.follow_entry():
                self._ui.read()
        elif len(self._selection.rows) > 1:
            self._ui.say(_("Only one episode can be played. {key} ends the selection.", key=self._ui.key_of("back")))
        elif self._lists.kind.enter():
            pass
        elif (episode := self._selection.episode) is not None:
            self._ui.playback.play_episode(episode.id, self._selection.view)
        elif self._open_suggestion(self._selection.podcast):
            pass
        elif self._selection.is_of_no_podcast:
            self._ui.add()
        else:
            self._ui.say(self._selection.no_episode())

    def open_view(self) -> None:
        """Moves the focus to the episodes of the sidebar's view, or opens a suggestion. If the refresh of its podcast
        failed, a panel says why."""
        if not self._sidebar.choose() or self._open_suggestion(podcast := self._selection.podcast_in_sidebar):
            return
        if podcast is not None and podcast.error:
            self._ui.notify(podcast.error, title=podcast.title, severity="warning", markup=False, timeout=10)
        self._panes.go_to(Focus.EPISODES)

    def _open_suggestion(self, podcast: Podcast | None) -> bool:
        """False if it isn't a suggestion."""
        if podcast is None or not podcast.suggested:
            return False
        self._ui.open_suggestion(podcast)
        return True

    def refresh(self) -> None:
        if self._selection.on_page and self._parts.pages.refresh():
            return
        if not self._open_suggestion(self._selection.podcast):  # that reads its feed
            self._parts.refreshing.podcast()

    def back(self) -> None:
        in_sidebar = self._selection.in_sidebar
        if not in_sidebar and self._selection.end():
            return
        if in_sidebar and self._sidebar.end_filter():
            self._panes.go_to(Focus.SIDEBAR)
            return
        if self._lists.pane.filtering and self._panes.focus is Focus.EPISODES:
            self._lists.pane.close_filter()
            self._panes.go_to(Focus.EPISODES)
        elif not self._panes.leave_focus_mode() and not self._parts.refreshing.stop():
            self._panes.left()

    def find(self) -> None:
        if self._selection.in_sidebar:
            self._sidebar.find()
            return
        if self._selection.on_page and self._parts.finding.open():
            return
        self._panes.go_to(Focus.EPISODES)
        one_podcast = self._selection.podcast is not None
        self._lists.pane.open_filter(_("Filter by title") if one_podcast else _("Filter by title or podcast"))

    def order(self) -> None:
        """Changes the sidebar, or the list, to the next order; after the last one comes the list's default."""
        view = self._lists.view.whole
        if self._selection.in_sidebar:
            self._sidebar.order()
        elif not self._lists.kind.order() and (settings := self._options_of(view)) is not None:
            orders = list(dict.fromkeys((view.order, *_ORDERS)))
            now = settings.order or view.order
            order = orders[(orders.index(now) + 1) % len(orders)] if now in orders else view.order
            self._lists.options.choose(view, replace(settings, order=None if order is view.order else order))
            self._lists.show_again(from_top=True)
            self._ui.say(labels.order_words(order))

    def hide_played(self) -> None:
        """Hides or shows played podcasts in the sidebar, or played episodes in the list."""
        view = self._lists.view.whole
        if self._selection.in_sidebar:
            self._sidebar.hide_played()
        elif self._lists.kind.hide_played():
            pass
        elif view.filter.states & {State.IN_PROGRESS, State.QUEUED, State.NEW, State.PLAYED}:
            self._ui.say(_("This list has no played episodes to hide"))
        elif (settings := self._options_of(view)) is not None:
            settings = replace(settings, hide_played=not settings.hide_played)
            self._lists.options.choose(view, settings)
            self._lists.show_again(from_top=False)
            self._ui.say(_("Played episodes are hidden") if settings.hide_played else _("Played episodes are shown"))

    def _options_of(self, view: View) -> ViewSettings | None:
        settings = self._lists.options.chosen(view)
        if settings is None:
            self._ui.say(_("The list is still being read. Try again in a moment."))
        return settings

    def continue_list(self) -> None:
        """Cycles through the ways in which playback continues with this list after the queue: not at all, oldest first,
        newest first; for the listener's own lists: not at all, or in their order."""
        view = self._lists.view.whole
        if not self._lists.kind.plays_on:
            self._ui.say(_("Only lists of episodes play on after the queue"))
            return

        def words(how: bool | None) -> str:
            own = how is not None and view.list_id is not None
            return translate(_CONTINUES_IN_ORDER if own else _CONTINUES[how])

        continuing = self._player.lists.continue_in_turn(view)
        continuing.add_done_callback(lambda _future: self._player.session.look_ahead())
        say_after(self._ui, continuing, words)

    def copy(self) -> None:
        """Copies the link of the podcast in the sidebar; in other panes the link of the page's entry, or else of the
        episode."""
        if not self._selection.in_sidebar or not self._parts.podcasts.copy_link():
            self._parts.pages.copy_link()

    def delete(self) -> None:
        """Deletes the bookmark or list under the cursor, or removes the episode from the queue or playlist that is
        shown; otherwise unsubscribes from the podcast."""
        if not self._parts.page_bookmarks.delete() and not self._lists.kind.delete():
            self._parts.podcasts.unsubscribe()

    def dismiss(self) -> None:
        if not self._lists.kind.dismiss_row():
            self._parts.inbox.dismiss()

    def next(self) -> None:
        if not self._lists.kind.move(1):
            self._lists.next()

    def previous(self) -> None:
        if not self._lists.kind.move(-1):
            self._lists.previous()

    def narrower(self) -> None:
        self._ui.say(_("Width can only be changed in the reading view ({key})", key=self._ui.key_of("read")))

    wider = narrower
