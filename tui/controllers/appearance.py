"""The theme that is shown: the one chosen in config.toml or in the app, or one that follows the terminal's
background."""

import asyncio
import os
from collections.abc import Callable, Collection
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from textual import events
from textual.app import App
from textual.theme import Theme
from textual.widgets import Input

from player.player import Player
from player.settings import Appearance
from player.text.sentences import _
from player.text.typed_names import suggestion
from tui.chosen import choose, chosen
from tui.framework.screen import start_worker
from tui.look.built_in import ANSI, ANSI_LIGHT, BUILT_IN, built_in
from tui.look.colours import Roles
from tui.look.glyphs import glyphs_of
from tui.look.themes import FEW_COLOURS, MANY_COLOURS, Faded, theme, theme_of
from tui.terminal.capabilities import knows_osc
from tui.terminal.driver import TerminalDriver
from tui.terminal.input import TerminalGround

if TYPE_CHECKING:
    from tui.dialogs.theme_chooser import ThemeOffer
    from tui.look.own_themes import OwnTheme


AUTO = "auto"
"""The setting for a dark or a light theme, depending on the terminal's background."""
_DARK, _LIGHT = "dark", "light"


class ThemesController:
    """Decides which theme is shown. `wear` shows a theme on every screen; `colours` is Rich's name for the terminal's
    range of colours.

    `is_light`: whether the terminal's background is light; None if the terminal hasn't answered yet. Until it does, the
    background is assumed to be as it was the last time, or else dark.
    """

    def __init__(
        self, player: Player, colours: str | None, wear: Callable[[Theme], None], *, is_light: bool | None = None
    ) -> None:
        self._player = player
        self._folder = player.paths.themes
        self._colours = colours
        self._wear = wear
        self._told = is_light
        self._is_light = False
        self._own: dict[str, Roles] = {}
        """The listener's own themes that have been read."""
        self._looked_at = ""
        """The theme that is shown while it is only previewed; "" for none."""
        self.wish = AUTO
        """The chosen theme: `auto` or a theme's name."""
        self.problem = ""
        """Why another theme is shown than the chosen one; "" if the chosen one is shown."""

    @property
    def _settings(self) -> Appearance:
        return self._player.settings.appearance

    def begin(self, *, remembered: bool = True) -> None:
        """Shows the chosen theme. `remembered`: the library is open, so that it knows what was chosen in the app, and
        how light the terminal was."""
        configured = self._settings.theme
        self._is_light = self._told is True
        if self._told is None and remembered:
            self._is_light = self._player.remembered("ground") == _LIGHT
        self.wish = chosen(self._player, "theme", configured) if remembered else configured
        self.problem = ""
        if not self._can_wear(self.wish) and self.wish != configured:
            self.wish, self.problem = configured, ""
        if not self._can_wear(self.wish):
            self.wish = AUTO
        self._dress()

    # -- the terminal's background ----------------------------------------------------------------------------

    @property
    def follows_ground(self) -> bool:
        """Whether the theme depends on how light the terminal's background is."""
        return self.wish == AUTO or self._colours in FEW_COLOURS

    def ground_is(self, *, light: bool) -> None:
        """The terminal has told its background. The next start begins with that."""
        ground = _LIGHT if light else _DARK
        if ground != (self._player.remembered("ground") or _DARK):
            self._player.remember("ground", ground)
        if light == self._is_light:
            return
        self._is_light = light
        if self.follows_ground and not self._looked_at:
            self._dress()

    def keep_ground(self) -> None:
        """Call this once the library is open: remembers for the next start what the terminal told before."""
        if self._told is not None:
            self.ground_is(light=self._is_light)

    # -- choosing ---------------------------------------------------------------------------------------------

    def look_at(self, name: str) -> None:
        """Previews a theme, until `choose` or `look_away`."""
        self._looked_at = name
        self._dress(name)

    def look_away(self) -> None:
        self._looked_at = ""
        self._dress()

    def choose(self, name: str) -> str:
        """Chooses a theme for now and later starts. Returns a sentence if config.toml names another theme."""
        self._looked_at = ""
        self.wish = name
        choose(self._player, "theme", name, self._settings.theme)
        self._dress()
        if self._settings.theme in (name, AUTO):
            return ""
        return _(
            "config.toml says “{theme}”. Your choice holds until that line is changed.", theme=self._settings.theme
        )

    def other(self) -> str:
        """The light theme of the settings if the current one is dark, and the other way round."""
        name = self.resolved(self.wish)
        is_dark = self._own[name].dark if name in self._own else BUILT_IN[name].dark
        return self.resolved(AUTO, light=is_dark)

    def offers(self) -> "list[ThemeOffer]":
        """All themes, to choose from. Reads files; may be called from any thread."""
        from tui.dialogs.theme_chooser import ThemeOffer
        from tui.look.own_themes import own_themes

        auto = self.resolved(AUTO)
        found = [ThemeOffer(AUTO, _("Follow the terminal"), auto)]
        own = own_themes(self._folder).themes
        self._own |= {name: one.roles for name, one in own.items()}
        found += [ThemeOffer(name, name, _("yours"), one.roles) for name, one in own.items()]
        for name, entry in BUILT_IN.items():
            found.append(ThemeOffer(name, entry.title, _("dark") if entry.dark else _("light"), built_in(name)))
        return found

    # -- the listener's own themes ----------------------------------------------------------------------------

    @property
    def wears_own(self) -> bool:
        return self.resolved(self.wish) in self._own

    def file_state(self) -> tuple[str, int, int]:
        """The name of the current theme, the time of its file's last change (in ns), and the file's size. Reads the
        disk; may be called from any thread."""
        from tui.look.own_themes import file_of

        name = self.resolved(self.wish)
        try:
            found = file_of(self._folder, name).stat()
        except OSError:
            return name, 0, 0
        return name, found.st_mtime_ns, found.st_size

    def read_again(self) -> "OwnTheme | str | None":
        """Reads the file of the current theme again; a sentence if the file can't be used, None for a built-in theme.
        May be called from any thread."""
        name = self.resolved(self.wish)
        if name in BUILT_IN:
            return None
        from tui.look.own_themes import BadTheme, file_of, own_theme

        try:
            return own_theme(file_of(self._folder, name))
        except BadTheme as problem:
            return str(problem)

    def wear_again(self, read: "OwnTheme") -> None:
        """Shows the theme that `read_again` returned, unless another theme is shown by now."""
        if self._own.get(read.name) != read.roles:
            self._own[read.name] = read.roles
            if self.resolved(self.wish) == read.name and not self._looked_at:
                self._dress()

    def problems(self) -> tuple[str, ...]:
        """A sentence for each file in the folder of themes that can't be used. Reads files; may be called from any
        thread."""
        if not self._folder.is_dir():
            return ()
        from tui.look.own_themes import own_themes

        return own_themes(self._folder).problems

    # -- internals --------------------------------------------------------------------------------------------

    def resolved(self, wish: str, *, light: bool | None = None) -> str:
        """The name of the theme that `auto` stands for; any other name as it is."""
        if wish != AUTO:
            return wish
        light = self._is_light if light is None else light
        wanted = self._settings.light if light else self._settings.dark
        return wanted if wanted != AUTO and self._can_wear(wanted) else "paper" if light else "ink"

    def _can_wear(self, name: str) -> bool:
        """Whether a theme can be shown. Reads the file of one of the listener's own themes; if it can't be used,
        `problem` says why."""
        if name == AUTO or name in BUILT_IN or name in self._own:
            return True
        from tui.look.own_themes import BadTheme, file_of, is_name, own_theme

        file = file_of(self._folder, name)
        if not is_name(name) or not file.exists():
            near = suggestion(name, [AUTO, *BUILT_IN])
            self.problem = _("There is no theme “{name}”.", name=name[:40]) + near
            return False
        try:
            self._own[name] = own_theme(file).roles
        except BadTheme as problem:
            self.problem = str(problem)
            return False
        return True

    def _dress(self, name: str = "") -> None:
        name = self.resolved(name or self.wish)
        if (roles := self._own.get(name)) is None or self._colours in FEW_COLOURS:
            shown = name if name in BUILT_IN else ANSI_LIGHT if self._is_light else ANSI
            self._wear(theme_of(shown, self._colours, is_light=self._is_light))
            return
        few = self._colours not in MANY_COLOURS
        if few:
            from tui.look.colours import of_256

            roles = of_256(roles)
        self._wear(theme(name, roles, few=few))


