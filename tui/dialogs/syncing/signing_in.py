"""What is typed to sync through a server or a folder, and signing in to a Nextcloud in a browser."""

from collections.abc import Callable
from typing import ClassVar, TypeVar

from msgspec import Struct
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static

from player.links.urls import host
from player.model.syncing import TargetKind
from player.sync.nextcloud.scan_code import scan_code, small_scan_code
from player.text.sentences import _, mark
from tui.dialogs.dialog import Dialog, fields
from tui.drawing.cells import width
from tui.framework.screen import MOST_LETTERS
from tui.look.glyphs import glyphs_of

R = TypeVar("R")
_AROUND_ROWS, _AROUND_COLUMNS = 4, 6
"""Of the dialog around its contents, where it leaves a row above and below it free if there is one."""
_LEAST_WORDS, _MOST_WORDS, _GAP = 30, 60, 2
"""Columns of the words beside the code."""


class BrowserLoginScreen(Dialog[R]):
    """Answers with what `wait` returns once the listener has signed in, or with None.

    `wait` runs on a thread of its own and raises EarmarkError; `abort` ends it.

    The code is left out where the terminal is too small for it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        ("enter", "again", mark("try again")),
        ("escape,q", "close", mark("cancel")),
        ("o", "open", mark("open again")),
        ("y,c", "copy", mark("copy the address")),
    ]

    DEFAULT_CSS = """
    BrowserLoginScreen {
        & #dialog { width: auto; padding: 1 2; }
        & .beside { width: auto; height: auto; }
        & .words { width: 56; height: auto; }
        & #code { width: auto; height: auto; margin-left: 2; color: #ffffff; background: #000000; display: none; }
        & #code.-shown { display: block; }
        & #address { color: $accent; }
    }
    """

    def __init__(self, address: str, wait: Callable[[], R], abort: Callable[[], object] = lambda: None) -> None:
        super().__init__(_("Sign in to {host}", host=host(address)), classes="-waits")
        self._link = address
        self._wait = wait
        self._abort = abort
        self._words = Vertical(classes="words")
        self._code = Static("", id="code", markup=False)
        self._opened = Static("", classes="muted gap", id="opened", markup=False)

    def words(self, action: str, words: str) -> str:
        return "" if action == "again" and self.busy else words

    def contents(self) -> ComposeResult:
        with Horizontal(classes="beside"):
            with self._words:
                yield Static(_("Sign in in the browser and grant access; Earmark waits here."), classes="strong")
                yield self._opened
                yield Static(self._link, id="address", classes="gap", markup=False)
                self.line.add_class("gap")
                yield self.line
                yield self.told
            yield self._code

    def on_mount(self) -> None:
        self.action_open()
        self._begin()

    def _begin(self) -> None:
        self.begin(_("Waiting for you to sign in"), self._wait, self.dismiss)

    def on_resize(self) -> None:
        """The code beside the words, as large as there is room for."""
        columns, rows = self.app.size.width - _AROUND_COLUMNS, self.app.size.height - _AROUND_ROWS
        code = self._code_lines(columns - _LEAST_WORDS - _GAP, rows)
        self._code.update("\n".join(code))
        self._code.set_class(bool(code), "-shown")
        beside = width(code[0]) + _GAP if code else 0
        self._words.styles.width = max(1, min(_MOST_WORDS, columns - beside))

    def _code_lines(self, columns: int, rows: int) -> tuple[str, ...]:
        """Nothing where it doesn't fit, or can't be drawn."""
        if glyphs_of(self.app).ellipsis.isascii():
            return ()
        for draw in (scan_code, small_scan_code):
            try:
                lines = draw(self._link)
            except ValueError:
                return ()
            if len(lines) <= rows and width(lines[0]) <= columns:
                return lines
        return ()

    # -- keys -------------------------------------------------------------------------------------------------

    def action_open(self) -> None:
        from tui.terminal.browser import open_link

        if not self.busy and self.told.has_class("-trouble"):
            self._begin()
        open_link(self.app, self._link, self._opened.update)

    action_again = action_open

    def action_copy(self) -> None:
        from tui.terminal.clipboard import copy_link

        self._opened.update(copy_link(self.app, self._link))

    def on_unmount(self) -> None:
        """Closed, or Earmark ends."""
        if self.busy:
            self._abort()


class Typed(Struct, frozen=True):
    """As it was typed: `address` of a server, or a path. `name` is what people call this device."""

    target: TargetKind
    address: str
    name: str
    user: str = ""
    password: str = ""


class TypedScreen(Dialog[R]):
    """Answers with what `work` makes of what was typed, or with None. A failure is told here, and what was typed stays.

    `work` runs on a thread of its own and may raise EarmarkError; `abort` ends it when the dialog is closed before.
    What `start` has is in the fields already. `again`: of an account that is there only the login is asked for.
    """

    BINDINGS: ClassVar[list[BindingType]] = [("enter", "take", mark("continue")), ("escape", "close", mark("cancel"))]

    def __init__(
        self,
        start: Typed,
        work: Callable[[Typed], R],
        abort: Callable[[], object] = lambda: None,
        *,
        again: bool = False,
    ) -> None:
        super().__init__(classes="-waits")
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

    def words(self, action: str, words: str) -> str:
        return _("sign in") if action == "take" and self._signs_in else words

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
        yield from fields(*self._fields)
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

    def action_take(self) -> None:
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
