"""Live shows: episodes that a feed announces (`podcast:liveItem`), until they are over.

Each has a row in `live_shows` beside that of its episode. A show that is over is removed, unless the listener has done
something with it. If the feed has it as an item with the same guid, it becomes an ordinary episode.
"""

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from msgspec import Struct

from player.library.database.connections import Connections
from player.library.database.values import as_json, check_kinds, moment_maybe, stored, stored_maybe
from player.library.listening.inbox import Arrival
from player.library.lists.ordering import drop_untouched
from player.model.episode import EpisodeId, LiveState
from player.model.feed import FeedEpisode, LiveShow
from player.model.podcast import PodcastId

_FURTHEST = timedelta(days=14)
"""A show that begins within this time stands above all that has been published; a later one where it was found."""
_FORGOTTEN = timedelta(days=1)
"""A show that was to begin so long ago, and that the feed still announces, is over."""
_AMONG = "IN (SELECT value FROM json_each(?))"
_KNOWN = (
    "SELECT e.id, e.guid, e.url, e.sort, e.fingerprint, v.status, v.starts_at, v.ends_at, v.went_live_at"
    " FROM live_shows v CROSS JOIN episodes e ON e.id = v.episode_id WHERE e.podcast_id = ?"
)


class KnownShow(NamedTuple):
    """A live show in the library. `sort` is its sort key as it is stored. `went_live_at`: when a refresh first found it
    live; None if none has. Times in ms since 1970."""

    id: EpisodeId
    guid: str
    url: str
    sort: int
    fingerprint: str
    state: str
    starts_at: int | None
    ends_at: int | None
    went_live_at: int | None

    @property
    def key(self) -> str:
        return _key(self.guid, self.url, self.starts_at)


class Plan(NamedTuple):
    """What to write so that the library has the shows of a feed. `over`: they are over, or have been recorded."""

    new: tuple[LiveShow, ...] = ()
    same: tuple[tuple[KnownShow, LiveShow], ...] = ()
    over: tuple[EpisodeId, ...] = ()


class Written(NamedTuple):
    """The shows that have gone live, and whether anything has changed."""

    live: tuple[Arrival, ...] = ()
    changed: bool = False


class LiveTimes(Struct, frozen=True):
    """When a show of a subscription begins, or (`is_live`) ends; None if the feed doesn't say."""

    podcast_id: PodcastId
    is_live: bool
    starts_at: datetime | None
    ends_at: datetime | None


def plan(known: Sequence[KnownShow], shows: Iterable[LiveShow], recorded: Collection[str], now: datetime) -> Plan:
    """`recorded` are the guids of the feed's items. Pure."""
    wanted: dict[str, LiveShow] = {}
    for one in shows:
        forgotten = one.state is LiveState.PENDING and one.starts_at is not None and one.starts_at < now - _FORGOTTEN
        if one.state is not LiveState.ENDED and not forgotten and (guid := one.episode.guid) not in recorded:
            wanted.setdefault(_key(guid, one.episode.url, stored_maybe(one.starts_at)), one)
    by_key = {one.key: one for one in known}
    return Plan(
        tuple(show for key, show in wanted.items() if key not in by_key),
        tuple((by_key[key], show) for key, show in wanted.items() if key in by_key),
        tuple(one.id for one in known if one.key not in wanted),
    )


def _key(guid: str, url: str, starts_at: int | None) -> str:
    """A stream has the same address for each of its shows."""
    return guid or f"{url} {starts_at}"


# -- in a transaction ---------------------------------------------------------------------------------------------


def known_shows(connection: sqlite3.Connection, podcast_id: PodcastId) -> list[KnownShow]:
    rows = connection.execute(_KNOWN, (podcast_id,)).fetchall()
    for _id, guid, url, sort, fingerprint, state, *times in rows:
        check_kinds((guid, url, fingerprint, state), (sort, *times))
    return [KnownShow._make(row) for row in rows]


