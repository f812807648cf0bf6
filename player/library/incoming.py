"""What other apps or devices knew about episodes: merged at once if the episode is in the library, otherwise kept until
a feed brings it."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from player.library.database.connections import Connections
from player.library.database.values import (
    as_json,
    check_kinds,
    insert_many,
    moment,
    moment_maybe,
    stored,
    stored_maybe,
)
from player.library.listening import act_positions
from player.library.listening.acts import Acts
from player.model.episode import EpisodeId
from player.model.foreign import ForeignEpisode, HeardSpan, Queued, SavedAt, position_of, queued_at
from player.model.listening import ActKind, Part
from player.model.matching import Identity, matches
from player.model.podcast import PodcastId

_BEFORE_THE_END_MS = 10_000


class Present(NamedTuple):
    """The episode in this library; `sort` is its date. `saved_at` is None without a position, `queued_at` if it isn't
    queued."""

    id: int
    identity: Identity
    sort: int
    duration_ms: int | None
    played: bool = False
    starred: bool = False
    saved_at: int | None = None
    queued_at: int | None = None


Position = tuple[int, int, int | None, int | None, bool]
"""The position in ms, when it was saved, and the last three fields of `SavedAt`."""


class Change(NamedTuple):
    """What to write. `unqueue`: it was queued here before it was played there. `forgets`: it was played there since, so
    the position here is deleted. `decided`: the episode isn't new any more."""

    played: bool = False
    starred: bool = False
    position: Position | None = None
    rank: int | None = None
    unqueue: bool = False
    forgets: bool = False
    decided: bool = False


class Match(NamedTuple):
    here: Present
    there: ForeignEpisode
    change: Change
    fingerprint: int = 0


def decide(here: Present, there: ForeignEpisode, now: int, exported_at: int | None = None) -> Change:
    """Nothing that is newer here is overwritten. `exported_at` is when an Earmark exported `there`: such an export is
    complete up to that moment, so an episode that is played there without a position has none, and whether it is new
    was decided here."""
    changed_at = None if there.changed_at is None else min(stored(there.changed_at), now)
    played = (
        there.played and not here.played and not _is_newer(here, changed_at if exported_at is None else exported_at)
    )
    starred = there.starred and not here.starred

    def comes(at: datetime | None) -> bool:
        """Whether a position or a place in the queue, set at this time, is taken over. Without a time, it isn't if the
        episode has been played, because other apps don't delete it then; with a time, an Earmark plays it again."""
        return there.played >= here.played and (at is not None or not there.played)

    position = rank = None
    if there.position is not None and comes(there.position.saved_at):
        position = _position(here, there.position, changed_at, now)
    if there.queued is not None and here.queued_at is None and comes(there.queued.added_at):
        rank = there.queued.rank
    return Change(
        played,
        starred,
        position,
        rank,
        unqueue=played and here.queued_at is not None and changed_at is not None and here.queued_at < changed_at,
        forgets=played and exported_at is not None and there.position is None,
        decided=played or (exported_at is None and (starred or position is not None or rank is not None)),
    )


def _is_newer(here: Present, at: int | None) -> bool:
    return here.saved_at is not None and (at is None or here.saved_at >= at)


def _position(here: Present, there: SavedAt, changed_at: int | None, now: int) -> Position | None:
    saved_at = stored_maybe(there.saved_at)
    if _is_newer(here, changed_at if saved_at is None else saved_at):
        return None
    if saved_at is not None:
        return there.position_ms, saved_at, there.byte, there.file_size, there.guessed
    ms = there.position_ms
    if here.duration_ms:  # the file may be shorter here, with less advertising
        ms = min(ms, max(0, here.duration_ms - _BEFORE_THE_END_MS))
    # It is as old as the episode, unless the app says when it was saved.
    return (ms, changed_at if changed_at is not None else min(here.sort, now), None, None, False) if ms else None


_AMONG = "IN (SELECT value FROM json_each(?))"
_SPANS = "INSERT INTO listening_spans (episode_id, from_ms, to_ms, began_at, speed)"
_LONGER = (
    "ON CONFLICT (episode_id, began_at) DO UPDATE SET to_ms = excluded.to_ms"
    " WHERE from_ms = excluded.from_ms AND speed = excluded.speed AND to_ms < excluded.to_ms"
)


class Written(NamedTuple):
    """Whether the inbox has changed, how many spans of the history are new or longer, and how many were left out
    because the listener has deleted the history since."""

    inbox: bool = False
    spans: int = 0
    forgotten: int = 0


