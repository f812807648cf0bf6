"""The country whose charts are shown."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input, Static

from player.text.sentences import _
from tui.dialogs.dialog import Dialog, field
from tui.widgets.choices import Choice, Choices


class CountryScreen(Dialog[str]):
    """Ends with what was typed, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "close")]

    def __init__(self, country: str) -> None:
        super().__init__()
        self._input = Input(country, id="country", max_length=2)

    def heading(self) -> str:
        return _("Charts of which country?")

    def choices(self) -> tuple[Choice, ...]:
        return Choice("show", "enter", _("show")), Choice("close", "esc", _("cancel"))

    def contents(self) -> ComposeResult:
        yield field(_("Country"), self._input)
        yield Static(_("A code of two letters, such as US, GB or DE"), classes="muted gap", markup=False)

    @on(Input.Submitted)
    def _entered(self) -> None:
        self.dismiss(self._input.value.strip())

    @on(Choices.Chosen)
    def _chosen(self, event: Choices.Chosen) -> None:
        if event.answer == "show":
            self._entered()
        else:
            self.action_close()

    def action_close(self) -> None:
        self.dismiss(None)
