"""What the app does about its theme: wears it, offers others, follows the terminal and the file of one's own."""

import asyncio
import os
from collections.abc import Collection
from functools import partial
from typing import Any, TypeVar

from textual import events
from textual.app import App
from textual.theme import Theme
from textual.widgets import Input

from player.player import Player
from tui.controllers.appearance.themes import ThemesController
from tui.framework.workers import start_worker
from tui.look.faded import Faded
from tui.terminal.capabilities import knows_osc
from tui.terminal.driver import TerminalDriver
from tui.terminal.input import TerminalGround

T = TypeVar("T")
_THEMES = frozenset({"appearance.theme", "appearance.dark", "appearance.light"})
_LOOK_S = 1.0
"""How often the file of a theme of one's own is looked at, while that is worn."""


class Dressing:
    """On the screen's thread. `is_light`: the terminal's background, if that has been told already."""

    def __init__(self, app: App[Any], player: Player, *, remembered: bool, is_light: bool | None = None) -> None:
        self._app = app
        self._player = player
        self._moves = app.animation_level
        self.set_motion()
        self._without_colours = app.no_color
        self._faded = Faded(enabled=False)
        app._filters.append(self._faded)  # Textual has no other way to add one
        self.themes = ThemesController(player, app.console.color_system, self._wear, is_light=is_light)
        self.themes.begin(remembered=remembered)
        self._file_state: tuple[str, int, int] | None = None
        self._told = ""
        self._looking = False

    def set_motion(self) -> None:
        """As config.toml says now."""
        self._app.animation_level = self._moves if self._player.settings.appearance.motion else "none"

    def follow_settings(self, names: Collection[str]) -> None:
        """config.toml was saved with others: `names`. What is wrong with a theme is said."""
        self.set_motion()
        if not _THEMES.isdisjoint(names):
            self.themes.begin()
            self.follow()
            start_worker(self._app, self._check)

    def _wear(self, theme: Theme) -> None:
        """With the terminal's own colours, grounds can't tell things apart: it is drawn as without any colours."""
        app = self._app
        self._faded.enabled = theme.ansi
        app.no_color = theme.ansi or self._without_colours
        is_other = app.get_theme(theme.name) != theme
        app.register_theme(theme)
        if app.theme == theme.name and is_other:
            app._watch_theme(theme.name)
        app.theme = theme.name

    # -- choosing ---------------------------------------------------------------------------------------------

    def offer(self, first: str | None = None) -> None:
        """Opens the dialog that shows each theme at once, with the cursor on `first`, or on the one that is worn."""
        start_worker(self._app, partial(self._offer, first))

    async def _offer(self, first: str | None) -> None:
        from tui.dialogs.appearance.theme_chooser import ThemeChooser

        offers = await asyncio.to_thread(self.themes.offers)
        self._app.push_screen(ThemeChooser(offers, self.themes.wish, self.themes.look_at, first), self._closed)

    def _closed(self, name: str | None) -> None:
        if name is None:
            self.themes.look_away()
        else:
            self.choose(name)

    def choose(self, name: str) -> None:
        if warning := self.themes.choose(name):
            self._app.notify(warning, markup=False, timeout=10)
        self.follow()

    def switch(self) -> None:
        """From dark to light, or back."""
        self.choose(self.themes.other())

    # -- following --------------------------------------------------------------------------------------------

    def follow(self) -> None:
        """The terminal's background, where the theme goes by it. A terminal that doesn't answer costs nothing."""
        if isinstance(driver := self._app._driver, TerminalDriver):
            driver.follow_ground(self.themes.follows_ground and knows_osc(os.environ))

    def ask_again(self) -> None:
        """Whoever comes back to the terminal may have changed its colours, or the file of a theme."""
        self.follow()
        self._look()

    def begin(self) -> None:
        """Once the player has started: problems of themes are shown, and a file is followed."""
        self._app.set_interval(_LOOK_S, self._look)
        start_worker(self._app, self._check)

    async def _check(self) -> None:
        problems = await asyncio.to_thread(self.themes.problems)
        for problem in dict.fromkeys(filter(None, (self.themes.problem, *problems))):
            self._app.notify(problem, severity="warning", markup=False, timeout=10)

    def _look(self) -> None:
        if self.themes.wears_own and not self._looking:
            self._looking = True
            start_worker(self._app, self._reload_if_changed)

    async def _reload_if_changed(self) -> None:
        try:
            state = await asyncio.to_thread(self.themes.file_state)
            if state == self._file_state:
                return
            before, self._file_state = self._file_state, state
            read = None if before is None or before[0] != state[0] else await asyncio.to_thread(self.themes.read_again)
            if isinstance(read, str):
                if read != self._told:
                    self._app.notify(read, severity="warning", markup=False, timeout=10)
                self._told = read
            elif read is not None:
                self._told = ""
                self.themes.wear_again(read)
        finally:
            self._looking = False


class Dressed(App[T]):
    """The part of the app that hears of themes: its actions, and what the terminal says."""

    _dressing: Dressing

    def action_theme(self, first: str | None = None) -> None:
        self._dressing.offer(first)

    def action_switch_theme(self) -> None:
        self._dressing.switch()

    def on_terminal_ground(self, event: TerminalGround) -> None:
        self._dressing.themes.ground_is(light=event.is_light)

    def on_app_focus(self) -> None:
        self._dressing.ask_again()

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Without motion, nothing blinks."""
        if self.animation_level == "none" and isinstance(event.widget, Input):
            event.widget.cursor_blink = False
