"""The base of whole screens: the player bar, the footer, and the bridge that brings the player's events to them."""

from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from msgspec.structs import replace
from textual import events, on
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Input, Static

from player.events import Notice
from player.model.episode import Episode, EpisodeId
from player.model.playback import Offer, PlaybackStatus, Severity
from player.model.podcast import PodcastId
from player.player import Player
from player.text.sentences import _, translate
from tui.actions.action import Action, Runs
from tui.actions.keys import Movable, MovingKeys
from tui.actions.table import ACTIONS, functions, key_for, key_label
from tui.bridge import (
    AttachmentsArrived,
    BookmarksTouched,
    Bridge,
    NetworkMoved,
    SegmentsTouched,
    StatusMoved,
    SyncMoved,
    WaveformArrived,
)
from tui.controllers.bar import BarController, BarCoverController
from tui.controllers.clipping import ClippingController
from tui.controllers.keeping import OfflineController
from tui.controllers.links import FindController
from tui.controllers.panes import BAR_ROWS, LEAST_COLUMNS, LEAST_ROWS, Room, room_for
from tui.controllers.playback import BookmarkingController, PlaybackController, SleepController
from tui.controllers.segments import Line, SegmentController
from tui.controllers.tips import LouderTip, Tips
from tui.controllers.typed_keys import TypedKeysController
from tui.controllers.ui import Ticker, Ui, no_episode
from tui.drawing.cells import cut, width
from tui.framework.screen import OwnScreen, start_worker
from tui.framework.typing_ahead import wait_with_keys
from tui.look.glyphs import Glyphs, glyphs_of
from tui.widgets.footer import KeyFooter
from tui.widgets.page_view import PageView
from tui.widgets.player_bar import BarRow, PlayerBar
from tui.widgets.selectable_lines import SelectableLines

if TYPE_CHECKING:
    from textual.app import App

    from player.model.podcast import Podcast
    from player.notes.episode_links import Links
    from tui.actions.palette import Command
    from tui.controllers.lists.inbox import New
    from tui.dialogs.palette import FindMore
    from tui.drawing.about.sheet import Build
    from tui.widgets.episode_page import EpisodePage

T = TypeVar("T")
_RECENT = "palette"
"""The name under which the commands that were run last are remembered."""
_LEAST_TEXT = 12
"""Cells of a notice's text beside its key."""

Step = Callable[[int, EpisodeId], Episode | None]
"""Moves the cursor of a list by a number of rows from an episode, and returns the episode under it, if any."""


class AppUi(Protocol):
    """The interface of the app for screens. It also opens pages, because this module can't import the screens that are
    based on it."""

    def open_reading(
        self, over: "BaseScreen", episode: Episode, step: Step, inbox: "New", notes: str | None
    ) -> None: ...

    def open_about(self, over: "BaseScreen", read: "Callable[[], Build]", podcast_id: PodcastId | None) -> None: ...

    def open_now_playing(self, over: "BaseScreen") -> None: ...

    def action_theme(self) -> None: ...

    def action_switch_theme(self) -> None: ...

    def switch_screen_reader(self) -> None: ...

    async def action_suspend_app(self) -> None: ...