T = TypeVar("T")
_THEMES = frozenset({"appearance.theme", "appearance.dark", "appearance.light"})
_LOOK_S = 1.0
"""How often the file of one of the listener's own themes is checked for changes while it is shown."""


class Dressing:
    """The app's part in themes. Use it on the screen's thread. `is_light`: whether the terminal's background is light;
    None if the terminal hasn't answered yet."""

    def __init__(self, app: App[Any], player: Player, *, remembered: bool, is_light: bool | None = None) -> None:
        self._app = app
        self._player = player
        self._moves = app.animation_level
        self.set_motion()
        self._without_colours = app.no_color
        self._faded = Faded(enabled=False)
        app._filters.append(self._faded)  # Textual has no other way to add a filter
        self.themes = ThemesController(player, app.console.color_system, self._wear, is_light=is_light)
        self.themes.begin(remembered=remembered)
        self._file_state: tuple[str, int, int] | None = None
        self._told = ""
        self._looking = False

    def set_motion(self) -> None:
        """Allows or stops animations as config.toml says."""
        moves = self._player.settings.appearance.motion and not glyphs_of(self._app).spoken
        self._app.animation_level = self._moves if moves else "none"

    def follow_settings(self, names: Collection[str]) -> None:
        """config.toml was saved with other values for the settings `names`. Problems of themes are shown."""
        self.set_motion()
        if not _THEMES.isdisjoint(names):
            self.themes.begin()
            self.follow()
            start_worker(self._app, self._check)

    def _wear(self, theme: Theme) -> None:
        """Shows a theme. In the terminal's own colours, backgrounds can't distinguish things, so the screen is drawn as
        without colours."""
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
        """Opens the dialog that previews themes, with the cursor on `first`, or on the current theme."""
        start_worker(self._app, partial(self._offer, first))

    async def _offer(self, first: str | None) -> None:
        from tui.dialogs.theme_chooser import ThemeChooser

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
        """Switches from a dark theme to a light one, or back."""
        self.choose(self.themes.other())

    # -- following --------------------------------------------------------------------------------------------

    def follow(self) -> None:
        """Asks for the terminal's background if the theme depends on it. Nothing waits for an answer."""
        if isinstance(driver := self._app._driver, TerminalDriver):
            driver.follow_ground(self.themes.follows_ground and knows_osc(os.environ))

    def ask_again(self) -> None:
        """The terminal has the focus again: its colours, or the file of a theme, may have changed meanwhile."""
        self.follow()
        self._look()

    def begin(self) -> None:
        """Call this once the player has started: shows problems of themes, and follows changes of the current theme's
        file."""
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
    """A mixin for the app: its actions for themes, and its handlers of what the terminal reports."""

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
        """Stops the cursor of a field from blinking if the listener wants no motion."""
        if self.animation_level == "none" and isinstance(event.widget, Input):
            event.widget.cursor_blink = False
