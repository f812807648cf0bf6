"""A line at the bottom of the screen for typing words to find in the page above it.

As in less and vim, `enter` ends the typing and leaves the page at the match, from which further keys continue.
"""

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from player.text.sentences import _
from tui.framework.screen import MOST_LETTERS, OwnScreen

Find = Callable[[str, int], tuple[int, int]]
"""Goes to the next match (1), the previous one (-1) or the nearest one (0). Returns its number, and the number of
matches."""


class FindInPage(ModalScreen[bool], OwnScreen[bool]):
    """The arrow keys go from match to match. Answers whether there were matches that are to stay marked."""

    DEFAULT_CSS = """
    FindInPage {
        background: $background 0%;
        align: left bottom;

        & #find-line { height: 1; background: $panel; padding: 0 2; }
        & #find-sign { width: 2; color: $muted; text-style: bold; }
        & #find { width: 1fr; height: 1; border: none; padding: 0; background: $panel; }
        & #find:focus { border: none; background-tint: $foreground 0%; }
        & #find:nocolor > .input--cursor { text-style: reverse; }
        & #find-count { width: auto; color: $muted; }
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape", "close"),
        ("down", "step(1)"),
        ("up", "step(-1)"),
    ]

    def __init__(self, find: Find) -> None:
        super().__init__()
        self._find = find
        self._input = Input(placeholder=_("words to find"), id="find", compact=True, max_length=MOST_LETTERS)
        self._count = Static("", id="find-count")
        self._found = 0

    def compose(self) -> ComposeResult:
        with Horizontal(id="find-line"):
            yield Static("/", id="find-sign")
            yield self._input
            yield self._count

    def on_mount(self) -> None:
        self._input.focus()

    @on(Input.Changed)
    def _typed(self) -> None:
        self._go(0)

    @on(Input.Submitted)
    def _typed_all(self) -> None:
        if self._found or not self._input.value.strip():
            self.dismiss(bool(self._found))

    def action_step(self, by: int) -> None:
        self._go(by)

    def _go(self, step: int) -> None:
        words = self._input.value.strip()
        which, count = self._find(words, step)
        self._found = count
        self._count.update(
            "" if not words else "  " + (_("{which} of {count}", which=which, count=count) if count else _("not found"))
        )

    def action_close(self) -> None:
        self.dismiss(False)
