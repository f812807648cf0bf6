"""The first merge: what it changes on both sides, before it does; then what it has changed."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical

from player.errors import EarmarkError
from player.events import SyncChanged
from player.model.syncing import SyncStatus
from player.sync.words import failure_words
from player.text.sentences import _
from tui.dialogs.syncing.working import WorkingDialog, lines_of
from tui.framework.messages import FieldMessage
from tui.widgets.choices import Choice, Choices

Follow = Callable[[Callable[[SyncChanged], None]], Callable[[], None]]
"""Calls what it is given, on any thread, until what it returns is called."""


class FirstMergeScreen(WorkingDialog[bool]):
    """Answers whether it was merged. `plan` and what `merge` returns are lines of text; those that aren't indented are
    headings. `merge` runs on a thread of its own and may raise EarmarkError. What goes to the others is sent by the
    round that follows, which `follow` tells of. `undo` is the key that takes the merge back."""

    class _Rounded(FieldMessage):
        status: SyncStatus

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,q", "close"),
        ("enter", "merge"),
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
        super().__init__()
        self._merge = merge
        self._follow = follow
        self._undo = undo
        self._merged = False
        self._unfollow: Callable[[], None] = lambda: None
        self._lines = Vertical(*lines_of(plan), id="lines")

    def heading(self) -> str:
        return _("Synced") if self._merged else _("The first merge")

    def choices(self) -> tuple[Choice, ...]:
        if self._merged:
            return (Choice("close", "esc", _("close")),)
        if self.busy:
            return ()
        return Choice("merge", "enter", _("merge")), Choice("close", "esc", _("cancel, changing nothing"))

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
        self._show_lines(lines)
        self.show_busy(_("Sending what is new to the others"))

    def _show_lines(self, lines: Sequence[str]) -> None:
        self._lines.remove_children()
        self._lines.mount_all(lines_of(lines))
        self.show_frame()

    def failed(self, error: EarmarkError) -> None:
        self._unfollow()
        super().failed(error)

    def _on_news(self, event: SyncChanged) -> None:
        """On any thread."""
        self.post_message(self._Rounded(event.status))

    @on(_Rounded)
    def _rounded(self, event: _Rounded) -> None:
        status = event.status
        if not self._merged or status.busy or not status.rounds:
            return
        self._unfollow()
        failure = failure_words(status)
        self.show_busy("")
        self.tell(failure or _("All is sent. From now on Earmark syncs by itself."), trouble=bool(failure))

    @on(Choices.Chosen)
    def _chosen(self, event: Choices.Chosen) -> None:
        if event.answer == "merge":
            self.action_merge()
        else:
            self.action_close()

    def action_scroll(self, by: int) -> None:
        self.frame.scroll_relative(y=by, animate=False)

    def action_close(self) -> None:
        """While it merges there is no way back but afterwards."""
        if self._merged or not self.busy:
            self.dismiss(self._merged)
