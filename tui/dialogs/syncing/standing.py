"""The page about the state of syncing, with the actions on the account, and the dialog that renames this device."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import ClassVar, Protocol

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widgets import Input, Static

from player.events import SyncChanged
from player.text.cleaning import LINE_LIMIT
from player.text.sentences import _, mark
from tui.dialogs.confirm import Ask
from tui.dialogs.dialog import Dialog
from tui.drawing.cells import steady, width
from tui.drawing.syncing import Row, Standing, standing_rows


class RenameDeviceScreen(Ask):
    """Answers with the typed name, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = [("enter", "take", mark("rename")), ("escape", "close", mark("cancel"))]

    def __init__(self, device: str) -> None:
        of, about = Input(device, id="device", max_length=LINE_LIMIT), _("Your other devices know this one by it.")
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
