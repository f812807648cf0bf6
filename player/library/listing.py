"""The episodes of a list, in order: counted at once, read where they are looked at. A million cost what fifty do."""

import sqlite3
from array import array
from bisect import bisect_left, insort
from collections.abc import Sequence
from typing import Protocol

from player.library.connections import Connections
from player.model import EpisodeId

PAGE = 256
_KEPT_PAGES = 64
_NEAR = 2000

Key = tuple[int, int]
"""Where an episode stands: its moment, the newest first, then its id."""


class Listing(Protocol):
    more: bool

    def __len__(self) -> int: ...

    def page(self, start: int, size: int) -> "array[int]":
        """The ids of `size` rows from `start` on; fewer at the end, or when some are gone."""

    def place(self, episode_id: EpisodeId | None) -> int | None:
        """The row of an episode; None when it isn't in the list."""


class WholeList:
    """Ids that are there already: of what was filtered, or what is in progress. `more`: they are the first of many."""

    def __init__(self, ids: "array[int]", *, more: bool = False) -> None:
        self._ids = ids
        self.more = more

    def __len__(self) -> int:
        return len(self._ids)

    def page(self, start: int, size: int) -> "array[int]":
        return self._ids[max(0, start) : max(0, start) + size]

    def place(self, episode_id: EpisodeId | None) -> int | None:
        try:
            return self._ids.index(episode_id) if episode_id is not None else None
        except ValueError:
            return None


