"""The base of dialogs with a field and the rows that match the text in it."""

from collections.abc import Callable, Sequence
from typing import ClassVar, Protocol, TypeVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, Static

from tui.dialogs.dialog import Dialog
from tui.drawing.cells import steady
from tui.look.glyphs import glyphs_of
from tui.terminal.line_by_line import goes_to_row
from tui.widgets.virtual_list import VirtualList

T = TypeVar("T")
R = TypeVar("R")
Cancelled = Callable[[], bool]


class Rows(Protocol):
    """A list with a cursor."""

    def move_by(self, rows: int, /) -> object: ...

    def move_by_pages(self, pages: int, /) -> object: ...


class Picker(Dialog[T]):
    """The moving keys move in the `rows`; text is typed into the `field`.

    Matches are searched for on other threads, and outdated results are dropped. `entered`: whether `enter` was pressed
    before the results arrived.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        ("down,ctrl+n", "move(1)"),
        ("up,ctrl+p", "move(-1)"),
        ("pagedown", "page(1)"),
        ("pageup", "page(-1)"),
    ]

    def __init__(self, heading: str | Content, of: Input, rows: Rows, told: str = "") -> None:
        super().__init__(heading, told)
        self.field = of
        self.rows = rows
        self.entered = False
        self._asked: dict[str, object] = {}

    def contents(self) -> ComposeResult:
        yield self.field
        if isinstance(self.rows, Widget):
            yield self.rows

    @property
    def typed(self) -> str:
        return self.field.value.strip()

    # -- asking -----------------------------------------------------------------------------------------------

    def ask(
        self,
        group: str,
        find: Callable[[Cancelled], R],
        found: Callable[[R], object],
        failed: Callable[[Exception], object] | None = None,
    ) -> None:
        """Calls `found` with the result of `find`, which runs on another thread. `find` is passed a function that
        returns whether its result is no longer wanted: another search of the same `group` has begun, or the dialog has
        closed."""
        question = self._asked[group] = object()

        def cancelled() -> bool:
            return self._asked.get(group) is not question or not self.is_attached

        def answered(answer: R) -> None:
            del self._asked[group]
            found(answer)

        def refused(error: Exception) -> None:
            del self._asked[group]
            (failed or self.failed)(error)

        self.read(lambda: find(cancelled), answered, refused, group=group)

    def waits_for(self, group: str) -> bool:
        return group in self._asked

    def forget(self, group: str) -> None:
        """Cancels the search of this group, and drops its result."""
        self._asked.pop(group, None)
        self.workers.cancel_group(self, group)

    # -- the cursor -------------------------------------------------------------------------------------------

    def moved(self) -> None:
        """Called when the cursor is on another row."""

    @on(VirtualList.Moved)
    def _cursor_moved(self, event: VirtualList.Moved) -> None:
        event.stop()
        self.moved()

    def action_move(self, rows: int) -> None:
        if not goes_to_row(self.app):
            self.rows.move_by(rows)

    def action_page(self, pages: int) -> None:
        self.rows.move_by_pages(pages)


class TextRows(Static):
    """A few rows of text, with the cursor on the row `at`. `most` returns the number of rows that fit."""

    def __init__(self, most: Callable[[], int]) -> None:
        super().__init__("", id="rows", classes="gap", markup=False)
        self.at = 0
        self._most = most
        self._rows: Sequence[str] = ()

    def show(self, rows: Sequence[str], *, from_top: bool = True) -> None:
        self._rows = rows
        self.at = 0 if from_top else self.at
        self._draw()

    def move_by(self, rows: int, /) -> None:
        self.at = max(0, min(self.at + rows, len(self._rows) - 1))
        self._draw()

    def move_by_pages(self, pages: int, /) -> None:
        self.move_by(pages * self._most())

    def _draw(self) -> None:
        most, cursor = self._most(), glyphs_of(self.app).cursor
        first = max(0, self.at - most + 1)
        lines = Text()
        for row, text in enumerate(self._rows[first : first + most], first):
            lines.append(f"{cursor if row == self.at else ' '} {steady(text)}\n", "bold" if row == self.at else "")
        lines.rstrip()
        self.update(lines)
