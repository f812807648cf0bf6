"""The three panes: which of them has the focus, and how they share the width."""

from collections.abc import Callable
from enum import Enum

from msgspec import Struct

from tui.actions.action import Focus

_THREE_PANES, _TWO_PANES = 110, 60
"""A terminal with this many columns has room for three panes, or for two."""
_ORDER = (Focus.SIDEBAR, Focus.EPISODES, Focus.NOTES)


class Pair(Enum):
    """The two panes shown if there is room for two. They change only when the focus would otherwise leave them."""

    LEFT = "sidebar and list"
    RIGHT = "list and notes"


class Arrangement(Struct, frozen=True):
    """The cells of each pane; 0 hides it."""

    sidebar: int
    episodes: int
    notes: int


class PanesController:
    """Knows which pane has the focus; resizing never changes that.

    `columns` is the width of the terminal, `share_out` lays the panes out, `give_focus` focuses a pane.
    """

    def __init__(
        self,
        columns: Callable[[], int],
        share_out: Callable[[Arrangement], None],
        give_focus: Callable[[Focus], None],
    ) -> None:
        self._columns = columns
        self._share_out = share_out
        self._give_focus = give_focus
        self.focus = Focus.EPISODES
        self._pair = Pair.LEFT

    def arrange(self) -> None:
        """Lays out the panes. The one with the focus is always shown."""
        self._pair = pair_for(self.focus, self._pair)
        self._share_out(arrange(self._columns(), self.focus, self._pair))

    def focused(self, where: Focus) -> None:
        """The focus has moved there, for example by a click; a filter belongs to the list that it filters."""
        self.focus = {Focus.FILTER: Focus.EPISODES, Focus.SIDEBAR_FILTER: Focus.SIDEBAR}.get(where, where)
        self.arrange()

    def go_to(self, where: Focus) -> None:
        self.focus = where
        self.arrange()
        self._give_focus(where)

    # -- keys -------------------------------------------------------------------------------------------------

    def left(self) -> None:
        self._step(-1)

    def right(self) -> None:
        self._step(1)

    def _step(self, by: int) -> None:
        index = _ORDER.index(self.focus) + by
        if 0 <= index < len(_ORDER):
            self.go_to(_ORDER[index])

    def next(self) -> None:
        self.go_to(_ORDER[(_ORDER.index(self.focus) + 1) % len(_ORDER)])

    def previous(self) -> None:
        self.go_to(_ORDER[(_ORDER.index(self.focus) - 1) % len(_ORDER)])


def pair_for(focus: Focus, before: Pair) -> Pair:
    if focus is Focus.SIDEBAR:
        return Pair.LEFT
    return Pair.RIGHT if focus is Focus.NOTES else before


def arrange(width: int, focus: Focus, pair: Pair) -> Arrangement:
    if width >= _THREE_PANES:
        sidebar = _within(24, width * 21 // 100, 32)
        notes = _within(40, (width - sidebar) * 42 // 100, 76)
        return Arrangement(sidebar, width - sidebar - notes, notes)
    if width >= _TWO_PANES:
        if pair is Pair.LEFT:
            sidebar = _within(20, width * 30 // 100, 28)
            return Arrangement(sidebar, width - sidebar, 0)
        notes = width * 47 // 100
        return Arrangement(0, width - notes, notes)
    match focus:
        case Focus.SIDEBAR:
            return Arrangement(width, 0, 0)
        case Focus.NOTES:
            return Arrangement(0, 0, width)
        case _:
            return Arrangement(0, width, 0)


def _within(least: int, value: int, most: int) -> int:
    return max(least, min(value, most))