def write(connection: sqlite3.Connection, found: Sequence[Match], act_id: int | None = None) -> Written:
    """Writes all changes except to the queue. `act_id` is the act that can be undone, including the positions."""
    _mark(connection, "played", [one.here.id for one in found if one.change.played])
    _mark(connection, "starred", [one.here.id for one in found if one.change.starred])
    moved = [(one.here.id, *one.change.position) for one in found if one.change.position is not None]
    if act_id is not None:
        act_positions.capture(connection, act_id, [one[:3] for one in moved])
    connection.executemany(
        "INSERT OR REPLACE INTO progress (episode_id, position_ms, saved_at, byte, file_size, guessed)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        moved,
    )
    _take_from(connection, "progress", [one.here.id for one in found if one.change.forgets])
    inbox = _take_from(connection, "inbox", [one.here.id for one in found if one.change.decided])
    return Written(inbox, *_write_history(connection, found))


def _mark(connection: sqlite3.Connection, column: str, ids: Sequence[int]) -> None:
    if ids:
        connection.execute(f"UPDATE episodes SET {column} = 1 WHERE id {_AMONG}", (as_json(ids),))


def _queue(connection: sqlite3.Connection, found: Sequence[Match], now: int) -> bool:
    """Whether the queue has changed."""
    added = [(one.here.id, one.change.rank, now) for one in found if one.change.rank is not None]
    insert_many(connection, "INSERT OR IGNORE INTO queue (episode_id, rank, added_at)", added)
    removed = _take_from(connection, "queue", [one.here.id for one in found if one.change.unqueue])
    return removed or bool(added)


def _take_from(connection: sqlite3.Connection, table: str, ids: Sequence[int]) -> bool:
    if not ids:
        return False
    return connection.execute(f"DELETE FROM {table} WHERE episode_id {_AMONG}", (as_json(ids),)).rowcount > 0


def _write_history(connection: sqlite3.Connection, found: Sequence[Match]) -> tuple[int, int]:
    """A span that is already here, by its episode and its beginning, is left alone, unless it has become longer.
    Nothing that was heard before the history was deleted comes back."""
    since = forgotten_at(connection)
    heard = [(one.here.id, span) for one in found for span in one.there.heard]
    rows = [
        (number, span.from_ms, span.to_ms, stored(span.began_at), span.speed)
        for number, span in heard
        if stored(span.began_at) >= since
    ]
    before = connection.total_changes
    insert_many(connection, _SPANS, rows, _LONGER)
    return connection.total_changes - before, len(heard) - len(rows)


def forgotten_at(connection: sqlite3.Connection) -> int:
    """When the listener last deleted the history, in ms since 1970; long ago if never."""
    row = connection.execute("SELECT value FROM state WHERE key = 'history_forgotten'").fetchone()
    return int(row[0]) if row else -(1 << 60)


MOST_WAITING = 300_000
"""The most episodes of all podcasts together: about 60 MB."""
_UNDONE = "act_id IN (SELECT id FROM acts WHERE undone = 1)"
_PRESENT = (
    "SELECT e.id, e.guid, e.url, e.title, e.published, e.duration_ms, e.sort, coalesce(e.measured_ms, e.duration_ms),"
    " e.played, e.starred, g.saved_at, q.added_at FROM episodes e"
    " LEFT JOIN progress g ON g.episode_id = e.id LEFT JOIN queue q ON q.episode_id = e.id WHERE e.podcast_id = ?"
)
_COLUMNS = "fingerprint, guid, url, title, published, played, position_ms, changed_at, starred, rank, heard"


def present(connection: sqlite3.Connection, podcast_id: PodcastId) -> list[Present]:
    """All episodes of the podcast."""
    return [_present(row) for row in connection.execute(_PRESENT, (podcast_id,))]


class Brought(Struct, frozen=True):
    """What an import changed. `waiting` episodes aren't in the library yet, and weren't waiting before; `before`
    episodes have been imported with the same contents already; `unnamed` episodes have nothing to identify them, or
    exceed the number that may wait.
    """

    act_id: int = 0
    ids: tuple[EpisodeId, ...] = ()
    played: int = 0
    positions: int = 0
    starred: int = 0
    queued: int = 0
    spans: int = 0
    waiting: int = 0
    before: int = 0
    unnamed: int = 0


class Settled(NamedTuple):
    """Whether the inbox and the queue have changed. `decided` episodes aren't new to the listener."""

    inbox: bool = False
    queue: bool = False
    decided: frozenset[int] = frozenset()

    def joined(self, other: "Settled") -> "Settled":
        return Settled(self.inbox or other.inbox, self.queue or other.queue, self.decided | other.decided)


