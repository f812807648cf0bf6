"""The dialog for sorting, mixing, shuffling or clearing the queue."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import OptionList, Static

from player.library.listening.queue import QueueOrder
from player.text.sentences import _, mark, translate
from tui.dialogs.dialog import Dialog
from tui.dialogs.options import Options
from tui.widgets.choices import Choice, Choices

_ORDERS = {
    QueueOrder.OLDEST.value: mark("Oldest first"),
    QueueOrder.NEWEST.value: mark("Newest first"),
    QueueOrder.PODCAST.value: mark("By podcast"),
    QueueOrder.SHORTEST.value: mark("Shortest first"),
    QueueOrder.LONGEST.value: mark("Longest first"),
    "mix": mark("Fair mix: podcasts take turns"),
    "shuffle": mark("Shuffle"),
    "clear": mark("Clear the queue"),
}


class QueueOrderScreen(Dialog[str]):
    """Answers with a QueueOrder, `mix`, `shuffle` or `clear`. All of them can be undone."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,q", "close"), ("j", "down"), ("k", "up"), ("g", "first"), ("G", "last"),
    ]  # fmt: skip

    DEFAULT_CSS = """
    QueueOrderScreen {
        & #dialog { width: 44; }
        & OptionList {
            height: auto;
            max-height: 60vh;
            border: none;
            padding: 0;
            background: $panel;
            scrollbar-size-vertical: 1;
            scrollbar-background: $panel;
        }
        & OptionList:focus { border: none; background-tint: $foreground 0%; }
        &.-low .gap { margin-top: 0; }
        & OptionList > .option-list--option { padding: 0 1; text-style: none; color: $text; }
        & OptionList > .option-list--option-highlighted { background: $line; color: $text; text-style: bold; }
        & OptionList:nocolor > .option-list--option-highlighted { text-style: bold underline; }
    }
    """

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog"):
            yield Static(_("Sort the queue"), classes="title")
            yield Options(*map(translate, _ORDERS.values()), classes="gap")
            choices = Choices(Choice("choose", "enter", _("sort")), Choice("close", "esc", _("close")))
            choices.add_class("gap")
            yield choices

    def on_mount(self) -> None:
        self.query_one(OptionList).focus()

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(list(_ORDERS)[event.option_index])

    @on(Choices.Chosen)
    def _answered(self, event: Choices.Chosen) -> None:
        at = self.query_one(OptionList).highlighted
        self.dismiss(list(_ORDERS)[at] if event.answer == "choose" and at is not None else None)

    def action_down(self) -> None:
        self.query_one(OptionList).action_cursor_down()

    def action_up(self) -> None:
        self.query_one(OptionList).action_cursor_up()

    def action_first(self) -> None:
        self.query_one(OptionList).action_first()

    def action_last(self) -> None:
        self.query_one(OptionList).action_last()

    def action_close(self) -> None:
        self.dismiss(None)
