"""A question with two answers."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Static

from player.text.sentences import _
from tui.dialogs.dialog import Dialog
from tui.drawing.cells import steady
from tui.look.glyphs import glyphs_of
from tui.widgets.choices import Choice, ChoiceLabel, Choices


class ConfirmScreen(Dialog[bool]):
    """Answers with True or False. `title` says in a few words what it is about, `detail` what a yes leads to.

    Where a yes deletes something (`danger`), `enter` answers no until the other answer is chosen.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        ("y", "answer('yes')"),
        ("n,escape,q", "answer('no')"),
        ("enter", "take"),
        ("left,right,up,down,h,j,k,l,tab,shift+tab", "other"),
    ]

    DEFAULT_CSS = """
    ConfirmScreen {
        & ChoiceLabel { padding: 0 1; margin-right: 1; }
        & ChoiceLabel.-chosen { background: $line; text-style: bold; }
        & ChoiceLabel.-chosen:nocolor { text-style: reverse; }
    }
    """

    def __init__(
        self, question: str, detail: str = "", yes: str = "", no: str = "", *, title: str = "", danger: bool = False
    ) -> None:
        super().__init__()
        self._question = question
        self._detail = detail
        self._title = title or _("Are you sure?")
        self._yes = Choice("yes", "y", yes or _("Yes"), danger)
        no_choice = Choice("no", "n", no or _("Cancel"))
        self._answers = (no_choice, self._yes) if danger else (self._yes, no_choice)
        self._at = 0

    def heading(self) -> str:
        return self._title

    def choices(self) -> tuple[Choice, ...]:
        arrows = glyphs_of(self.app)
        other = Choice("other", f"{arrows.left} {arrows.right}", _("choose"))
        return self._yes, Choice("no", "esc", _("cancel")), other

    def contents(self) -> ComposeResult:
        yield Static(steady(self._question), classes="strong", markup=False)
        if self._detail:
            yield Static(steady(self._detail), classes="muted", markup=False)
        answers = Choices(*self._answers)
        answers.add_class("gap")
        yield answers

    def on_mount(self) -> None:
        self._show_chosen()

    def _show_chosen(self) -> None:
        for at, label in enumerate(self.query(ChoiceLabel)):
            label.set_class(at == self._at, "-chosen")
        self.show_frame()

    @on(Choices.Chosen)
    def _chosen(self, event: Choices.Chosen) -> None:
        if event.answer == "other":
            self.action_other()
        else:
            self.action_answer(event.answer)

    def action_other(self) -> None:
        self._at = 1 - self._at
        self._show_chosen()

    def action_take(self) -> None:
        self.action_answer(self._answers[self._at].answer)

    def action_answer(self, answer: str) -> None:
        self.dismiss(answer == "yes")
