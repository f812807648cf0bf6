"""Writes what was decided about many episodes, in the transaction of whoever calls."""

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from player.library.database.values import as_json, insert_many
from player.library.incoming.decisions import Change, Incoming, Present
from player.library.listening.undo import act_positions

_FORGOTTEN = "SELECT value FROM state WHERE key = 'history_forgotten'"
_AMONG = "IN (SELECT value FROM json_each(?))"


class Match(Protocol):
    @property
    def here(self) -> Present: ...

    @property
    def there(self) -> Incoming: ...

    @property
    def change(self) -> Change: ...


class Written(NamedTuple):
    """Whether the inbox and the queue are other than before, and how many spans of the history are new."""

    inbox: bool = False
    queue: bool = False
    spans: int = 0


def write(
    connection: sqlite3.Connection, found: Sequence[Match], act_id: int, now: int, *, keeps_positions: bool
) -> Written:
    """`keeps_positions`: for the act that may be undone."""
    _mark(connection, "played", [one.here.id for one in found if one.change.played])
    _mark(connection, "starred", [one.here.id for one in found if one.change.starred])
    moved = [(one.here.id, *one.change.position) for one in found if one.change.position is not None]
    if keeps_positions:
        act_positions.capture(connection, act_id, moved)
    act_positions.save(connection, moved)
    queue = _queue(connection, found, now)
    inbox = _take_from(connection, "inbox", [one.here.id for one in found if one.change.is_verdict])
    insert_many(
        connection,
        "INSERT OR REPLACE INTO brought (episode_id, fingerprint, act_id)",
        [(one.here.id, one.there.fingerprint, act_id) for one in found],
    )
    return Written(inbox, queue, _write_history(connection, found))


def _mark(connection: sqlite3.Connection, column: str, ids: Sequence[int]) -> None:
    if ids:
        connection.execute(f"UPDATE episodes SET {column} = 1 WHERE id {_AMONG}", (as_json(ids),))


def _queue(connection: sqlite3.Connection, found: Sequence[Match], now: int) -> bool:
    added = [(one.here.id, one.change.rank, now) for one in found if one.change.rank is not None]
    insert_many(connection, "INSERT OR IGNORE INTO queue (episode_id, rank, added_at)", added)
    removed = _take_from(connection, "queue", [one.here.id for one in found if one.change.unqueue])
    return removed or bool(added)


def _take_from(connection: sqlite3.Connection, table: str, ids: Sequence[int]) -> bool:
    if not ids:
        return False
    return connection.execute(f"DELETE FROM {table} WHERE episode_id {_AMONG}", (as_json(ids),)).rowcount > 0


def _write_history(connection: sqlite3.Connection, found: Sequence[Match]) -> int:
    """A span that is here already, by its episode and when it began, stays as it is. Nothing comes back that was heard
    before the history was deleted."""
    row = connection.execute(_FORGOTTEN).fetchone()
    since = int(row[0]) if row else 0
    spans = [
        (one.here.id, span.from_ms, span.to_ms, span.began_at, span.speed)
        for one in found
        for span in one.there.heard
        if span.began_at >= since
    ]
    before = connection.total_changes
    insert_many(
        connection, "INSERT OR IGNORE INTO listening_spans (episode_id, from_ms, to_ms, began_at, speed)", spans
    )
    return connection.total_changes - before
