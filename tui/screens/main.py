"""The screen that Earmark lives in: sidebar, episodes and notes, the bar and the footer."""

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import Input

from player.model.episode import Episode, EpisodeId
from player.model.filters import View, ViewName
from player.model.playback import PlaybackStatus, Severity
from player.model.podcast import PodcastId
from player.player import Player
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
from tui.controllers.arrangement import Arrangement
from tui.controllers.find import FindController
from tui.controllers.history import ListHistory
from tui.controllers.links import LinksController
from tui.controllers.list import ListController
from tui.controllers.marks import MarksController
from tui.controllers.notes import NotesController
from tui.controllers.page import PageController
from tui.controllers.panes import PanesController
from tui.controllers.podcasts import PodcastsController
from tui.controllers.refresh import RefreshController
from tui.drawing import labels
from tui.framework.first_frame import FirstFrame
from tui.screens.base import BaseScreen
from tui.widgets.episode_page import EpisodePage
from tui.widgets.episodes_pane import EpisodesPane
from tui.widgets.footer import FooterContext
from tui.widgets.sidebar import Sidebar
from tui.widgets.virtual_list import VirtualList

if TYPE_CHECKING:
    from tui.controllers.about_pages import Build

_RELOAD_S, _RELOAD_IN_REFRESH_S = 0.15, 0.5
"""Feeds that are read one after the other cost one reload in so many seconds."""
_SHORT, _TINY, _ROOMY = 20, 9, 24
"""Rows of a screen that has to save some, of one with none to spare, and of one with room for long panels."""


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
        self._today = today
        self._searched = ""
        self._reload_waits = False
        self.sidebar = Sidebar(id="sidebar")
        self.pane = EpisodesPane(player.library.episodes.rows, today, id="pane")
        self.page = EpisodePage(id="notes")
        self.first_frame = FirstFrame(self)
        self._compose_parts(first_view, first_episode)

    def _compose_parts(self, first_view: View | None, first_episode: EpisodeId | None) -> None:
        player = self.player
        self.panes = PanesController(lambda: self.app.size.width, self._share_out, self._give_focus)
        self.lists = ListController(
            player,
            self,
            self.sidebar,
            self.pane,
            first_view=first_view,
            first_episode=first_episode,
            rows=lambda: self.size.height,
            came=self._list_came,
        )
        self.history = ListHistory(lambda: (self.view.whole, self.episode_id), self._show_list, self.say)
        self.links = LinksController(player, self, self.playback, lambda: self.episode, self._no_episode)
        self.pages = PageController(
            player,
            self,
            self.page,
            self.links,
            go_to_page=lambda: self.panes.go_to(Focus.NOTES),
            on_page=self._on_page,
            show_hints=self.show_hints,
            tell=self._tell,
        )
        self.finding = FindController(self, self.page, self._on_page)
        self.notes = NotesController(
            self,
            self.page,
            self.pages,
            lambda: self.episode,
            self._words_of_page,
            is_awaited=lambda: self.pane.episodes.is_awaited,
            is_held=lambda: self.held,
        )
        self.marks = MarksController(player, self, self._selected, self.pane.episodes.put, self._no_episode)
        self.refreshing = RefreshController(
            player,
            self,
            self.footer,
            self._podcast_here,
            lambda: {podcast.id: podcast.title for podcast in self.sidebar.podcasts},
            lambda: self.size.height >= _ROOMY,
        )
        self.podcasts = PodcastsController(
            player,
            self,
            self.playback,
            self.refreshing,
            podcast=lambda: self.lists.podcast,
            selected=self._selected,
            podcast_here=self._podcast_here,
            tell=self._tell,
        )
        self.run_by(
            ACTIONS,
            panes=self.panes,
            list=self.lists,
            history=self.history,
            links=self.links,
            page=self.pages,
            marks=self.marks,
            refresh=self.refreshing,
            podcasts=self.podcasts,
        )

    def compose(self) -> ComposeResult:
        with Horizontal(id="body"):
            yield self.sidebar
            yield self.pane
            yield self.page
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
        return self.pane.episodes.episode_id

    @property
    def episode(self) -> Episode | None:
        """The episode under the cursor."""
        return self.pane.episodes.episode

    def _selected(self) -> Episode | None:
        """The episode that a key means: none in the sidebar."""
        return None if self.panes.focus is Focus.SIDEBAR else self.episode

    def _no_episode(self) -> str:
        """Why there is none under the cursor."""
        return "This row is still being read" if self.pane.episodes.is_awaited else "No episode selected"

    def _podcast_here(self) -> PodcastId | None:
        """That of the list, or that of the episode."""
        episode = self._selected()
        return self.view.podcast_id or (episode.podcast_id if episode else None)

    def _on_page(self) -> bool:
        return self.panes.focus is Focus.NOTES

    def _words_of_page(self) -> tuple[str, ...]:
        if not self.lists.is_known:
            return ()
        return labels.page_words(self.lists.podcast, any_podcast=bool(self.sidebar.podcasts))

    # -- the panes --------------------------------------------------------------------------------------------

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.height < _SHORT, "-short")
        self.set_class(event.size.height < _TINY, "-tiny")
        self.panes.arrange()

    def on_descendant_focus(self, _event: events.DescendantFocus) -> None:
        if (where := self._where()) is not None:
            self.panes.focused(where)
        self.show_hints()

    def _where(self) -> Focus | None:
        if self.pane.typing:
            return Focus.FILTER
        panes: dict[Widget | None, Focus] = {
            self.sidebar: Focus.SIDEBAR,
            self.pane.episodes: Focus.EPISODES,
            self.page: Focus.NOTES,
        }
        return panes.get(self.focused)

    def moving(self) -> VirtualList | EpisodePage:
        panes: dict[Focus, VirtualList | EpisodePage] = {Focus.SIDEBAR: self.sidebar, Focus.NOTES: self.page}
        return panes.get(self.panes.focus, self.pane.episodes)

    def _share_out(self, arrangement: Arrangement) -> None:
        shares = (
            (self.sidebar, arrangement.sidebar),
            (self.pane, arrangement.episodes),
            (self.page, arrangement.notes),
        )
        for pane, cells in shares:
            pane.display = cells > 0
            if cells:
                pane.styles.width = cells
        self.notes.show()

    def _give_focus(self, where: Focus) -> None:
        self.moving().focus()
        if where is Focus.EPISODES:
            self.lists.hold_keys()

    def show_hints(self) -> None:
        status = self.status
        loaded = status.episode.id if status.episode else None
        where = self._where() or self.panes.focus
        podcast = self.sidebar.podcast is not None
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
        podcast = self.sidebar.podcast
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
        self.pane.episodes.show_status(status)
        self.show_hints()

    @on(StatusMoved)
    def _page_follows(self, event: StatusMoved) -> None:
        self.page.follow(event.status)

    @on(AttachmentsArrived)
    def _more_beside(self, event: AttachmentsArrived) -> None:
        self.pages.attachments_arrived(event.episode_id)

    @on(EpisodesTouched)
    def _episodes_touched(self, event: EpisodesTouched) -> None:
        self.pane.episodes.forget(event.episode_ids)
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
        notice = event.notice
        if notice.severity is Severity.INFORMATION:
            self.say(notice.text)
        else:
            failed = notice.severity is Severity.ERROR
            self.notify(notice.text, severity="error" if failed else "warning", markup=False)

    def on_key(self, event: events.Key) -> None:
        if self.finding.takes(event.key, event.character):
            event.stop()
            event.prevent_default()

    # -- keys -------------------------------------------------------------------------------------------------

    def enter(self) -> None:
        if self.panes.focus is Focus.SIDEBAR:
            self._open_view()
        elif self.panes.focus is Focus.NOTES:
            if not self.pages.follow_entry():
                self.read()
        elif self.episode is not None:
            self.playback.play_episode(self.episode.id)
        else:
            self.say(self._no_episode())

    def back(self) -> None:
        if self.pane.filtering and self.panes.focus is Focus.EPISODES:
            self.pane.close_filter()
            self.panes.go_to(Focus.EPISODES)
        elif not self.refreshing.stop():
            self.panes.left()

    def find(self) -> None:
        if self._on_page() and self.finding.open():
            return
        self.panes.go_to(Focus.EPISODES)
        self.pane.open_filter()

    def follow(self, href: str) -> None:
        self.pages.follow(href)

    def copy(self) -> None:
        """In the sidebar the podcast's link, else that of the entry or the episode."""
        if self.panes.focus is not Focus.SIDEBAR or not self.podcasts.copy_link():
            self.pages.copy_link()

    def narrower(self) -> None:
        self.say("Only the page over the whole screen has a width of its own")

    wider = narrower

    # -- to other lists ---------------------------------------------------------------------------------------

    def go_to_episode(self, episode_id: EpisodeId) -> None:
        self._show_episode(self.player.library.episodes.get(episode_id))

    def _show_episode(self, episode: Episode) -> None:
        """The list of its podcast, with the cursor on it."""
        self.history.leave()
        self._show_list(View.of(ViewName.PODCAST, episode.podcast_id), episode.id)

    def _show_list(self, view: View, episode_id: EpisodeId | None) -> None:
        self.lists.show(view, episode_id)
        self.panes.go_to(Focus.EPISODES)

    # -- other screens ----------------------------------------------------------------------------------------

    def read(self) -> None:
        from tui.screens.reading import ReadingScreen

        if self.episode is None:
            self.say(self._no_episode())
        else:
            self.push(ReadingScreen(self.player, self.actions, self.episode, self.lists.step, self.go_to_episode))

    def _tell(self, read: "Callable[[], Build]") -> None:
        from tui.screens.about import AboutScreen

        self.push(AboutScreen(self.player, self.actions, read, self.go_to_episode))

    def search(self) -> None:
        from tui.screens.search import Hit, SearchScreen

        screen = SearchScreen(self.player, self._searched, self._today)

        def closed(hit: Hit | None) -> None:
            self._searched = screen.text
            if hit is not None:
                self._show_episode(hit.episode)
                if hit.at_ms is not None:
                    self.player.session.play(hit.episode.id, hit.at_ms)

        self.push(screen, closed)

    def palette(self) -> None:
        from tui.actions.palette import Palette, commands

        self.app.push_screen(Palette(tuple(commands(self, self.actions, self.sidebar.podcasts))))

    def output(self) -> None:
        from tui.dialogs.output_chooser import OutputScreen

        self.push(OutputScreen(self.player))

    def settings(self) -> None:
        file = self.player.paths.settings
        there = "" if file.exists() else " It doesn't exist yet: Earmark uses its defaults."
        self.notify(f"{file}{there}", title="Settings", markup=False, timeout=15)

    def theme(self) -> None:
        self.call_later(self.app.run_action, "theme")

    def quit(self) -> None:
        self.app.exit(0)
