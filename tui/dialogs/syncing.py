"""The dialogs of syncing: the ways to sync, signing in, the first merge, and the page about the state of syncing."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import ClassVar, Protocol, TypeVar

from msgspec.structs import replace
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, OptionList, Static

from player.events import SyncChanged
from player.links.urls import host
from player.model.syncing import SyncStatus
from player.sync.sync_sentences import carried_words, failure_words, not_carried_words
from player.sync.ways import Typed, Way, way_of
from player.text.cleaning import LINE_LIMIT
from player.text.sentences import _, mark, translate
from tui.dialogs.confirm import Ask
from tui.dialogs.dialog import Dialog, OptionsDialog, fields
from tui.drawing.cells import fit, steady, width
from tui.drawing.scan_code import scan_code, small_scan_code
from tui.drawing.syncing import Row, Standing, standing_rows
from tui.framework.screen import MOST_LETTERS
from tui.look.glyphs import ASCII, glyphs_of

Follow = Callable[[Callable[[SyncChanged], None]], Callable[[], None]]
"""Subscribes a function to SyncChanged, on any thread. Returns the function that unsubscribes it."""


class FirstMergeScreen(Dialog[bool]):
    """Answers whether it was merged. `plan` and the result of `merge` are lines of text, of which the unindented ones
    are headings. `merge` runs on another thread and may raise EarmarkError. The next round of syncing, whose progress
    `follow` reports, sends what other devices don't have. `undo` is the key that takes the merge back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("enter", "merge", mark("merge")),
        ("escape,q", "close", mark("cancel, changing nothing")),
        ("down,j", "scroll(1)"),
        ("up,k", "scroll(-1)"),
    ]

    DEFAULT_CSS = """
    FirstMergeScreen {
        & #dialog { width: 76; }
        & #lines { height: auto; }
    }
    """

    def __init__(
        self,
        plan: Sequence[str],
        merge: Callable[[], Sequence[str]],
        follow: Follow,
        undo: str,
    ) -> None:
        super().__init__(_("The first merge"), classes="-waits")
        self._merge = merge
        self._follow = follow
        self._undo = undo
        self._merged = False
        self._unfollow: Callable[[], None] = lambda: None
        self._lines = Vertical(*lines_of(plan), id="lines")

    def words(self, action: str, words: str) -> str:
        if self._merged:
            return _("close") if action == "close" else ""
        return "" if self.busy else words

    def contents(self) -> ComposeResult:
        yield self._lines
        yield self.line
        self.told.add_class("gap")
        yield self.told

    def on_mount(self) -> None:
        self.tell(_("Nothing has changed yet. {key} takes the merge back afterwards.", key=self._undo))

    def on_unmount(self) -> None:
        self._unfollow()

    def action_merge(self) -> None:
        if self._merged:
            self.action_close()
        else:
            self._unfollow = self._follow(self._on_news)
            self.begin(_("Merging"), self._merge, self._has_merged)

    def _has_merged(self, lines: Sequence[str]) -> None:
        self._merged = True
        self._heading = _("Synced")
        self._show_lines(lines)
        self.show_busy(_("Sending your changes"))

    def _show_lines(self, lines: Sequence[str]) -> None:
        self._lines.remove_children()
        self._lines.mount_all(lines_of(lines))
        self.show_frame()

    def failed(self, error: Exception) -> None:
        self._unfollow()
        super().failed(error)

    def _on_news(self, event: SyncChanged) -> None:
        """Called on any thread."""
        self.call_later(self._rounded, event.status)

    def _rounded(self, status: SyncStatus) -> None:
        if not self._merged or status.busy or not status.rounds:
            return
        self._unfollow()
        failure = failure_words(status)
        self.show_busy("")
        self.tell(failure or _("Everything is sent. Earmark syncs automatically from now on."), trouble=bool(failure))

    def action_scroll(self, by: int) -> None:
        self.frame.scroll_relative(y=by, animate=False)

    def action_close(self) -> None:
        """Closes the dialog, except during the merge, which can only be undone afterwards."""
        if self._merged or not self.busy:
            self.dismiss(self._merged)


def lines_of(lines: Sequence[str]) -> list[Static]:
    """A widget for each line. Wrapped lines keep their indent; unindented ones are bold."""
    return [_line(line, len(line) - len(line.lstrip(" "))) for line in lines]


def _line(line: str, indent: int) -> Static:
    shown = Static(steady(line.strip()), classes="" if indent else "strong", markup=False)
    shown.styles.height = "auto"
    shown.styles.padding = (0, 0, 0, indent)
    return shown


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
        if glyphs_of(self.app) == ASCII:
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
        asked = [field for field in self._way.fields if not again or field.name == "password"]
        self._fields = [
            (translate(field.label), _input(field.name, getattr(start, field.name), field.example)) for field in asked
        ]
        self._optional = {field.name for field in asked if field.optional}
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
        needed = (of for _label, of in self._fields if of.id not in self._optional)
        empty = next((of for of in needed if not of.value.strip()), None)
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


