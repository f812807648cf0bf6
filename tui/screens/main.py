"""The main screen: sidebar, episodes and notes, the player bar and the footer."""

import asyncio
from collections.abc import Callable, Iterable
from datetime import date
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input

from player.model.episode import Episode, EpisodeId
from player.model.filters import State, View, ViewName
from player.model.playback import PlaybackState, PlaybackStatus
from player.model.podcast import Podcast, PodcastId
from player.player import Player
from tui.actions.action import Action, Focus, Runs
from tui.actions.table import ACTIONS, bindings
from tui.bridge import (
    AttachmentsArrived,
    BookmarksTouched,
    CachedMoved,
    DownloadsMoved,
    EpisodesTouched,
    ListsTouched,
    MarksTouched,
    NetworkMoved,
    NoticeArrived,
    PodcastArrived,
    RefreshMoved,
    SegmentsTouched,
    StateChanged,
    StatusMoved,
    SubscriptionsChanged,
)
from tui.controllers.main_parts import MainParts
from tui.controllers.pane_keys import PaneKeys
from tui.controllers.panes import Room
from tui.controllers.segments import Line
from tui.drawing.episode_rows import playing_sign
from tui.framework.first_frame import FirstFrame
from tui.screens.base import BaseScreen
from tui.screens.openers import Openers
from tui.widgets.episode_list import EpisodeList
from tui.widgets.episode_page import EpisodePage
from tui.widgets.episodes_pane import EpisodesPane
from tui.widgets.footer import FooterContext
from tui.widgets.reorderable_list import ReorderableList
from tui.widgets.sidebar import Sidebar, SidebarPane
from tui.widgets.three_panes import ThreePanes
from tui.widgets.virtual_list import SelectingList, VirtualList

_RELOAD_S, _RELOAD_IN_REFRESH_S = 0.15, 0.5
"""The least seconds between two reloads of the lists, in general and during a refresh."""
_SHORT, _TINY = 20, 9
"""With fewer rows than these, the screen saves rows (`-short`), or more of them (`-tiny`)."""


