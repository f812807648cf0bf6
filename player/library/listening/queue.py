"""The queue: the episodes that the listener has chosen to hear, in order. No episode is in it twice."""

import json
import random
import sqlite3
from array import array
from collections.abc import Callable, Sequence
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from player.library.database.connections import Connections
from player.library.database.values import as_json, check_kinds, stored
from player.library.lists.listing import ids_of
from player.model.episode import EpisodeId

_IN_ORDER = "SELECT episode_id FROM queue ORDER BY rank, episode_id"
_GIVEN = "(SELECT value FROM json_each(?))"


class QueueOrder(StrEnum):
    """What the queue can be sorted by."""

    OLDEST = "oldest"
    NEWEST = "newest"
    PODCAST = "podcast"
    """By the podcast's title; the oldest episode of each podcast first."""
    SHORTEST = "shortest"
    LONGEST = "longest"


_LENGTH = "coalesce(e.measured_ms, e.duration_ms)"
_SORTED = {
    QueueOrder.OLDEST: "e.sort, e.id",
    QueueOrder.NEWEST: "e.sort DESC, e.id",
    QueueOrder.PODCAST: "p.folded, p.id, e.sort, e.id",
    QueueOrder.SHORTEST: f"{_LENGTH} IS NULL, {_LENGTH}, e.id",
    QueueOrder.LONGEST: f"{_LENGTH} IS NULL, {_LENGTH} DESC, e.id",
}


class QueueLeft(Struct, frozen=True):
    """How long the queue lasts at normal speed; `unknown` episodes have no known duration and add nothing to it.

    The episode `besides` isn't counted; `has_besides` says whether it is in the queue.
    """

    ms: int
    unknown: int
    besides: EpisodeId | None = None
    has_besides: bool = False


