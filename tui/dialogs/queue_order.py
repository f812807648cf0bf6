"""The dialog for sorting, mixing, shuffling or clearing the queue."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import OptionList

from player.library.listening.queue import QueueOrder
from player.text.sentences import _, mark, translate
from tui.dialogs.dialog import MOVES, Dialog, Options
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

    BINDINGS: ClassVar[list[BindingType]] = [*MOVES, ("escape,q", "close")]

    DEFAULT_CSS = """
    QueueOrderScreen {
        & #dialog { width: 44; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._list = Options(*map(translate, _ORDERS.values()))
        self.runs = {**self.runs, **self._list.moves()}

    def heading(self) -> str:
        return _("Sort the queue")

    def choices(self) -> tuple[Choice, ...]:
        return Choice("choose", "enter", _("sort")), Choice("close", "esc", _("close"))

    def contents(self) -> ComposeResult:
        yield self._list

    def on_mount(self) -> None:
        self._list.focus()

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(list(_ORDERS)[event.option_index])

    @on(Choices.Chosen)
    def _answered(self, event: Choices.Chosen) -> None:
        at = self._list.highlighted
        self.dismiss(list(_ORDERS)[at] if event.answer == "choose" and at is not None else None)

    def action_close(self) -> None:
        self.dismiss(None)
