"""Asks for the name and password for a server."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input, Static

from player.text.sentences import _
from tui.dialogs.dialog import Dialog, field
from tui.drawing.cells import fit, width
from tui.framework.input_limits import MOST_LETTERS
from tui.widgets.choices import Choice, Choices


class LoginScreen(Dialog[tuple[str, str] | None]):
    """Answers with a name and a password, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "close")]

    def __init__(self, server: str, name: str = "") -> None:
        """`server` is a host."""
        super().__init__()
        self._server = server
        self._user = Input(value=name, id="name", max_length=MOST_LETTERS)
        self._password = Input(password=True, id="password", max_length=MOST_LETTERS)

    def heading(self) -> str:
        return _("Sign in to {host}", host=self._server)

    def choices(self) -> tuple[Choice, ...]:
        return Choice("done", "enter", _("sign in")), Choice("close", "esc", _("cancel"))

    def contents(self) -> ComposeResult:
        name, password = _("Name"), _("Password")
        cells = max(width(name), width(password))
        yield field(fit(name, cells), self._user)
        line = field(fit(password, cells), self._password)
        line.add_class("gap")
        yield line
        yield Static(_("Stored in your system keyring, or in a file only you can read"), classes="muted gap")

    @on(Choices.Chosen)
    def _chosen(self, event: Choices.Chosen) -> None:
        if event.answer == "done":
            self._done()
        else:
            self.action_close()

    @on(Input.Submitted)
    def _done(self) -> None:
        if not self._user.value.strip():
            self._user.focus()
        elif self._user.has_focus and not self._password.value:
            self._password.focus()
        else:
            self.dismiss((self._user.value.strip(), self._password.value))

    def action_close(self) -> None:
        self.dismiss(None)