class IndexedList:
    """What an index has in order. Rows are found from the nearest one whose place is known: an anchor.

    So moving on costs the same anywhere; a jump into the middle of a million steps over at most half of them, in 15 ms.
    What comes or goes after the list was made shifts what wasn't read yet by as many rows, until it is made anew.
    """

    more = False

    def __init__(self, connections: Connections, terms: Sequence[str], values: Sequence[int], count: int) -> None:
        self._connections = connections
        self._terms = list(terms)
        self._values = list(values)
        self._count = count
        self._pages: dict[int, array[int]] = {}
        self._anchors: list[tuple[int, Key]] = []

    def __len__(self) -> int:
        return self._count

    def page(self, start: int, size: int) -> "array[int]":
        start, end = max(0, start), min(self._count, start + size)
        ids: array[int] = array("q")
        for number in range(start // PAGE, -(-end // PAGE)):
            first = number * PAGE
            ids += self._page(number)[max(0, start - first) : max(0, end - first)]
        return ids

    def place(self, episode_id: EpisodeId | None) -> int | None:
        if episode_id is None:
            return None
        with self._connections.reading() as connection:
            row = connection.execute(
                f"SELECT e.sort FROM episodes e{_where(['e.id = ?', *self._terms])}", (episode_id, *self._values)
            ).fetchone()
            if row is None:
                return None
            place = self._rank(connection, (row[0], episode_id))
        if 0 <= place < self._count:
            self._anchor(place, (row[0], episode_id))
            return place
        return None

    def _rank(self, connection: sqlite3.Connection, key: Key) -> int:
        """How many stand before; counted from the nearest anchor."""
        at = bisect_left(self._anchors, _order(key), key=lambda anchor: _order(anchor[1]))
        if at < len(self._anchors):
            place, below = self._anchors[at]
            steps = self._between(connection, key, below, _NEAR)
            if steps < _NEAR or not at:
                return place - (steps if steps < _NEAR else self._between(connection, key, below))
        if at:
            place, above = self._anchors[at - 1]
            return place + self._between(connection, above, key)
        return self._between(connection, None, key)

    def _between(self, connection: sqlite3.Connection, start: Key | None, end: Key, most: int = -1) -> int:
        """How many stand from `start` on and before `end`; no more than `most` are counted."""
        terms, values = [*self._terms, _BEFORE], [*self._values, end[0], *end]
        if start is not None:
            terms, values = [*terms, _FROM], [*values, start[0], *start]
        if most < 0:
            return sum(self._count_range(connection, *part) for part in _ranges(start, end))
        sql, values = f"SELECT count(*) FROM (SELECT 1 FROM episodes e{_where(terms)} LIMIT ?)", [*values, most]
        (count,) = connection.execute(sql, values).fetchone()
        return int(count)

    def _count_range(self, connection: sqlite3.Connection, term: str, given: Sequence[int]) -> int:
        sql = f"SELECT count(*) FROM episodes e{_where([*self._terms, term])}"
        return int(connection.execute(sql, [*self._values, *given]).fetchone()[0])

    def _page(self, number: int) -> "array[int]":
        page = self._pages.get(number)
        if page is None:
            start, end = number * PAGE, min((number + 1) * PAGE, self._count)
            with self._connections.reading() as connection:
                rows = self._read(connection, start, end)
            page = array("q", (row[0] for row in rows))
            if rows:
                self._anchor(start, (rows[0][1], rows[0][0]))
                self._anchor(start + len(rows) - 1, (rows[-1][1], rows[-1][0]))
            if len(self._pages) >= _KEPT_PAGES:
                self._pages.clear()
            self._pages[number] = page
        return page

    def _read(self, connection: sqlite3.Connection, start: int, end: int) -> list[tuple[int, int]]:
        """(id, sort) of these rows: from the nearest anchor above, or backwards from the one below."""
        at = bisect_left(self._anchors, start, key=lambda anchor: anchor[0])
        if at < len(self._anchors) and self._anchors[at][0] == start:
            return self._step(connection, self._anchors[at][1], end - start, 0, forwards=True)
        above, top = self._anchors[at - 1] if at else (0, None)
        at = bisect_left(self._anchors, end, key=lambda anchor: anchor[0])
        below, bottom = self._anchors[at] if at < len(self._anchors) else (self._count, None)
        if start - above <= below - end:
            return self._step(connection, top, end - start, start - above, forwards=True)
        return self._step(connection, bottom, end - start, below - end, forwards=False)[::-1]

    def _step(
        self, connection: sqlite3.Connection, key: Key | None, size: int, skip: int, *, forwards: bool
    ) -> list[tuple[int, int]]:
        """`size` rows after skipping some, from `key` on, or backwards before it; None: the list's end."""
        terms, values = list(self._terms), list(self._values)
        if key is not None:
            terms.append(_FROM if forwards else _BEFORE)
            values += [key[0], *key]
        order = "e.sort DESC, e.id" if forwards else "e.sort, e.id DESC"
        sql = f"SELECT e.id, e.sort FROM episodes e{_where(terms)} ORDER BY {order} LIMIT ? OFFSET ?"
        return connection.execute(sql, [*values, size, skip]).fetchall()

    def _anchor(self, place: int, key: Key) -> None:
        at = bisect_left(self._anchors, place, key=lambda anchor: anchor[0])
        if at == len(self._anchors) or self._anchors[at][0] != place:
            insort(self._anchors, (place, key), key=lambda anchor: anchor[0])


_FROM = "e.sort <= ? AND (e.sort < ? OR e.id >= ?)"
_BEFORE = "e.sort >= ? AND (e.sort > ? OR e.id < ?)"


def _ranges(start: Key | None, end: Key) -> list[tuple[str, Sequence[int]]]:
    """From `start` on and before `end`, as plain ranges of the index, which are counted twice as fast as `_BEFORE`."""
    if start is None:
        return [("e.sort > ?", end[:1]), ("e.sort = ? AND e.id < ?", end)]
    if start[0] == end[0]:
        return [("e.sort = ? AND e.id >= ? AND e.id < ?", (*start, end[1]))]
    return [
        ("e.sort = ? AND e.id >= ?", start),
        ("e.sort < ? AND e.sort > ?", (start[0], end[0])),
        ("e.sort = ? AND e.id < ?", end),
    ]


def _order(key: Key) -> tuple[int, int]:
    return -key[0], key[1]


def _where(terms: Sequence[str]) -> str:
    return f" WHERE {' AND '.join(terms)}" if terms else ""
