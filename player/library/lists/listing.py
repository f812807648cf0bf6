"""The episodes of a list, in order: counted at once, read where they are shown; the first ones are read cheaply."""

import json
import sqlite3
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Sequence
from contextlib import closing
from itertools import chain
from operator import neg
from threading import Lock
from typing import NamedTuple, Protocol

from player.library.database.connections import Connections
from player.library.lists import compiler
from player.library.lists.compiler import Value, where
from player.model.episode import EpisodeId
from player.model.filters import EpisodeFilter, Order

Key = tuple[int, int]
"""The sort key of an episode: its time, newest first, then its id."""

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
        """For some sort keys, how many rows have that key or a newer one, if that was counted."""

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
    """A key that sorts in the order of the list."""
    return -key[0], key[1]


PAGE = 256
MOST_FILTERED = 5_000
"""The most episodes that a filter finds, the newest ones; to see others the words have to be more specific."""
MOST_TAGGED = 100_000
"""The most episodes of podcasts with a tag: all of them, for almost everybody."""
_KEPT_PAGES = 64
_MOST_BY_PAGES = 8 * PAGE
"""How many rows are read page by page, to be cached. Larger numbers are read at once."""
MOST_DATED, _MOST_CHECKED = 60_000, 1_500
"""The most rows that are looked at to count how many are newer than some moments, and the most if each row has to be
looked up: 6 and 12 ms, while all rows of a million take 0.15 and 3 s."""
_CHECKED = "e.played = 0"
"""The condition that no index covers."""
_IN_RANGE = "e.sort >= json_extract(j.value, '$[0]') AND e.sort < json_extract(j.value, '$[1]')"
_BITS = 20
"""Two counts in one number: the rows that match are in the lower bits, the rows that were looked at above them."""
_LATEST = 2**63 - 1
_NEAR = 2000
_STRIDE = 8192


class Listing(Protocol):
    more: bool

    def __len__(self) -> int: ...

    def page(self, start: int, size: int) -> "array[int]":
        """The ids of `size` rows from `start` on; fewer at the end, or if some rows are gone."""

    def rank(self, episode_id: EpisodeId | None) -> int | None:
        """The row of an episode; None if it isn't in the list."""


class WholeList:
    """Ids that have all been read: of a filter, or of episodes in progress. `more`: only the first were read; `sorts`:
    their sort keys, if they are in the order of these."""

    def __init__(self, ids: "array[int]", *, more: bool = False, sorts: "array[int] | None" = None) -> None:
        self.ids = ids
        self.more = more
        self.sorts = sorts

    def __len__(self) -> int:
        return len(self.ids)

    def page(self, start: int, size: int) -> "array[int]":
        return self.ids[max(0, start) : max(0, start) + size]

    def rank(self, episode_id: EpisodeId | None) -> int | None:
        try:
            return self.ids.index(episode_id) if episode_id is not None else None
        except ValueError:
            return None


