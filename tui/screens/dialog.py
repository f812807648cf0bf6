"""What the dialogs have in common: a panel amid the dimmed screen, without a frame."""

from typing import TypeVar

from textual.screen import ModalScreen

from tui.closing import ClosesOnce
from tui.unreadable import TellsOfLibrary

T = TypeVar("T")


class Dialog(TellsOfLibrary, ClosesOnce, ModalScreen[T]):
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
