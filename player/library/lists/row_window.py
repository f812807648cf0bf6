"""The rows of a list around the rows on the screen: which have been read, and how the rest are read."""

from array import array
from collections.abc import Callable, Collection, Sequence
from typing import cast

from msgspec import Struct

from player.library.lists.listing import Listing, WholeList
from player.model.episode import Episode, EpisodeId

_MOST_ROWS = 4000

Fetch = Callable[[Sequence[EpisodeId]], Sequence[Episode]]
"""The rows of these episodes, in the same order, without the episodes that are gone."""


class RowsRead(Struct, frozen=True):
    """The rows of a list from `start` up to `end`, counted from 0: the `ids` of all of them, `rows` of those that were
    requested.

    There are fewer ids if rows have been removed since the list was counted.
    """

    start: int
    end: int
    ids: "array[int]"
    rows: tuple[Episode, ...]

    def row_at(self, index: int) -> Episode | None:
        """None if the row wasn't read."""
        at = index - self.start
        episode_id = self.ids[at] if 0 <= at < len(self.ids) else None
        return next((row for row in self.rows if row.id == episode_id), None)


def read_rows(
    listing: Listing, fetch: Fetch, start: int, end: int, known: Collection[EpisodeId] = frozenset()
) -> RowsRead:
    """Reads the library, so it may take a while, and raise LibraryError. Rows that are `known` aren't fetched."""
    start, end = max(0, start), min(len(listing), end)
    ids = listing.page(start, end - start) if end > start else array("q")
    missing = [EpisodeId(one) for one in ids if one not in known]
    return RowsRead(start, end, ids, tuple(fetch(missing)) if missing else ())


class RowWindow:
    """For one thread, which never waits here: another thread calls what `reading` returns, and `take` stores the
    result."""

    def __init__(self, listing: Listing | None = None, read: RowsRead | None = None) -> None:
        """`read`: the rows of the list that are known already."""
        self._listing = WholeList(array("q")) if listing is None else listing
        self._ids: dict[int, EpisodeId] = {}
        self._rows: dict[EpisodeId, Episode] = {}
        self._filled = range(0)
        self._outdated: set[EpisodeId] = set()
        self._touched: set[EpisodeId] = set()
        if read is not None:
            self.take(read)

    def __len__(self) -> int:
        return len(self._listing)

    @property
    def listing(self) -> Listing:
        return self._listing

    def id_at(self, index: int) -> EpisodeId | None:
        """None if it isn't known yet, past the end, or if rows have been removed since the list was counted."""
        return self._ids.get(index)

    def row_at(self, index: int) -> Episode | None:
        episode_id = self._ids.get(index)
        return None if episode_id is None else self._rows.get(episode_id)

    def row_of(self, episode_id: EpisodeId) -> Episode | None:
        return self._rows.get(episode_id)

    def is_read(self, index: int) -> bool:
        """Whether the row is known; a row that was removed since is known to be empty."""
        return index in self._filled or index in self._ids or not 0 <= index < len(self)

    def put(self, episode: Episode) -> None:
        """Shows a changed episode before the library has the change."""
        self._rows[episode.id] = episode
        self._touched.add(episode.id)

    def outdate(self, episode_ids: Collection[EpisodeId]) -> None:
        """These rows have changed in the library: they are read again, and stay as they are until then."""
        few = len(episode_ids) <= _MOST_ROWS
        known = [one for one in episode_ids if one in self._rows] if few else list(self._rows)
        self._outdated.update(known)
        self._touched.update(known)

    def outdate_all(self) -> None:
        """Any row may have changed: all are read again, and stay as they are until then."""
        self._outdated.update(self._rows)
        self._touched.update(self._rows)

    def all_ids(self) -> "array[int]":
        """All ids, if the list has been read whole; otherwise this reads the library."""
        return self._listing.page(0, len(self))

    def reordered(self, ids: "array[int]") -> "RowWindow":
        """A window with these ids in place of its own, and the rows that are known of them."""
        window = RowWindow(WholeList(ids))
        window._ids = {index: EpisodeId(one) for index, one in enumerate(ids)}
        window._rows = {one: self._rows[one] for one in window._ids.values() if one in self._rows}
        window._outdated = {one for one in self._outdated if one in window._rows}
        return window

    def ids_between(self, start: int, end: int) -> Callable[[], Sequence[EpisodeId]]:
        """A function that reads the ids of all rows from `start` up to `end`, for another thread to call."""
        listing = self._listing
        return lambda: cast("list[EpisodeId]", listing.page(start, end - start).tolist())

    # -- reading ----------------------------------------------------------------------------------------------

    def lacks(self, start: int, end: int) -> bool:
        """Whether any row from `start` up to `end` isn't known, or is outdated."""
        start, end = max(0, start), min(len(self), end)
        if start >= end:
            return False
        if start not in self._filled or end - 1 not in self._filled:
            return True
        return bool(self._outdated) and any(self._ids.get(index) in self._outdated for index in range(start, end))

    def reading(self, start: int, end: int, fetch: Fetch) -> Callable[[], RowsRead]:
        """A function that reads the unknown rows from `start` up to `end`, for another thread to call."""
        start, end = max(0, start), min(len(self), end)
        self._make_room(start, end)
        there = (self._ids.get(index) for index in range(start, end))
        known = frozenset(one for one in there if one in self._rows and one not in self._outdated)
        self._touched.clear()
        listing = self._listing
        return lambda: read_rows(listing, fetch, start, end, known)

    def take(self, read: RowsRead) -> None:
        """Stores what was read, except for rows that were put or outdated since `reading`, which are newer."""
        for index, episode_id in enumerate(read.ids, read.start):
            self._ids[index] = EpisodeId(episode_id)
        for row in read.rows:
            if row.id not in self._touched or row.id not in self._rows:
                self._rows[row.id] = row
                self._outdated.discard(row.id)
        touching = self._filled and read.start <= self._filled.stop and self._filled.start <= read.end
        if touching:
            self._filled = range(min(read.start, self._filled.start), max(read.end, self._filled.stop))
        else:
            self._filled = range(read.start, read.end)

    def _make_room(self, start: int, end: int) -> None:
        """If there are very many rows, only those from `start` up to `end` are kept."""
        if len(self._rows) <= _MOST_ROWS:
            return
        ids = {index: self._ids[index] for index in range(start, end) if index in self._ids}
        self._rows = {one: self._rows[one] for one in ids.values() if one in self._rows}
        self._ids = ids
        self._outdated.intersection_update(self._rows)
        self._filled = range(max(start, self._filled.start), min(end, self._filled.stop))
