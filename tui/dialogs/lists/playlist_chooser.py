"""Which playlist episodes are added to: one that there is, or a new one by its name."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input, Static

from player.model.filters import SavedList
from player.text.cleaning import fold
from player.text.sentences import _, plural
from tui.dialogs.dialog import Dialog, field
from tui.drawing.cells import cut, steady
from tui.look.glyphs import glyphs_of
from tui.widgets.choices import Choice, Choices

_SHOWN, _CELLS = 8, 54


class PlaylistChooser(Dialog[SavedList | str]):
    """Ends with a playlist, with the name of a new one, or with None. `taken` are names that smart lists have."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "close"),
        ("down,ctrl+n", "move(1)"),
        ("up,ctrl+p", "move(-1)"),
    ]

    def __init__(self, playlists: Sequence[SavedList], number: int, taken: set[str]) -> None:
        super().__init__()
        self._playlists = playlists
        self._heading = plural(number, "Add {n:,} episode to a playlist", "Add {n:,} episodes to a playlist")
        self._taken = taken
        self._at = 0
        self._told = _("Choose one, or type the name of a new one") if playlists else ""
        self._input = Input(max_length=80)
        self._rows = Static("", id="rows", markup=False)

    def heading(self) -> str:
        return self._heading

    def choices(self) -> tuple[Choice, ...]:
        return Choice("add", "enter", _("add")), Choice("close", "esc", _("cancel"))

    def contents(self) -> ComposeResult:
        yield field(_("Name"), self._input)
        if self._told:
            yield Static(self._told, classes="muted", markup=False)
        self._rows.add_class("gap")
        yield self._rows

    def on_mount(self) -> None:
        self._draw()

    @property
    def _offered(self) -> list[SavedList | str]:
        """The playlists whose names have what was typed, then a new one of that name."""
        typed = self._input.value.strip()
        found: list[SavedList | str] = [one for one in self._playlists if fold(typed) in fold(one.title)]
        if typed and not any(fold(one.title) == fold(typed) for one in self._playlists):
            found.append(typed)
        return found

    @on(Input.Changed)
    def _typed(self) -> None:
        self._at = 0
        self._draw()

    def _draw(self) -> None:
        offered, glyphs = self._offered, glyphs_of(self.app)
        first = max(0, self._at - _SHOWN + 1)
        lines = Text()
        for row, one in enumerate(offered[first : first + _SHOWN], first):
            sign = glyphs.cursor if row == self._at else " "
            if isinstance(one, SavedList):
                name = cut(one.title, _CELLS, glyphs.ellipsis)
            elif one.casefold() in self._taken:
                name = _("“{title}” is the name of a smart list", title=one)
            else:
                name = _("New playlist “{title}”", title=cut(one, _CELLS - 16, glyphs.ellipsis))
            lines.append(f"{sign} {steady(name)}\n", "bold" if row == self._at else "")
        lines.rstrip()
        self._rows.update(lines)

    @on(Input.Submitted)
    def _choose(self) -> None:
        offered = self._offered
        if self._at < len(offered):
            one = offered[self._at]
            if isinstance(one, SavedList) or one.casefold() not in self._taken:
                self.dismiss(one)

    @on(Choices.Chosen)
    def _chosen(self, event: Choices.Chosen) -> None:
        if event.answer == "add":
            self._choose()
        else:
            self.action_close()

    def action_move(self, by: int) -> None:
        self._at = max(0, min(self._at + by, len(self._offered) - 1))
        self._draw()

    def action_close(self) -> None:
        self.dismiss(None)
