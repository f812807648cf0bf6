"""Merges what another app knew of episodes: at once where the episode is here, else when its feed brings it."""

import json
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from player.library.database.connections import Connections
from player.library.database.values import check_kinds, insert_many, stored, stored_maybe
from player.library.incoming.decisions import Change, Heard, Incoming, Present, decide
from player.library.incoming.matching import Identity, matches
from player.library.incoming.writing import write
from player.library.listening.acts import Acts
from player.model.acts import ActKind, Part
from player.model.episode import EpisodeId
from player.model.foreign.library import ForeignEpisode
from player.model.podcast import PodcastId

MOST_WAITING = 300_000
"""Of all podcasts together: about 60 MB."""
_UNDONE = "act_id IN (SELECT id FROM acts WHERE undone = 1)"
_PRESENT = (
    "SELECT e.id, e.guid, e.url, e.title, e.published, e.sort, coalesce(e.measured_ms, e.duration_ms), e.played,"
    " e.starred, coalesce(g.position_ms, 0), g.saved_at, q.added_at FROM episodes e"
    " LEFT JOIN progress g ON g.episode_id = e.id LEFT JOIN queue q ON q.episode_id = e.id WHERE e.podcast_id = ?"
)
_COLUMNS = "fingerprint, guid, url, title, published, played, position_ms, changed_at, starred, rank, heard"


class Brought(Struct, frozen=True):
    """What an import changed. `waiting` episodes aren't in the library yet, and didn't wait before; `before` were
    imported like this already; `unnamed` have nothing that could find them, or are more than are kept waiting.
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
    """Whether the inbox and the queue are other than before. `decided` are no news to the listener."""

    inbox: bool = False
    queue: bool = False
    decided: frozenset[int] = frozenset()

    def joined(self, other: "Settled") -> "Settled":
        return Settled(self.inbox or other.inbox, self.queue or other.queue, self.decided | other.decided)


class _Match(NamedTuple):
    here: Present
    there: Incoming
    change: Change


class IncomingEpisodes:
    def __init__(self, connections: Connections, acts: Acts, now: Callable[[], datetime]) -> None:
        self._connections = connections
        self._acts = acts
        self._now = now

    def bring(self, episodes: Mapping[PodcastId, Sequence[ForeignEpisode]]) -> Brought:
        """Merges all of it, as one act that can be undone. What has no episode yet waits for its feed; when the act is
        undone, it waits no longer. 50,000 episodes take about three seconds."""
        named = {podcast_id: list(filter(None, map(_incoming, some))) for podcast_id, some in episodes.items()}
        unnamed = sum(map(len, episodes.values())) - sum(map(len, named.values()))
        with self._connections.writing() as connection:
            base = _next_rank(connection)
            found: list[_Match] = []
            waiting: list[tuple[PodcastId, Incoming]] = []
            before = 0
            for podcast_id, foreign in named.items():
                known = _brought(connection, podcast_id)
                matched, rest = self._match(connection, podcast_id, [_behind(one, base) for one in foreign])
                fresh = [one for one in matched if (one.here.id, one.there.fingerprint) not in known]
                before += len(matched) - len(fresh)
                found += fresh
                waiting += [(podcast_id, one) for one in rest]
            ids = [EpisodeId(one.here.id) for one in found]
            parts = (Part.PLAYED, Part.STARRED, Part.QUEUE, Part.INBOX, Part.POSITION)
            with self._acts.recorded(ActKind.IMPORTED, ids, *parts) as act_id:
                written = write(connection, found, act_id, stored(self._now()), keeps_positions=True)
                kept, unkept = _wait(connection, waiting, act_id)
        return _counted(Brought(act_id, tuple(ids), 0, 0, 0, 0, written.spans, kept, before, unnamed + unkept), found)

    def settle(self, podcast_id: PodcastId) -> Settled:
        """Applies what waits for episodes that are here now. Belongs to the transaction around it."""
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
                [(podcast_id, one.there.fingerprint) for one in found],
            )
            inbox = queue = False
            for act_id in set(acts.values()):
                of_act = [one for one in found if acts[one.there.fingerprint] == act_id]
                written = write(connection, of_act, act_id, stored(self._now()), keeps_positions=False)
                inbox, queue = inbox or written.inbox, queue or written.queue
        return Settled(inbox, queue, frozenset(one.here.id for one in found if one.change.is_verdict))

    def found(self, podcast_id: PodcastId, episodes: Sequence[ForeignEpisode]) -> dict[ForeignEpisode, EpisodeId]:
        """Those that are in the library. Nothing is changed."""
        with self._connections.reading() as connection:
            here = [_present(row) for row in connection.execute(_PRESENT, (podcast_id,))]
        same = matches([one.identity for one in here], [_identity(one) for one in episodes])
        return {episodes[number]: EpisodeId(here[place].id) for number, place in same.items()}

    def waiting(self, act_id: int | None = None) -> int:
        """How many episodes are waited for: all, or those of one import."""
        one = "" if act_id is None else " AND act_id = ?"
        values = () if act_id is None else (act_id,)
        with self._connections.reading() as connection:
            sql = f"SELECT count(*) FROM waiting_episodes WHERE NOT {_UNDONE}{one}"
            return int(connection.execute(sql, values).fetchone()[0])

    def _match(
        self, connection: sqlite3.Connection, podcast_id: PodcastId, foreign: Sequence[Incoming]
    ) -> tuple[list[_Match], list[Incoming]]:
        """Those with an episode here, and those without."""
        here = [_present(row) for row in connection.execute(_PRESENT, (podcast_id,))] if foreign else []
        same = matches([one.identity for one in here], [one.identity for one in foreign]) if here else {}
        now = stored(self._now())
        found = [
            _Match(here[same[number]], one, decide(here[same[number]], one, now))
            for number, one in enumerate(foreign)
            if number in same
        ]
        return found, [one for number, one in enumerate(foreign) if number not in same]


def _counted(brought: Brought, found: Sequence[_Match]) -> Brought:
    changes = [one.change for one in found]
    return replace(
        brought,
        played=sum(one.played for one in changes),
        positions=sum(one.position is not None for one in changes),
        starred=sum(one.starred for one in changes),
        queued=sum(one.rank is not None for one in changes),
    )


def _behind(one: Incoming, base: int) -> Incoming:
    """With its place behind all that is queued here."""
    return one if one.rank is None else one._replace(rank=base + one.rank)


def _next_rank(connection: sqlite3.Connection) -> int:
    """Behind the queue, and behind what will be in it."""
    row = connection.execute(
        "SELECT max((SELECT coalesce(max(rank), 0) FROM queue),"
        " (SELECT coalesce(max(rank), 0) FROM waiting_episodes)) + 1"
    ).fetchone()
    return int(row[0])


def _brought(connection: sqlite3.Connection, podcast_id: PodcastId) -> set[tuple[int, int]]:
    rows = connection.execute(
        "SELECT b.episode_id, b.fingerprint FROM episodes e CROSS JOIN brought b ON b.episode_id = e.id"
        f" WHERE e.podcast_id = ? AND NOT b.{_UNDONE}",
        (podcast_id,),
    )
    return set(rows.fetchall())


def _wait(
    connection: sqlite3.Connection, waiting: Iterable[tuple[PodcastId, Incoming]], act_id: int
) -> tuple[int, int]:
    """How many wait now that didn't before, and how many found no room."""
    connection.execute(f"DELETE FROM waiting_episodes WHERE {_UNDONE}")
    (count,) = connection.execute("SELECT count(*) FROM waiting_episodes").fetchone()
    rows = [
        (
            podcast_id, one.fingerprint, act_id, *one.identity, int(one.played), one.position_ms, one.changed_at,
            int(one.starred), one.rank, json.dumps(one.heard),
        )
        for podcast_id, one in waiting
    ]  # fmt: skip
    room = max(0, MOST_WAITING - count)
    changes = connection.total_changes
    insert_many(
        connection,
        "INSERT OR IGNORE INTO waiting_episodes (podcast_id, fingerprint, act_id, guid, url, title, published, played,"
        " position_ms, changed_at, starred, rank, heard)",
        rows[:room],
    )
    return connection.total_changes - changes, len(rows[room:])


