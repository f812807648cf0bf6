"""The screen that Earmark lives in: sidebar, episodes and notes, the bar and the footer."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from datetime import date
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.message import Message
from textual.widgets import Input

from player.errors import LibraryError
from player.events import RefreshProgress
from player.feeds.refresh_summary import RefreshSummary
from player.model.episode import Episode, EpisodeId
from player.model.filters import View, ViewName
from player.model.playback import PlaybackStatus, Severity
from player.model.podcast import PodcastId
from player.player import Player
from tui.actions.table import ACTIONS, Action, Focus, bindings
from tui.bridge import EpisodesTouched, NoticeArrived, PodcastArrived, RefreshMoved, StatusMoved, SubscriptionsChanged
from tui.drawing import labels
from tui.framework.first_frame import FirstFrameScreen
from tui.framework.workers import start_worker
from tui.look.glyphs import glyphs_of
from tui.screens.listing import ListingScreen
from tui.widgets.episodes_pane import EpisodesPane
from tui.widgets.footer import KeyFooter
from tui.widgets.virtual_list import VirtualList

_RELOAD_S, _RELOAD_IN_REFRESH_S = 0.15, 0.5
"""Feeds that are read one after the other cost one reload in so many seconds."""
_PROGRESS_S = 0.25
"""How far a refresh is, is told so often: after each frame the next one, a key's too, waits for up to 17 ms."""
_REASONS, _ROOMY = 3, 24
"""So many reasons of failed feeds are told at once, on a screen with so many rows; on a lower one the first."""
_TRAIL = 50
"""Lists that `go_back` remembers."""
_REST_S = 0.06
"""After this the cursor isn't just passing by: a key that is held comes 25 to 30 times a second."""


