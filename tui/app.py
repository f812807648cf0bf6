"""The app: a player, its screen, and the way out. Wiring alone."""

import asyncio
import locale
import logging
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from datetime import date
from functools import partial
from typing import Any, ClassVar

from textual import events, on
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.screen import Screen

from player.errors import DamagedLibrary, EarmarkError, LibraryError
from player.library import Repair, damage_of
from player.model.episode import EpisodeId
from player.model.filters import View, ViewName
from player.model.podcast import WELCOME_URL, PodcastId
from player.paths import Paths
from player.player import Player
from player.processes.threads import DaemonThreads
from player.settings import Settings
from tui.actions.table import keymap, keys_of, remapped
from tui.bridge import StatusMoved
from tui.chosen import choose, chosen, read_place, write_place
from tui.framework import gc_tuning
from tui.framework.first_frame import FirstFrame
from tui.framework.library_errors import TellsOfLibrary, library_error, tell
from tui.framework.typing_ahead import AT_ONCE, TypingAhead
from tui.framework.workers import start_worker
from tui.look.glyphs import glyphs_for
from tui.look.themes import THEMES, other, themes_for
from tui.screens.base import BaseScreen
from tui.screens.main import MainScreen
from tui.shutdown import Shutdown
from tui.terminal.capabilities import knows_osc, quiet_stderr
from tui.terminal.driver import TerminalDriver
from tui.terminal.hyperlinks import has_hyperlinks
from tui.terminal.window_title import WindowTitle, title_of

__all__ = ["EarmarkApp", "read_place", "run_app", "write_place"]

log = logging.getLogger(__name__)

_RETRY_S = 60.0
"""How often a podcast that was never reached is tried again."""
_OPENING_S = 0.25
"""A library that takes longer to open is waited for by the app itself, which answers keys meanwhile."""
_KEEP_S = 5.0
"""How often it is noted what the screen shows, for a start after a crash."""
_THREADS = 8
_REST_S = 0.5
"""After so long without a key or a click what was freed meanwhile is given back."""
_HELD = frozenset({
    "down", "up", "half_page_down", "half_page_up", "page_down", "page_up", "seek_back", "seek_forward",
    "seek_back_far", "seek_forward_far", "slower", "faster", "quieter", "louder",
})  # fmt: skip
"""Actions whose keys are held down."""
_OF_ROW = frozenset({
    "play", "read", "star", "played", "download", "next_episode", "previous_episode", "links", "copy_link",
    "copy_links", "refresh", "login", "about",
})  # fmt: skip
"""Actions about the episode under the cursor."""
_OF_NOTHING = frozenset({"quit", "help"})
"""Actions that do the same whatever is in sight."""


