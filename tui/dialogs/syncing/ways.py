"""Where to sync: the three ways, and what each carries."""

from collections.abc import Mapping, Set
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import OptionList, Static

from player.model.syncing import Carried, TargetKind
from player.sync.words import carried_words, not_carried_words
from player.text.sentences import _
from tui.dialogs.dialog import MOVES, Dialog, Options
from tui.drawing.cells import fit, width
from tui.widgets.choices import Choice, Choices

WAYS = (TargetKind.GPODDER, TargetKind.NEXTCLOUD, TargetKind.FOLDER)


class WaysScreen(Dialog[TargetKind]):
    """Answers with the way that was chosen, or None. `carries`: what each of them does."""

    BINDINGS: ClassVar[list[BindingType]] = [*MOVES, ("escape,q", "close")]

    DEFAULT_CSS = """
    WaysScreen {
        & #dialog { width: 76; }
    }
    """

    def __init__(self, carries: Mapping[TargetKind, Set[Carried]]) -> None:
        super().__init__()
        self._carries = carries
        titles, briefly = _titles(), _briefly()
        cells = 2 + max(map(width, titles.values()))
        self._list = Options(*(f"{fit(titles[way], cells)}{briefly[way]}" for way in WAYS))
        self.runs = {**self.runs, **self._list.moves()}
        self._notice = Static("", id="told", classes="muted gap", markup=False)

    def heading(self) -> str:
        return _("Sync with your other devices")

    def choices(self) -> tuple[Choice, ...]:
        return Choice("choose", "enter", _("choose")), Choice("close", "esc", _("cancel"))

    def contents(self) -> ComposeResult:
        yield self._list
        yield self._notice

    def on_mount(self) -> None:
        self._list.highlighted = 0
        self._list.focus()

    @on(OptionList.OptionHighlighted)
    def _moved(self, event: OptionList.OptionHighlighted) -> None:
        way = WAYS[event.option_index]
        carried, missing = carried_words(self._carries[way]), not_carried_words(self._carries[way])
        lines = [_needs()[way], _("Syncs {what}.", what=carried)]
        if missing:
            lines.append(_("Doesn't sync {what}.", what=missing))
        self._notice.update("\n".join(lines))

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(WAYS[event.option_index])

    @on(Choices.Chosen)
    def _answered(self, event: Choices.Chosen) -> None:
        at = self._list.highlighted
        self.dismiss(WAYS[at] if event.answer == "choose" and at is not None else None)

    def action_close(self) -> None:
        self.dismiss(None)


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
