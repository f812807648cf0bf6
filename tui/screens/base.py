"""What all whole screens share: the player bar, the footer, and the bridge that carries the player's events to them."""

from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from textual import events, on
from textual.screen import Screen

from player.events import Notice
from player.model.episode import EpisodeId
from player.model.playback import Offer, PlaybackStatus, Severity
from player.player import Player
from player.text.sentences import _
from tui.actions.action import Action
from tui.actions.moving_keys import Movable, MovingKeys
from tui.actions.table import ACTIONS, functions, key_for, key_label
from tui.bridge import AttachmentsArrived, BookmarksTouched, Bridge, NetworkMoved, StatusMoved
from tui.controllers.keeping.offline import OfflineController
from tui.controllers.page.find import FindController
from tui.controllers.playback.bar import BarController
from tui.controllers.playback.bookmarking import BookmarkingController
from tui.controllers.playback.playback import PlaybackController
from tui.controllers.playback.sleep import SleepController
from tui.controllers.ui import Ticker
from tui.framework.screen import OwnScreen
from tui.framework.typing_ahead import wait_with_keys
from tui.framework.workers import start_worker
from tui.look.glyphs import Glyphs, glyphs_of
from tui.widgets.footer import KeyFooter
from tui.widgets.page_view import PageView
from tui.widgets.player_bar import PlayerBar

if TYPE_CHECKING:
    from player.notes.episode_links import Links

T = TypeVar("T")