Signed = tuple[int, ForeignEpisode]
"""An episode with its fingerprint."""


class IncomingEpisodes:
    def __init__(self, connections: Connections, acts: Acts, now: Callable[[], datetime]) -> None:
        self._connections = connections
        self._acts = acts
        self._now = now

    def bring(self, episodes: Mapping[PodcastId, Sequence[ForeignEpisode]]) -> Brought:
        """Merges all of the episodes, as one act that can be undone. Episodes that aren't in the library yet wait for
        their feeds; undoing the act ends that. 50,000 episodes take about three seconds."""
        unnamed = 0
        with self._connections.writing() as connection:
            base = _next_rank(connection)
            found: list[Match] = []
            waiting: list[tuple[PodcastId, Signed]] = []
            before = 0
            for podcast_id, some in episodes.items():
                named = [(_fingerprint(one), _behind(one, base)) for one in some if _has_name(one)]
                unnamed += len(some) - len(named)
                known = _brought(connection, podcast_id)
                matched, rest = self._match(connection, podcast_id, named)
                fresh = [one for one in matched if (one.here.id, one.fingerprint) not in known]
                before += len(matched) - len(fresh)
                found += fresh
                waiting += [(podcast_id, one) for one in rest]
            ids = [EpisodeId(one.here.id) for one in found]
            parts = (Part.PLAYED, Part.STARRED, Part.QUEUE, Part.INBOX, Part.POSITION)
            with self._acts.recorded(ActKind.IMPORTED, ids, *parts) as act_id:
                written = write(connection, found, act_id)
                _queue(connection, found, stored(self._now()))
                _remember(connection, found, act_id)
                kept, unkept = _wait(connection, waiting, act_id)
        changes = [one.change for one in found]
        return Brought(
            act_id,
            tuple(ids),
            played=sum(one.played for one in changes),
            positions=sum(one.position is not None for one in changes),
            starred=sum(one.starred for one in changes),
            queued=sum(one.rank is not None for one in changes),
            spans=written.spans,
            waiting=kept,
            before=before,
            unnamed=unnamed + unkept,
        )

    def settle(self, podcast_id: PodcastId) -> Settled:
        """Applies what waited for episodes that are in the library now. Part of the enclosing transaction."""
        with self._connections.writing() as connection:
            rows = connection.execute(
                f"SELECT act_id, {_COLUMNS} FROM waiting_episodes WHERE podcast_id = ? AND NOT {_UNDONE}", (podcast_id,)
            ).fetchall()
            if not rows:
                return Settled()
            acts = {row[1]: row[0] for row in rows}
            found, _rest = self._match(connection, podcast_id, [_waiting(row[1:]) for row in rows])
            connection.executemany(
                "DELETE FROM waiting_episodes WHERE podcast_id = ? AND fingerprint = ?",
                [(podcast_id, one.fingerprint) for one in found],
            )
            for act_id in set(acts.values()):
                _remember(connection, [one for one in found if acts[one.fingerprint] == act_id], act_id)
            inbox = write(connection, found).inbox
            queue = _queue(connection, found, stored(self._now()))
        return Settled(inbox, queue, frozenset(one.here.id for one in found if one.change.decided))

    def found(self, podcast_id: PodcastId, episodes: Sequence[ForeignEpisode]) -> dict[ForeignEpisode, EpisodeId]:
        """The episodes that are in the library. Changes nothing."""
        with self._connections.reading() as connection:
            here = present(connection, podcast_id)
        same = matches([one.identity for one in here], episodes, loosely=True)
        return {episodes[number]: EpisodeId(here[place].id) for number, place in same.items()}

    def waiting(self, act_id: int | None = None) -> int:
        """How many episodes are waiting: all, or the ones of a single import."""
        one = "" if act_id is None else " AND act_id = ?"
        values = () if act_id is None else (act_id,)
        with self._connections.reading() as connection:
            sql = f"SELECT count(*) FROM waiting_episodes WHERE NOT {_UNDONE}{one}"
            return int(connection.execute(sql, values).fetchone()[0])

    def _match(
        self, connection: sqlite3.Connection, podcast_id: PodcastId, foreign: Sequence[Signed]
    ) -> tuple[list[Match], list[Signed]]:
        """The episodes that are in this library, and those that aren't."""
        here = present(connection, podcast_id) if foreign else []
        same = matches([one.identity for one in here], [one for _print, one in foreign], loosely=True) if here else {}
        now = stored(self._now())
        found = [
            Match(here[same[number]], one, decide(here[same[number]], one, now), fingerprint)
            for number, (fingerprint, one) in enumerate(foreign)
            if number in same
        ]
        return found, [one for number, one in enumerate(foreign) if number not in same]


