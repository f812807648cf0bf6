"""Now playing over the whole screen: the cover, the chapters, the transcript, and the player bar."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from player.model.episode import Episode, EpisodeId
from player.model.playback import PlaybackStatus
from player.player import Player
from player.text.sentences import _
from tui.actions.action import Action, Focus
from tui.actions.table import bindings
from tui.bridge import AttachmentsArrived, EpisodesTouched
from tui.controllers.bar import NowPlayingController
from tui.controllers.links import FindController, LinksController
from tui.controllers.lists.selection import Targets
from tui.screens.page_screen import PageScreen, page_actions
from tui.widgets.pages import NowPlayingPage

_HERE = frozenset({
    "quit", "help", "queue", "queue_next", "skip", "previous", "star", "played", "download", "copy_link", "links",
    "follow", "read", "undo", "redo", "offline", "about",
})  # fmt: skip
_ACTIONS = page_actions(_HERE)


class NowPlayingScreen(PageScreen):
    """The screen of Now playing. `choose` is called with an episode to show in its list, after the screen has
    closed."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(_ACTIONS)]

    page: NowPlayingPage

    def __init__(
        self,
        player: Player,
        actions: Sequence[Action],
        choose: Callable[[EpisodeId], None],
        today: Callable[[], date] = date.today,
    ) -> None:
        super().__init__(player, actions)
        self.choose = choose
        self._episode: Episode | None = None
        self.bar.large = True
        self.page = NowPlayingPage()
        self._following = NowPlayingController(player, self, self.page, today)
        self._links = LinksController(player, self)
        self.finding = FindController(self, self.page)
        self.run_by(_ACTIONS, {
            "copy_link": self.copy, "links": self.links, "follow": self.follow_playback, "read": self.read,
            "about": self.about,
        })  # fmt: skip

    def compose(self) -> ComposeResult:
        yield self.page
        yield self.bar
        yield self.footer

    @property
    def episode(self) -> Episode | None:
        """The playing episode."""
        return self.status.episode

    @property
    def on_page(self) -> bool:
        """Finding words isn't possible on this page."""
        return False

    def moving(self) -> NowPlayingPage:
        return self.page

    # -- events -----------------------------------------------------------------------------------------------

    def show_status(self, status: PlaybackStatus) -> None:
        before = self._episode
        super().show_status(status)
        self._following.follow(status)
        if (before and before.id) != (status.episode and status.episode.id):
            self._marks_changed()

    @on(EpisodesTouched)
    def _marks_changed(self) -> None:
        self.in_background(self._read_marks, "marks")

    async def _read_marks(self) -> None:
        """Reads the episode from the library again: its star may have changed since it began to play."""
        playing = self.status.episode
        self._episode = None if playing is None else await self.read_episode(playing.id) or playing
        self.show_hints()

    @on(AttachmentsArrived)
    def _more_is_known(self, event: AttachmentsArrived) -> None:
        self._following.attachments_arrived(event.episode_id)

    @on(NowPlayingPage.Moved)
    def _chapter_selected(self) -> None:
        self.show_hints()

    def show_hints(self) -> None:
        entry = _("play from here") if self.page.chapter is not None else ""
        self.show_keys(Focus.NOW_PLAYING, self._episode, entry)

    # -- keys -------------------------------------------------------------------------------------------------

    def enter(self) -> None:
        """Plays from the chapter under the cursor; without one, plays or resumes the episode."""
        episode, chapter = self.episode, self.page.chapter
        if not self.playback.loaded() or episode is None:
            return
        if chapter is not None:
            self.playback.play_at(episode, chapter.start_ms)
            self.page.follow_again()
        else:
            self.playback.play_episode(episode.id)

    def episodes(self, act: Callable[[Targets], object]) -> None:
        """Calls `act` with the playing episode, read again from the library."""
        if self.playback.loaded() and (episode := self.episode) is not None:
            self.act_on(episode.id, act, episode)

    def follow(self, href: str) -> None:
        self._links.follow(href)

    def follow_playback(self) -> None:
        self.page.follow_again()

    def links(self) -> None:
        if self.playback.loaded():
            self._links.choose()

    def copy(self) -> None:
        if self.playback.loaded():
            self._links.copy()

    def read(self) -> None:
        """Goes to the episode in its list, where its notes are."""
        self.go_to_playing()

    def about(self) -> None:
        """Opens the podcast's page."""
        from tui.controllers.about_pages import show

        if self.playback.loaded() and (episode := self.episode) is not None:
            self.open_about(show(self.player, episode.podcast_id), episode.podcast_id)

    def back(self) -> None:
        """Leaves the chapters, then the screen."""
        if self.page.chapter is not None:
            self.page.follow_again()
            self.show_hints()
        else:
            self.dismiss()

    now_playing = PageScreen.quit
