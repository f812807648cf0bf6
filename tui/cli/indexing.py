"""The index of words, brought up to date before a command asks it."""

import sys

from player.library import Library
from player.text.sentences import plural
from tui.terminal.capabilities import is_terminal

_MANY = 5000
"""Episodes that take more than half a second to index."""


def catch_up(library: Library) -> None:
    """Indexes the episodes that are new since the last search."""
    left = library.search.left()
    visible = left > _MANY and is_terminal(sys.stderr)
    if visible:
        words = plural(left, "Indexing {n:,} episode…", "Indexing {n:,} episodes…")
        print(words, end="", file=sys.stderr, flush=True)
    library.search.catch_up()
    if visible:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