class IndexedList:
    """A list whose order an index has. Rows are found from the nearest one whose rank is known: a row mark.

    The first jump into the middle of a million skips at most half of them, in 7 ms, and leaves marks on its way; from
    then on any row is at most `_STRIDE` steps from one, 0.2 ms. Episodes added or removed after the list was created
    shift the rows that weren't read yet, until a new list is created.
    """

    more = False

    def __init__(
        self,
        connections: Connections,
        terms: Sequence[str],
        values: Sequence[Value],
        count: int,
        marks: RowMarks | None = None,
        end: int | None = None,
    ) -> None:
        """`marks` belong to the same list in the same state of the library, if there are some already. `end` is a sort
        key below which the list has no rows, whatever its terms say."""
        self._connections = connections
        self._terms = list(terms)
        self._values = list(values)
        self._count = count
        self._pages: dict[int, array[int]] = {}
        self._marks = RowMarks() if marks is None else marks
        self._end = None if end is None else (end, 0)

    def __len__(self) -> int:
        return self._count

    def page(self, start: int, size: int) -> "array[int]":
        start, end = max(0, start), min(self._count, start + size)
        if end - start > _MOST_BY_PAGES:
            with self._connections.reading() as connection:
                return array("q", (row[0] for row in self._read(connection, start, end)))
        ids: array[int] = array("q")
        for number in range(start // PAGE, -(-end // PAGE)):
            first = number * PAGE
            ids += self._page(number)[max(0, start - first) : max(0, end - first)]
        return ids

    def rank(self, episode_id: EpisodeId | None) -> int | None:
        if episode_id is None:
            return None
        with self._connections.reading() as connection:
            row = connection.execute(
                f"SELECT e.sort FROM episodes e{where(['e.id = ?', *self._terms])}", (episode_id, *self._values)
            ).fetchone()
            if row is None or (self._end is not None and row[0] < self._end[0]):
                return None
            rank = self._count_before(connection, (row[0], episode_id))
        if 0 <= rank < self._count:
            self._marks.add(rank, (row[0], episode_id))
            return rank
        return None

    def counts_since(self, keys: Sequence[int]) -> list[int]:
        """For each sort key, the newest first, how many rows have that key or a newer one: as far as MOST_DATED."""
        if (known := self._marks.counts_since.get(tuple(keys))) is None:
            with self._connections.reading() as connection:
                known = self._count_since(connection, keys)
            self._marks.counts_since[tuple(keys)] = known
        return known

    def _count_since(self, connection: sqlite3.Connection, keys: Sequence[int]) -> list[int]:
        """In one statement, whose rows are counted when they are asked for: those of one range after the other."""
        terms = [term for term in self._terms if term != _CHECKED]
        if terms == self._terms:
            fits, left = "1", MOST_DATED
        else:
            fits, left = _CHECKED, _MOST_CHECKED
        ranges = json.dumps([*zip(keys, (_LATEST, *keys), strict=False)])
        looked = f"SELECT {fits} AS fits FROM episodes e{where([*terms, _IN_RANGE])} LIMIT ?"
        sql = f"SELECT (SELECT count(*) << {_BITS} | sum(fits) FROM ({looked})) FROM json_each(?) j"
        found = [0]
        with closing(connection.execute(sql, [*self._values, left + 1, ranges])) as rows:
            for (both,) in rows:
                left -= (both or 0) >> _BITS
                if left < 0:
                    break
                found.append(min(self._count, found[-1] + ((both or 0) & (1 << _BITS) - 1)))
                if found[-1] == self._count:
                    break
        whole = left >= 0 and len(found) <= len(keys)
        return [*found[1:], *[self._count] * (len(keys) + 1 - len(found) if whole else 0)]

    def _count_before(self, connection: sqlite3.Connection, key: Key) -> int:
        """How many rows come before the row."""
        above, below = self._marks.around_key(key)
        if below and (steps := self._between(connection, key, below[1], _NEAR)) < _NEAR:
            return below[0] - steps
        rank, top = above or (0, None)
        while rows := self._step(connection, top, 1, _STRIDE, forwards=True):
            ((episode_id, sort),) = rows
            if order((sort, episode_id)) > order(key):
                break
            rank, top = rank + _STRIDE, (sort, episode_id)
            self._marks.add(rank, top)
        return rank + self._between(connection, top, key)

    def _between(self, connection: sqlite3.Connection, start: Key | None, end: Key, most: int = -1) -> int:
        """How many rows there are from `start` on and before `end`; at most `most` are counted."""
        terms, values = [*self._terms, _BEFORE], [*self._values, end[0], *end]
        if start is not None:
            terms, values = [*terms, _FROM], [*values, start[0], *start]
        if most < 0:
            return sum(self._count_range(connection, *part) for part in _ranges(start, end))
        sql, values = f"SELECT count(*) FROM (SELECT 1 FROM episodes e{where(terms)} LIMIT ?)", [*values, most]
        (count,) = connection.execute(sql, values).fetchone()
        return int(count)

    def _count_range(self, connection: sqlite3.Connection, term: str, given: Sequence[int]) -> int:
        sql = f"SELECT count(*) FROM episodes e{where([*self._terms, term])}"
        return int(connection.execute(sql, [*self._values, *given]).fetchone()[0])

    def _page(self, number: int) -> "array[int]":
        page = self._pages.get(number)
        if page is None:
            start, end = number * PAGE, min((number + 1) * PAGE, self._count)
            with self._connections.reading() as connection:
                rows = self._read(connection, start, end)
            page = array("q", (row[0] for row in rows))
            if rows:
                self._marks.add(start, (rows[0][1], rows[0][0]))
                self._marks.add(start + len(rows) - 1, (rows[-1][1], rows[-1][0]))
            if len(self._pages) >= _KEPT_PAGES:
                self._pages.clear()
            self._pages[number] = page
        return page

    def _read(self, connection: sqlite3.Connection, start: int, end: int) -> list[tuple[int, int]]:
        """(id, sort) of these rows: from the nearest row mark above, or backwards from the one below."""
        known, _below = self._marks.around_rank(start)
        _above, known_below = self._marks.around_rank(end - 1)
        (above, top), (below, bottom) = known or (0, None), known_below or (self._count, self._end)
        if start - above <= below - end:
            while start - above > _STRIDE and (rows := self._step(connection, top, 1, _STRIDE, forwards=True)):
                above, top = above + _STRIDE, (rows[0][1], rows[0][0])
                self._marks.add(above, top)
            return self._step(connection, top, end - start, start - above, forwards=True)
        while below - end > _STRIDE and (rows := self._step(connection, bottom, 1, _STRIDE - 1, forwards=False)):
            below, bottom = below - _STRIDE, (rows[0][1], rows[0][0])
            self._marks.add(below, bottom)
        return self._step(connection, bottom, end - start, below - end, forwards=False)[::-1]

    def _step(
        self, connection: sqlite3.Connection, key: Key | None, size: int, skip: int, *, forwards: bool
    ) -> list[tuple[int, int]]:
        """`size` rows after skipping some, from `key` on, or backwards before it; None at the list's end."""
        terms, values = list(self._terms), list(self._values)
        ordered, side, ties = _FORWARDS if forwards else _BACKWARDS
        if key is not None:
            # Rows of the same time are skipped by number: comparing each with the whole key takes twice as long.
            skip += self._count_range(connection, ties, key)
            terms.append(side)
            values.append(key[0])
        sql = f"SELECT e.id, e.sort FROM episodes e{where(terms)} ORDER BY {ordered} LIMIT ? OFFSET ?"
        return connection.execute(sql, [*values, size, skip]).fetchall()


class Reversed:
    """A list in reverse order: its last row first."""

    def __init__(self, listing: Listing) -> None:
        self.listing = listing
        self.more = listing.more

    def __len__(self) -> int:
        return len(self.listing)

    def page(self, start: int, size: int) -> "array[int]":
        start, end = max(0, start), min(len(self), start + size)
        return self.listing.page(len(self) - end, end - start)[::-1] if end > start else array("q")

    def rank(self, episode_id: EpisodeId | None) -> int | None:
        rank = self.listing.rank(episode_id)
        return None if rank is None else len(self) - 1 - rank


class FirstRows:
    """The first rows of a list, as many as there may be."""

    more = False

    def __init__(self, listing: Listing, most: int) -> None:
        self.listing = listing
        self._count = min(most, len(listing))

    def __len__(self) -> int:
        return self._count

    def page(self, start: int, size: int) -> "array[int]":
        start, end = max(0, start), min(self._count, start + size)
        return self.listing.page(start, end - start) if end > start else array("q")

    def rank(self, episode_id: EpisodeId | None) -> int | None:
        rank = self.listing.rank(episode_id)
        return rank if rank is not None and rank < self._count else None


class WithRow:
    """A list that still includes an episode which has just left it, at its old place, so that the rows around it don't
    move."""

    def __init__(self, listing: Listing, row: int, episode_id: EpisodeId) -> None:
        self.listing = listing
        self._row = min(row, len(listing))
        self.episode_id = episode_id
        self.more = listing.more

    def __len__(self) -> int:
        return len(self.listing) + 1

    def page(self, start: int, size: int) -> "array[int]":
        start, end = max(0, start), min(len(self), start + size)
        if not start <= self._row < end:
            return self.listing.page(start - (start > self._row), max(0, end - start))
        above = self.listing.page(start, self._row - start)
        return above + array("q", (self.episode_id,)) + self.listing.page(self._row, end - self._row - 1)

    def rank(self, episode_id: EpisodeId | None) -> int | None:
        if episode_id == self.episode_id:
            return self._row
        rank = self.listing.rank(episode_id)
        return None if rank is None else rank + (rank >= self._row)


_FORWARDS = ("e.sort DESC, e.id", "e.sort <= ?", "e.sort = ? AND e.id < ?")
_BACKWARDS = ("e.sort, e.id DESC", "e.sort >= ?", "e.sort = ? AND e.id >= ?")
"""An order, the condition for rows from a moment on, and the condition for rows of that moment before a given row."""
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


_NEWEST_FIRST = 20_000
_NEWEST = "SELECT e.sort FROM episodes e ORDER BY e.sort DESC LIMIT 1 OFFSET ?"


class DatedIds(NamedTuple):
    """Episodes, and the sort key of each."""

    ids: "array[int]"
    sorts: "array[int]"

    def first(self, number: int) -> "DatedIds":
        return DatedIds(self.ids[:number], self.sorts[:number])


def first_ids(connection: sqlite3.Connection, chosen: EpisodeFilter, order: Order, limit: int) -> DatedIds:
    """At most `limit` episodes; the words of the filter aren't checked.

    If many episodes are in the state of the filter, the newest episodes are searched first.
    """
    newest = order is Order.NEWEST and compiler.reads_all(chosen)
    if newest and (row := connection.execute(_NEWEST, (_NEWEST_FIRST,)).fetchone()):
        found = dated_ids(connection, compiler.select(chosen, since=row[0], limit=limit, dated=True))
        if len(found.ids) >= limit or (chosen.after is not None and compiler.sort_key(chosen.after) >= row[0]):
            return found
    return dated_ids(connection, compiler.select(chosen, order, limit=limit, dated=True))


def ids_of(connection: sqlite3.Connection, statement: compiler.Sql) -> "array[int]":
    """The values of a statement with a single column."""
    return array("q", chain.from_iterable(connection.execute(*statement)))


def dated_ids(connection: sqlite3.Connection, statement: compiler.Sql) -> DatedIds:
    """The values of a statement with two columns: ids and sort keys."""
    both = array("q", chain.from_iterable(connection.execute(*statement)))
    return DatedIds(both[::2], both[1::2])


class DateCounts(NamedTuple):
    """For each sort key, the newest first, the number of rows with that key or a newer one; fewer numbers than keys if
    the list is very long."""

    counts: list[int]
    oldest_first: bool = False
    """Whether the list begins with its oldest row."""


def counts_since(connections: Connections, listing: Listing, keys: Sequence[int]) -> DateCounts | None:
    """None if the list isn't in the order of dates."""
    if isinstance(listing, IndexedList):
        return DateCounts(listing.counts_since(keys))
    if isinstance(listing, WholeList):
        return None if listing.sorts is None else _of_sorts(listing.sorts, keys)
    if not isinstance(listing, Reversed | FirstRows | WithRow):
        return None
    found = counts_since(connections, listing.listing, keys)
    if found is None:
        return None
    counts, oldest_first = found
    if isinstance(listing, Reversed):
        return DateCounts(counts, not oldest_first)
    if isinstance(listing, FirstRows):
        cut = len(listing.listing) - len(listing)
        return DateCounts(
            [max(0, one - cut) if oldest_first else min(one, len(listing)) for one in counts], oldest_first
        )
    own = _sort(connections, listing.episode_id)
    return DateCounts([count + (own >= key) for count, key in zip(counts, keys, strict=False)], oldest_first)


def _of_sorts(sorts: Sequence[int], keys: Sequence[int]) -> DateCounts:
    if len(sorts) and sorts[0] < sorts[-1]:
        return DateCounts([len(sorts) - bisect_left(sorts, key) for key in keys], oldest_first=True)
    return DateCounts([bisect_right(sorts, -key, key=neg) for key in keys])


def _sort(connections: Connections, episode_id: EpisodeId) -> int:
    """The sort key of an episode; if it is gone, that of the oldest."""
    with connections.reading() as connection:
        row = connection.execute("SELECT sort FROM episodes WHERE id = ?", (episode_id,)).fetchone()
    return row[0] if row else 0
