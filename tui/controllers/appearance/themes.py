"""The theme that Earmark wears: what config.toml or the listener chose, or one that goes with the terminal."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.theme import Theme

from player.player import Player
from player.settings import Appearance
from player.text.sentences import _
from player.text.suggestion import suggestion
from tui.chosen import choose, chosen
from tui.look.palettes.catalogue import ANSI, ANSI_LIGHT, BUILT_IN, built_in
from tui.look.roles import Roles
from tui.look.themes import FEW_COLOURS, MANY_COLOURS, theme, theme_of

if TYPE_CHECKING:
    from tui.dialogs.appearance.theme_chooser import ThemeOffer
    from tui.look.own_themes import OwnTheme

AUTO = "auto"
"""The name that stands for a dark or a light theme, as the terminal's background is."""
_DARK, _LIGHT = "dark", "light"


class ThemesController:
    """`wear` shows a theme on every screen; `colours` is Rich's name for the colours that the terminal has.

    `is_light`: the terminal has told its background already. Until it does, it is taken for what it was the last time,
    and for dark before that.
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
        """The listener's themes that were read."""
        self._looked_at = ""
        """What is worn while it is only looked at."""
        self.wish = AUTO
        """What was asked for: `auto` or a theme's name."""
        self.problem = ""
        """Why another theme is worn than the one that was asked for; "" if it isn't so."""

    @property
    def _settings(self) -> Appearance:
        return self._player.settings.appearance

    def begin(self, *, remembered: bool = True) -> None:
        """`remembered`: the library can be asked what was chosen in the app, and how light the terminal was."""
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
        """Whether it matters how light the terminal's background is."""
        return self.wish == AUTO or self._colours in FEW_COLOURS

    def ground_is(self, *, light: bool) -> None:
        """The terminal says how its background is. The next start begins with that."""
        ground = _LIGHT if light else _DARK
        if ground != (self._player.remembered("ground") or _DARK):
            self._player.remember("ground", ground)
        if light == self._is_light:
            return
        self._is_light = light
        if self.follows_ground and not self._looked_at:
            self._dress()

    def keep_ground(self) -> None:
        """Once the library is open: the next start begins with what the terminal told before."""
        if self._told is not None:
            self.ground_is(light=self._is_light)

    # -- choosing ---------------------------------------------------------------------------------------------

    def look_at(self, name: str) -> None:
        """Wears it, until `choose` or `look_away`."""
        self._looked_at = name
        self._dress(name)

    def look_away(self) -> None:
        self._looked_at = ""
        self._dress()

    def choose(self, name: str) -> str:
        """For now and the starts to come; a sentence where config.toml says something else."""
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
        """The light theme of the settings for a dark one, and the other way round."""
        name = self.resolved(self.wish)
        is_dark = self._own[name].dark if name in self._own else BUILT_IN[name].dark
        return self.resolved(AUTO, light=is_dark)

    def offers(self) -> "list[ThemeOffer]":
        """All themes there are, as they are shown to choose from. Reads files; from any thread."""
        from tui.dialogs.appearance.theme_chooser import ThemeOffer
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
        """The theme that is worn, when its file was changed, and its size. Reads the disk; from any thread."""
        from tui.look.own_themes import file_of

        name = self.resolved(self.wish)
        try:
            found = file_of(self._folder, name).stat()
        except OSError:
            return name, 0, 0
        return name, found.st_mtime_ns, found.st_size

    def read_again(self) -> "OwnTheme | str | None":
        """The theme of one's own that is worn, as its file is now; a sentence where that can't be used, None for a
        theme of Earmark's. From any thread."""
        name = self.resolved(self.wish)
        if name in BUILT_IN:
            return None
        from tui.look.own_themes import BadTheme, file_of, own_theme

        try:
            return own_theme(file_of(self._folder, name))
        except BadTheme as problem:
            return str(problem)

    def wear_again(self, read: "OwnTheme") -> None:
        """Wears what `read_again` has read, unless another is worn by now."""
        if self._own.get(read.name) != read.roles:
            self._own[read.name] = read.roles
            if self.resolved(self.wish) == read.name and not self._looked_at:
                self._dress()

    def problems(self) -> tuple[str, ...]:
        """A sentence for each file in the folder of themes that can't be used. Reads files; from any thread."""
        if not self._folder.is_dir():
            return ()
        from tui.look.own_themes import own_themes

        return own_themes(self._folder).problems

    # -- within -----------------------------------------------------------------------------------------------

    def resolved(self, wish: str, *, light: bool | None = None) -> str:
        """The theme that is meant by `auto`; any other name as it is."""
        if wish != AUTO:
            return wish
        light = self._is_light if light is None else light
        wanted = self._settings.light if light else self._settings.dark
        return wanted if wanted != AUTO and self._can_wear(wanted) else "paper" if light else "ink"

    def _can_wear(self, name: str) -> bool:
        """Reads the file of a theme of one's own; `problem` says what is wrong with it."""
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
            from tui.look.roles import of_256

            roles = of_256(roles)
        self._wear(theme(name, roles, few=few))