class BaseScreen(OwnScreen[None]):
    """Implements `Ui` for its controllers: what only a screen can do."""

    finding: FindController
    """All of these screens have a page whose entries can be searched."""

    def __init__(self, player: Player, actions: Sequence[Action]) -> None:
        super().__init__()
        self.player = player
        self.actions = actions
        self.bar = PlayerBar(actions=actions, id="bar")
        self.footer = KeyFooter(actions, id="footer")
        self.playback = PlaybackController(player, self)
        self.bookmarking = BookmarkingController(player, self)
        self.sleeping = SleepController(player, self, self.playback)
        self.offline = OfflineController(player, self, self.footer.show_standing)
        self.moves = MovingKeys(self.moving)
        self.chapters_in_bar = BarController(player, self, self.bar.show_chapters, self.bar.show_bookmarks)
        self._bridge = Bridge(player.bus, self)
        self._pressed = ""

    def on_mount(self) -> None:
        self._bridge.connect()
        self.show_status(self.status)
        self.offline.show()

    def on_unmount(self) -> None:
        self._bridge.disconnect()

    def run_by(self, actions: Iterable[Action], **parts: object) -> None:
        """Resolves what each of `actions` runs here: a method of one of the `parts`, or of what all screens share."""
        self.runs = functions(
            actions,
            playback=self.playback,
            bookmark=self.bookmarking,
            sleep=self.sleeping,
            offline=self.offline,
            move=self.moves,
            screen=self,
            **parts,
        )

    # -- what each screen has its own of ----------------------------------------------------------------------

    def moving(self) -> Movable:
        """What the moving keys act on."""
        raise NotImplementedError

    def show_hints(self) -> None:
        """Updates the footer with what the keys do now."""
        raise NotImplementedError

    def follow(self, href: str) -> None:
        """Follows a link on the screen."""
        raise NotImplementedError

    def go_to_episode(self, episode_id: EpisodeId) -> None:
        """Shows an episode in its list."""
        raise NotImplementedError

    def show_notice(self, notice: Notice) -> None:
        """In the footer, or in a panel if something is wrong."""
        if notice.severity is Severity.INFORMATION:
            self.say_notice(notice)
        else:
            failed = notice.severity is Severity.ERROR
            self.notify(notice.text, severity="error" if failed else "warning", markup=False)

    # -- what happens -----------------------------------------------------------------------------------------

    @property
    def status(self) -> PlaybackStatus:
        return self.player.status

    def show_status(self, status: PlaybackStatus) -> None:
        self.bar.show(status)
        self.show_hints()

    @on(StatusMoved)
    def _status_moved(self, event: StatusMoved) -> None:
        self.show_status(event.status)
        self.chapters_in_bar.chart(event.status.episode)

    @on(AttachmentsArrived)
    def _attachments_arrived(self, event: AttachmentsArrived) -> None:
        self.chapters_in_bar.chapters_arrived(event.episode_id)

    @on(NetworkMoved)
    def _network_moved(self) -> None:
        self.offline.moved()

    @on(BookmarksTouched)
    def _bookmarks_touched(self) -> None:
        self.chapters_in_bar.bookmarks_changed()

    @on(PageView.Followed)
    def _followed(self, event: PageView.Followed) -> None:
        self.follow(event.href)

    @on(KeyFooter.Pressed)
    def _hint_clicked(self, event: KeyFooter.Pressed) -> None:
        self.act(event.action_id)

    @on(PlayerBar.Seek)
    def _bar_sought(self, event: PlayerBar.Seek) -> None:
        self.playback.seek_to(event.position_ms)

    @on(PlayerBar.Toggle)
    def _bar_toggled(self) -> None:
        self.playback.toggle()

    @on(PlayerBar.ChangeVolume)
    def _bar_turned(self, event: PlayerBar.ChangeVolume) -> None:
        self.playback.change_volume(event.by)

    @on(PlayerBar.GoToPlaying)
    def _title_clicked(self) -> None:
        self.go_to_playing()

    # -- keys -------------------------------------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        if self.finding.takes(event.key, event.character):
            event.stop()
            event.prevent_default()
            return
        self.playback.typed(event.key)
        self._pressed = event.character if event.is_printable and event.character else event.key

    def say_unbound(self) -> None:
        """Says that the pressed key does nothing here."""
        does_nothing = _("{key} does nothing here", key=key_label(self._pressed))
        self.say(f"{does_nothing} {self.glyphs.dot} {_('{key} shows all keys', key=self.key_of('help'))}")

    def go_to_playing(self) -> None:
        if self.playback.loaded() and (episode := self.status.episode) is not None:
            self.go_to_episode(episode.id)

    def help(self) -> None:
        from tui.screens.help import HelpScreen

        self.push(HelpScreen(self.actions, self.player.settings.playback))

    # -- for controllers --------------------------------------------------------------------------------------

    @property
    def glyphs(self) -> Glyphs:
        return glyphs_of(self.app)

    @property
    def rows(self) -> int:
        return self.size.height

    def say(self, words: str) -> None:
        self.footer.flash(words)

    def key_of(self, action_id: str) -> str:
        return key_for(action_id, getattr(self.app, "actions", ACTIONS), self.glyphs)

    def say_notice(self, notice: Notice) -> None:
        """Says in the footer what happened, and which key offers something to do about it."""
        match notice.offer:
            case Offer.RESUME:
                then = _("{key} resumes where you were", key=self.key_of("pause"))
            case Offer.SLEEP_START:
                then = _("{key} returns to where it started", key=self.key_of("undo_jump"))
            case Offer.UNDO_JUMP:
                then = _("{key} returns", key=self.key_of("undo_jump"))
            case None:
                then = ""
        self.say(f"{notice.text} {self.glyphs.dot} {then}" if then else notice.text)

    def push(self, screen: Screen[T], closed: Callable[[T | None], None] | None = None) -> None:
        self.app.push_screen(screen, closed)

    def in_background(self, work: Callable[[], Coroutine[Any, Any, object]], group: str) -> None:
        start_worker(self, work, group=group, exclusive=True)

    def cancel(self, group: str) -> None:
        self.workers.cancel_group(self, group)

    def every(self, seconds: float, function: Callable[[], None]) -> Ticker:
        return self.set_interval(seconds, function, pause=True)

    def keys_wait(self, until: Awaitable[object]) -> None:
        wait_with_keys(self.app, until)

    def open_link(self, address: str) -> None:
        from tui.terminal.browser import open_link

        open_link(self.app, address, self.say)

    def copy_link(self, address: str, what: str = "") -> None:
        from tui.terminal.clipboard import copy_link

        self.say(copy_link(self.app, address, what))

    def copy_links(self, links: "Links") -> None:
        from tui.terminal.clipboard import copy_links

        self.say(copy_links(self.app, links))
