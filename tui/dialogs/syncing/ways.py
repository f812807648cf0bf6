"""The choice of ways to sync, with what each carries."""

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import OptionList

from player.sync.sync_sentences import carried_words, not_carried_words
from player.sync.ways import Way
from player.text.sentences import _, mark, translate
from tui.dialogs.dialog import OptionsDialog
from tui.drawing.cells import fit, width


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