class BaseScreen(OwnScreen[None]):
    """Implements `Ui` for the controllers of a screen."""

    finding: FindController
    """Finds words in the page, which all of these screens have."""

    def __init__(self, player: Player, actions: Sequence[Action]) -> None:
        super().__init__()
        self.player = player
        self.actions = actions
        self.bar = PlayerBar(actions=actions, waves=player.settings.appearance.waveform, id="bar")
        self.bar_row = BarRow(self.bar)
        self.footer = KeyFooter(actions, id="footer")
        self.playback = PlaybackController(player, self)
        self.bookmarking = BookmarkingController(player, self)
        self.clipping = ClippingController(player, self)
        self.sleeping = SleepController(player, self, self.playback)
        self.offline = OfflineController(player, self, self.footer.show_standing)
        self.moves = MovingKeys(self.moving)
        self.chapters_in_bar = BarController(player, self, self.bar)
        self.segments = SegmentController(
            player, self, self.chapters_in_bar.segments_changed, lambda: self.bar.pointed_ms, self.said_line
        )
        self.cover_in_bar = BarCoverController(player, self, self.bar_row.show_cover)
        self._opened_in: App[object] | None = None
        self._bridge = Bridge(player.bus, self)
        self._pressed = ""
        self.typed_keys = self._typed_keys(actions)
        self._tips = Tips(player, self.footer.suggest)
        self._louder_tip = LouderTip(player, self, self.footer.suggest)
        self._selected_in: SelectableLines | None = None
        self.mini = False
        """Whether the listener wants the player bar alone."""
        self.room = Room.ALL

    def on_mount(self) -> None:
        self._opened_in = self.app
        self._bridge.connect()
        self.show_status(self.status)
        self.offline.show()

    def on_unmount(self) -> None:
        self._bridge.disconnect()

    @on(events.Resize)
    def _fit_room(self) -> None:
        """Shows as much as fits into the terminal. Hidden widgets keep their cursors, but not the focus."""
        columns, rows = self.app.size
        before = self.room
        self.room = Room.ALL if self.glyphs.spoken else room_for(columns, rows, mini=self.mini)
        self.bar.alone = self.room is Room.BAR
        self.set_class(self.room is Room.BAR, "-bar-alone")
        self.set_class(self.room is Room.BAR and rows < BAR_ROWS, "-no-footer")
        self.set_class(self.room is Room.SENTENCE, "-too-small")
        if self.room is before:
            return
        if self.room is Room.SENTENCE and not self.query("#too-small"):
            words = _("{columns} × {rows} cells show your podcasts", columns=LEAST_COLUMNS, rows=LEAST_ROWS)
            self.mount(Static(words, id="too-small", markup=False), before=0)
        if self.room is Room.ALL and isinstance(there := self.moving(), Widget):
            self.call_after_refresh(there.focus)

    def toggle_mini(self) -> None:
        if self.glyphs.spoken:
            self.playback.say_where()
            return
        self.mini = not self.mini
        self._fit_room()
        if self.mini:
            self.say(_("{key} shows everything again", key=self.key_of("mini_mode")))

    def switch_screen_reader(self) -> None:
        self.app_ui.switch_screen_reader()

    def suspend(self) -> None:
        self.call_later(self.app_ui.action_suspend_app)

    def _typed_keys(self, actions: Sequence[Action]) -> TypedKeysController:
        counts = self.player.settings.keys.get("preset", "default") != "default"
        return TypedKeysController(self, actions, counts=counts)

    def use(self, actions: Sequence[Action]) -> None:
        """Takes over the app's `actions` when their keys have changed."""
        self.actions = actions
        self.typed_keys = self._typed_keys(actions)
        self.footer.use(actions)
        self.bar.use(actions)
        self.show_status(self.status)

    def run_by(self, actions: Iterable[Action], here: Runs) -> None:
        """Sets the functions that the `actions` run: the usual ones of all screens, unless `here` has another."""
        playing, marking, sleeping = self.playback, self.bookmarking, self.sleeping
        everywhere: Runs = {
            "pause": playing.toggle, "skip": playing.skip, "previous": playing.previous, "restart": playing.restart,
            "seek_back": playing.seek_back, "seek_forward": playing.seek_forward,
            "seek_back_far": playing.seek_back_far, "seek_forward_far": playing.seek_forward_far,
            "previous_chapter": playing.previous_chapter, "next_chapter": playing.next_chapter,
            "undo_jump": playing.undo_jump, "slower": playing.slower, "faster": playing.faster,
            "normal_speed": playing.normal_speed, "keep_speed": playing.keep_speed,
            "quieter": playing.quieter, "louder": playing.louder, "mute": playing.mute, "detach": playing.detach,
            "level": playing.level, "boost": playing.boost, "trim": playing.trim,
            "bookmark": marking.add, "bookmark_note": marking.add_with_note, "clip": self.make_clip,
            "copy_moment": marking.copy_link,
            "watch": self.watch_video,
            "segment_start": self.segments.start, "segment_end": self.segments.end,
            "segment_skip": self.segments.skip, "segment_leave": self.segments.leave,
            "sleep": sleeping.open, "sleep_longer": sleeping.longer, "sleep_off": sleeping.off,
            "stop_after": sleeping.stop_after, "offline": self.offline.toggle,
            "where": playing.say_where, "go_to_playing": self.go_to_playing, "now_playing": self.now_playing,
            "mini_mode": self.toggle_mini, "screen_reader": self.switch_screen_reader, "suspend": self.suspend,
            "help": self.help,
        }  # fmt: skip
        self.runs = functions(actions, everywhere, self.moves.runs, here)

    # -- for subclasses ---------------------------------------------------------------------------------------

    def moving(self) -> Movable:
        """The list or page that the moving keys act on."""
        raise NotImplementedError

    def show_hints(self) -> None:
        """Updates the key hints in the footer."""
        raise NotImplementedError

    @property
    def on_page(self) -> bool:
        """Whether keys act on the entries of the page."""
        return True

    def said_line(self) -> Line | None:
        """The line of a transcript under the cursor, if the keys act on that."""
        return None

    def place(self) -> Callable[[], object]:
        """Returns a function that restores the current pane and tab."""
        return lambda: None

    def tab(self) -> str:
        """The name of the open tab, or of the one that is about to open."""
        return ""

    def no_episode(self) -> str:
        return no_episode()

    def instead(self) -> tuple[str, ...]:
        return ()

    def go_to_page(self) -> None:
        """Moves the focus to the page. Does nothing on the screens that consist of a page."""

    def follow(self, href: str) -> None:
        """Follows a link on the screen."""
        raise NotImplementedError

    def go_to_episode(self, episode_id: EpisodeId) -> None:
        """Shows an episode in its list."""
        raise NotImplementedError

    def go_to_podcast(self, episode: Episode) -> None:
        """Shows the list of the episode's podcast."""
        self.go_to_episode(episode.id)

    def show_podcast(self, podcast_id: PodcastId) -> None:
        """Shows a podcast of the library."""
        raise NotImplementedError

    def show_notice(self, notice: Notice) -> None:
        """Shows a notice in the footer, or in a panel if it is a warning or an error and the footer is covered or too
        narrow."""
        fits = self.glyphs.spoken or (self.app.screen is self and self.footer.has_room_for(_notice_words(notice, self)))
        if fits or notice.severity is Severity.INFORMATION:
            self.say_notice(notice)
        else:
            failed = notice.severity is Severity.ERROR
            self.notify(notice.text, severity="error" if failed else "warning", markup=False)

    # -- events -----------------------------------------------------------------------------------------------

    @property
    def status(self) -> PlaybackStatus:
        return self.player.status

    def show_status(self, status: PlaybackStatus) -> None:
        self.show_in_bar(status)
        self.show_hints()

    def show_in_bar(self, status: PlaybackStatus) -> None:
        self.bar.show(status)
        self.cover_in_bar.show(status.episode)

    @on(StatusMoved)
    def _status_moved(self, event: StatusMoved) -> None:
        """Updates the screen, unless another screen covers it: then it is updated when it is uncovered."""
        if not self.is_covered:
            self.show_status(event.status)
            self.chapters_in_bar.chart(event.status.episode)

    @on(events.ScreenResume)
    def _uncovered(self) -> None:
        self.show_status(self.status)
        self.chapters_in_bar.chart(self.status.episode)

    @on(AttachmentsArrived)
    def _attachments_arrived(self, event: AttachmentsArrived) -> None:
        self.chapters_in_bar.chapters_arrived(event.episode_id)

    @on(WaveformArrived)
    def _waveform_arrived(self) -> None:
        self.chapters_in_bar.waveform_arrived()
        self._louder_tip.measured()

    @on(NetworkMoved)
    @on(SyncMoved)
    def _network_moved(self) -> None:
        self.offline.moved()

    @on(BookmarksTouched)
    def _bookmarks_touched(self) -> None:
        self.chapters_in_bar.bookmarks_changed()

    @on(SegmentsTouched)
    def _segments_touched(self, event: SegmentsTouched) -> None:
        self.chapters_in_bar.segments_arrived(event.episode_ids)

    @on(PageView.Followed)
    def _followed(self, event: PageView.Followed) -> None:
        self.follow(event.href)

    @on(SelectableLines.Selected)
    def _text_selected(self, event: SelectableLines.Selected) -> None:
        from tui.terminal.clipboard import copy_text

        self._selected_in = event.page
        self.say(copy_text(self.app, event.text))

    def act(self, action_id: str) -> None:
        """While text is selected, the key for copying copies it again, and the key for going back ends the
        selection."""
        page = self._selected_in if self._selected_in and self._selected_in.is_on_screen else None
        if page is not None and action_id == "copy_link" and (text := page.selected_text):
            page.post_message(SelectableLines.Selected(page, text))
        elif page is None or action_id != "back" or not page.clear_selection():
            self.typed_keys.run(action_id, super().act)
            self._tips.did(action_id, self.actions, self.key_of)

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

    @on(PlayerBar.ChangeSpeed)
    def _speed_turned(self, event: PlayerBar.ChangeSpeed) -> None:
        self.playback.change_speed(event.by)

    @on(PlayerBar.ToggleSpeed)
    def _speed_clicked(self) -> None:
        self.playback.toggle_speed()

    @on(PlayerBar.ToggleSound)
    def _volume_clicked(self) -> None:
        self.playback.mute()

    @on(PlayerBar.GoToPodcast)
    def _podcast_clicked(self) -> None:
        if (episode := self.status.episode) is not None:
            self.go_to_podcast(episode)

    @on(PlayerBar.GoToPlaying)
    def _title_clicked(self) -> None:
        self.go_to_playing()

    # -- keys -------------------------------------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        if self.finding.takes(event.key, event.character):
            event.stop()
            event.prevent_default()
            return
        if isinstance(self.focused, Input):
            self.typed_keys.forget()
        elif self.typed_keys.takes(event.key):
            event.stop()
            event.prevent_default()
            return
        self.playback.typed(event.key)
        self._pressed = event.character if event.is_printable and event.character else event.key

    def say_unbound(self, pressed: str = "") -> None:
        """Says that the pressed key does nothing here, or who has its action now. A digit may begin a count."""
        pressed = pressed or self._pressed
        if pressed.isdigit() and self.typed_keys.counts:
            return
        from tui.actions.presets import FULL

        former = next((one for one in self.actions if FULL.get(one.id) == (pressed,)), None)
        if former is not None:
            now = self.key_of(former.id if former.keys else "help")
            title = translate(former.title)
            self.say(_("{key} was “{title}”; {now} has it now", key=key_label(pressed), title=title, now=now))
            return
        does_nothing = _("{key} does nothing here", key=key_label(pressed))
        self.say(f"{does_nothing} {self.glyphs.dot} {_('{key} shows all keys', key=self.key_of('help'))}")

    def go_to_playing(self) -> None:
        if self.playback.loaded() and (episode := self.status.episode) is not None:
            self.go_to_episode(episode.id)

    def make_clip(self) -> None:
        self.clipping.open()

    @property
    def chosen_episode(self) -> Episode | None:
        """The episode under the cursor, or else the one in the player."""
        return self.status.episode

    def watch_video(self) -> None:
        self.playback.watch(self.chosen_episode)

    def select_lines(self, page: "EpisodePage") -> bool:
        """Begins or ends a selection of lines, if the page shows a transcript and has the focus."""
        if not (self.on_page and page.select_lines()):
            return False
        self._selected_in = page
        if page.selection is not None:
            keys = {"copy": self.key_of("copy_link"), "back": self.key_of("back"), "help": self.key_of("help")}
            self.say(_("Move to select lines. {copy} copies them, {help} has “Make a clip”, {back} ends.", **keys))
        return True

    def now_playing(self) -> None:
        self.app_ui.open_now_playing(self)

    def help(self) -> None:
        self.open_commands()

    def open_commands(
        self,
        podcasts: "Sequence[Podcast]" = (),
        lists: "Sequence[Command]" = (),
        find: "FindMore" = lambda _words, _cancelled: (),
    ) -> None:
        """Opens the list of commands; over a dialog it is only to be read."""
        from tui.actions.palette import commands, read_recent, with_recent
        from tui.dialogs.palette import Palette

        found = tuple(commands(self, self.actions, podcasts, lists, self.player.settings.playback))
        here = [] if isinstance(self.app.screen, ModalScreen) else self.footer.here
        if self.app.screen is not self:
            found = tuple(replace(command, run=None) for command in found)
        recent = read_recent(self.player.remembered(_RECENT))

        def ran(command_id: str) -> None:
            self.player.remember(_RECENT, with_recent(recent, command_id))

        self.push(Palette(found, recent, ran, find, here, self.actions))

    @property
    def app_ui(self) -> AppUi:
        return cast(AppUi, self.app)

    # -- for controllers --------------------------------------------------------------------------------------

    @property
    def glyphs(self) -> Glyphs:
        return glyphs_of(self._known_app)

    @property
    def rows(self) -> int:
        return self.size.height

    def say(self, words: str, severity: Severity = Severity.INFORMATION) -> None:
        self.footer.flash(words, severity=severity)

    def say_later(self, words: Callable[[], str]) -> None:
        def say() -> None:
            screen = self if self.is_attached else self._known_app.screen
            if isinstance(screen, BaseScreen) and (said := words()):
                screen.say(said)

        self._known_app.call_later(say)

    @property
    def _known_app(self) -> "App[object]":
        """The app, also after this screen was removed, because work that it began may end later, on another thread."""
        return self._opened_in or self.app

    def key_of(self, action_id: str) -> str:
        return key_for(action_id, getattr(self._known_app, "actions", ACTIONS), self.glyphs)

    def say_notice(self, notice: Notice) -> None:
        room = None if self.glyphs.spoken else self.footer.room
        self.say(_notice_words(notice, self, room), notice.severity)

    def push(self, screen: Screen[T], closed: Callable[[T | None], None] | None = None) -> None:
        self.app.push_screen(screen, closed)

    def open_about(self, read: "Callable[[], Build]", podcast_id: PodcastId | None = None) -> None:
        self.app_ui.open_about(self, read, podcast_id)

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


def _notice_words(notice: Notice, ui: Ui, room: int | None = None) -> str:
    """The notice's text, and the key that acts on it, if there is one. To fit into `room`, the text is cut, never the
    key."""
    match notice.offer:
        case Offer.RESUME:
            then = _("{key} resumes where you were", key=ui.key_of("pause"))
        case Offer.SLEEP_START:
            then = _("{key} returns to where it started", key=ui.key_of("undo_jump"))
        case Offer.UNDO_JUMP:
            then = _("{key} returns", key=ui.key_of("undo_jump"))
        case None:
            return notice.text
    then = f" {ui.glyphs.dot} {then}"
    text = notice.text if room is None else cut(notice.text, max(_LEAST_TEXT, room - width(then)), ui.glyphs.ellipsis)
    return text + then
