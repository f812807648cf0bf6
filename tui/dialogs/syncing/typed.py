"""What is typed to sync through a server or a folder."""

from collections.abc import Callable
from typing import ClassVar, TypeVar

from msgspec import Struct
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Input

from player.links.urls import host
from player.model.syncing.targets import TargetKind
from player.text.sentences import _
from tui.dialogs.dialog import field
from tui.dialogs.syncing.working import WorkingDialog
from tui.drawing.cells import fit, width
from tui.framework.input_limits import MOST_LETTERS
from tui.widgets.choices import Choice, Choices

R = TypeVar("R")


class Typed(Struct, frozen=True):
    """As it was typed: `address` of a server, or a path. `name` is what people call this device."""

    target: TargetKind
    address: str
    name: str
    user: str = ""
    password: str = ""


class TypedScreen(WorkingDialog[R]):
    """Answers with what `work` makes of what was typed, or with None. A failure is told here, and what was typed stays.

    `work` runs on a thread of its own and may raise EarmarkError; `abort` ends it when the dialog is closed before.
    What `start` has is in the fields already. `again`: of an account that is there only the login is asked for.
    """

    BINDINGS: ClassVar[list[BindingType]] = [("escape", "close"), ("enter", "go")]

    def __init__(
        self,
        start: Typed,
        work: Callable[[Typed], R],
        abort: Callable[[], object] = lambda: None,
        *,
        again: bool = False,
    ) -> None:
        super().__init__()
        self._start = start
        self._work = work
        self._abort = abort
        self._again = again
        self._address_field = _input("address", start.address, placeholder=_examples(start.target))
        self._user_field = _input("user", start.user)
        self._password_field = _input("password", start.password, password=True)
        self._name_field = _input("name", start.name)

    def heading(self) -> str:
        if self._again:
            return _("Sign in to {host} again", host=host(self._start.address))
        match self._start.target:
            case TargetKind.GPODDER:
                return _("Sync through a gpodder server")
            case TargetKind.NEXTCLOUD:
                return _("Sync through Nextcloud")
            case TargetKind.FOLDER:
                return _("Sync through a folder")

    def choices(self) -> tuple[Choice, ...]:
        word = _("sign in") if self._signs_in else _("continue")
        return Choice("go", "enter", word), Choice("close", "esc", _("cancel"))

    @property
    def _signs_in(self) -> bool:
        return self._start.target is not TargetKind.FOLDER

    @property
    def _fields(self) -> list[tuple[str, Input]]:
        password, device = (_("Password"), self._password_field), (_("This device"), self._name_field)
        match self._start.target:
            case TargetKind.GPODDER if self._again:
                return [password]
            case TargetKind.GPODDER:
                return [(_("Server"), self._address_field), (_("Name"), self._user_field), password, device]
            case TargetKind.NEXTCLOUD:
                return [] if self._again else [(_("Server"), self._address_field), device]
            case TargetKind.FOLDER:
                return [(_("Folder"), self._address_field), device]

    def contents(self) -> ComposeResult:
        cells = max((width(label) for label, _input in self._fields), default=0)
        for at, (label, of) in enumerate(self._fields):
            line = field(fit(label, cells), of)
            line.set_class(at > 0, "gap")
            yield line
        yield self.line
        self.told.add_class("gap")
        yield self.told

    def on_mount(self) -> None:
        self._explain()
        if self._fields:
            self._fields[0][1].focus()

    def _explain(self) -> None:
        match self._start.target:
            case TargetKind.GPODDER:
                self.tell(_("Stored in your system keyring, or in a file only you can read"))
            case TargetKind.NEXTCLOUD:
                self.tell(_("You sign in in the browser. Earmark gets an app password of its own."))
            case TargetKind.FOLDER:
                self.tell(_("The same folder on every device. Earmark makes earmark-sync in it."))

    @on(Input.Changed)
    def _changed(self) -> None:
        if not self.busy and self.told.has_class("-trouble"):
            self._explain()

    @on(Choices.Chosen)
    def _chosen(self, event: Choices.Chosen) -> None:
        if event.answer == "go":
            self.action_go()
        else:
            self.action_close()

    @on(Input.Submitted)
    def action_go(self) -> None:
        """From an empty field, or one before an empty one, to that."""
        if self.busy:
            return
        empty = next((of for _label, of in self._fields if not of.value.strip()), None)
        if empty is not None:
            empty.focus()
            return
        typed = Typed(
            self._start.target,
            self._address_field.value.strip(),
            self._name_field.value.strip(),
            self._user_field.value.strip(),
            self._password_field.value,
        )
        words = _("Asking the server") if self._signs_in else _("Reading the folder")
        self.begin(words, lambda: self._work(typed), self.dismiss)

    def action_close(self) -> None:
        self.dismiss(None)

    def on_unmount(self) -> None:
        """Closed, or Earmark ends."""
        if self.busy:
            self._abort()


def _input(name: str, value: str, *, placeholder: str = "", password: bool = False) -> Input:
    return Input(
        value, placeholder=placeholder, password=password, id=name, select_on_focus=False, max_length=MOST_LETTERS
    )


def _examples(target: TargetKind) -> str:
    match target:
        case TargetKind.GPODDER:
            return "https://gpodder.net"
        case TargetKind.NEXTCLOUD:
            return "https://cloud.example.com"
        case TargetKind.FOLDER:
            return "~/Sync"