def _present(row: Sequence[object]) -> Present:
    number, guid, url, title, published, sort, duration, played, starred, position_ms, saved_at, queued_at = row
    numbers = (number, published, sort, duration, played, starred, position_ms, saved_at, queued_at)
    check_kinds((guid, url, title), numbers)
    identity = Identity(guid, url, title, published)  # type: ignore[arg-type]
    return Present(number, identity, sort, duration, bool(played), bool(starred), position_ms, saved_at, queued_at)  # type: ignore[arg-type]


def _incoming(one: ForeignEpisode) -> Incoming | None:
    """`rank` is that in the app's queue. None for one that nothing could find. The fingerprint is of all that the app
    knows but the place in the queue, which moves whenever another episode leaves it."""
    changed_at = stored_maybe(one.changed_at)
    if not (one.guid or one.url or (one.title and one.published is not None)):
        return None
    heard = tuple(Heard(span.from_ms, span.to_ms, stored(span.began_at), span.speed) for span in one.heard)
    identity = _identity(one)
    known = (one.played, one.position_ms, changed_at, one.starred, one.queued is not None)
    digest = blake2b(repr((*identity, *known, *map(tuple, heard))).encode("utf-8", "replace"), digest_size=8).digest()
    fingerprint = int.from_bytes(digest) >> 1
    return Incoming(identity, one.played, one.position_ms, changed_at, one.starred, one.queued, heard, fingerprint)


def _identity(one: ForeignEpisode) -> Identity:
    return Identity(one.guid, one.url, one.title, stored_maybe(one.published))


def _waiting(row: Sequence[object]) -> Incoming:
    fingerprint, guid, url, title, published, played, position_ms, changed_at, starred, rank, heard = row
    check_kinds((guid, url, title, heard), (fingerprint, published, played, position_ms, changed_at, starred, rank))
    spans = tuple(Heard(*span) for span in json.loads(str(heard)))
    identity = Identity(guid, url, title, published)  # type: ignore[arg-type]
    return Incoming(identity, bool(played), position_ms, changed_at, bool(starred), rank, spans, fingerprint)  # type: ignore[arg-type]
