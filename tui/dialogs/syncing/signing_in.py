"""The fields for syncing through a server or a folder, and signing in in a browser."""

from collections.abc import Callable
from typing import ClassVar, TypeVar

from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static

from player.links.urls import host
from player.sync.ways import Typed, way_of
from player.text.sentences import _, mark, translate
from tui.dialogs.dialog import Dialog, fields
from tui.drawing.cells import width
from tui.drawing.scan_code import scan_code, small_scan_code
from tui.framework.screen import MOST_LETTERS
from tui.look.glyphs import glyphs_of

R = TypeVar("R")
_AROUND_ROWS, _AROUND_COLUMNS = 4, 6
"""The rows and columns that the dialog takes around its contents."""
_LEAST_WORDS, _MOST_WORDS, _GAP = 30, 60, 2
"""The columns of the words beside the code, and of the gap between them."""


class BrowserLoginScreen(Dialog[R]):
    """Answers with the result of `wait` once the listener has signed in, or with None.

    `wait` runs on another thread and raises EarmarkError; `abort` ends it.

    The scan code is left out if the terminal is too small for it.
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
        """Shows the code beside the words, as large as it fits."""
        columns, rows = self.app.size.width - _AROUND_COLUMNS, self.app.size.height - _AROUND_ROWS
        code = self._code_lines(columns - _LEAST_WORDS - _GAP, rows)
        self._code.update("\n".join(code))
        self._code.set_class(bool(code), "-shown")
        beside = width(code[0]) + _GAP if code else 0
        self._words.styles.width = max(1, min(_MOST_WORDS, columns - beside))

    def _code_lines(self, columns: int, rows: int) -> tuple[str, ...]:
        """The lines of the code; () if it doesn't fit, or can't be drawn."""
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
        """The dialog was closed, or Earmark ends."""
        if self.busy:
            self._abort()


class TypedScreen(Dialog[R]):
    """Answers with the result of `work` for the typed values, or with None. A failure is shown here, and the values
    stay.

    `work` runs on another thread and may raise EarmarkError; `abort` ends it if the dialog is closed before. The fields
    begin with the values of `start`. `again`: asks only for the login of an existing account.
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
        self._way = way_of(start.way)
        self._fields = [
            (translate(field.label), _input(field.name, getattr(start, field.name), field.example))
            for field in self._way.fields
            if not again or field.name == "password"
        ]
        if not again:
            self._fields.append((_("This device"), _input("name", start.name)))

    def heading(self) -> str:
        if self._again:
            return _("Sign in to {host} again", host=host(self._start.address))
        return _("Sync through {way}", way=translate(self._way.through))

    def words(self, action: str, words: str) -> str:
        return _("sign in") if action == "take" and self._way.needs_network else words

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
        self.tell(translate(self._way.note))

    @on(Input.Changed)
    def _changed(self) -> None:
        if not self.busy and self.told.has_class("-trouble"):
            self._explain()

    def action_take(self) -> None:
        """Continues with the typed values, or moves the focus to the first empty field."""
        if self.busy:
            return
        empty = next((of for _label, of in self._fields if not of.value.strip()), None)
        if empty is not None:
            empty.focus()
            return
        values = {str(of.id): of.value if of.password else of.value.strip() for _label, of in self._fields}
        typed = replace(self._start, **values)
        words = _("Asking the server") if self._way.needs_network else _("Reading the folder")
        self.begin(words, lambda: self._work(typed), self.dismiss)

    def on_unmount(self) -> None:
        """The dialog was closed, or Earmark ends."""
        if self.busy:
            self._abort()


def _input(name: str, value: str, example: str = "") -> Input:
    return Input(
        value,
        placeholder=example,
        password=name == "password",
        id=name,
        select_on_focus=False,
        max_length=MOST_LETTERS,
    )
