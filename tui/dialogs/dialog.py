"""What the dialogs have in common: a panel amid the dimmed screen, without a frame; and the key that pauses."""

from collections.abc import Iterable
from typing import ClassVar, TypeVar

from textual.binding import BindingType
from textual.content import Content
from textual.screen import ModalScreen

from tui.actions.playback_actions import ListenScreen
from tui.actions.table import ACTIONS, bindings
from tui.drawing.cells import width
from tui.framework.closing import ClosesOnce
from tui.framework.library_errors import TellsOfLibrary

T = TypeVar("T")
_GAP = " " * 3


class InFront(TellsOfLibrary, ClosesOnce, ModalScreen[T]):
    """The key that pauses does so here too, unless it is typed into a field."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(action for action in ACTIONS if action.id == "pause")]

    def action_pause(self) -> None:
        below = (screen for screen in reversed(self.app.screen_stack) if isinstance(screen, ListenScreen))
        if (screen := next(below, None)) is not None:
            screen.action_pause()


class Dialog(InFront[T]):
    """Put the content into a container with the id `dialog`."""

    DEFAULT_CSS = """
    Dialog {
        align: center middle;
        background: $background 70%;

        & #dialog {
            width: 64;
            max-width: 100%;
            height: auto;
            max-height: 100%;
            padding: 1 3;
            background: $panel;
            overflow-y: auto;
            scrollbar-size-vertical: 1;
        }
        &.-low #dialog { padding: 0 2; }
        &:nocolor #dialog { border: solid $line; padding: 0 2; }
        & Input {
            height: 1;
            border: none;
            padding: 0;
            background: $panel;
            &:focus { border: none; background-tint: $foreground 0%; }
        }
        & Input:nocolor > .input--cursor { text-style: reverse; }
        & .title { text-style: bold; height: auto; }
        & .muted { color: $muted; height: auto; }
        & .gap { margin-top: 1; }
        & #told.-trouble { color: $error; }
    }
    """

    VERTICAL_BREAKPOINTS = [(0, "-low"), (16, "-high")]  # noqa: RUF012 - as Textual declares it


def key_line(hints: Iterable[tuple[str, str]], room: int) -> Content:
    """Keys and what they do, the most important first, as many as go into `room` cells."""
    shown: list[Content] = []
    for key, words in hints:
        room -= width(f"{key} {words}") + (len(_GAP) if shown else 0)
        if room < 0:
            break
        shown.append(Content.assemble(Content.styled(key, "bold $text"), f" {words}"))
    return Content(_GAP).join(shown)