def end(connection: sqlite3.Connection, ids: Sequence[EpisodeId]) -> bool:
    """Takes shows that are over out of the inbox and the queue, and removes them unless the listener has heard them or
    done anything else with them. Whether anything has changed."""
    if not ids:
        return False
    listed = sum(
        connection.execute(f"DELETE FROM {table} WHERE episode_id {_AMONG}", (as_json(ids),)).rowcount
        for table in ("inbox", "queue")
    )
    unheard = f"SELECT episode_id FROM live_shows WHERE heard = 0 AND episode_id {_AMONG}"
    dropped = drop_untouched(connection, [one for (one,) in connection.execute(unheard, (as_json(ids),))])
    ended = connection.execute(
        f"UPDATE live_shows SET status = 'ended' WHERE status <> 'ended' AND episode_id {_AMONG}", (as_json(ids),)
    ).rowcount
    return bool(listed or dropped or ended)


def become_ordinary(connection: sqlite3.Connection, ids: Sequence[EpisodeId]) -> None:
    """The feed has these shows as items now."""
    connection.execute(f"DELETE FROM live_shows WHERE episode_id {_AMONG}", (as_json(ids),))


def put_back(connection: sqlite3.Connection, sorts: Mapping[EpisodeId, int]) -> None:
    """Gives shows the sort keys that they had."""
    moved = [(sort, one, sort) for one, sort in sorts.items()]
    connection.executemany("UPDATE episodes SET sort = ? WHERE id = ? AND sort <> ?", moved)


def sort_key(show: LiveShow, now: datetime) -> int:
    """A show that is still to begin stands above everything, one that has gone live where it is new."""
    starts_at = show.starts_at
    if show.state is LiveState.PENDING and starts_at is not None and now < starts_at <= now + _FURTHEST:
        return stored(starts_at)
    return stored(now)


def write_states(
    connection: sqlite3.Connection,
    found: Iterable[tuple[EpisodeId, LiveShow, KnownShow | None]],
    shift: int,
    now: datetime,
) -> Written:
    """Writes the states of shows whose episodes have been written; None for those that weren't known."""
    live: list[Arrival] = []
    changed = False
    for episode_id, show, before in found:
        starts_at, ends_at, state = stored_maybe(show.starts_at), stored_maybe(show.ends_at), show.state
        is_same_show = before is not None and before.starts_at == starts_at
        went_live_at = before.went_live_at if before is not None and is_same_show else None
        goes_live = state is LiveState.LIVE and went_live_at is None
        if before is not None and is_same_show and (before.state, before.ends_at) == (state, ends_at):
            continue
        changed = True
        sort = sort_key(show, now)
        connection.execute(
            "INSERT INTO live_shows (episode_id, status, starts_at, ends_at, went_live_at) VALUES (?1, ?2, ?3, ?4, ?5)"
            " ON CONFLICT (episode_id) DO UPDATE SET status = ?2, starts_at = ?3, ends_at = ?4, went_live_at = ?5",
            (episode_id, state, starts_at, ends_at, stored(now) if goes_live else went_live_at),
        )
        if before is None or goes_live or not is_same_show:
            connection.execute("UPDATE episodes SET sort = ? WHERE id = ?", (sort - shift, episode_id))
        if goes_live:
            live.append(Arrival(episode_id, show.episode.title, sort))
    return Written(tuple(live), changed)


def changed_shows(same: Iterable[tuple[KnownShow, LiveShow]]) -> list[tuple[EpisodeId, FeedEpisode]]:
    """The shows of which the feed says something else than before."""
    return [(known.id, show.episode) for known, show in same if known.fingerprint != show.episode.fingerprint]


class LiveShows:
    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def times(self, podcast_id: PodcastId | None = None) -> list[LiveTimes]:
        """Of all subscriptions, or of one: the shows that are still to begin, or live."""
        of_one = "" if podcast_id is None else " AND e.podcast_id = ?"
        with self._connections.reading() as connection:
            rows = connection.execute(
                "SELECT e.podcast_id, v.status = 'live', v.starts_at, v.ends_at"
                " FROM live_shows v CROSS JOIN episodes e ON e.id = v.episode_id"
                " CROSS JOIN podcasts p ON p.id = e.podcast_id"
                f" WHERE v.status <> 'ended' AND p.previewed_at IS NULL{of_one}",
                () if podcast_id is None else (podcast_id,),
            ).fetchall()
            for row in rows:
                check_kinds((), row)
        return [LiveTimes(row[0], bool(row[1]), moment_maybe(row[2]), moment_maybe(row[3])) for row in rows]
