"""The dialog while the library is opening, if that takes time: it is being updated, or the disk is slow."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from player.text.sentences import _, mark
from tui.dialogs.dialog import Dialog
from tui.look.glyphs import glyphs_of


class OpeningScreen(Dialog[None]):
    """Its only key quits; the app closes it when the library is open."""

    BINDINGS: ClassVar[list[BindingType]] = [("q,escape", "quit", mark("quit"))]

    def heading(self) -> str:
        return _("Opening your library{ellipsis}", ellipsis=glyphs_of(self.app).ellipsis)

    def contents(self) -> ComposeResult:
        yield Static(_("It may take a while: after an update, or on a slow disk."), markup=False)
        yield Static(_("You can quit at any time. Nothing is lost."), classes="muted", markup=False)

    def action_quit(self) -> None:
        self.app.exit(0)
