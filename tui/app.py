"""The app: connects the player, its screens and the shutdown."""

import asyncio
import locale
import logging
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from textual import events, on
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.screen import Screen

from player.errors import AlreadyRunning, DamagedLibrary, EarmarkError, LibraryError
from player.events import QuitAsked
from player.library import Repair
from player.model.playback import ACTIVE
from player.model.podcast import WELCOME_URL, PodcastId
from player.playback.last_session import at_rest
from player.player import Player
from player.processes.scheduler import SharedThreads
from player.text import sentences
from player.text.sentences import _
from tui.actions import keys
from tui.actions.table import key_for, keymap, keys_of, remapped
from tui.bridge import NetworkMoved, StatusMoved
from tui.chosen import last_view, write_view
from tui.controllers.appearance import Dressed, Dressing
from tui.drawing.speech import Narrator, where_words
from tui.framework import gc_tuning
from tui.framework.first_frame import FirstFrame
from tui.framework.rendering import ComponentsOnDemand, DrawsOver, FiltersAtOnce
from tui.framework.screen import NotifiesOfLibraryErrors, library_error, notify_of, start_worker
from tui.framework.typing_ahead import AT_ONCE, TypingAhead
from tui.look.glyphs import as_words, glyphs_for
from tui.look.themes import draw_scrollbars
from tui.page_opener import OpensPages
from tui.pictures.pixels import pixels_for
from tui.screens.base import BaseScreen
from tui.screens.main import MainScreen
from tui.shutdown import AGAIN, ClosedTerminal, Shutdown
from tui.terminal.anchors import anchored
from tui.terminal.bidi import Bidi, ReadingOrder, bidi_for
from tui.terminal.capabilities import knows_osc
from tui.terminal.driver import TerminalDriver
from tui.terminal.input import early_ground
from tui.terminal.last_frame import LastFrame
from tui.terminal.line_by_line import NEWS_ROWS, LineByLine, say
from tui.terminal.style_codes import fewer, has_hyperlinks
from tui.terminal.window_title import WindowTitle, title_of
from tui.widgets.player_bar import NAMED_IN_BAR

if TYPE_CHECKING:
    from player.automatic import AutomaticRefresh

log = logging.getLogger(__name__)

T = TypeVar("T")

_KEEP_S = 5.0
"""How often the view and its episode are saved, for a start after a crash."""
_THREADS = 8
_QUIT = Binding(",".join(AT_ONCE), "quit", show=False, priority=True)
_SUSPEND = Binding("ctrl+z", "suspend_app", show=False)
_FOR_READER = "look/styles/reader.tcss"
_OFFERED, _OFFER_S = "screen_reader_offered", 60.0
_REST_S = 0.5
"""After this long without a key or a click, freed memory is returned to the system."""