class MainScreen(BaseScreen):
    """Lays out its widgets, and passes events to its controllers (`parts`).

    The sidebar's cursor starts on `first_view`. If the screen is `covered` by the last frame of the previous run, the
    first frame waits until it is complete, so that nothing disappears for a moment.
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
        covered: bool = False,
        mini: bool = False,
    ) -> None:
        super().__init__(player, actions)
        self.mini = mini
        self._reload_waits = False
        self.body = ThreePanes(player.library.episodes.rows, today, id="body")
        self.page = self.body.page
        self.first_frame = FirstFrame(self, covered=covered)
        self.parts = MainParts(player, self, self.body, self.footer, first=(first_view, first_episode), today=today)
        self.pane_keys = PaneKeys(player, self, self.parts)
        self.opening = Openers(self, self.parts)
        self.finding = self.parts.finding
        self.run_by(ACTIONS, self._runs_here())

    def compose(self) -> ComposeResult:
        yield self.body
        yield self.bar_row
        yield self.footer

    def on_mount(self) -> None:
        self.first_frame.begin()
        self.parts.panes.arrange()
        self.parts.sidebar.load()

    def on_unmount(self) -> None:
        self.parts.reader.close()
        self.parts.welcome.close()

    # -- state ------------------------------------------------------------------------------------------------

    @property
    def view(self) -> View:
        """The view that the list shows."""
        return self.parts.lists.view

    @property
    def episode_id(self) -> EpisodeId | None:
        return self.body.pane.episodes.episode_id

    @property
    def episode(self) -> Episode | None:
        """The episode under the cursor."""
        return self.body.pane.episodes.episode

    @property
    def chosen_episode(self) -> Episode | None:
        return self.episode or self.status.episode

    @property
    def starts_like_this(self) -> bool:
        """Whether the next start will show the same screen: a filter, a selection, focus mode, or an episode that
        failed to play aren't restored, and libraries of other apps are found only later."""
        pane, playing = self.body.pane, self.status
        failed = playing.state in (PlaybackState.OPENING, PlaybackState.ERROR)
        passing = pane.filtering or self.parts.selection.rows or self.parts.panes.focus_mode or failed
        later = self.parts.welcome.is_offering
        return self.is_running and pane.display and self.room is Room.ALL and not (passing or later)

    @property
    def on_page(self) -> bool:
        return self.parts.selection.on_page

    def no_episode(self) -> str:
        return self.parts.selection.no_episode()

    def instead(self) -> tuple[str, ...]:
        return self.parts.lists.kind.instead or self.parts.lists.instead

    # -- the panes --------------------------------------------------------------------------------------------

    def place(self) -> Callable[[], None]:
        tab, focus = self.parts.pages.place(), self.parts.panes.focus

        def back() -> None:
            tab()
            if self.parts.panes.focus is not focus:
                self.parts.panes.go_to(focus)

        return back

    def said_line(self) -> Line | None:
        return self.parts.pages.said_line() if self.on_page else None

    def tab(self) -> str:
        return self.parts.pages.tab()

    @property
    def columns(self) -> int:
        return self.app.size.width

    def share_out(self, sidebar: int, episodes: int, notes: int) -> None:
        self.body.share_out(sidebar, episodes, notes)
        self.parts.notes.show()

    def give_focus(self, where: Focus) -> None:
        self.body.moving(where).focus()
        if where is Focus.EPISODES:
            self.parts.lists.hold_keys()

    def go_to_page(self) -> None:
        self.parts.panes.go_to(Focus.NOTES)

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.height < _SHORT, "-short")
        self.set_class(event.size.height < _TINY, "-tiny")
        self.parts.panes.arrange()

    def on_descendant_focus(self, _event: events.DescendantFocus) -> None:
        if (where := self.body.where(self.focused)) is not None:
            self.parts.panes.focused(where)
            self.parts.back_stack.focused(where)
        self.show_hints()

    @on(ThreePanes.EdgeMoved)
    def _edge_moved(self, event: ThreePanes.EdgeMoved) -> None:
        self.parts.panes.drag(event.pane, event.column)

    @on(ThreePanes.EdgeReleased)
    def _edge_released(self) -> None:
        self.parts.panes.keep_widths()

    @on(ThreePanes.EdgeDoubleClicked)
    def _edge_double_clicked(self) -> None:
        self.parts.panes.reset()

    def moving(self) -> VirtualList | EpisodePage:
        return self.body.moving(self.parts.panes.focus)

    def show_hints(self) -> None:
        status = self.status
        loaded = status.episode.id if status.episode else None
        where = self.body.where(self.focused) or self.parts.panes.focus
        podcast = self.body.sidebar.podcast is not None
        entry = self._enter_word(where)
        inbox, selection = self.parts.inbox.is_shown, self.parts.selection
        queue, selected = self.parts.queue_view.is_shown, len(selection.rows)
        context = FooterContext(
            where, self.episode, loaded, status.state, entry, podcast, inbox, queue, selected,
            tag=self.view.tag is not None, downloads=self.parts.downloads.is_on_its_way,
            offer=where is Focus.EPISODES and self.parts.welcome.selected is not None,
        )  # fmt: skip
        self.footer.show(context)
        self.footer.show_selected(selection.words)
        self.bar.offer(playable=self.episode is not None)

    def _enter_word(self, where: Focus) -> str:
        """A word for what `enter` does in a pane, if it doesn't act on an episode."""
        if where is Focus.SIDEBAR:
            return self.parts.sidebar.enter_word
        if where is Focus.EPISODES:
            return self.parts.lists.kind.enter_word
        return self.parts.pages.enter_word

    # -- events -----------------------------------------------------------------------------------------------

    @on(FirstFrame.Drawn)
    def _framed(self) -> None:
        self.parts.pages.show_beside()

    def load_list(self) -> None:
        self.parts.lists.load()

    async def list_shown(self) -> None:
        self.show_hints()
        if (listing := self.body.pane.episodes.listing) is not None:
            self.parts.lists.kind.shown(listing)
        if self.first_frame.is_covered:
            bar, cover, loaded = self.chapters_in_bar, self.cover_in_bar, self.status.episode
            await asyncio.gather(self.parts.notes.complete(), bar.complete(loaded), cover.complete(loaded))
        await self.first_frame.draw()
        self.parts.welcome.look()
        self.parts.leaving.list_shown()  # may read the list again, which cancels the caller

    @on(VirtualList.Moved, "#sidebar")
    def _view_chosen(self) -> None:
        self.parts.lists.follow_sidebar()
        self.show_hints()

    @on(VirtualList.Chosen, "#sidebar")
    def _view_clicked(self) -> None:
        self.pane_keys.enter()

    @on(Sidebar.Rearranged)
    def _sidebar_rearranged(self, event: Sidebar.Rearranged) -> None:
        self.parts.sidebar.remember(event.arrangement)
        self.show_hints()

    @on(VirtualList.Moved, "#episodes")
    def _episode_chosen(self) -> None:
        self.parts.lists.remember_cursor()
        self.parts.leaving.cursor_moved()
        self.parts.notes.show_soon()
        self.show_hints()

    @on(SelectingList.Selected, "#episodes")
    def _episodes_selected(self) -> None:
        self.show_hints()

    @on(VirtualList.Chosen, "#episodes")
    def _episode_clicked(self) -> None:
        self.pane_keys.enter()

    @on(ReorderableList.Dropped, "#episodes")
    def _row_dropped(self, event: ReorderableList.Dropped) -> None:
        self.parts.queue_view.dropped(event.episode_id, event.by)

    @on(EpisodesPane.Filtered)
    def _filtered(self, event: EpisodesPane.Filtered) -> None:
        self.parts.lists.filter(event.text)

    @on(Input.Submitted, "#filter")
    def _filter_kept(self) -> None:
        self.parts.panes.go_to(Focus.EPISODES)

    @on(SidebarPane.Filtered)
    def _sidebar_filtered(self, event: SidebarPane.Filtered) -> None:
        self.body.sidebar.filter(event.text)

    @on(Input.Submitted, "#name-filter")
    def _podcast_found(self) -> None:
        self.pane_keys.enter()

    def show_status(self, status: PlaybackStatus) -> None:
        self.show_in_bar(status)
        self.body.pane.episodes.show_status(status)
        self._mark_podcast(status)
        if not self.glyphs.spoken:  # the time left would be said each minute
            self.parts.queue_view.heading.follow(status)
        self.parts.sidebar.follow(status)
        self.show_hints()

    def _mark_podcast(self, status: PlaybackStatus) -> None:
        """Marks the podcast of the playing or paused episode in the sidebar."""
        episode = status.episode
        sign = playing_sign(episode, status) if episode else None
        signs = {PlaybackState.PLAYING: self.glyphs.playing, PlaybackState.PAUSED: self.glyphs.paused}
        self.body.sidebar.show_playing(episode.podcast_id if episode else None, signs[sign] if sign else "")

    @on(StatusMoved)
    def _page_follows(self, event: StatusMoved) -> None:
        self.page.follow(event.status)

    @on(SegmentsTouched)
    def _segments_of_page_touched(self, event: SegmentsTouched) -> None:
        self.parts.pages.segments_changed(event.episode_ids)

    @on(AttachmentsArrived)
    def _more_beside(self, event: AttachmentsArrived) -> None:
        self.parts.pages.attachments_arrived(event.episode_id)

    @on(BookmarksTouched)
    def _bookmarks_changed(self) -> None:
        self.parts.page_bookmarks.changed()
        self.parts.bookmarks.changed()
        self.parts.sidebar.update_counts()

    @on(EpisodesTouched)
    def _episodes_touched(self, event: EpisodesTouched) -> None:
        self.body.pane.episodes.forget(event.episode_ids)
        self.show_hints()
        self.parts.sidebar.update_counts()
        self.parts.lists.kind.touched()

    @on(MarksTouched)
    def _marks_touched(self, event: MarksTouched) -> None:
        self.parts.leaving.marked(event.episode_ids, event.mark)

    @on(ListsTouched)
    def _lists_touched(self) -> None:
        self.parts.lists.options.set_elsewhere()
        self.parts.sidebar.load()

    @on(StateChanged)
    def _state_changed(self, event: StateChanged) -> None:
        if event.state is State.NEW:
            self.body.pane.episodes.forget_all()
        self.parts.lists.state_changed(event.state)

    @on(SubscriptionsChanged)
    def _subscriptions_changed(self) -> None:
        if not self._reload_waits:
            self._reload_waits = True
            self.set_timer(_RELOAD_IN_REFRESH_S if self.parts.refreshing.under_way else _RELOAD_S, self._reload)

    def _reload(self) -> None:
        self._reload_waits = False
        self.parts.notes.forget()
        self.parts.lists.options.set_elsewhere()
        self.parts.sidebar.load()

    @on(PodcastArrived)
    def _podcast_arrived(self, event: PodcastArrived) -> None:
        self.parts.go_to(View.of(ViewName.PODCAST, event.podcast_id))

    @on(RefreshMoved)
    def _refresh_moved(self, event: RefreshMoved) -> None:
        self.parts.refreshing.moved(event.progress)

    @on(NetworkMoved)
    def _lists_follow_network(self) -> None:
        self.parts.row_bytes.network_moved()
        self.parts.lists.network_moved()
        self.parts.lists.show_head()

    @on(CachedMoved)
    def _cached_moved(self) -> None:
        self.parts.row_bytes.network_moved()

    @on(DownloadsMoved)
    def _downloads_moved(self) -> None:
        self.parts.row_bytes.downloads_moved()
        self.parts.pages.downloads_moved()

    @on(NoticeArrived)
    def _noticed(self, event: NoticeArrived) -> None:
        self.show_notice(event.notice)

    # -- keys -------------------------------------------------------------------------------------------------

    def _runs_here(self) -> Runs:
        here, opening, parts = self.pane_keys, self.opening, self.parts
        panes, marks, queue = parts.panes, parts.marks, parts.queue_view
        return {
            "play": here.enter, "back": here.back, "filter": here.find, "copy_link": here.copy, "remove": here.delete,
            "next_episode": here.next, "previous_episode": here.previous, "narrower": here.narrower,
            "wider": here.wider, "order": here.order, "hide_played": here.hide_played,
            "continue_list": here.continue_list, "go_back": parts.back_stack.back,
            "pane_left": panes.left, "pane_right": panes.right, "next_pane": panes.next,
            "previous_pane": panes.previous, "focus_mode": panes.toggle_focus_mode, "pane_narrower": panes.narrower,
            "pane_wider": panes.wider, "pane_reset": panes.reset,
            "select": self.select, "select_all": parts.selection.select_all,
            "star": marks.star, "played": marks.played, "older_played": marks.older_played,
            "dismiss": here.dismiss, "undo": parts.undoing.undo, "redo": parts.undoing.redo,
            "download": marks.download, "transcribe": marks.transcribe, "pause_download": parts.downloads.pause,
            "pause_downloads": parts.downloads.pause_all, "retry_downloads": parts.downloads.retry_all,
            "queue": parts.queue.add, "queue_next": parts.queue.add_next, "unqueue": queue.take_out,
            "move_down": queue.move_down, "move_up": queue.move_up, "queue_sort": queue.sort,
            "queue_shuffle": queue.shuffle, "queue_mix": queue.mix, "queue_clear": queue.clear,
            **parts.pages.runs, "copy_links": parts.links.copy_all, "forget_history": parts.history.ask_to_forget,
            "playlist": parts.own_lists.add_to_playlist, "edit_list": parts.own_lists.edit,
            "download_list": parts.own_lists.download, "delete_list": parts.own_lists.delete,
            "refresh": here.refresh, "refresh_all": parts.refreshing.all,
            "refresh_results": parts.refreshing.results, "about": parts.podcasts.about,
            "podcast_settings": parts.podcasts.settings, "login": parts.podcasts.sign_in,
            "import_podcasts": parts.podcasts.import_opml, "export_podcasts": parts.podcasts.export_opml,
            "tags": parts.arranging.tags, "rename": parts.arranging.rename, "pin": parts.arranging.pin,
            "read": opening.read, "add": opening.add, "suggestions": opening.suggestions, "charts": opening.charts,
            "search": opening.search, "save_search": opening.save_search, "statistics": opening.statistics,
            "sync": opening.sync, "sync_now": opening.sync_now, "output": opening.output,
            "settings": opening.settings, "help": opening.commands,
            "theme": self.theme, "switch_theme": self.switch_theme, "quit": self.quit,
        }  # fmt: skip

    def follow(self, href: str) -> None:
        self.parts.pages.follow(href)

    def select(self) -> None:
        if not self.select_lines(self.page):
            self.parts.selection.begin()

    def make_clip(self) -> None:
        aside = self.parts.selection.in_sidebar or self.on_page
        bookmark = self.parts.bookmarks.selected if self.parts.bookmarks.is_shown and not aside else None
        self.clipping.open(self.page, bookmark)

    def go_to_episode(self, episode_id: EpisodeId) -> None:
        self.parts.back_stack.go_to_episode(episode_id)

    def go_to_podcast(self, episode: Episode) -> None:
        self.parts.back_stack.go_to_podcast_of(episode.id)

    def show_podcast(self, podcast_id: PodcastId) -> None:
        self.parts.back_stack.show_podcast(podcast_id)

    def show_list(self, view: View, episode_id: EpisodeId | None = None) -> None:
        self.parts.lists.show(view, episode_id)
        self.parts.panes.go_to(Focus.EPISODES)

    def episode_lists(self) -> Iterable[EpisodeList]:
        return self.app.screen.query(EpisodeList)

    def preview(self, episode: Episode) -> None:
        self.opening.preview(episode)

    def open_suggestion(self, podcast: Podcast) -> None:
        self.opening.suggestion(podcast)

    def read(self) -> None:
        self.opening.read()

    def add(self) -> None:
        self.opening.add()

    def theme(self) -> None:
        self.app_ui.action_theme()

    def switch_theme(self) -> None:
        self.app_ui.action_switch_theme()

    def quit(self) -> None:
        self.app.exit(0)