class EarmarkApp(TellsOfLibrary, TypingAhead[int]):
    """Takes a player that is open, still `opening`, or was refused as the library is `damaged`; `run_app` closes it.
    Where `opening` fails, the app ends, and `refused` says why.

    `settle` is called once, when the first frame has been drawn. `shutdown` is installed where signals are to end it.
    `problems` of the settings are shown.
    """

    TITLE = "Earmark"
    CSS_PATH = "look/styles/earmark.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding(",".join(AT_ONCE), "quit", show=False, priority=True)]

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
    ) -> None:
        # Without colours there is nothing to convert: Textual's greys would be colours still.
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        self.player = player
        self.glyphs = glyphs_for(player.settings.appearance.ascii, locale.getencoding())
        self.hyperlinks = has_hyperlinks(player.settings.appearance.hyperlinks, os.environ)
        self.actions, key_problems = remapped(player.settings.keys)
        self._problems = (*problems, *key_problems)
        self._damaged = damaged
        self._opening = opening
        self.refused: EarmarkError | None = None
        self._today = today
        self._settle = settle
        self._shutdown_guard = shutdown or Shutdown()
        self._main: MainScreen | None = None
        self._kept_view = ""
        self._rest: asyncio.TimerHandle | None = None
        self.bug: Exception | None = None
        for theme in themes_for(self.console.color_system).values():
            self.register_theme(theme)
        self.theme = player.settings.appearance.theme if damaged else self._chosen_theme()
        self.set_keymap(keymap(self.actions))
        self._window_title = WindowTitle(self._write_out)
        self.held_keys = keys_of(self.actions, _HELD)
        self.row_keys = keys_of(self.actions, _OF_ROW)
        self.free_keys = keys_of(self.actions, _OF_NOTHING)

    def on_load(self) -> None:
        """Comes before the terminal is taken over."""
        loop = asyncio.get_running_loop()
        # Python would wait at the end for whatever still reads.
        loop.set_default_executor(DaemonThreads(_THREADS, "earmark-screen"))

        def ask() -> None:
            with suppress(RuntimeError):  # the loop has ended: so has the app
                loop.call_soon_threadsafe(self.exit, 0)

        self._shutdown_guard.attach(save=self.player.save_position, ask=ask, restore=self._restore_terminal)

    def on_mount(self) -> None:
        if self._damaged is not None:
            self._ask_about_damage(self._damaged)
        elif self._opening is not None:
            start_worker(self, partial(self._wait_for_library, self._opening))

    def on_unmount(self) -> None:
        if self._rest is not None:
            self._rest.cancel()
        self._keep_view()

    def get_driver_class(self) -> type[Driver]:
        """Earmark's own in place of the one it is made from."""
        chosen = super().get_driver_class()
        return TerminalDriver if issubclass(TerminalDriver, chosen) else chosen

    def _build_driver(self, *args: Any, **more: Any) -> Driver:
        driver = super()._build_driver(*args, **more)
        if isinstance(driver, TerminalDriver):
            driver.lost = self._shutdown_guard.terminal_lost
            driver.farewell = self._window_title.restored
        return driver

    def _restore_terminal(self) -> None:
        """From any thread."""
        if isinstance(self._driver, TerminalDriver):
            self._driver.restore()

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.InputEvent) and not event.is_forwarded:
            loop = asyncio.get_running_loop()
            if self._rest is not None:
                self._rest.cancel()
            self._rest = loop.call_later(_REST_S, loop.run_in_executor, None, gc_tuning.give_back)
        await super().on_event(event)

    # -- the terminal's title ---------------------------------------------------------------------------------

    @on(StatusMoved)
    def _show_window_title(self, event: StatusMoved) -> None:
        if knows_osc(os.environ):
            self._window_title.show(title_of(event.status, self.glyphs))

    def _write_out(self, text: str) -> None:
        if self._driver is not None:
            self._driver.write(text)

    async def _check_bindings(self, key: str, priority: bool = False) -> bool:
        bound = await super()._check_bindings(key, priority)
        if not bound and not priority and isinstance(self.screen, BaseScreen):
            self.screen.say_unbound()
        return bound

    def pop_screen(self) -> AwaitComplete:
        popped = super().pop_screen()
        gc_tuning.let_go_of_closed_screens()
        return popped

    # A bug ends the app. Textual would print it with all its locals; `run_app` raises it, so that the log takes it.

    def _handle_exception(self, error: Exception) -> None:
        if (unreadable := library_error(error)) is not None:
            log.warning("the library can't be used", exc_info=unreadable)
            tell(self, unreadable)
            return
        self.bug = self.bug or error
        super()._handle_exception(error)

    def _fatal_error(self) -> None:
        self._close_messages_no_wait()

    def exit(self, *args: Any, **more: Any) -> None:
        self._shutdown_guard.quitting()
        super().exit(*args, **more)

    # -- the first minute -------------------------------------------------------------------------------------

    def get_default_screen(self) -> Screen[Any]:
        """What is at the bottom of all screens: another one under it would be laid out and drawn for nothing."""
        ready = self._damaged is None and self._opening is None
        return self._main_screen() if ready else super().get_default_screen()

    def refresh_css(self, animate: bool = True) -> None:
        """A theme that is chosen before anything is shown is no change of theme: nothing is parsed twice."""
        if self.screen_stack:
            super().refresh_css(animate)
        else:
            self.stylesheet.set_variables(self.get_css_variables())

    def _chosen_theme(self) -> str:
        configured = self.player.settings.appearance.theme
        theme = chosen(self.player, "theme", configured)
        return theme if theme in THEMES else configured

    async def _wait_for_library(self, opening: Future[None]) -> None:
        from tui.dialogs.opening import OpeningScreen

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
        self.theme = self._chosen_theme()
        self.push_screen(self._main_screen())

    def _main_screen(self) -> MainScreen:
        """For a library that is open. After its first frame come the sound and the network."""
        view, episode_id = self._where_we_were()
        screen = self._main = MainScreen(
            self.player, self.actions, first_view=view, first_episode=episode_id, today=self._today
        )
        return screen

    @on(FirstFrame.Drawn)
    def _begin(self) -> None:
        start_worker(self, self._start)

    async def _start(self) -> None:
        unread: list[PodcastId] = []
        try:
            unread = await asyncio.to_thread(self._start_player)
        except LibraryError as error:
            tell(self, error)
        for problem in self._problems:
            self.notify(problem, severity="warning", markup=False, timeout=10)
        feeds = self.player.settings.feeds
        if feeds.refresh_on_start:
            self.player.refresh(None, by_person=False)
            self.set_interval(_RETRY_S, self._retry)
        elif unread:
            self.player.refresh(unread, by_person=False)
        if feeds.refresh_minutes > 0:
            self.set_interval(feeds.refresh_minutes * 60, lambda: self.player.refresh(None, by_person=False))
        self.set_interval(_KEEP_S, self._keep_view)
        self._settle()

    def _keep_view(self) -> None:
        if self._main is None:
            return
        view = write_place(self._main.view, self._main.episode_id)
        if view != self._kept_view:
            self._kept_view = view
            self.player.remember("screen", view)

    def _start_player(self) -> list[PodcastId]:
        """What a start can do beside the screen; the built-in show, if it still has to be read."""
        import tui.drawing.notes.page  # noqa: F401 - the first page of notes comes in a moment

        self.player.start()
        return self._never_read(WELCOME_URL)

    def _retry(self) -> None:
        if unread := self._never_read():
            self.player.refresh(unread, by_person=False)

    def _never_read(self, url: str = "") -> list[PodcastId]:
        podcasts = self.player.library.podcasts.all()
        return [one.id for one in podcasts if one.last_refreshed is None and url in ("", one.url)]

    # -- where the screen was left ----------------------------------------------------------------------------

    def _where_we_were(self) -> tuple[View, EpisodeId | None]:
        """The view and the episode under the cursor of the last time; a new library opens at its welcome."""
        welcome = self.player.welcome
        if self.player.library.fresh and welcome is not None:
            return View.of(ViewName.PODCAST, welcome.id), None
        return read_place(self.player.remembered("screen"))

    # -- what the keys of every screen do ---------------------------------------------------------------------

    def action_theme(self) -> None:
        self.action_choose_theme(other(self.theme))

    def action_choose_theme(self, name: str) -> None:
        self.theme = name
        choose(self.player, "theme", name, self.player.settings.appearance.theme)

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


