"""Rows of a list whose rank is known: others are counted from the nearest one, not from the end of the list."""

from bisect import bisect_left, bisect_right
from collections.abc import Hashable
from threading import Lock

Key = tuple[int, int]
"""What an episode is sorted by: its time, the newest first, then its id."""

RowMark = tuple[int, Key]
"""The rank of a row in its list, counted from 0, and its key."""

_KEPT_LISTS = 32


class RowMarks:
    """The marks of one list, in one state of the library. Any thread may use them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._ranks: list[int] = []
        self._keys: list[Key] = []
        self._order: list[tuple[int, int]] = []
        self.counts_since: dict[tuple[int, ...], list[int]] = {}
        """How many rows have each of some sort keys or a newer one, where that was counted."""

    def add(self, rank: int, key: Key) -> None:
        with self._lock:
            at = bisect_left(self._ranks, rank)
            if at == len(self._ranks) or self._ranks[at] != rank:
                self._ranks.insert(at, rank)
                self._keys.insert(at, key)
                self._order.insert(at, order(key))

    def around_rank(self, rank: int) -> tuple[RowMark | None, RowMark | None]:
        """The last mark at or above a rank, and the first one below it."""
        with self._lock:
            return self._around(bisect_right(self._ranks, rank))

    def around_key(self, key: Key) -> tuple[RowMark | None, RowMark | None]:
        """The last mark at or above a key, and the first one below it."""
        with self._lock:
            return self._around(bisect_right(self._order, order(key)))

    def _around(self, at: int) -> tuple[RowMark | None, RowMark | None]:
        above = (self._ranks[at - 1], self._keys[at - 1]) if at else None
        below = (self._ranks[at], self._keys[at]) if at < len(self._ranks) else None
        return above, below


class KnownRowMarks:
    """The row marks of each list, as long as the library has not moved anything in it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: dict[Hashable, tuple[Hashable, RowMarks]] = {}

    def of(self, name: Hashable, state: Hashable) -> RowMarks:
        """The marks of the list `name`; empty if they were found in another `state` of the library."""
        with self._lock:
            found = self._known.pop(name, None)
            if found is None or found[0] != state:
                found = (state, RowMarks())
            if len(self._known) >= _KEPT_LISTS:
                self._known.pop(next(iter(self._known)))
            self._known[name] = found
            return found[1]


def order(key: Key) -> tuple[int, int]:
    """A key that sorts as the list does."""
    return -key[0], key[1]
