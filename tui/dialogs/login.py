"""Asks for the name and password for a server."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Input, Static

from player.text.sentences import _
from tui.dialogs.dialog import Dialog
from tui.framework.input_limits import MOST_LETTERS
from tui.widgets.choices import Choice, Choices


class LoginScreen(Dialog[tuple[str, str] | None]):
    """Answers with a name and a password, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "close")]

    def __init__(self, server: str, name: str = "") -> None:
        """`server` is a host."""
        super().__init__()
        self._server = server
        self._user = Input(value=name, placeholder=_("name"), id="name", max_length=MOST_LETTERS)
        self._password = Input(placeholder=_("password"), password=True, id="password", max_length=MOST_LETTERS)

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield Static(_("Sign in to {host}", host=self._server), classes="title", markup=False)
            self._user.add_class("gap")
            yield self._user
            yield self._password
            yield Static(_("Stored in your system keyring, or in a file only you can read"), classes="muted gap")
            choices = Choices(Choice("done", "enter", _("done")), Choice("close", "esc", _("close")))
            choices.add_class("gap")
            yield choices

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
