"""The dialog that chooses a theme: the whole screen previews the theme under the cursor."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from msgspec import Struct
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from player.text.cleaning import fold
from player.text.sentences import _, mark
from tui.dialogs.dialog import Options
from tui.dialogs.picker import Picker
from tui.drawing.cells import fit, steady
from tui.look.colours import Roles
from tui.look.glyphs import Glyphs, glyphs_of

_TITLE, _LEAST_TITLE = 31, 21
_REST_S = 0.04
"""How long the cursor rests on a theme before it is previewed, so that a held key passes over others."""
_NARROW, _LOW = 64, 16
_WIDTH, _AROUND, _AROUND_LOW = 60, 11, 9
"""The cells of the dialog, and the cells around a row's text: margin, frame, padding and scrollbar."""
_SWATCH, _KIND = 10, 7
"""The cells of a row's last columns, with the blanks before them."""
_MANY_COLOURS = ("truecolor", "256")
"""In terminals with fewer colours, rows have no swatches of other themes, and neither while the current theme has only
the terminal's own colours."""


class ThemeOffer(Struct, frozen=True):
    """`name` is the theme's name in config.toml, `kind` a word that says whether it is dark, light or the listener's
    own."""

    name: str
    title: str
    kind: str
    roles: Roles | None = None


class ThemeChooser(Picker[str]):
    """Answers with the name of a theme, or with None. `show` previews a theme. The cursor begins on `first`, or else on
    the current theme `now`."""

    BINDINGS: ClassVar[list[BindingType]] = [("enter", "take", mark("keep")), ("escape", "close", mark("cancel"))]

    DEFAULT_CSS = """
    ThemeChooser {
        align: right middle;
        background: $background 0%;
        & #dialog { width: 60; margin: 0 1; }
        & Options { max-height: 50vh; }
        &.-low Options { max-height: 70vh; }
    }
    """

    def __init__(
        self, offers: Sequence[ThemeOffer], now: str, show: Callable[[str], None], first: str | None = None
    ) -> None:
        self.list = Options(markup=False)
        self.list.can_focus = False
        super().__init__(_("Theme"), Input(placeholder=_("Type to search"), max_length=40), self.list)
        self._offers = offers
        self._first = now if first is None else first
        self._has_swatches = False
        self._show = show
        self._shown = now
        self._found: list[ThemeOffer] = []
        self._nothing = Static(_("No theme of that name."), classes="muted", markup=False)
        self._timer: Timer | None = None

    def contents(self) -> ComposeResult:
        self.list.add_class("gap")
        yield from super().contents()
        yield self._nothing

    def on_mount(self) -> None:
        app = self.app
        self._has_swatches = app.console.color_system in _MANY_COLOURS and not app.current_theme.ansi
        self._search("", self._first)

    def on_resize(self) -> None:
        """Shows the columns that fit."""
        if (one := self.selected) is not None:
            self._search(self.field.value, one.name)

    @property
    def selected(self) -> ThemeOffer | None:
        """The theme under the cursor."""
        at = self.list.highlighted
        return self._found[at] if at is not None and at < len(self._found) else None

    @property
    def _room(self) -> int:
        """The cells of a row."""
        columns, rows = self.app.size
        return min(_WIDTH + 2, columns) - (_AROUND_LOW if rows < _LOW else _AROUND)

    def _search(self, words: str, at: str = "") -> None:
        """Lists the themes that match the words, with the cursor on the theme `at`, or else on the one that is
        shown."""
        wanted = fold(words).split()
        self._found = [
            one for one in self._offers if all(word in fold(f"{one.title} {one.name} {one.kind}") for word in wanted)
        ]
        self.list.clear_options()
        room, glyphs = self._room, glyphs_of(self.app)
        has_kind = room >= _LEAST_TITLE + _KIND
        swatch = self._has_swatches and room >= _LEAST_TITLE + _SWATCH + _KIND
        title = _TITLE if self.app.size.width >= _NARROW else _LEAST_TITLE if has_kind else room
        rows = (row(one, title, glyphs, swatch=swatch, kind=has_kind) for one in self._found)
        self.list.add_options([Option(one) for one in rows])
        self.list.display, self._nothing.display = bool(self._found), not self._found
        names = [one.name for one in self._found]
        if names:
            at = at or self._shown
            self.list.highlighted = names.index(at) if at in names else 0

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self._search(event.value)

    @on(OptionList.OptionHighlighted)
    def _moved(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_REST_S, self._wear)

    def _wear(self) -> None:
        if (one := self.selected) is not None and one.name != self._shown:
            self._shown = one.name
            self._show(one.name)

    def action_take(self) -> None:
        if (one := self.selected) is not None:
            self.dismiss(one.name)


def row(offer: ThemeOffer, title_cells: int, glyphs: Glyphs, *, swatch: bool = True, kind: bool = True) -> Content:
    """The row of a theme: its title, a swatch of its colours on its background, and its kind. Without `swatch`, no
    colours of another theme are drawn; without `kind`, only the title."""
    title = Content(fit(steady(offer.title), title_cells, ellipsis=glyphs.ellipsis))
    if not kind:
        return title
    word = Content.styled(offer.kind, "$muted")
    if not swatch:
        return Content.assemble(title, "  ", word)
    roles = offer.roles
    if roles is None:
        dots = [Content(" " * 9)]
    else:
        ground = roles.background
        colours = (roles.accent, roles.hues[4], roles.success, roles.text)
        dots = [Content.styled(f" {glyphs.new}", f"{colour} on {ground}") for colour in colours]
        dots.append(Content.styled(" ", f"on {ground}"))
    return Content.assemble(title, " ", *dots, "  ", word)
