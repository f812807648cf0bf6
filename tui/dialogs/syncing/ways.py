"""Where to sync: the three ways, and what each carries."""

from collections.abc import Mapping, Set
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import OptionList

from player.model.syncing import Carried, TargetKind
from player.sync.words import carried_words, not_carried_words
from player.text.sentences import _, mark
from tui.dialogs.dialog import OptionsDialog
from tui.drawing.cells import fit, width

WAYS = (TargetKind.GPODDER, TargetKind.NEXTCLOUD, TargetKind.FOLDER)


class WaysScreen(OptionsDialog[TargetKind]):
    """Answers with the way that was chosen, or None. `carries`: what each of them does."""

    BINDINGS: ClassVar[list[BindingType]] = [("enter", "take", mark("choose")), ("escape,q", "close", mark("cancel"))]

    DEFAULT_CSS = """
    WaysScreen {
        & #dialog { width: 76; }
    }
    """

    def __init__(self, carries: Mapping[TargetKind, Set[Carried]]) -> None:
        titles, briefly = _titles(), _briefly()
        cells = 2 + max(map(width, titles.values()))
        options = (f"{fit(titles[way], cells)}{briefly[way]}" for way in WAYS)
        super().__init__(_("Sync with your other devices"), *options)
        self._carries = carries

    def contents(self) -> ComposeResult:
        yield self.list
        self.told.add_class("gap")
        yield self.told

    def on_mount(self) -> None:
        self.list.highlighted = 0

    @on(OptionList.OptionHighlighted)
    def _moved(self, event: OptionList.OptionHighlighted) -> None:
        way = WAYS[event.option_index]
        carried, missing = carried_words(self._carries[way]), not_carried_words(self._carries[way])
        lines = [_needs()[way], _("Syncs {what}.", what=carried)]
        if missing:
            lines.append(_("Doesn't sync {what}.", what=missing))
        self.tell("\n".join(lines))

    def action_take(self) -> None:
        if (at := self.list.highlighted) is not None:
            self.dismiss(WAYS[at])


def _titles() -> Mapping[TargetKind, str]:
    return {
        TargetKind.GPODDER: _("gpodder server"),
        TargetKind.NEXTCLOUD: _("Nextcloud"),
        TargetKind.FOLDER: _("A folder"),
    }


def _briefly() -> Mapping[TargetKind, str]:
    return {
        TargetKind.GPODDER: _("positions and subscriptions"),
        TargetKind.NEXTCLOUD: _("positions and subscriptions"),
        TargetKind.FOLDER: _("everything, no server"),
    }


def _needs() -> Mapping[TargetKind, str]:
    return {
        TargetKind.GPODDER: _("gpodder.net, oPodSync, PodFetch and others; other apps sync through them, too."),
        TargetKind.NEXTCLOUD: _("A Nextcloud that has the app GPodder Sync; other apps sync through it, too."),
        TargetKind.FOLDER: _(
            "Between Earmarks: Syncthing, Dropbox, a USB stick, or any other folder that all of them see."
        ),
    }
