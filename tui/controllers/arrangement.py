"""Which panes stand side by side, by the width of the terminal and what has the focus."""

from dataclasses import dataclass
from enum import Enum

from tui.actions.table import Focus

THREE_PANES = 110
TWO_PANES = 60


class Pair(Enum):
    """The two panes of a terminal that has room for two. They change only when the focus would else leave them."""

    LEFT = "sidebar and list"
    RIGHT = "list and notes"


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Cells for each pane; 0: it isn't there."""

    sidebar: int
    episodes: int
    notes: int


def pair_for(focus: Focus, before: Pair) -> Pair:
    if focus is Focus.SIDEBAR:
        return Pair.LEFT
    return Pair.RIGHT if focus is Focus.NOTES else before


def arrange(width: int, focus: Focus, pair: Pair) -> Arrangement:
    if width >= THREE_PANES:
        sidebar = _within(24, width * 21 // 100, 32)
        notes = _within(40, (width - sidebar) * 42 // 100, 76)
        return Arrangement(sidebar, width - sidebar - notes, notes)
    if width >= TWO_PANES:
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
