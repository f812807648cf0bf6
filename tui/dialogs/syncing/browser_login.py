"""Signing in to Nextcloud: in a browser, on this computer or on a phone that scans the code."""

from collections.abc import Callable
from typing import ClassVar, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Static

from player.errors import EarmarkError
from player.links.urls import host
from player.sync.nextcloud.scan_code import scan_code, small_scan_code
from player.text.sentences import _
from tui.dialogs.syncing.working import WorkingDialog
from tui.drawing.cells import width
from tui.look.glyphs import glyphs_of
from tui.widgets.choices import Choice, Choices

R = TypeVar("R")
_AROUND_ROWS, _AROUND_COLUMNS = 4, 6
"""Of the dialog around its contents, where it leaves a row above and below it free if there is one."""
_LEAST_WORDS, _MOST_WORDS, _GAP = 30, 60, 2
"""Columns of the words beside the code."""


class BrowserLoginScreen(WorkingDialog[R]):
    """Answers with what `wait` returns once the listener has signed in, or with None.

    `wait` runs on a thread of its own and raises EarmarkError; `abort` ends it.

    The code is left out where the terminal is too small for it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [("escape,q", "close"), ("o,enter", "open"), ("y,c", "copy")]

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
        super().__init__()
        self._host = host(address)
        self._link = address
        self._wait = wait
        self._abort = abort
        self._words = Vertical(classes="words")
        self._code = Static("", id="code", markup=False)
        self._opened = Static("", classes="muted gap", id="opened", markup=False)

    def heading(self) -> str:
        return _("Sign in to {host}", host=self._host)

    def choices(self) -> tuple[Choice, ...]:
        again = () if self.busy else (Choice("again", "enter", _("try again")),)
        return (
            *again,
            Choice("close", "esc", _("cancel")),
            Choice("open", "o", _("open again")),
            Choice("copy", "y", _("copy the address")),
        )

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

    def failed(self, error: EarmarkError) -> None:
        super().failed(error)
        self.show_frame()

    # -- keys -------------------------------------------------------------------------------------------------

    @on(Choices.Chosen)
    def _chosen(self, event: Choices.Chosen) -> None:
        match event.answer:
            case "open":
                self.action_open()
            case "copy":
                self.action_copy()
            case "again":
                self._begin()
            case "close":
                self.action_close()

    def action_open(self) -> None:
        from tui.terminal.browser import open_link

        if not self.busy and self.told.has_class("-trouble"):
            self._begin()
        open_link(self.app, self._link, self._opened.update)

    def action_copy(self) -> None:
        from tui.terminal.clipboard import copy_link

        self._opened.update(copy_link(self.app, self._link))

    def action_close(self) -> None:
        self.dismiss(None)

    def on_unmount(self) -> None:
        """Closed, or Earmark ends."""
        if self.busy:
            self._abort()
