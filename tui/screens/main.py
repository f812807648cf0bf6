"""The screen that Earmark lives in: sidebar, episodes and notes, the bar and the footer."""

from collections.abc import Callable
from datetime import date
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input

from player.model.episode import Episode, EpisodeId
from player.model.filters import View, ViewName
from player.model.playback import PlaybackStatus
from player.player import Player
from player.text.sentences import _
from tui.actions.table import ACTIONS, Action, Focus, bindings
from tui.bridge import (
    AttachmentsArrived,
    EpisodesTouched,
    NoticeArrived,
    PodcastArrived,
    RefreshMoved,
    StatusMoved,
    SubscriptionsChanged,
)
from tui.controllers.lists.history import ListHistory
from tui.controllers.lists.list import ListController
from tui.controllers.lists.marks import MarksController
from tui.controllers.lists.selection import Selection
from tui.controllers.page.find import FindController
from tui.controllers.page.links import LinksController
from tui.controllers.page.notes import NotesController
from tui.controllers.page.page import PageController
from tui.controllers.panes import Arrangement, PanesController
from tui.controllers.podcasts import PodcastsController
from tui.controllers.refresh import RefreshController
from tui.drawing import labels
from tui.framework.first_frame import FirstFrame
from tui.screens.base import BaseScreen
from tui.screens.openers import Openers
from tui.widgets.episode_page import EpisodePage
from tui.widgets.episodes_pane import EpisodesPane
from tui.widgets.footer import FooterContext
from tui.widgets.three_panes import ThreePanes
from tui.widgets.virtual_list import VirtualList

_RELOAD_S, _RELOAD_IN_REFRESH_S = 0.15, 0.5
"""Feeds that are read one after the other cost one reload in so many seconds."""
_SHORT, _TINY = 20, 9
"""Rows of a screen that has to save some, and of one with none to spare."""