class EarmarkApp(
    Dressed[int], OpensPages, NotifiesOfLibraryErrors, DrawsOver[int], FiltersAtOnce[int], TypingAhead[int]
):
    """`player` is open, still `opening`, or couldn't be opened because the library is `damaged`; `tui/run.py` closes
    it. If `opening` fails, the app ends, and `refused` is the reason.

    With `screen_reader`, or if the settings say so, the app is for a screen reader: `reader` has what it says.

    `settle` is called once, after the first frame and the start of the player. `shutdown` is installed if signals are
    to end the app. `problems` of the settings are shown. `mini`: the app begins with the player bar alone. `address` is
    an `earmark:` address to open after the start.
    """

    TITLE = "Earmark"
    CSS_PATH = "look/styles/earmark.tcss"
    ENABLE_COMMAND_PALETTE = False
    ALLOW_SELECT = False  # pages select text themselves, unwrapped (`tui/widgets/selectable_lines.py`)
    CLICK_CHAIN_TIME_THRESHOLD = 0.4  # seconds: a second click that comes later isn't a double click
    BINDINGS: ClassVar[list[BindingType]] = [_QUIT, _SUSPEND]

    def __init__(
        self,
        player: Player,
        *,
        damaged: DamagedLibrary | None = None,
        opening: Future[None] | None = None,
        today: Callable[[], date] = date.today,
        settle: Callable[[], None] = lambda: None,
        shutdown: Shutdown | None = None,
        problems: Sequence[str] = (),
        last_frame: LastFrame | None = None,
        mini: bool = False,
        address: str = "",
        screen_reader: bool = False,
    ) -> None:
        looks = player.settings.appearance
        spoken = screen_reader or looks.screen_reader
        # With NO_COLOR, Textual converts no colours: the greys that it would use are colours too.
        super().__init__(
            css_path=[self.CSS_PATH, _FOR_READER] if spoken else None,
            ansi_color=True if "NO_COLOR" in os.environ else None,
        )
        self.stylesheet = ComponentsOnDemand(variables=self.stylesheet._variables)
        self.player = player
        self.glyphs = glyphs_for(looks.ascii, locale.getencoding(), spoken=spoken)
        draw_scrollbars(self.glyphs, None if self.no_color else self.console.color_system)
        self.rows = looks.rows
        self.hyperlinks = has_hyperlinks(looks.hyperlinks, os.environ)
        self._pixels = pixels_for(self, "off" if spoken else looks.art, self.glyphs, player.artwork.pictures)
        self.covers, self.complete = self._pixels.covers, self._pixels.complete
        self._filters += [] if spoken else _reading_order(self, looks.bidi)
        self.reader = LineByLine(self, self._write_out) if spoken else None
        self._narrator = Narrator()
        if self.reader is not None:
            self.complete = self.reader.complete
        self.actions, key_problems = remapped(player.settings.keys)
        self._problems = (*problems, *key_problems)
        self._damaged = damaged
        self._opening = opening
        self.refused: EarmarkError | None = None
        self.today = today
        self._settle = settle
        self._shutdown_guard = shutdown or Shutdown()
        self._last_frame = last_frame
        self._mini, self._address = mini, address
        self._main: MainScreen | None = None
        self._kept_view = ""
        self._rest: asyncio.TimerHandle | None = None
        self.bug: Exception | None = None
        light, self._typed = early_ground(last_frame.typed() if last_frame is not None else b"")
        self._dressing = Dressing(self, player, remembered=damaged is None, is_light=light)
        self.set_keymap(keymap(self.actions))
        self._window_title = WindowTitle(self._write_out)
        self.held_keys = keys_of(self.actions, keys.HELD)
        self.row_keys = keys_of(self.actions, keys.OF_ROW)
        self.free_keys = keys_of(self.actions, keys.OF_NOTHING)

    def on_load(self) -> None:
        """Textual calls this before it takes over the terminal."""
        loop = asyncio.get_running_loop()
        # asyncio's own executor would wait at the end for reads that are still under way.
        loop.set_default_executor(SharedThreads(_THREADS, "earmark-screen"))

        def ask() -> None:
            with suppress(RuntimeError):  # the event loop has ended, and so has the app
                loop.call_soon_threadsafe(self.exit, 0)

        save, closed = self.player.save_position, ClosedTerminal(self.player)
        self._shutdown_guard.attach(save=save, ask=ask, restore=self._restore_terminal, closed=closed)
        self.player.bus.subscribe(QuitAsked, self._end_when_asked)

    def _end_when_asked(self, _event: QuitAsked) -> None:
        """Called on any thread. `exit` draws the last frame, so it has to run as one of the app's messages."""
        self.call_later(self.exit, 0)

    def on_mount(self) -> None:
        self._end_sentences = sentences.for_screen()
        if self._damaged is not None:
            self._ask_about_damage(self._damaged)
        elif self._opening is not None:
            start_worker(self, partial(self._wait_for_library, self._opening))

    def on_unmount(self) -> None:
        self._end_sentences()
        if self._rest is not None:
            self._rest.cancel()
        self._keep_view()

    def get_driver_class(self) -> type[Driver]:
        """Earmark's driver where Textual would use the Linux driver that it is derived from."""
        chosen = super().get_driver_class()
        return TerminalDriver if issubclass(TerminalDriver, chosen) else chosen

    def _build_driver(self, *args: Any, **more: Any) -> Driver:
        driver = super()._build_driver(*args, **more)
        if isinstance(driver, TerminalDriver):
            driver.lost = self._shutdown_guard.terminal_lost
            self._pixels.attach(driver, self._window_title.restored)
            driver.follows_ground = self._dressing.themes.follows_ground and knows_osc(os.environ)
            if self.reader is not None:
                driver.drawn_anew = self.reader.forget
                driver.take_rows(NEWS_ROWS)
            if self._last_frame is not None:
                driver.adopt, driver.covered = self._last_frame.hand_over, self._last_frame.is_shown
            driver.typed, self._typed = self._typed, b""
        return driver

    def _restore_terminal(self) -> None:
        """May be called from any thread."""
        if self._last_frame is not None:
            self._last_frame.end()
        if isinstance(self._driver, TerminalDriver):
            self._driver.restore()

    def on_resize(self) -> None:
        self._pixels.resized()

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key) and not event.is_forwarded and self.reader is not None:
            self.reader.pressed(event)
        if isinstance(event, events.InputEvent) and not event.is_forwarded:
            loop = asyncio.get_running_loop()
            if self._rest is not None:
                self._rest.cancel()
            self._rest = loop.call_later(_REST_S, loop.run_in_executor, None, gc_tuning.give_back)
        await super().on_event(event)

    @on(StatusMoved)
    def _show_window_title(self, event: StatusMoved) -> None:
        if self.player.settings.appearance.title and knows_osc(os.environ):
            title = title_of(event.status, self.glyphs)
            self._window_title.show(as_words(title) if self.glyphs.spoken else title)

    # -- for a screen reader ----------------------------------------------------------------------------------

    @on(StatusMoved)
    def _narrate(self, event: StatusMoved) -> None:
        if self.reader is not None:
            keys = {one: key_for(one, self.actions, self.glyphs) for one in NAMED_IN_BAR}
            self.reader.say(self._narrator.news(event.status, keys))

    def notify(self, message: str, *, title: str = "", **more: Any) -> None:
        if not say(self, f"{title}: {message}" if title else message):
            super().notify(message, title=title, **more)

    def switch_screen_reader(self) -> None:
        """Stores whether the app is for a screen reader, and starts it again."""
        wanted = "false" if self.glyphs.spoken else "true"
        storing = self.player.change_setting("appearance.screen_reader", [wanted])

        def stored(storing: Future[None]) -> None:
            """Called on any thread. A failure is published as a Notice."""
            if not storing.cancelled() and storing.exception() is None:
                self.call_later(self.exit, AGAIN)

        storing.add_done_callback(stored)

    async def _offer_screen_reader(self) -> None:
        """Says once that there is a mode for the screen reader that runs here."""
        from player.integrations.desktop.screen_readers import running

        if self.player.remembered(_OFFERED):
            return
        if (name := await asyncio.to_thread(running)) and self._main is not None:
            self.player.remember(_OFFERED, name)
            key = key_for("screen_reader", self.actions, self.glyphs)
            self._main.footer.flash(_("{program} is running: {key}", program=name, key=key), _OFFER_S)

    def _write_out(self, text: str) -> None:
        if self._driver is not None:
            self._driver.write(text)

    @on(NetworkMoved)
    def _network_moved(self) -> None:
        self._pixels.network_is_back()

    async def _check_bindings(self, key: str, priority: bool = False) -> bool:
        bound = await super()._check_bindings(key, priority)
        if not bound and not priority and isinstance(self.screen, BaseScreen):
            self.screen.say_unbound()
        return bound

    def pop_screen(self) -> AwaitComplete:
        popped = super().pop_screen()
        gc_tuning.let_go_of_closed_screens()
        return popped

    # A bug ends the app. Textual would print the traceback with all locals; `tui/run.py` raises it instead, for the
    # log.

    def _handle_exception(self, error: Exception) -> None:
        if (unreadable := library_error(error)) is not None:
            log.warning("the library can't be used", exc_info=unreadable)
            notify_of(self, unreadable)
            return
        self.bug = self.bug or error
        super()._handle_exception(error)

    def _fatal_error(self) -> None:
        self._close_messages_no_wait()

    def panic(self, *renderables: Any) -> None:
        self.bug = self.bug or RuntimeError(f"Textual gave up: {renderables!r:.500}")
        self._close_messages_no_wait()

    def _print_error_renderables(self) -> None:
        self._exit_renderables.clear()

    def exit(self, *args: Any, **more: Any) -> None:
        self._shutdown_guard.quitting()
        self._keep_frame()
        super().exit(*args, **more)

    def _keep_frame(self) -> None:
        """Keeps a drawing of the main screen, with playback stopped, for the next start. A failure only makes that
        start slower."""
        if self._last_frame is None or self._main is None or not self._main.starts_like_this or self.glyphs.spoken:
            return
        try:
            self._main.show_status(at_rest(self._main.status))
            self.covers.rest()
            drawing = self._main.drawing(self.size)
        except Exception:
            log.warning("the last frame can't be kept", exc_info=True)
        else:
            self._last_frame.keep(anchored(fewer(drawing)), self.size)

    # -- starting ---------------------------------------------------------------------------------------------

    def get_default_screen(self) -> Screen[Any]:
        """The main screen as the lowest one: a default screen below it would be laid out and drawn for nothing."""
        ready = self._damaged is None and self._opening is None
        return self._main_screen() if ready else super().get_default_screen()

    def refresh_css(self, animate: bool = True) -> None:
        """Before there is a screen, a theme only sets variables, so that no style sheet is parsed twice."""
        if self.screen_stack:
            super().refresh_css(animate)
        else:
            self.stylesheet.set_variables(self.get_css_variables())

    async def _wait_for_library(self, opening: Future[None]) -> None:
        from tui.dialogs.damaged import OpeningScreen

        waiting = OpeningScreen()
        await self.push_screen(waiting)
        try:
            await asyncio.wrap_future(opening)
        except DamagedLibrary as error:
            waiting.dismiss()
            self._ask_about_damage(error)
        except EarmarkError as error:
            self.refused = error
            self.exit(1)
        else:
            waiting.dismiss()
            self._show_main()

    def _show_main(self) -> None:
        self._dressing.themes.begin()
        self.push_screen(self._main_screen())

    def _main_screen(self) -> MainScreen:
        """Call this once the library is open. Playback and the network start after its first frame."""
        view, episode_id = last_view(self.player)
        screen = self._main = MainScreen(
            self.player,
            self.actions,
            first_view=view,
            first_episode=episode_id,
            today=self.today,
            covered=self._last_frame is not None and self._last_frame.is_shown,
            mini=self._mini,
        )
        return screen

    @on(FirstFrame.Drawn)
    def _begin(self) -> None:
        self._dressing.themes.keep_ground()
        self._pixels.begin()
        start_worker(self, self._start)

    async def _start(self) -> None:
        from player.automatic import AutomaticRefresh
        from tui.screens.asked_by_others import serve_others
        from tui.screens.changed_settings import ChangedSettings

        refreshing = AutomaticRefresh(self.player, every=self.set_interval)
        unread: list[PodcastId] = []
        try:
            unread = await asyncio.to_thread(self._start_player, refreshing)
        except AlreadyRunning as error:  # another Earmark was to hand over its sound, but didn't
            self.refused = error
            self.exit(1)
            return
        except LibraryError as error:
            notify_of(self, error)
        for problem in self._problems:
            self.notify(problem, severity="warning", markup=False, timeout=10)
        self._dressing.begin()
        refreshing.begin(unread)
        if self._main is not None:
            await serve_others(self, self._main, self._address)
        ChangedSettings(self, self.player, self._dressing, self._window_title, self._write_out).begin()
        self.set_interval(_KEEP_S, self._keep_view)
        self._settle()
        if self.reader is None:
            start_worker(self, self._offer_screen_reader)
        else:
            status = self.player.status
            if status.state not in ACTIVE:
                self._narrator.told = status
            keys = _("{key} shows all keys", key=key_for("help", self.actions, self.glyphs))
            where = where_words(status) if status.episode else ""
            self.reader.say(". ".join(filter(None, (where, keys))))

    def _keep_view(self) -> None:
        if self._main is None:
            return
        view = write_view(self._main.view, self._main.episode_id)
        if view != self._kept_view:
            self._kept_view = view
            self.player.remember("screen", view)

    def _start_player(self, refreshing: "AutomaticRefresh") -> list[PodcastId]:
        """Starts the player, on a thread. Returns the built-in podcast if its feed has never been read."""
        import tui.drawing.notes.notes_page  # noqa: F401 - needed soon, for the first page of notes

        self.player.start()
        return refreshing.never_read(WELCOME_URL)

    async def action_suspend_app(self) -> None:
        from tui.controllers.suspending import suspend

        await suspend(self.player, self.action_suspend_process)

    # -- a damaged library ------------------------------------------------------------------------------------

    def _ask_about_damage(self, damage: DamagedLibrary) -> None:
        from tui.dialogs.damaged import DamagedScreen

        repair = Repair(self.player.library, self.player.open)
        self.push_screen(DamagedScreen(damage, self.player.paths.data, repair), self._repaired)

    def _repaired(self, is_open: bool | None) -> None:
        if is_open:
            self._show_main()
        else:
            self.exit(0)


def _reading_order(app: EarmarkApp, wish: str) -> list[ReadingOrder]:
    """The filter that puts lines in reading order, unless the terminal does that itself."""
    mode = bidi_for(wish, os.environ)

    def reorder(pieces: Iterable[tuple[str, T]]) -> list[tuple[str, T]]:
        from tui.drawing.bidi import reordered

        if isinstance(app._driver, TerminalDriver):
            app._driver.reordered()
        return reordered(pieces, mode)

    return [] if mode is Bidi.TERMINAL else [ReadingOrder(reorder)]
