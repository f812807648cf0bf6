"""What dialogs share: a panel without a frame on the dimmed screen, and the key that pauses."""

from collections.abc import Iterable
from typing import ClassVar, TypeVar

from textual.binding import BindingType
from textual.content import Content
from textual.screen import ModalScreen

from tui.actions.table import ACTIONS, bindings
from tui.drawing.cells import width
from tui.framework.screen import OwnScreen

T = TypeVar("T")
_GAP = " " * 3


class Dialog(ModalScreen[T], OwnScreen[T]):
    """Put the content into a container with the ID `dialog`. The key that pauses works here too, unless it is typed
    into a field."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(action for action in ACTIONS if action.id == "pause")]

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

    def __init__(self) -> None:
        super().__init__()
        self.runs = {"pause": self._pause_below}

    def _pause_below(self) -> None:
        below = (screen for screen in reversed(self.app.screen_stack) if not isinstance(screen, ModalScreen))
        if isinstance(screen := next(below, None), OwnScreen):
            screen.act("pause")


def key_line(hints: Iterable[tuple[str, str]], room: int) -> Content:
    """Keys and what they do, the most important first, as many as fit into `room` cells."""
    shown: list[Content] = []
    for key, words in hints:
        room -= width(f"{key} {words}") + (len(_GAP) if shown else 0)
        if room < 0:
            break
        shown.append(Content.assemble(Content.styled(key, "bold $text"), f" {words}"))
    return Content(_GAP).join(shown)
