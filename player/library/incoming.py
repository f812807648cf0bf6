"""What another app knew of episodes: merged at once where the episode is here, kept until the feed brings it
elsewhere.
"""

import json
import sqlite3
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from typing import NamedTuple, Protocol

from msgspec import Struct
from msgspec.structs import replace

from player.library.database.connections import Connections
from player.library.database.values import as_json, check_kinds, insert_many, stored, stored_maybe
from player.library.listening.acts import Acts
from player.library.listening.undo import act_positions
from player.model.episode import EpisodeId
from player.model.foreign import ForeignEpisode
from player.model.listening import ActKind, Part
from player.model.podcast import PodcastId
from player.text.cleaning import fold

_DAY_MS = 86_400_000


class Identity(NamedTuple):
    """What names an episode within its podcast; `published` in ms since 1970."""

    guid: str
    url: str
    title: str
    published: int | None


Keys = Callable[[Identity], Iterable[Hashable]]


def matches(known: Sequence[Identity], foreign: Sequence[Identity]) -> dict[int, int]:
    """The index in `known` for each index in `foreign` that has one. None belongs to two."""
    found: dict[int, int] = {}
    taken: set[int] = set()
    _claim(known, foreign, _guid, _guid, found, taken)
    _claim(known, foreign, _url, _url, found, taken)
    _claim(known, foreign, _day, _days, found, taken)
    return found


def _claim(
    known: Sequence[Identity],
    foreign: Sequence[Identity],
    key: Keys,
    wanted: Keys,
    found: dict[int, int],
    taken: set[int],
) -> None:
    if len(found) == len(foreign):
        return
    free: dict[Hashable, int] = {}
    for number, one in enumerate(known):
        if number not in taken:
            for name in key(one):
                free.setdefault(name, number)
    for number, one in enumerate(foreign):
        if number in found:
            continue
        at = next((free[name] for name in wanted(one) if name in free and free[name] not in taken), None)
        if at is not None:
            found[number] = at
            taken.add(at)


def _guid(one: Identity) -> Iterable[Hashable]:
    return (one.guid,) if one.guid else ()


def _url(one: Identity) -> Iterable[Hashable]:
    """Without the scheme, which many servers have changed."""
    return (one.url.partition("://")[2] or one.url,) if one.url else ()


def _day(one: Identity) -> Iterable[Hashable]:
    return tuple(_days(one))[:1]


def _days(one: Identity) -> Iterable[Hashable]:
    """The same day first, then the one before and the one after."""
    if one.title and one.published is not None:
        title, day = fold(one.title), one.published // _DAY_MS
        yield from ((title, day), (title, day - 1), (title, day + 1))


_BEFORE_THE_END_MS = 10_000


class Heard(NamedTuple):
    """Positions in ms; `began_at` in ms since 1970."""

    from_ms: int
    to_ms: int
    began_at: int
    speed: float


class Incoming(NamedTuple):
    """What another app knows of an episode. Moments in ms since 1970; `rank` is that in the queue here."""

    identity: Identity
    played: bool
    position_ms: int
    changed_at: int | None
    starred: bool
    rank: int | None
    heard: tuple[Heard, ...]
    fingerprint: int


class Present(NamedTuple):
    """The episode as it is here; `sort` is its date. `saved_at` and `queued_at` are None without a position, and out
    of the queue."""

    id: int
    identity: Identity
    sort: int
    duration_ms: int | None
    played: bool
    starred: bool
    position_ms: int
    saved_at: int | None
    queued_at: int | None


class Change(NamedTuple):
    """What to write. `position` is ms and when that was; `unqueue`: it was queued before it was played there."""

    played: bool = False
    starred: bool = False
    position: tuple[int, int] | None = None
    rank: int | None = None
    unqueue: bool = False

    @property
    def is_verdict(self) -> bool:
        """Whether the episode isn't new any more."""
        return self.played or self.starred or self.position is not None or self.rank is not None


def decide(here: Present, there: Incoming, now: int) -> Change:
    changed_at = None if there.changed_at is None else min(there.changed_at, now)
    newer_here = here.saved_at is not None and (changed_at is None or here.saved_at >= changed_at)
    played = there.played and not here.played and not newer_here
    # What came in this way is as old as the episode, unless the app says when it was.
    at = changed_at if changed_at is not None else min(here.sort, now)
    position_ms = _possible(there.position_ms, here.duration_ms)
    takes_position = bool(position_ms) and not (there.played or here.played or newer_here)
    is_new_position = (position_ms, at) != (here.position_ms, here.saved_at)
    return Change(
        played=played,
        starred=there.starred and not here.starred,
        position=(position_ms, at) if takes_position and is_new_position else None,
        rank=None if there.played or here.played or here.queued_at is not None else there.rank,
        unqueue=played and here.queued_at is not None and changed_at is not None and here.queued_at < changed_at,
    )


def _possible(position_ms: int, duration_ms: int | None) -> int:
    """Not behind the end: here the file may be shorter, with less advertising."""
    return min(position_ms, max(0, duration_ms - _BEFORE_THE_END_MS)) if duration_ms else position_ms


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
