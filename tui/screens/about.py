"""Pages over the whole screen that tell of a show, or of somebody who is heard, from the library itself."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType

from player.errors import EarmarkError
from player.model.episode import Episode, EpisodeId
from player.model.extras import Person
from player.model.playback import PlaybackStatus
from player.model.podcast import PodcastId
from player.player import Player
from tui.actions.moving_keys import MovingKeys
from tui.actions.table import ACTIONS, Action, Focus, Group, bindings
from tui.bridge import Bridge, StatusMoved
from tui.drawing.episode_tabs import TextPage, person_of
from tui.drawing.podcast_pages import EPISODE, about_sheet, people_sheet, person_sheet
from tui.drawing.runs import Run
from tui.framework.workers import start_worker
from tui.look.glyphs import Glyphs, glyphs_of
from tui.screens.finding import FindingScreen
from tui.widgets.cursor_page import MARGIN, CursorPage
from tui.widgets.footer import FooterContext, KeyFooter
from tui.widgets.player_bar import PlayerBar

_NOT_HERE = frozenset({"pane_left", "pane_right", "next_pane", "previous_pane"})
_HERE = frozenset({"copy_link", "quit", "about", "people", "help", "filter"})
_COLUMNS = 76
_TOP = 1


Build = Callable[[int, Glyphs], TextPage]
"""Makes the page, for so many columns of text."""


class AboutPage(CursorPage):
    """`tell` it what to show."""

    def __init__(self) -> None:
        super().__init__(id="page")
        self._build: Build | None = None

    def tell(self, build: Build) -> None:
        self._build = build
        self._lay_out()

    def say_instead(self, sentence: str) -> None:
        self.show_lines([(), (Run(sentence, "muted"),)])

    def _lay_out(self) -> None:
        if self._build is None or not self.size.width:
            return
        room = max(1, self.app.size.width - 2 * MARGIN - 1)
        columns = max(10, min(_COLUMNS, room))
        self.styles.padding = (0, max(0, (room - columns) // 2))
        self.sheet = self._build(columns, glyphs_of(self.app))
        self.first_row = _TOP
        self.show_lines([*[()] * _TOP, *self.sheet.lines, ()])

    def on_resize(self, _event: events.Resize) -> None:
        self._lay_out()


class AboutScreen(MovingKeys, FindingScreen):
    """`read` is called in a thread; `choose` with the episode that was chosen, after the end."""

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
        self, player: Player, actions: Sequence[Action], read: Callable[[], Build], choose: Callable[[EpisodeId], None]
    ) -> None:
        super().__init__(player)
        self._read = read
        self._choose = choose
        self._actions = actions
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
        self.chart(self.status.episode)
        start_worker(self, self._fill)

    def on_unmount(self) -> None:
        self._bridge.disconnect()

    async def _fill(self) -> None:
        try:
            self._page.tell(await asyncio.to_thread(self._read))
        except EarmarkError as error:
            self._page.say_instead(str(error))

    @property
    def page(self) -> AboutPage:
        return self._page

    @property
    def bar(self) -> PlayerBar:
        return self._bar

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
        self._footer.show(FooterContext(Focus.ABOUT, None, loaded, status.state))

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
        """To an episode, or to somebody's page; any other opens."""
        number = href.removeprefix(EPISODE)
        if number != href:
            self.go_to_episode(EpisodeId(int(number)))
        elif name := person_of(href):
            self.app.switch_screen(AboutScreen(self.player, self._actions, person(self.player, name), self._choose))
        else:
            super().follow(href)

    def action_filter(self) -> None:
        if not self.find_on_page():
            self.say("Nothing to find here")

    def action_help(self) -> None:
        from tui.screens.help import HelpScreen

        self.app.push_screen(HelpScreen(self._actions))

    def action_copy_link(self) -> None:
        entry = self._page.entry
        self.copy_link(entry.url if entry else "")

    def go_to_episode(self, episode_id: EpisodeId) -> None:
        self.dismiss()
        self._choose(episode_id)

    def action_back(self) -> None:
        self.dismiss()

    action_about = action_people = action_quit = action_go_back = action_back


def show(player: Player, podcast_id: PodcastId) -> Callable[[], Build]:
    """Reads what is told of a podcast."""

    def read() -> Build:
        facts = player.library.shows.facts(podcast_id)
        return partial(about_sheet, facts, player.library.episodes.rows(facts.best))

    return read


def person(player: Player, name: str, url: str = "") -> Callable[[], Build]:
    """Reads in what somebody is heard."""

    def read() -> Build:
        library = player.library
        return partial(person_sheet, name, url, library.episodes.rows(library.shows.episodes_with(name)))

    return read


def several(people: Sequence[Person]) -> Callable[[], Build]:
    """Somebody to choose."""
    return lambda: partial(people_sheet, people)