class MainScreen(BaseScreen):
    """Puts its parts together, and hands each of them what happens.

    `first_view` is where the sidebar's cursor stands at the start.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings()]
    AUTO_FOCUS = "#episodes"

    def __init__(
        self,
        player: Player,
        actions: tuple[Action, ...] = ACTIONS,
        *,
        first_view: View | None = None,
        first_episode: EpisodeId | None = None,
        today: Callable[[], date] = date.today,
    ) -> None:
        super().__init__(player, actions)
        self._reload_waits = False
        self.body = ThreePanes(player.library.episodes.rows, today, id="body")
        self.page = self.body.page
        self.first_frame = FirstFrame(self)
        self._build_controllers(first_view, first_episode, today)

    def _build_controllers(
        self, first_view: View | None, first_episode: EpisodeId | None, today: Callable[[], date]
    ) -> None:
        player, body, episodes = self.player, self.body, self.body.pane.episodes
        self.panes = PanesController(lambda: self.app.size.width, self._share_out, self._give_focus)
        self.lists = ListController(
            player,
            self,
            body.sidebar,
            body.pane,
            first=(first_view, first_episode),
            read_too=lambda episode: self.notes.read_first(episode),
            came=self._list_came,
        )
        self.selection = chosen = Selection(self.panes, self.lists, episodes)
        self.history = ListHistory(player, self, lambda: (self.view.whole, self.episode_id), self._show_list)
        self.opening = Openers(
            self,
            lambda: self.episode,
            chosen.no_episode,
            self.playback,
            show=self.history.show_episode,
            go_to=self.history.go_to_episode,
            step=self.lists.step,
            podcasts=lambda: body.sidebar.podcasts,
            notes=lambda episode: self.notes.known(episode),
            today=today,
        )
        self.links = LinksController(
            player, self, self.playback, lambda: self.episode, chosen.no_episode, self.page.links_of
        )
        self.pages = PageController(
            player,
            self,
            self.page,
            self.links,
            self.playback,
            go_to_page=lambda: self.panes.go_to(Focus.NOTES),
            on_page=lambda: chosen.on_page,
            show_hints=self.show_hints,
            tell=self.opening.about,
        )
        self.finding = FindController(self, self.page, lambda: chosen.on_page)
        self.notes = NotesController(
            self, self.page, self.pages, episodes, lambda: self.lists.instead, lambda: self.held
        )
        self.marks = MarksController(player, self, lambda: chosen.episode, episodes.put, chosen.no_episode)
        self.refreshing = RefreshController(
            player, self, self.footer, lambda: chosen.podcast_id, lambda: self.lists.titles
        )
        self.podcasts = PodcastsController(
            player, self, self.playback, self.refreshing, chosen, tell=self.opening.about
        )
        self.run_by(
            ACTIONS,
            panes=self.panes,
            list=self.lists,
            history=self.history,
            open=self.opening,
            links=self.links,
            page=self.pages,
            marks=self.marks,
            refresh=self.refreshing,
            podcasts=self.podcasts,
        )

    def compose(self) -> ComposeResult:
        yield self.body
        yield self.bar
        yield self.footer

    def on_mount(self) -> None:
        self.first_frame.begin()
        self.panes.arrange()
        self.lists.load_sidebar()

    def on_unmount(self) -> None:
        self.lists.close()

    # -- what is here -----------------------------------------------------------------------------------------

    @property
    def view(self) -> View:
        """What the list shows."""
        return self.lists.query

    @property
    def episode_id(self) -> EpisodeId | None:
        return self.body.pane.episodes.episode_id

    @property
    def episode(self) -> Episode | None:
        """The episode under the cursor."""
        return self.body.pane.episodes.episode

    # -- the panes --------------------------------------------------------------------------------------------

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.height < _SHORT, "-short")
        self.set_class(event.size.height < _TINY, "-tiny")
        self.panes.arrange()

    def on_descendant_focus(self, _event: events.DescendantFocus) -> None:
        if (where := self.body.where(self.focused)) is not None:
            self.panes.focused(where)
        self.show_hints()

    def moving(self) -> VirtualList | EpisodePage:
        return self.body.moving(self.panes.focus)

    def _share_out(self, arrangement: Arrangement) -> None:
        self.body.share_out(arrangement.sidebar, arrangement.episodes, arrangement.notes)
        self.notes.show()

    def _give_focus(self, where: Focus) -> None:
        self.moving().focus()
        if where is Focus.EPISODES:
            self.lists.hold_keys()

    def show_hints(self) -> None:
        status = self.status
        loaded = status.episode.id if status.episode else None
        where = self.body.where(self.focused) or self.panes.focus
        podcast = self.body.sidebar.podcast is not None
        self.footer.show(FooterContext(where, self.episode, loaded, status.state, self.pages.enter_word, podcast))
        self.bar.offer(playable=self.episode is not None)

    # -- what happens -----------------------------------------------------------------------------------------

    @on(FirstFrame.Drawn)
    def _framed(self) -> None:
        self.pages.show_beside()

    async def _list_came(self) -> None:
        self.show_hints()
        await self.first_frame.draw()

    @on(VirtualList.Moved, "#sidebar")
    def _view_chosen(self) -> None:
        self.lists.follow_sidebar()

    @on(VirtualList.Chosen, "#sidebar")
    def _open_view(self) -> None:
        """To its episodes; a podcast that failed tells why."""
        podcast = self.body.sidebar.podcast
        if podcast is not None and podcast.error and not labels.is_suggestion(podcast):
            self.notify(podcast.error, title=podcast.title, severity="warning", markup=False, timeout=10)
        self.panes.go_to(Focus.EPISODES)

    @on(VirtualList.Moved, "#episodes")
    def _episode_chosen(self) -> None:
        self.lists.remember_cursor()
        self.notes.show_soon()
        self.show_hints()

    @on(VirtualList.Chosen, "#episodes")
    def _episode_clicked(self) -> None:
        self.enter()

    @on(EpisodesPane.Filtered)
    def _filtered(self, event: EpisodesPane.Filtered) -> None:
        self.lists.filter(event.text)

    @on(Input.Submitted, "#filter")
    def _filter_kept(self) -> None:
        self.panes.go_to(Focus.EPISODES)

    def show_status(self, status: PlaybackStatus) -> None:
        self.bar.show(status)
        self.body.pane.episodes.show_status(status)
        self.show_hints()

    @on(StatusMoved)
    def _page_follows(self, event: StatusMoved) -> None:
        self.page.follow(event.status)

    @on(AttachmentsArrived)
    def _more_beside(self, event: AttachmentsArrived) -> None:
        self.pages.attachments_arrived(event.episode_id)

    @on(EpisodesTouched)
    def _episodes_touched(self, event: EpisodesTouched) -> None:
        self.body.pane.episodes.forget(event.episode_ids)
        self.show_hints()
        self.lists.count_anew()

    @on(SubscriptionsChanged)
    def _subscriptions_changed(self) -> None:
        if not self._reload_waits:
            self._reload_waits = True
            self.set_timer(_RELOAD_IN_REFRESH_S if self.refreshing.under_way else _RELOAD_S, self._reload)

    def _reload(self) -> None:
        self._reload_waits = False
        self.notes.forget()
        self.lists.load_sidebar()

    @on(PodcastArrived)
    def _podcast_arrived(self, event: PodcastArrived) -> None:
        self.history.leave()
        self.lists.want(View.of(ViewName.PODCAST, event.podcast_id))

    @on(RefreshMoved)
    def _refresh_moved(self, event: RefreshMoved) -> None:
        self.refreshing.moved(event.progress)

    @on(NoticeArrived)
    def _noticed(self, event: NoticeArrived) -> None:
        self.tell(event.notice)

    # -- keys -------------------------------------------------------------------------------------------------

    def enter(self) -> None:
        if self.selection.in_sidebar:
            self._open_view()
        elif self.selection.on_page:
            if not self.pages.follow_entry():
                self.opening.read()
        elif self.episode is not None:
            self.playback.play_episode(self.episode.id)
        else:
            self.say(self.selection.no_episode())

    def back(self) -> None:
        if self.body.pane.filtering and self.panes.focus is Focus.EPISODES:
            self.body.pane.close_filter()
            self.panes.go_to(Focus.EPISODES)
        elif not self.refreshing.stop():
            self.panes.left()

    def find(self) -> None:
        if self.selection.on_page and self.finding.open():
            return
        self.panes.go_to(Focus.EPISODES)
        self.body.pane.open_filter()

    def follow(self, href: str) -> None:
        self.pages.follow(href)

    def copy(self) -> None:
        """In the sidebar the podcast's link, else that of the entry or the episode."""
        if not self.selection.in_sidebar or not self.podcasts.copy_link():
            self.pages.copy_link()

    def narrower(self) -> None:
        self.say(_("Width can only be changed in the reading view ({key})", key=self.key_of("read")))

    wider = narrower

    # -- to other lists ---------------------------------------------------------------------------------------

    def go_to_episode(self, episode_id: EpisodeId) -> None:
        self.history.go_to_episode(episode_id)

    def _show_list(self, view: View, episode_id: EpisodeId | None) -> None:
        self.lists.show(view, episode_id)
        self.panes.go_to(Focus.EPISODES)

    # -- Earmark ----------------------------------------------------------------------------------------------

    def theme(self) -> None:
        self.call_later(self.app.run_action, "theme")

    def quit(self) -> None:
        self.app.exit(0)
