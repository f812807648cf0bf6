"""What of a screen a terminal has room for: all of it, the player bar alone, or a sentence above the bar. Pure."""

from enum import Enum

BAR_ROWS = 4
"""A terminal with no more rows than these, such as a split of tmux, shows the player bar alone."""
LEAST_COLUMNS, LEAST_ROWS = 30, 8
"""A terminal with fewer has no room for lists and text."""


class Room(Enum):
    ALL = "all"
    BAR = "the bar alone"
    SENTENCE = "a sentence"


def room_for(columns: int, rows: int, *, mini: bool) -> Room:
    """`mini`: the listener wants the bar alone, whatever there is room for."""
    if mini or rows <= BAR_ROWS:
        return Room.BAR
    return Room.ALL if columns >= LEAST_COLUMNS and rows >= LEAST_ROWS else Room.SENTENCE
