"""Asks for a note to a bookmark."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input, Static

from player.text.sentences import _
from tui.dialogs.dialog import Dialog, field
from tui.framework.input_limits import MOST_LETTERS
from tui.widgets.choices import Choice, Choices


class NoteScreen(Dialog[str | None]):
    """Answers with the note, which may be "", or None."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "close")]

    def __init__(self, title: str, about: str, note: str = "") -> None:
        """`about`: what the note is about, shown below the title. `note`: the existing note."""
        super().__init__()
        self._title = title
        self._about = about
        self._note = Input(value=note, id="note", max_length=MOST_LETTERS)

    def heading(self) -> str:
        return self._title

    def choices(self) -> tuple[Choice, ...]:
        return Choice("save", "enter", _("save")), Choice("close", "esc", _("close"))

    def contents(self) -> ComposeResult:
        yield Static(self._about, classes="muted", markup=False)
        line = field(_("Note"), self._note)
        line.add_class("gap")
        yield line

    @on(Choices.Chosen)
    def _chosen(self, event: Choices.Chosen) -> None:
        if event.answer == "save":
            self._save()
        else:
            self.action_close()

    @on(Input.Submitted)
    def _save(self) -> None:
        self.dismiss(self._note.value.strip())

    def action_close(self) -> None:
        self.dismiss(None)
