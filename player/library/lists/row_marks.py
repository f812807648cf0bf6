"""Rows of a list whose places are known: others are counted from the nearest one, not from the end of the list."""

from bisect import bisect_left, bisect_right
from collections.abc import Hashable
from threading import Lock

Key = tuple[int, int]
"""Where an episode stands: its moment, the newest first, then its id."""

Anchor = tuple[int, Key]
"""A place in a list, counted from 0, and the row that stands there."""

_KEPT_LISTS = 32


class RowMarks:
    """Those of one list, in one state of the library. Any thread may use them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._places: list[int] = []
        self._keys: list[Key] = []
        self._order: list[tuple[int, int]] = []

    def add(self, place: int, key: Key) -> None:
        with self._lock:
            at = bisect_left(self._places, place)
            if at == len(self._places) or self._places[at] != place:
                self._places.insert(at, place)
                self._keys.insert(at, key)
                self._order.insert(at, order(key))

    def around_place(self, place: int) -> tuple[Anchor | None, Anchor | None]:
        """The last one at or above a place, and the first one below it."""
        with self._lock:
            return self._around(bisect_right(self._places, place))

    def around_key(self, key: Key) -> tuple[Anchor | None, Anchor | None]:
        """The last one at or above where a row stands, and the first one below it."""
        with self._lock:
            return self._around(bisect_right(self._order, order(key)))

    def _around(self, at: int) -> tuple[Anchor | None, Anchor | None]:
        above = (self._places[at - 1], self._keys[at - 1]) if at else None
        below = (self._places[at], self._keys[at]) if at < len(self._places) else None
        return above, below


class KnownRowMarks:
    """The anchors of each list, as long as the library has not moved anything in it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._known: dict[Hashable, tuple[Hashable, RowMarks]] = {}

    def of(self, name: Hashable, state: Hashable) -> RowMarks:
        """Those of the list `name`; none yet where another `state` of the library is than they were found in."""
        with self._lock:
            found = self._known.pop(name, None)
            if found is None or found[0] != state:
                found = (state, RowMarks())
            if len(self._known) >= _KEPT_LISTS:
                self._known.pop(next(iter(self._known)))
            self._known[name] = found
            return found[1]


def order(key: Key) -> tuple[int, int]:
    """What sorts as the list does."""
    return -key[0], key[1]