class RenameDeviceScreen(Ask):
    """Answers with the typed name, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = [("enter", "take", mark("rename")), ("escape", "close", mark("cancel"))]

    def __init__(self, device: str) -> None:
        of, about = Input(device, id="device", max_length=LINE_LIMIT), _("Your other devices show this name.")
        super().__init__(_("Rename this device"), _("Name"), of, about)

    def action_take(self) -> None:
        self.dismiss(self.field.value.strip() or None)


_LOOK_S = 30.0
"""How often times such as “2 minutes ago” are updated."""


class Sync(Protocol):
    """The contents and actions of the page. `standing` and `now` read the library, and block; `now` begins a round, and
    returns why it can't, or ""."""

    def standing(self) -> Standing: ...

    def now(self) -> str: ...

    def follow(self, changed: Callable[[SyncChanged], None]) -> Callable[[], None]:
        """Calls `changed`, on any thread, until the returned function is called."""
        ...


class _Row(Horizontal):
    """A label and its text; hidden while there is no text."""

    DEFAULT_CSS = """
    _Row {
        height: auto;
        display: none;
        & > .label { color: $muted; }
        & > .text { width: 1fr; height: auto; }
        &.-trouble > .text { color: $error; }
    }
    """

    def __init__(self, label: str, cells: int) -> None:
        title = Static(label, classes="label", markup=False)
        title.styles.width = cells
        self._text = Static(classes="text", markup=False)
        super().__init__(title, self._text)

    def show(self, row: Row) -> None:
        self.display = bool(row.lines)
        self.set_class(row.trouble, "-trouble")
        self._text.update(steady("\n".join(row.lines)))


class SyncScreen(Dialog[str]):
    """Answers with the action to take on the account, `rename`, `sign_in` or `forget`; or with None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("enter,s", "now", mark("sync now")),
        ("escape,q", "close", mark("close")),
        ("n", "leave('rename')", mark("rename")),
        ("p", "leave('sign_in')", mark("sign in again")),
        ("x", "leave('forget')", mark("forget")),
        ("down,j", "scroll(1)"),
        ("up,k", "scroll(-1)"),
    ]

    DEFAULT_CSS = """
    SyncScreen {
        & #dialog { width: 78; }
    }
    """

    def __init__(self, sync: Sync, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        super().__init__(_("Sync"), classes="-waits")
        self._sync = sync
        self._now = now
        self._standing = Standing()
        labels = [row.label for row in standing_rows(self._standing, now())]
        self._rows = [_Row(label, 2 + max(map(width, labels))) for label in labels]
        self._unfollow: Callable[[], None] = lambda: None

    def words(self, action: str, words: str) -> str:
        account = self._standing.status.account
        if account is None and action.startswith("leave"):
            return ""
        return "" if action == "leave('sign_in')" and account is not None and not account.user else words

    def contents(self) -> ComposeResult:
        yield from self._rows
        yield self.line
        self.told.add_class("gap")
        yield self.told

    def on_mount(self) -> None:
        self._unfollow = self._sync.follow(self._on_news)
        self.set_interval(_LOOK_S, self._look)
        self._look()

    def on_unmount(self) -> None:
        self._unfollow()

    def _on_news(self, _event: SyncChanged) -> None:
        """Called on any thread."""
        self.call_later(self._look)

    def _look(self) -> None:
        self.read(self._sync.standing, self._show)

    def _show(self, standing: Standing) -> None:
        self._standing = standing
        self.show_frame()
        for shown, row in zip(self._rows, standing_rows(standing, self._now()), strict=True):
            shown.show(row)

    # -- keys -------------------------------------------------------------------------------------------------

    def action_now(self) -> None:
        self.read(self._sync.now, self._begun)

    def _begun(self, problem: str) -> None:
        self.tell(problem, trouble=bool(problem))

    def action_leave(self, wish: str) -> None:
        if any(choice.answer == f"leave({wish!r})" for choice in self.choices()):
            self.dismiss(wish)

    def action_scroll(self, by: int) -> None:
        self.frame.scroll_relative(y=by, animate=False)


class WaysScreen(OptionsDialog[Way]):
    """Answers with the chosen way, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = [("enter", "take", mark("choose")), ("escape,q", "close", mark("cancel"))]

    DEFAULT_CSS = """
    WaysScreen {
        & #dialog { width: 76; }
    }
    """

    def __init__(self, ways: Sequence[Way]) -> None:
        titles = [translate(way.listed or way.title) for way in ways]
        cells = 2 + max(map(width, titles))
        options = (f"{fit(title, cells)}{translate(way.summary)}" for title, way in zip(titles, ways, strict=True))
        super().__init__(_("Sync with your other devices"), *options)
        self._ways = ways

    def contents(self) -> ComposeResult:
        yield self.list
        self.told.add_class("gap")
        yield self.told

    def on_mount(self) -> None:
        self.list.highlighted = 0

    @on(OptionList.OptionHighlighted)
    def _moved(self, event: OptionList.OptionHighlighted) -> None:
        way = self._ways[event.option_index]
        lines = [translate(way.about), _("Syncs {what}.", what=carried_words(way.carries))]
        if missing := not_carried_words(way.carries):
            lines.append(_("Doesn't sync {what}.", what=missing))
        self.tell("\n".join(lines))

    def action_take(self) -> None:
        if (at := self.list.highlighted) is not None:
            self.dismiss(self._ways[at])
