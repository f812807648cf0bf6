"""The three panes with the bar and the footer under them: how they are laid out, and the keys that move in them."""

from collections.abc import Callable, Sequence
from datetime import date

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widget import Widget

from player.model.episode import Episode, EpisodeId
from player.player import Player
from tui.actions.moving_keys import MovingKeys
from tui.actions.table import Action, Focus
from tui.framework.first_frame import FirstFrameScreen
from tui.screens.arrangement import Pair, arrange, pair_for
from tui.screens.page import PageScreen
from tui.widgets.episode_list import EpisodeList
from tui.widgets.episode_page import EpisodePage
from tui.widgets.episodes_pane import EpisodesPane
from tui.widgets.footer import FooterContext, KeyFooter
from tui.widgets.player_bar import PlayerBar
from tui.widgets.sidebar import Sidebar
from tui.widgets.virtual_list import VirtualList

_SHORT, _TINY = 20, 9
_ORDER = (Focus.SIDEBAR, Focus.EPISODES, Focus.NOTES)


class PanesScreen(MovingKeys, PageScreen, FirstFrameScreen):
    """Knows which pane has the focus. Resizing never changes that, nor any cursor."""

    AUTO_FOCUS = "#episodes"

    def __init__(self, player: Player, actions: tuple[Action, ...], today: Callable[[], date]) -> None:
        super().__init__(player)
        self._actions = actions
        self._sidebar = Sidebar(id="sidebar")
        self._pane = EpisodesPane(player.library.episodes.rows, today, id="pane")
        self._notes = EpisodePage(id="notes")
        self._bar = PlayerBar(actions=actions, id="bar")
        self._footer = KeyFooter(actions, id="footer")
        self._focus = Focus.EPISODES
        self._pair = Pair.LEFT

    def compose(self) -> ComposeResult:
        with Horizontal(id="body"):
            yield self._sidebar
            yield self._pane
            yield self._notes
        yield self._bar
        yield self._footer

    @property
    def page(self) -> EpisodePage:
        return self._notes

    @property
    def actions(self) -> Sequence[Action]:
        return self._actions

    @property
    def bar(self) -> PlayerBar:
        return self._bar

    @property
    def on_page(self) -> bool:
        return self._focus is Focus.NOTES

    def go_to_page(self) -> None:
        self.go_to(Focus.NOTES)

    def say(self, words: str) -> None:
        self._footer.say(words)

    @property
    def _episodes(self) -> EpisodeList:
        return self._pane.episodes

    @property
    def episode_id(self) -> EpisodeId | None:
        return self._episodes.episode_id

    @property
    def episode(self) -> Episode | None:
        """The episode under the cursor."""
        return self._episodes.episode

    @property
    def no_episode(self) -> str:
        return "This row is still being read" if self._episodes.is_awaited else super().no_episode

    def show_notes(self) -> None:
        """Brings the notes of the episode under the cursor, if they are in sight."""
        raise NotImplementedError

    def show_hints(self) -> None:
        status = self.status
        loaded = status.episode.id if status.episode else None
        where = self._where() or self._focus
        podcast = self._sidebar.podcast is not None
        self._footer.show(FooterContext(where, self.episode, loaded, status.state, self.enter_word, podcast))
        self._bar.offer(playable=self.episode is not None)

    # -- panes ------------------------------------------------------------------------------------------------

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.height < _SHORT, "-short")
        self.set_class(event.size.height < _TINY, "-tiny")
        self._arrange()

    def on_descendant_focus(self, _event: events.DescendantFocus) -> None:
        where = self._where()
        if where is not None:
            self._focus = Focus.EPISODES if where is Focus.FILTER else where
            self._arrange()
        self.show_hints()

    def _where(self) -> Focus | None:
        focused = self.focused
        if self._pane.typing:
            return Focus.FILTER
        panes: dict[Widget | None, Focus] = {
            self._sidebar: Focus.SIDEBAR,
            self._episodes: Focus.EPISODES,
            self._notes: Focus.NOTES,
        }
        return panes.get(focused)

    def go_to(self, where: Focus) -> None:
        self._focus = where
        self._arrange()
        self.moving().focus()

    def _arrange(self) -> None:
        """Shares the width out. The pane with the focus is always among those shown."""
        self._pair = pair_for(self._focus, self._pair)
        arrangement = arrange(self.app.size.width, self._focus, self._pair)
        shares = (
            (self._sidebar, arrangement.sidebar),
            (self._pane, arrangement.episodes),
            (self._notes, arrangement.notes),
        )
        for pane, cells in shares:
            pane.display = cells > 0
            if cells:
                pane.styles.width = cells
        self.show_notes()

    # -- keys: moving -----------------------------------------------------------------------------------------

    def moving(self) -> VirtualList | EpisodePage:
        panes: dict[Focus, VirtualList | EpisodePage] = {Focus.SIDEBAR: self._sidebar, Focus.NOTES: self._notes}
        return panes.get(self._focus, self._episodes)

    def action_pane_left(self) -> None:
        self._step(-1)

    def action_pane_right(self) -> None:
        self._step(1)

    def _step(self, by: int) -> None:
        place = _ORDER.index(self._focus) + by
        if 0 <= place < len(_ORDER):
            self.go_to(_ORDER[place])

    def action_next_pane(self) -> None:
        self.go_to(_ORDER[(_ORDER.index(self._focus) + 1) % len(_ORDER)])

    def action_previous_pane(self) -> None:
        self.go_to(_ORDER[(_ORDER.index(self._focus) - 1) % len(_ORDER)])
