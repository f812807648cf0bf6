"""The first merge: a preview of the changes on both sides; after merging, the changes made."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Static

from player.events import SyncChanged
from player.model.syncing import SyncStatus
from player.sync.sync_sentences import failure_words
from player.text.sentences import _, mark
from tui.dialogs.dialog import Dialog
from tui.drawing.cells import steady

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
        self.show_busy(_("Sending what is new to the others"))

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
        self.tell(failure or _("All is sent. From now on Earmark syncs by itself."), trouble=bool(failure))

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