class MainScreen(ListingScreen):
    """Answers to keys and to what the player tells.

    `first_view` is where the sidebar's cursor stands at the start.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings()]

    class _Failed(Message):
        """A refresh that was asked for is over, and some podcasts couldn't be read."""

        def __init__(self, summary: RefreshSummary) -> None:
            super().__init__()
            self.summary = summary

    def __init__(
        self,
        player: Player,
        actions: tuple[Action, ...] = ACTIONS,
        *,
        first_view: View | None = None,
        first_episode: EpisodeId | None = None,
        today: Callable[[], date] = date.today,
    ) -> None:
        super().__init__(player, actions, first_view, first_episode, today)
        self._today = today
        self._searched = ""
        self._notes_wait: asyncio.TimerHandle | None = None
        self._reload_waits = False
        self._asked_to_refresh = False
        self._refreshing = False
        self._progress = RefreshProgress(0, 0)
        self._trail: list[tuple[View, EpisodeId | None]] = []

    def on_mount(self) -> None:
        self._progress_timer = self.set_interval(_PROGRESS_S, self._show_progress, pause=True)
        self._arrange()
        self._show_status(self.status)
        self._load_shelves()

    # -- what happens -----------------------------------------------------------------------------------------

    @on(FirstFrameScreen.FirstFrame)
    def _framed(self) -> None:
        self.show_beside()

    @on(VirtualList.Moved, "#sidebar")
    def _view_chosen(self) -> None:
        if self._sidebar.view == self._query.whole:
            return
        self._pane.drop_filter()
        self._query = self._sidebar.view
        self._load_list()

    @on(VirtualList.Chosen, "#sidebar")
    def _view_opened(self) -> None:
        self._open_view()

    def _open_view(self) -> None:
        """To its episodes; a podcast that failed tells why."""
        podcast = self._sidebar.podcast
        if podcast is not None and podcast.error and not labels.is_suggestion(podcast):
            self.app.notify(podcast.error, title=podcast.title, severity="warning", markup=False, timeout=10)
        self.go_to(Focus.EPISODES)

    @on(VirtualList.Moved, "#episodes")
    def _episode_chosen(self) -> None:
        if self._episodes.episode_id is not None and self._shown is not None:
            self._places[self._shown.whole] = self._episodes.episode_id
        self._show_notes_soon()
        self.show_hints()

    def _show_notes_soon(self) -> None:
        """When the cursor rests: a page of notes is many more cells than a cursor, and a held key would wait for it."""
        if self._notes_wait is not None:
            self._notes_wait.cancel()
        self._notes_wait = asyncio.get_running_loop().call_later(_REST_S, self.call_later, self.show_notes)

    @on(VirtualList.Chosen, "#episodes")
    def _episode_clicked(self) -> None:
        self.action_play()

    @on(EpisodesPane.Filtered)
    def _filtered(self, event: EpisodesPane.Filtered) -> None:
        self._query = self._query.narrowed(event.text)
        self._load_list()

    @on(Input.Submitted, "#filter")
    def _filter_kept(self) -> None:
        self.go_to(Focus.EPISODES)

    @on(KeyFooter.Pressed)
    async def _hint_clicked(self, event: KeyFooter.Pressed) -> None:
        await self.run_action(event.action_id)

    @on(StatusMoved)
    def _status_moved(self, event: StatusMoved) -> None:
        self._show_status(event.status)

    def _show_status(self, status: PlaybackStatus) -> None:
        self._bar.show(status)
        self._episodes.show_status(status)
        self.show_hints()

    @on(EpisodesTouched)
    def _episodes_touched(self, event: EpisodesTouched) -> None:
        self._episodes.forget(event.episode_ids)
        self.show_hints()
        start_worker(self, self._fill_sidebar, group="counts", exclusive=True)

    @on(SubscriptionsChanged)
    def _shelves_changed(self) -> None:
        if not self._reload_waits:
            self._reload_waits = True
            self.set_timer(_RELOAD_IN_REFRESH_S if self._refreshing else _RELOAD_S, self._reload)

    def _reload(self) -> None:
        self._reload_waits = False
        self._noted = None
        self._load_shelves()

    @on(PodcastArrived)
    def _podcast_arrived(self, event: PodcastArrived) -> None:
        self._leave_trail()
        self._wanted = View.of(ViewName.PODCAST, event.podcast_id)
        self._load_shelves()

    @on(RefreshMoved)
    def _refresh_moved(self, event: RefreshMoved) -> None:
        progress = event.progress
        if progress.done < progress.total:
            self._refreshing, self._progress = True, progress
            self._progress_timer.resume()
            return
        self._refreshing = False
        self._progress_timer.pause()
        self._footer.show_progress("")
        self._refresh_ended(progress)

    def _show_progress(self) -> None:
        if self._refreshing:
            words = labels.progress_words(self._progress.done, self._progress.total, glyphs_of(self.app))
            self._footer.show_progress(words)

    def _refresh_ended(self, progress: RefreshProgress) -> None:
        if self._asked_to_refresh or progress.new:
            self.say(labels.refresh_words(progress.new, progress.failed, glyphs_of(self.app).dot))
        self._asked_to_refresh = False

    @on(NoticeArrived)
    def _told(self, event: NoticeArrived) -> None:
        notice = event.notice
        if notice.severity is Severity.INFORMATION:
            self.say(notice.text)
        else:
            failed = notice.severity is Severity.ERROR
            self.app.notify(notice.text, severity="error" if failed else "warning", markup=False)

    def action_back(self) -> None:
        if self._pane.filtering and self._focus is Focus.EPISODES:
            self._pane.close_filter()
            self.go_to(Focus.EPISODES)
        elif self._refreshing and self.player.cancel_refresh():
            self._asked_to_refresh = False
            self.say("Refresh stopped. Progress is kept; the next refresh continues from here.")
        else:
            self.action_pane_left()

    # -- keys: episodes and podcasts --------------------------------------------------------------------------

    def action_play(self) -> None:
        if self._focus is Focus.SIDEBAR:
            self._open_view()
        elif self._focus is Focus.NOTES:
            if not self.follow_entry():
                self.action_read()
        elif self.episode is not None:
            self.play_episode(self.episode.id)
        else:
            self.say(self.no_episode)

    def action_read(self) -> None:
        from tui.screens.reading import ReadingScreen

        if (episode := self._episode_here()) is not None:
            self.app.push_screen(
                ReadingScreen(self.player, self._actions, episode, self.step_episode, self.go_to_episode)
            )

    def action_narrower(self) -> None:
        self.say("Only the page over the whole screen has a width of its own")

    action_wider = action_narrower

    def step_episode(self, by: int) -> Episode | None:
        """Moves the cursor in the list; the episode under it then, None at the end of the list.

        Raises LibraryError while that row is still to come.
        """
        if not self._episodes.is_here(self._episodes.cursor + by):
            raise LibraryError("That episode is still being read", "Try again in a moment.")
        return self.episode if self._episodes.move_by(by) else None

    def action_next_episode(self) -> None:
        if self.step_episode(1) is None:
            self.say("This is the last one")

    def action_previous_episode(self) -> None:
        if self.step_episode(-1) is None:
            self.say("This is the first one")

    def action_copy_link(self) -> None:
        """In the sidebar the podcast's."""
        from player.links.urls import web_address, without_secrets

        podcast = self._podcast()
        if self._focus is Focus.SIDEBAR and podcast is not None:
            if podcast.link:
                self.copy_link(podcast.link, "the podcast's website")
            else:
                self.copy_link(web_address(without_secrets(podcast.url)), "the podcast's feed")
        else:
            super().action_copy_link()

    def action_filter(self) -> None:
        if self.on_page and self.find_on_page():
            return
        self.go_to(Focus.EPISODES)
        self._pane.open_filter()

    def action_search(self) -> None:
        from tui.screens.search import Hit, SearchScreen

        screen = SearchScreen(self.player, self._searched, self._today)

        def closed(hit: Hit | None) -> None:
            self._searched = screen.text
            if hit is not None:
                self.show_episode(hit.episode)
                if hit.at_ms is not None:
                    self.player.session.play(hit.episode.id, hit.at_ms)

        self.app.push_screen(screen, closed)

    def show_episode(self, episode: Episode) -> None:
        """The list of its podcast, with the cursor on it."""
        self._leave_trail()
        self._show_view(View.of(ViewName.PODCAST, episode.podcast_id), episode.id)

    def _leave_trail(self) -> None:
        """Where `go_back` leads from now on."""
        here = self._query.whole, self.episode_id
        if not self._trail or self._trail[-1] != here:
            self._trail = [*self._trail[1 - _TRAIL :], here]

    def action_go_back(self) -> None:
        if self._trail:
            self._show_view(*self._trail.pop())
        else:
            self.say("This is where you started")

    def _show_view(self, view: View, episode_id: EpisodeId | None) -> None:
        self._pane.drop_filter()
        if episode_id is not None:
            self._places[view] = episode_id
        if self._query.whole == view:
            self._query, self._shown = view, None
            self._load_list()
        else:
            self._wanted = view
            self._load_shelves()
        self.go_to(Focus.EPISODES)

    def action_star(self) -> None:
        if (episode := self._episode_to_mark()) is not None:
            self._episodes.put(replace(episode, starred=not episode.starred))
            self.player.set_starred([episode.id], not episode.starred)
            self.say("Star removed" if episode.starred else "Starred")

    def action_played(self) -> None:
        if (episode := self._episode_to_mark()) is not None:
            self._episodes.put(replace(episode, played=not episode.played))
            self.player.set_played([episode.id], not episode.played)
            self.say("Marked as unplayed" if episode.played else "Marked as played")

    def action_download(self) -> None:
        if (episode := self._episode_to_mark()) is None:
            return
        if episode.downloaded:
            self._ask_to_delete(episode)
        elif self.player.downloads.is_downloading(episode.id):
            self.player.downloads.cancel(episode.id)
            self.say("Download cancelled. The part already downloaded is kept for now.")
        else:
            self.player.download(episode.id)
            self.say(f"Downloading “{episode.title}”")

    def _ask_to_delete(self, episode: Episode) -> None:
        from tui.dialogs.confirm import ConfirmScreen

        def decided(yes: bool | None) -> None:
            if yes:
                self.player.delete_download(episode.id)
                self.say("Download deleted")

        question = f"Delete the downloaded file of “{episode.title}”?"
        self.app.push_screen(ConfirmScreen(question, "You can download it again.", "delete", "cancel"), decided)

    def _episode_to_mark(self) -> Episode | None:
        episode = None if self._focus is Focus.SIDEBAR else self.episode
        if episode is None:
            self.say(self.no_episode)
        return episode

    def action_refresh(self) -> None:
        podcast_id = self._query.podcast_id
        if podcast_id is None and self._focus is not Focus.SIDEBAR and self.episode is not None:
            podcast_id = self.episode.podcast_id
        if podcast_id is None:
            self.action_refresh_all()
        else:
            self._refresh([podcast_id])

    def action_refresh_all(self) -> None:
        self._refresh(None)

    def _refresh(self, podcast_ids: list[PodcastId] | None) -> None:
        self._asked_to_refresh = True
        self._footer.hush()
        self._footer.show_progress("Refreshing")

        def ended(refresh: Future[RefreshSummary]) -> None:
            if not refresh.cancelled() and refresh.exception() is None and refresh.result().failed:
                self.post_message(self._Failed(refresh.result()))

        self.player.refresh(podcast_ids).add_done_callback(ended)

    def on_main_screen__failed(self, event: _Failed) -> None:
        """The one summary of a refresh that was asked for: which failed, and why."""
        titles = {podcast.id: podcast.title for podcast in self._sidebar.podcasts}
        reasons = dict(event.summary.reasons)
        failed = [
            labels.FailedFeed(titles[one], sentence, reasons.get(one, ""))
            for one, sentence in event.summary.failed
            if one in titles
        ]
        if failed:
            most = _REASONS if self.size.height >= _ROOMY else 1
            title, words = labels.failure_words(failed, most)
            self.app.notify(words, title=title, severity="warning", markup=False, timeout=10)

    def action_add(self) -> None:
        from tui.dialogs.add import AddScreen

        self.app.push_screen(AddScreen(self.player))

    def action_login(self) -> None:
        from player.links.urls import host
        from tui.dialogs.login import LoginScreen

        episode = None if self._focus is Focus.SIDEBAR else self.episode
        podcast = self._podcast()
        address = episode.url if episode else podcast.url if podcast else ""
        if not host(address):
            self.say("Select a podcast or episode first")
            return

        def try_again() -> None:
            if episode:
                self.play_episode(episode.id)
            elif podcast:
                self._refresh([podcast.id])

        def given(login: tuple[str, str] | None) -> None:
            if login is not None:
                kept = self.player.remember_login(address, *login)
                kept.add_done_callback(lambda _: self.call_later(try_again))

        self.app.push_screen(LoginScreen(host(address)), given)

    def action_import_podcasts(self) -> None:
        from tui.dialogs.opml_files import ImportScreen

        self.app.push_screen(ImportScreen(self.player))

    def action_export_podcasts(self) -> None:
        from tui.dialogs.opml_files import ExportScreen

        self.app.push_screen(ExportScreen(self.player))

    def action_about(self) -> None:
        """Of the podcast that is shown, or of that of the episode under the cursor."""
        from tui.screens.about import show

        podcast_id = self._query.podcast_id
        if podcast_id is None and self._focus is not Focus.SIDEBAR and self.episode is not None:
            podcast_id = self.episode.podcast_id
        if podcast_id is None:
            self.say("Select a podcast or episode first")
            return

        self.tell(show(self.player, podcast_id))

    def go_to_episode(self, episode_id: EpisodeId) -> None:
        self.show_episode(self.player.library.episodes.get(episode_id))

    def action_remove(self) -> None:
        from tui.dialogs.confirm import ConfirmScreen

        podcast = self._podcast()
        if podcast is None:
            self.say("Select a podcast to unsubscribe from it")
            return

        def decided(yes: bool | None) -> None:
            if yes:
                self.player.remove(podcast.id)
                self.say("Unsubscribed")

        question = f"Unsubscribe from “{podcast.title}”?"
        detail = "Your positions and stars for its episodes are deleted too."
        self.app.push_screen(ConfirmScreen(question, detail, "unsubscribe", "cancel"), decided)

    # -- keys: Earmark ----------------------------------------------------------------------------------------

    def action_help(self) -> None:
        from tui.screens.help import HelpScreen

        self.app.push_screen(HelpScreen(self._actions))

    def action_palette(self) -> None:
        from tui.actions.palette import Palette, commands

        self.app.push_screen(Palette(tuple(commands(self, self._actions, self._sidebar.podcasts))))

    def action_output(self) -> None:
        from tui.dialogs.output_chooser import OutputScreen

        self.app.push_screen(OutputScreen(self.player))

    def action_settings(self) -> None:
        file = self.player.paths.settings
        there = "" if file.exists() else " It doesn't exist yet: Earmark uses its defaults."
        self.app.notify(f"{file}{there}", title="Settings", markup=False, timeout=15)

    async def action_theme(self) -> None:
        await self.app.run_action("theme")

    def action_quit(self) -> None:
        self.app.exit(0)