def run_app(paths: Paths, settings: Settings, shutdown: Shutdown | None = None, *, problems: Sequence[str] = ()) -> int:
    """Opens the library and the app, and closes both; returns the exit code. `problems` of the settings are shown.

    Raises AlreadyRunning or LibraryError where there is nothing to show, and whatever bug ended the app. Where damage
    of the library is behind it, the app begins anew: what to do about that is asked then.
    """
    try:
        return _run_once(paths, settings, shutdown, problems)
    except Exception as error:
        if isinstance(error, EarmarkError) and not isinstance(error, DamagedLibrary):
            raise
        if not paths.library.exists() or damage_of(paths) is None:
            raise
        log.warning("the library is damaged, which ended the app", exc_info=error)
    return _run_once(paths, settings, shutdown, problems)


def _run_once(paths: Paths, settings: Settings, shutdown: Shutdown | None, problems: Sequence[str]) -> int:
    player = Player(paths, settings)
    damaged: DamagedLibrary | None = None
    opening = DaemonThreads(1, "earmark-open").submit(player.open)
    wait([opening], _OPENING_S)
    if opening.done():
        try:
            opening.result()
        except DamagedLibrary as error:
            damaged = error
    try:
        with quiet_stderr(paths.log):
            app = EarmarkApp(
                player,
                damaged=damaged,
                opening=None if opening.done() else opening,
                settle=gc_tuning.settle,
                shutdown=shutdown,
                problems=problems,
            )
            code = app.run() or 0
        if app.bug is not None:
            raise app.bug
        if app.refused is not None:
            raise app.refused
        return code
    finally:
        player.close()