def _behind(one: ForeignEpisode, base: int) -> ForeignEpisode:
    """The episode with a rank behind everything that is queued here."""
    return one if one.queued is None else replace(one, queued=Queued(base + one.queued.rank))


def _next_rank(connection: sqlite3.Connection) -> int:
    """The rank behind the queue, including the episodes that will be added to it."""
    row = connection.execute(
        "SELECT max((SELECT coalesce(max(rank), 0) FROM queue),"
        " (SELECT coalesce(max(rank), 0) FROM waiting_episodes)) + 1"
    ).fetchone()
    return int(row[0])


def _remember(connection: sqlite3.Connection, found: Sequence[Match], act_id: int) -> None:
    insert_many(
        connection,
        "INSERT OR REPLACE INTO brought (episode_id, fingerprint, act_id)",
        [(one.here.id, one.fingerprint, act_id) for one in found],
    )


def _brought(connection: sqlite3.Connection, podcast_id: PodcastId) -> set[tuple[int, int]]:
    rows = connection.execute(
        "SELECT b.episode_id, b.fingerprint FROM episodes e CROSS JOIN brought b ON b.episode_id = e.id"
        f" WHERE e.podcast_id = ? AND NOT b.{_UNDONE}",
        (podcast_id,),
    )
    return set(rows.fetchall())


def _wait(connection: sqlite3.Connection, waiting: Iterable[tuple[PodcastId, Signed]], act_id: int) -> tuple[int, int]:
    """How many episodes are waiting now that weren't before, and for how many there was no room."""
    connection.execute(f"DELETE FROM waiting_episodes WHERE {_UNDONE}")
    (count,) = connection.execute("SELECT count(*) FROM waiting_episodes").fetchone()
    rows = [
        (podcast_id, act_id, fingerprint, *known, json.dumps(heard))
        for podcast_id, (fingerprint, one) in waiting
        for *known, heard in [_columns(one)]
    ]
    room = max(0, MOST_WAITING - count)
    changes = connection.total_changes
    insert_many(connection, f"INSERT OR IGNORE INTO waiting_episodes (podcast_id, act_id, {_COLUMNS})", rows[:room])
    return connection.total_changes - changes, len(rows[room:])


def _present(row: Sequence[Any]) -> Present:
    number, guid, url, title, published, claimed_ms, sort, duration_ms, played, starred, saved_at, queued_at = row
    check_kinds(row[1:4], (number, *row[4:]))
    identity = Identity(guid, url, title, moment_maybe(published), claimed_ms)
    return Present(number, identity, sort, duration_ms, bool(played), bool(starred), saved_at, queued_at)


def _has_name(one: ForeignEpisode) -> bool:
    """Whether the episode has anything that could identify it."""
    return bool(one.guid or one.url or (one.title and one.published is not None))


def _columns(one: ForeignEpisode) -> tuple[Any, ...]:
    """What another app knows about an episode, as the library stores it while it waits; the spans come last."""
    return (
        one.guid, one.url, one.title, stored_maybe(one.published), one.played,
        one.position.position_ms if one.position else 0, stored_maybe(one.changed_at), one.starred,
        one.queued.rank if one.queued else None,
        [(span.from_ms, span.to_ms, stored(span.began_at), span.speed) for span in one.heard],
    )  # fmt: skip


def _fingerprint(one: ForeignEpisode) -> int:
    """A fingerprint of everything that the app knows except the rank in the queue, which changes whenever another
    episode leaves it."""
    *known, rank, heard = _columns(one)
    text = repr((*known, rank is not None, *heard))
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()) >> 1


def _waiting(row: Sequence[Any]) -> Signed:
    fingerprint, guid, url, title, published, played, position_ms, changed_at, starred, rank, heard = row
    check_kinds((guid, url, title, heard), (fingerprint, published, played, position_ms, changed_at, starred, rank))
    spans = tuple(
        HeardSpan(from_ms, to_ms, moment(began_at), speed) for from_ms, to_ms, began_at, speed in json.loads(heard)
    )
    one = ForeignEpisode(
        guid, url, title, moment_maybe(published), None, bool(played), position_of(position_ms),
        moment_maybe(changed_at), bool(starred), queued_at(rank), spans,
    )  # fmt: skip
    return fingerprint, one
