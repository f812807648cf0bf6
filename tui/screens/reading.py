"""An episode's page over the whole screen, in a width for reading; the bar stays, and so do the keys that steer it."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType

from player.errors import EarmarkError
from player.model.episode import Episode, EpisodeId
from player.model.playback import PlaybackStatus, Severity
from player.player import Player
from tui.actions.moving_keys import MovingKeys
from tui.actions.table import ACTIONS, Action, Focus, Group, bindings
from tui.bridge import Bridge, NoticeArrived, StatusMoved
from tui.chosen import choose, chosen
from tui.screens.page import PageScreen
from tui.widgets.cursor_page import MARGIN
from tui.widgets.episode_page import EpisodePage
from tui.widgets.footer import FooterContext, KeyFooter
from tui.widgets.player_bar import PlayerBar

_NOT_HERE = frozenset({"pane_left", "pane_right", "next_pane", "previous_pane"})
_HERE = frozenset({
    "read", "narrower", "wider", "next_episode", "previous_episode", "links", "copy_link", "copy_links", "help", "quit",
    "tab_notes", "tab_chapters", "tab_transcript", "tab_links", "follow", "filter", "people",
})  # fmt: skip
_NARROWEST, _WIDEST, _STEP = 32, 200, 4


class ReadingScreen(MovingKeys, PageScreen):
    """`step` moves the cursor of the list, and tells the episode under it then; None where there is none."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(
            action
            for action in ACTIONS
            if action.id in _HERE or (action.group in (Group.LISTEN, Group.MOVE) and action.id not in _NOT_HERE)
        )
    ]

    DEFAULT_CSS = """
    ReadingScreen {
        layout: vertical;
        background: $background;
        overflow: hidden hidden;
        & #page { height: 1fr; }
    }
    """

    AUTO_FOCUS = "#page"

    def __init__(
        self,
        player: Player,
        actions: Sequence[Action],
        episode: Episode,
        step: Callable[[int], Episode | None],
        go_to: Callable[[EpisodeId], None],
    ) -> None:
        super().__init__(player)
        self._actions = actions
        self._episode = episode
        self._step = step
        self._go_to = go_to
        self._page = EpisodePage(id="page")
        self._bar = PlayerBar(actions=actions, id="bar")
        self._footer = KeyFooter(actions, id="footer")
        self._bridge = Bridge(player.bus, self)
        self._columns = reading_width(player)

    def compose(self) -> ComposeResult:
        yield self._page
        yield self._bar
        yield self._footer

    def on_mount(self) -> None:
        self._bridge.connect()
        self._show_status(self.status)
        self._show()
        self.chart(self.status.episode)

    def on_unmount(self) -> None:
        self._bridge.disconnect()

    @property
    def page(self) -> EpisodePage:
        return self._page

    @property
    def actions(self) -> Sequence[Action]:
        return self._actions

    @property
    def bar(self) -> PlayerBar:
        return self._bar

    @property
    def episode(self) -> Episode:
        """The one that is read."""
        return self._episode

    def say(self, words: str) -> None:
        self._footer.say(words)

    def _show(self) -> None:
        self._page.show(self._episode, self._notes_of(self._episode))
        self.show_beside()

    # -- what happens -----------------------------------------------------------------------------------------

    @on(StatusMoved)
    def _status_moved(self, event: StatusMoved) -> None:
        self._show_status(event.status)

    def _show_status(self, status: PlaybackStatus) -> None:
        self._bar.show(status)
        self.show_hints()

    def show_hints(self) -> None:
        status = self.status
        loaded = status.episode.id if status.episode else None
        self._footer.show(FooterContext(Focus.READING, self._episode, loaded, status.state, self.enter_word))

    @on(NoticeArrived)
    def _told(self, event: NoticeArrived) -> None:
        """What is a warning or worse the main screen tells."""
        if event.notice.severity is Severity.INFORMATION:
            self.say(event.notice.text)

    @on(KeyFooter.Pressed)
    async def _hint_clicked(self, event: KeyFooter.Pressed) -> None:
        await self.run_action(event.action_id)

    # -- width ------------------------------------------------------------------------------------------------

    def on_resize(self) -> None:
        self._fit()

    def _fit(self) -> None:
        """The page in the middle, as wide as was chosen or as there is room."""
        columns = min(self._columns, self._room())
        self._page.be_wide(columns, (self._room() - columns) // 2)

    def _room(self) -> int:
        return max(1, self.app.size.width - 2 * MARGIN - 1)

    def action_narrower(self) -> None:
        self._change_width(-_STEP)

    def action_wider(self) -> None:
        self._change_width(_STEP)

    def _change_width(self, by: int) -> None:
        columns = min(self._columns, self._room()) + by
        self._columns = max(min(_NARROWEST, self._room()), min(columns, self._room(), _WIDEST))
        self._fit()
        choose(self.player, "reading_width", str(self._columns), str(self.player.settings.reading.width))
        self.say(f"{self._columns} columns of text")

    # -- keys -------------------------------------------------------------------------------------------------

    def moving(self) -> EpisodePage:
        return self._page

    def action_play(self) -> None:
        if not self.follow_entry():
            self.play_episode(self._episode.id)

    def action_filter(self) -> None:
        if not self.find_on_page():
            self.say("Chapters, transcript and links can be searched: 2, 3 and 4 show them")

    def action_read(self) -> None:
        self.dismiss()

    action_back = action_quit = action_go_back = action_read

    def action_help(self) -> None:
        from tui.screens.help import HelpScreen

        self.app.push_screen(HelpScreen(self._actions))

    def go_to_episode(self, episode_id: EpisodeId) -> None:
        self.dismiss()
        self._go_to(episode_id)

    def action_next_episode(self) -> None:
        self._turn_to(self._step(1), "This is the last one")

    def action_previous_episode(self) -> None:
        self._turn_to(self._step(-1), "This is the first one")

    def _turn_to(self, episode: Episode | None, words: str) -> None:
        if episode is None:
            self.say(words)
            return
        self._episode = episode
        self._show()
        self._show_status(self.status)


def reading_width(player: Player) -> int:
    """What was chosen last, else what the settings say."""
    width = configured = player.settings.reading.width
    with suppress(EarmarkError, ValueError):
        width = int(chosen(player, "reading_width", str(configured)))
    return max(_NARROWEST, min(width, _WIDEST))
