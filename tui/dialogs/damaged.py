"""The library can't be read: what to go on with."""

from enum import StrEnum
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from player.library.database.backups import Backup
from tui.dialogs.dialog import Dialog
from tui.widgets.choices import Choice, Choices


class Remedy(StrEnum):
    """What the answers mean. The file that is damaged is set aside by whoever carries out the first two."""

    RESTORE = "restore"
    FRESH = "fresh"
    QUIT = "quit"


class DamagedScreen(Dialog[Remedy]):
    """Ends with a Remedy; RESTORE is offered only when there is a `backup`.

    `found` is the sentence of the error, `aside` where the damaged file is, or is going to be, set aside.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        ("b,enter", "answer('restore')"),
        ("f", "answer('fresh')"),
        ("q,escape", "answer('quit')"),
    ]

    DEFAULT_CSS = """
    DamagedScreen.-low .gap { margin-top: 0; }
    """

    def __init__(self, found: str, aside: Path, backup: Backup | None) -> None:
        super().__init__()
        self._found = found
        self._aside = aside
        self._backup = backup

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield Static("Your library is damaged", classes="title")
            yield Static(self._found, classes="gap", markup=False)
            yield Static(self._kept(), classes="muted gap", markup=False)
            choices = Choices(*self._choices(), stacked=True)
            choices.add_class("gap")
            yield choices

    def _kept(self) -> str:
        kept = f"The damaged file is kept in {self._aside}."
        return kept if self._backup else f"{kept} There is no good backup."

    def _choices(self) -> list[Choice]:
        choices = [
            Choice(Remedy.FRESH, "f", "start with a fresh library"),
            Choice(Remedy.QUIT, "q", "quit, and change nothing"),
        ]
        if self._backup:
            made = self._backup.made_at.astimezone()
            words = f"go back to the backup of {made.day} {made:%B %Y, %H:%M}"
            choices.insert(0, Choice(Remedy.RESTORE, "b", words))
        return choices

    @on(Choices.Chosen)
    def _chosen(self, event: Choices.Chosen) -> None:
        self.action_answer(event.answer)

    def action_answer(self, answer: str) -> None:
        if answer != Remedy.RESTORE or self._backup:
            self.dismiss(Remedy(answer))
