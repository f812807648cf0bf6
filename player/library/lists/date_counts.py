"""How many rows of a list are of a time or newer: where its date headings stand.

Of a list with an index, one range of it after the other is counted, which is then known for as long as nothing moves.
Other lists have been read whole, each row with its sort key: of those nothing is read.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from operator import neg
from typing import NamedTuple

from player.library.database.connections import Connections
from player.library.lists.listing import FirstRows, IndexedList, Listing, Reversed, WholeList, WithRow
from player.model.episode import EpisodeId


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
    """The sort key of an episode; of one that is gone that of the oldest."""
    with connections.reading() as connection:
        row = connection.execute("SELECT sort FROM episodes WHERE id = ?", (episode_id,)).fetchone()
    return row[0] if row else 0
