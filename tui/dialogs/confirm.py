"""Small questions: one with two answers, a note to a bookmark, the name and password for a server."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input, Static

from player.text.sentences import _
from tui.dialogs.dialog import Dialog, field
from tui.drawing.cells import fit, steady, width
from tui.framework.screen import MOST_LETTERS
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
