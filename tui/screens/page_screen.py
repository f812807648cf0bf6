"""The base of pages over the whole screen: a page above the player bar, and the keys that go back."""

import asyncio
from collections.abc import Callable, Container, Iterable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.widget import Widget

from player.errors import EarmarkError
from player.model.episode import Episode, EpisodeId
from player.model.playback import Severity
from player.player import Player
from tui.actions.action import Action, Focus, Group, Runs
from tui.actions.table import ACTIONS
from tui.bridge import NoticeArrived
from tui.controllers.lists.marks import MarksController, UndoController
from tui.controllers.lists.queue import QueueController
from tui.controllers.lists.selection import Targets
from tui.screens.base import BaseScreen
from tui.widgets.footer import FooterContext

_BETWEEN_PANES = frozenset({"pane_left", "pane_right", "next_pane", "previous_pane"})


def page_actions(here: Container[str]) -> tuple[Action, ...]:
    """The actions of a page: for listening and moving, except between panes, and the actions with the ids `here`."""
    usual = (Group.LISTEN, Group.MOVE)
    return tuple(one for one in ACTIONS if one.id in here or (one.group in usual and one.id not in _BETWEEN_PANES))


class PageScreen(BaseScreen):
    """`choose` shows an episode in its list, after the page has closed. Keys act on the `episodes` of the page."""

    DEFAULT_CSS = """
    PageScreen {
        layout: vertical;
        background: $background;
        overflow: hidden hidden;
        & #page { height: 1fr; }
    }
    """

    AUTO_FOCUS = "#page"

    page: Widget
    choose: Callable[[EpisodeId], None]
    _acts = 0

    def __init__(self, player: Player, actions: Sequence[Action]) -> None:
        super().__init__(player, actions)
        self.marks = MarksController(player, self, self)
        self.queue = QueueController(player, self, self)
        self.undoing = UndoController(player, self, self)

    def run_by(self, actions: Iterable[Action], here: Runs) -> None:
        marks, queue, undoing = self.marks, self.queue, self.undoing
        on_pages: Runs = {
            "play": self.enter, "back": self.back, "go_back": self.back, "quit": self.quit,
            "star": marks.star, "played": marks.played, "download": marks.download,
            "queue": queue.add, "queue_next": queue.add_next, "undo": undoing.undo, "redo": undoing.redo,
        }  # fmt: skip
        super().run_by(actions, {**on_pages, **here})

    def compose(self) -> ComposeResult:
        yield self.page
        yield self.bar_row
        yield self.footer

    def on_mount(self) -> None:
        self.chapters_in_bar.chart(self.status.episode)

    @on(NoticeArrived)
    def _notice_arrived(self, event: NoticeArrived) -> None:
        """Shows only information here: warnings and errors are shown by the main screen."""
        if event.notice.severity is Severity.INFORMATION:
            self.show_notice(event.notice)

    def show_keys(self, where: Focus, episode: Episode | None, entry: str = "", **more: Any) -> None:
        """Shows the key hints in the footer; `more` are further fields of the footer's context."""
        status = self.status
        loaded = status.episode.id if status.episode else None
        self.footer.show(FooterContext(where, episode, loaded, status.state, entry, **more))

    def go_to_episode(self, episode_id: EpisodeId) -> None:
        self.dismiss()
        self.choose(episode_id)

    def enter(self) -> None:
        """Plays the episode or opens the entry under the cursor."""
        raise NotImplementedError

    def back(self) -> None:
        self.dismiss()

    def quit(self) -> None:
        self.dismiss()

    # -- acting on an episode ---------------------------------------------------------------------------------

    def episodes(self, act: Callable[[Targets], object]) -> None:
        """Calls `act` with the episode that keys act on, or says why there is none."""
        raise NotImplementedError

    def with_list(self, act: Callable[[EpisodeId, Sequence[EpisodeId]], object]) -> None:
        """Does nothing: a page has no list."""

    def put(self, episode: Episode) -> None:
        """Does nothing: the episode is read again when it has changed."""

    def decided(self, ids: Sequence[EpisodeId], writing: "Future[Any] | None" = None) -> object:
        """Does nothing: a page has no list of new episodes."""

    def downloading(self, ids: Sequence[EpisodeId]) -> None:
        """Does nothing: a page has no list of new episodes."""

    def take_back(self, ids: Sequence[EpisodeId]) -> None:
        """Does nothing: changed episodes are read again."""

    async def read_episode(self, episode_id: EpisodeId) -> Episode | None:
        """Reads an episode from the library; None if it can't be read."""
        try:
            return await asyncio.to_thread(self.player.library.episodes.get, episode_id)
        except EarmarkError:
            return None

    def act_on(self, episode_id: EpisodeId, act: Callable[[Targets], object], known: Episode | None = None) -> None:
        """Calls `act` with an episode, read again from the library, or as it is `known` if it can't be read."""
        self._acts += 1  # each in a group of its own, so that none cancels another
        self.in_background(partial(self._read_and_act, episode_id, act, known), f"act {self._acts}")

    async def _read_and_act(
        self, episode_id: EpisodeId, act: Callable[[Targets], object], known: Episode | None
    ) -> None:
        if (episode := await self.read_episode(episode_id) or known) is not None:
            act(Targets((episode.id,), episode))
