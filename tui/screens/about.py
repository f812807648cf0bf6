"""A show's page: what listening sites tell of a show, from the library itself."""

import asyncio
from collections.abc import Callable
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType

from player.errors import EarmarkError
from player.library.shows import ShowFacts
from player.model import Episode, EpisodeId, PlaybackStatus, PodcastId
from player.player import Player
from tui.about import about_sheet
from tui.actions import ACTIONS, Action, Group, Where, bindings
from tui.bridge import Bridge, StatusMoved
from tui.glyphs import glyphs_of
from tui.screens.following import FollowingScreen
from tui.screens.moving import MovingKeys
from tui.widgets.footer import KeyFooter, Situation
from tui.widgets.pieces import Piece
from tui.widgets.player_bar import PlayerBar
from tui.widgets.sheet_page import MARGIN, SheetPage

_EPISODE = "earmark:episode/"
_NOT_HERE = frozenset({"pane_left", "pane_right", "next_pane", "previous_pane"})
_HERE = frozenset({"copy_link", "quit", "about"})
_COLUMNS = 76
_TOP = 1


class AboutPage(SheetPage):
    """`tell` it the facts."""

    def __init__(self) -> None:
        super().__init__(id="page")
        self._told: tuple[ShowFacts, list[Episode]] | None = None

    def tell(self, facts: ShowFacts, best: list[Episode]) -> None:
        self._told = facts, best
        self._lay_out()

    def say_instead(self, sentence: str) -> None:
        self.show_lines([(), (Piece(sentence, "muted"),)])

    def _lay_out(self) -> None:
        if self._told is None or not self.size.width:
            return
        columns = max(10, min(_COLUMNS, self.size.width - 2 * MARGIN))
        self.sheet = about_sheet(*self._told, columns, glyphs_of(self.app))
        self.first_row = _TOP
        self.show_lines([*[()] * _TOP, *self.sheet.lines, ()])

    def on_resize(self, _event: events.Resize) -> None:
        self._lay_out()


class AboutScreen(MovingKeys, FollowingScreen):
    """`choose` is called with the episode that was chosen, after the end."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(
            action
            for action in ACTIONS
            if action.id in _HERE or (action.group in (Group.LISTEN, Group.MOVE) and action.id not in _NOT_HERE)
        )
    ]

    DEFAULT_CSS = """
    AboutScreen {
        layout: vertical;
        background: $background;
        overflow: hidden hidden;
        & #page { height: 1fr; }
    }
    """

    AUTO_FOCUS = "#page"

    def __init__(
        self, player: Player, actions: tuple[Action, ...], podcast_id: PodcastId, choose: Callable[[EpisodeId], None]
    ) -> None:
        super().__init__(player)
        self._choose = choose
        self._podcast_id = podcast_id
        self._page = AboutPage()
        self._bar = PlayerBar(actions=actions, id="bar")
        self._footer = KeyFooter(actions, id="footer")
        self._bridge = Bridge(player.bus, self)

    def compose(self) -> ComposeResult:
        yield self._page
        yield self._bar
        yield self._footer

    def on_mount(self) -> None:
        self._bridge.connect()
        self._show_status(self.status)
        self.run_worker(self._fill())

    def on_unmount(self) -> None:
        self._bridge.disconnect()

    async def _fill(self) -> None:
        try:
            self._page.tell(*await asyncio.to_thread(self._read))
        except EarmarkError as error:
            self._page.say_instead(str(error))

    def _read(self) -> tuple[ShowFacts, list[Episode]]:
        library = self.player.library
        facts = library.shows.facts(self._podcast_id)
        return facts, library.episodes.rows(facts.best)

    @property
    def episode(self) -> Episode | None:
        """None: the links here are the show's."""
        return None

    def say(self, words: str) -> None:
        self._footer.say(words)

    @on(StatusMoved)
    def _status_moved(self, event: StatusMoved) -> None:
        self._show_status(event.status)

    def _show_status(self, status: PlaybackStatus) -> None:
        self._bar.show(status)
        loaded = status.episode.id if status.episode else None
        self._footer.show(Situation(Where.ABOUT, None, loaded, status.state))

    @on(KeyFooter.Pressed)
    async def _hint_clicked(self, event: KeyFooter.Pressed) -> None:
        await self.run_action(event.action_id)

    # -- keys -------------------------------------------------------------------------------------------------

    def moving(self) -> AboutPage:
        return self._page

    def action_play(self) -> None:
        if (entry := self._page.entry) is not None:
            self.follow(entry.href)

    def follow(self, href: str) -> None:
        """To an episode; a page opens."""
        number = href.removeprefix(_EPISODE)
        if number != href:
            self.dismiss()
            self._choose(EpisodeId(int(number)))
        else:
            super().follow(href)

    def action_copy_link(self) -> None:
        entry = self._page.entry
        self.copy_link(entry.url if entry else "")

    def action_back(self) -> None:
        self.dismiss()

    action_about = action_quit = action_back
