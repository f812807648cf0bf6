"""Applies changes of config.toml to the open screens and to notifications. Screens that open later read the settings
themselves."""

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from textual.app import App

from player.automatic import NotifiesElsewhere
from player.events import SettingsChanged
from player.player import Player
from tui.actions import keys
from tui.actions.table import keymap, keys_of, remapped
from tui.controllers.appearance import Dressing
from tui.screens.base import BaseScreen
from tui.screens.main import MainScreen
from tui.terminal.notifications import Terminal
from tui.terminal.window_title import WindowTitle
from tui.widgets.episode_list import EpisodeList


class ChangedSettings:
    """Use it on the screen's thread. `write` sends text to the terminal unchanged."""

    def __init__(
        self, app: App[Any], player: Player, dressing: Dressing, title: WindowTitle, write: Callable[[str], object]
    ) -> None:
        self._app = app
        self._player = player
        self._dressing = dressing
        self._title = title
        self._write = write
        self._elsewhere = NotifiesElsewhere(player, away=lambda: not app.app_focus, otherwise=self._on_terminal().show)

    def begin(self) -> None:
        """Call this once the player has started."""
        self._player.bus.subscribe(SettingsChanged, self._changed)
        self._elsewhere.follow()

    def _changed(self, event: SettingsChanged) -> None:
        """Called on any thread."""
        self._app.call_later(self.follow, frozenset(event.names))

    def follow(self, names: frozenset[str]) -> None:
        """Applies the current values of the settings with these names."""
        looks = self._player.settings.appearance
        self._dressing.follow_settings(names)
        self._elsewhere.follow()
        if not looks.title:
            self._title.take_away()
        if "appearance.rows" in names:
            self._app.rows = looks.rows  # type: ignore[attr-defined]
        if "keys" in names:
            self._use_keys()
        for screen in self._app.screen_stack:
            if "appearance.rows" in names:
                for episodes in screen.query(EpisodeList):
                    episodes.rows_changed()
            if isinstance(screen, BaseScreen) and "appearance.waveform" in names:
                screen.bar.waves = looks.waveform
                screen.bar.refresh(layout=True)
            if isinstance(screen, MainScreen) and "inbox.enabled" in names:
                screen.parts.sidebar.load()

    def _use_keys(self) -> None:
        """Applies the keys of [keys], and reports their problems."""
        app: Any = self._app
        app.actions, problems = remapped(self._player.settings.keys)
        app.set_keymap(keymap(app.actions))
        app.held_keys = keys_of(app.actions, keys.HELD)
        app.row_keys = keys_of(app.actions, keys.OF_ROW)
        app.free_keys = keys_of(app.actions, keys.OF_NOTHING)
        for screen in app.screen_stack:
            if isinstance(screen, BaseScreen):
                screen.use(app.actions)
        for problem in problems:
            app.notify(problem, severity="warning", markup=False, timeout=10)

    def _on_terminal(self) -> Terminal:
        loop = asyncio.get_running_loop()

        def write(text: str) -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self._write, text)

        return Terminal(os.environ, write)
