"""Small dialogs: a question with two answers, a line of text, the name and password for a server."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input, Static

from player.text.sentences import _, mark
from tui.dialogs.dialog import Dialog, field, fields
from tui.drawing.cells import steady
from tui.framework.screen import MOST_LETTERS
from tui.terminal.line_by_line import say
from tui.widgets.choices import Choice, ChoiceLabel, Choices


class ConfirmScreen(Dialog[bool]):
    """Answers with True or False. `title` is the subject in a few words, `detail` the consequence of a yes.

    If a yes deletes something (`danger`), `enter` answers no until the other answer is chosen.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        ("y", "answer('yes')", mark("Yes")),
        ("escape,n,q", "answer('no')", mark("cancel")),
        Binding("left,right,up,down,h,j,k,l,tab,shift+tab", "other", mark("choose"), key_display="left right"),
        ("enter", "take"),
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
        super().__init__(title or _("Are you sure?"), " ".join(filter(None, (question, detail))))
        self._question = question
        self._detail = detail
        self._yes = Choice("answer('yes')", "y", yes or _("Yes"), danger)
        no_choice = Choice("answer('no')", "n", no or _("Cancel"))
        self._answers = (no_choice, self._yes) if danger else (self._yes, no_choice)
        self._at = 0

    def choices(self) -> list[Choice]:
        return [self._yes, *super().choices()[1:]]

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

    def action_other(self) -> None:
        self._at = 1 - self._at
        say(self.app, self._answers[self._at].words)
        self._show_chosen()

    def action_take(self) -> None:
        self.dismiss(self._answers[self._at] is self._yes)

    def action_answer(self, answer: str) -> None:
        self.dismiss(answer == "yes")


class Ask(Dialog[str]):
    """Asks for a line of text, which may be "". Answers with the text, or with None. `about` is shown below the
    field."""

    def __init__(self, heading: str, label: str, of: Input, about: str = "") -> None:
        super().__init__(heading, about)
        self._label = label
        self.field = of

    def contents(self) -> ComposeResult:
        yield field(self._label, self.field)
        self.told.add_class("gap")
        yield self.told

    def action_take(self) -> None:
        self.dismiss(self.field.value.strip())


class NoteScreen(Ask):
    BINDINGS: ClassVar[list[BindingType]] = [("enter", "take", mark("save")), ("escape", "close", mark("close"))]

    def __init__(self, title: str, about: str, note: str = "") -> None:
        """`about`: what the note is about, shown below the title. `note`: the existing note."""
        super().__init__(title, _("Note"), Input(note, id="note", max_length=MOST_LETTERS), about)

    def contents(self) -> ComposeResult:
        yield self.told
        line = field(self._label, self.field)
        line.add_class("gap")
        yield line


class CountryScreen(Ask):
    """Asks for the country whose charts are shown."""

    BINDINGS: ClassVar[list[BindingType]] = [("enter", "take", mark("show")), ("escape", "close", mark("cancel"))]

    def __init__(self, country: str) -> None:
        of, about = Input(country, id="country", max_length=2), _("A code of two letters, such as US, GB or DE")
        super().__init__(_("Charts of which country?"), _("Country"), of, about)


class LoginScreen(Dialog[tuple[str, str] | None]):
    """Answers with a name and a password, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [("enter", "take", mark("sign in")), ("escape", "close", mark("cancel"))]

    def __init__(self, server: str, name: str = "", *, takes_key: bool = False, trouble: str = "") -> None:
        """`server` is a host. `takes_key`: an API key can take the place of name and password. `trouble`: why the login
        is asked for again."""
        told = _("Stored in your system keyring, or in a file only you can read")
        if takes_key:
            told = _("API key: enter it as the password, without a name. Your password isn't stored.")
        super().__init__(_("Sign in to {host}", host=server), trouble or told)
        self._takes_key = takes_key
        self._trouble = trouble
        self._user = Input(value=name, id="name", max_length=MOST_LETTERS)
        self._password = Input(password=True, id="password", max_length=MOST_LETTERS)

    def on_mount(self) -> None:
        if self._user.value:  # else what is typed next, the password, would be shown
            self._password.focus()

    def contents(self) -> ComposeResult:
        yield from fields((_("Name"), self._user), (_("Password"), self._password))
        self.told.add_class("gap")
        self.told.set_class(bool(self._trouble), "-trouble")
        yield self.told

    def action_take(self) -> None:
        if not self._user.value.strip() and not (self._takes_key and self._password.value):
            self._user.focus()
        elif self._user.has_focus and not self._password.value:
            self._password.focus()
        else:
            self.dismiss((self._user.value.strip(), self._password.value))
