"""The dialog that asks what a marked segment is."""

from typing import ClassVar

from textual.binding import BindingType

from player.model.segments import SegmentKind, kind_word
from player.text.sentences import _, mark
from tui.dialogs.dialog import OptionsDialog
from tui.drawing.labels import upper_first


class SegmentScreen(OptionsDialog[SegmentKind]):
    """Answers with its kind; None marks nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [("enter", "take", mark("mark")), ("escape,q", "close", mark("discard"))]

    DEFAULT_CSS = """
    SegmentScreen {
        & #dialog { width: 44; }
    }
    """

    def __init__(self, span: str) -> None:
        super().__init__(_("What is {span}?", span=span), *(upper_first(kind_word(one)) for one in SegmentKind))

    def action_take(self) -> None:
        if (at := self.list.highlighted) is not None:
            self.dismiss([*SegmentKind][at])
