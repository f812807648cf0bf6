"""A question with two answers."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from player.text.sentences import _
from tui.dialogs.dialog import Dialog
from tui.drawing.cells import steady
from tui.widgets.choices import Choice, Choices


class ConfirmScreen(Dialog[bool]):
    """Answers with True or False. `detail` says what a yes leads to."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("y,enter", "answer('yes')"),
        ("n,escape,q", "answer('no')"),
    ]

    def __init__(self, question: str, detail: str = "", yes: str = "", no: str = "") -> None:
        super().__init__()
        self._question = question
        self._detail = detail
        self._choices = (Choice("yes", "y", yes or _("Yes")), Choice("no", "n", no or _("Cancel")))

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield Static(steady(self._question), classes="title", markup=False)
            if self._detail:
                yield Static(steady(self._detail), classes="muted", markup=False)
            choices = Choices(*self._choices)
            choices.add_class("gap")
            yield choices

    @on(Choices.Chosen)
    def _chosen(self, event: Choices.Chosen) -> None:
        self.action_answer(event.answer)

    def action_answer(self, answer: str) -> None:
        self.dismiss(answer == "yes")