class Queue:
    """Every method that writes is one transaction, on the disk when it returns, and returns the changed episodes.
    Episodes that are gone from the library are left out without complaint."""

    def __init__(self, connections: Connections, now: Callable[[], datetime]) -> None:
        self._connections = connections
        self._now = now

    # -- reading ----------------------------------------------------------------------------------------------

    def ids(self) -> "array[int]":
        """All of the queue, in order."""
        with self._connections.reading() as connection:
            return ids_of(connection, (_IN_ORDER, []))

    def ranks(self) -> dict[EpisodeId, int]:
        """The rank of each episode in the queue, from 1."""
        return {EpisodeId(one): rank for rank, one in enumerate(self.ids(), 1)}

    def __len__(self) -> int:
        return len(self.ids())

    def first(self, *, besides: Sequence[EpisodeId] = ()) -> EpisodeId | None:
        """The first episode of the queue that isn't in `besides`."""
        with self._connections.reading() as connection:
            row = connection.execute(
                f"SELECT episode_id FROM queue WHERE episode_id NOT IN {_GIVEN} ORDER BY rank, episode_id LIMIT 1",
                (json.dumps(list(besides)),),
            ).fetchone()
            check_kinds((), row or ())
        return EpisodeId(row[0]) if row else None

    def has(self, episode_id: EpisodeId) -> bool:
        with self._connections.reading() as connection:
            return connection.execute("SELECT 1 FROM queue WHERE episode_id = ?", (episode_id,)).fetchone() is not None

    def left(self, besides: EpisodeId | None = None) -> "QueueLeft":
        """How much of the queue is still to be heard, not counting the episode `besides`, whose position the caller
        knows better."""
        with self._connections.reading() as connection:
            row = connection.execute(
                f"SELECT coalesce(sum(max(0, {_LENGTH} - coalesce(g.position_ms, 0))), 0), count(*) - count({_LENGTH})"
                " FROM queue q CROSS JOIN episodes e ON e.id = q.episode_id"
                " LEFT JOIN progress g ON g.episode_id = e.id WHERE q.episode_id IS NOT ?",
                (besides,),
            ).fetchone()
            queued = connection.execute("SELECT 1 FROM queue WHERE episode_id = ?", (besides,)).fetchone()
            check_kinds((), row)
        return QueueLeft(int(row[0]), int(row[1]), besides, queued is not None)

    # -- writing ----------------------------------------------------------------------------------------------

    def add_last(self, ids: Sequence[EpisodeId], *, by_rule: bool = False) -> list[EpisodeId]:
        """Adds to the end, in this order; episodes already queued don't move. `by_rule`: the listener didn't choose
        these, so they leave the queue again if it turns out that they were heard on another device after their release.
        """
        with self._connections.writing() as connection:
            known = set(self.ids())
            new = [one for one in dict.fromkeys(ids) if one not in known]
            (last,) = connection.execute("SELECT coalesce(max(rank), 0) FROM queue").fetchone()
            return self._insert(connection, new, last + 1, by_rule=by_rule)

    def add_next(self, ids: Sequence[EpisodeId], *, by_rule: bool = False) -> list[EpisodeId]:
        """Adds to the head, in this order; episodes already queued move there. `by_rule` as in `add_last`."""
        wanted = list(dict.fromkeys(ids))
        with self._connections.writing() as connection:
            if list(self.ids()[: len(wanted)]) == wanted:
                return []
            self._delete(connection, wanted)
            (first,) = connection.execute("SELECT coalesce(min(rank), 1) FROM queue").fetchone()
            return self._insert(connection, wanted, first - len(wanted), by_rule=by_rule)

    def remove(self, ids: Sequence[EpisodeId]) -> list[EpisodeId]:
        with self._connections.writing() as connection:
            there = {row[0] for row in connection.execute("SELECT episode_id FROM queue")}
            if gone := [one for one in ids if one in there] if there else []:
                self._delete(connection, gone)
        return gone

    def clear(self) -> list[EpisodeId]:
        with self._connections.writing() as connection:
            return [EpisodeId(row[0]) for row in connection.execute("DELETE FROM queue RETURNING episode_id")]

    def move(self, ids: Sequence[EpisodeId], by: int) -> list[EpisodeId]:
        """Some rows, up (`by` < 0) or down, together; the first and the last row stop them."""
        return self._reorder(lambda order: moved(order, ids, by))

    def sort(self, order: QueueOrder) -> list[EpisodeId]:
        with self._connections.writing() as connection:
            rows = connection.execute(
                "SELECT q.episode_id FROM queue q CROSS JOIN episodes e ON e.id = q.episode_id"
                f" CROSS JOIN podcasts p ON p.id = e.podcast_id ORDER BY {_SORTED[order]}"
            ).fetchall()
            return self._reorder(lambda _order: [EpisodeId(row[0]) for row in rows])

    def shuffle(self, dice: random.Random | None = None) -> list[EpisodeId]:
        chosen = dice or random.Random()

        def shuffled(order: list[EpisodeId]) -> list[EpisodeId]:
            chosen.shuffle(order)
            return order

        return self._reorder(shuffled)

    def mix(self) -> list[EpisodeId]:
        """Spreads the podcasts evenly; the episodes of each stay in their order."""
        with self._connections.writing() as connection:
            of_podcast: dict[int, list[EpisodeId]] = {}
            for episode_id, podcast_id in connection.execute(
                "SELECT q.episode_id, e.podcast_id FROM queue q CROSS JOIN episodes e ON e.id = q.episode_id"
                " ORDER BY q.rank, q.episode_id"
            ):
                of_podcast.setdefault(podcast_id, []).append(EpisodeId(episode_id))
            return self._reorder(lambda _order: mixed(list(of_podcast.values())))

    # -- inside -----------------------------------------------------------------------------------------------

    def _insert(
        self, connection: sqlite3.Connection, ids: Sequence[EpisodeId], rank: int, *, by_rule: bool
    ) -> list[EpisodeId]:
        """With ranks from `rank` on."""
        added_at = "min(?, e.sort)" if by_rule else "?"
        added = connection.execute(
            f"INSERT INTO queue (episode_id, rank, added_at) SELECT e.id, ? + j.key, {added_at}"
            " FROM json_each(?) j CROSS JOIN episodes e ON e.id = j.value RETURNING episode_id",
            (rank, stored(self._now()), as_json(ids)),
        )
        found = {row[0] for row in added}
        return [one for one in ids if one in found]

    def _delete(self, connection: sqlite3.Connection, ids: Sequence[EpisodeId]) -> list[int]:
        sql = f"DELETE FROM queue WHERE episode_id IN {_GIVEN} RETURNING episode_id"
        return [row[0] for row in connection.execute(sql, (as_json(ids),))]

    def _reorder(self, new_order: Callable[[list[EpisodeId]], list[EpisodeId]]) -> list[EpisodeId]:
        """Gives the existing ranks to the episodes in another order."""
        with self._connections.writing() as connection:
            rows = connection.execute("SELECT episode_id, rank FROM queue ORDER BY rank, episode_id").fetchall()
            old = [EpisodeId(row[0]) for row in rows]
            changed = [
                (rank, one) for one, was, (_id, rank) in zip(new_order(list(old)), old, rows, strict=True) if one != was
            ]
            connection.executemany("UPDATE queue SET rank = ? WHERE episode_id = ?", changed)
            return [one for _rank, one in changed]


def moved(order: list[EpisodeId], ids: Sequence[EpisodeId], by: int) -> list[EpisodeId]:
    """`order` with the rows of `ids` moved by as many rows as they can all move together."""
    chosen = set(ids)
    rows = [row for row, one in enumerate(order) if one in chosen]
    if not rows:
        return order
    by = max(-rows[0], min(len(order) - 1 - rows[-1], by))
    targets = {row + by: order[row] for row in rows}
    others = iter([one for one in order if one not in chosen])
    return [targets[row] if row in targets else next(others) for row in range(len(order))]


def mixed(groups: Sequence[Sequence[EpisodeId]]) -> list[EpisodeId]:
    """The members of all groups, each group spread evenly over the whole and in its own order.

    Member n of a group of m stands at (n + 1/2) / m of the way; the group that came first goes first among equals.
    """
    spread = [
        ((2 * number + 1) / (2 * len(group)), rank, one)
        for rank, group in enumerate(groups)
        for number, one in enumerate(group)
    ]
    return [one for _at, _rank, one in sorted(spread)]
