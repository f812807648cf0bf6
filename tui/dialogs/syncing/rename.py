"""Another name for this device."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input, Static

from player.text.cleaning import LINE_LIMIT
from player.text.sentences import _
from tui.dialogs.dialog import Dialog, field
from tui.widgets.choices import Choice, Choices


class RenameDeviceScreen(Dialog[str]):
    """Answers with the name that was typed, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "close")]

    def __init__(self, device: str) -> None:
        super().__init__()
        self._input = Input(device, id="device", max_length=LINE_LIMIT)

    def heading(self) -> str:
        return _("Rename this device")

    def choices(self) -> tuple[Choice, ...]:
        return Choice("save", "enter", _("rename")), Choice("close", "esc", _("cancel"))

    def contents(self) -> ComposeResult:
        yield field(_("Name"), self._input)
        yield Static(_("Your other devices know this one by it."), classes="muted gap", markup=False)

    @on(Input.Submitted)
    def _save(self) -> None:
        self.dismiss(self._input.value.strip() or None)

    @on(Choices.Chosen)
    def _chosen(self, event: Choices.Chosen) -> None:
        if event.answer == "save":
            self._save()
        else:
            self.action_close()

    def action_close(self) -> None:
        self.dismiss(None)
