"""The dialog for sorting, mixing, shuffling or clearing the queue."""

from typing import ClassVar

from textual.binding import BindingType

from player.library.listening.queue import QueueOrder
from player.text.sentences import _, mark, translate
from tui.dialogs.dialog import OptionsDialog

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


class QueueOrderScreen(OptionsDialog[str]):
    """Answers with a QueueOrder, `mix`, `shuffle` or `clear`. All of them can be undone."""

    BINDINGS: ClassVar[list[BindingType]] = [("enter", "take", mark("do it")), ("escape,q", "close", mark("close"))]

    DEFAULT_CSS = """
    QueueOrderScreen {
        & #dialog { width: 44; }
    }
    """

    def __init__(self) -> None:
        super().__init__(_("Sort or clear the queue"), *map(translate, _ORDERS.values()))

    def action_take(self) -> None:
        if (at := self.list.highlighted) is not None:
            self.dismiss(list(_ORDERS)[at])
