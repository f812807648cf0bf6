"""The inbox: episodes that have arrived and that the listener hasn't decided about; and whether an episode that a feed
has brought goes there, into the queue, or nowhere.

An episode leaves the inbox by a decision, or when it is played.
"""

import sqlite3
from array import array
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from player.library.database.connections import Connections
from player.library.database.values import as_json, stored
from player.library.listening.queue import Queue
from player.library.lists.listing import ids_of
from player.library.podcast_settings import PodcastSettingsStore
from player.library.search.title_filter import title_passes
from player.model.episode import EpisodeId
from player.model.podcast import PodcastId
from player.model.podcast_settings import NewEpisodeRules, NewEpisodes

_IN_ORDER = "SELECT i.episode_id FROM inbox i CROSS JOIN episodes e ON e.id = i.episode_id ORDER BY e.sort DESC, e.id"


def note_decisions(connection: sqlite3.Connection, ids: Sequence[int]) -> None:
    """Notes that the listener took these episodes out of the inbox, or put them back, so that it is sent to other
    devices."""
    connection.execute(
        "INSERT OR IGNORE INTO sync_changed (what, id, changed_at) SELECT 'dismissed', value, 0 FROM json_each(?)"
        " WHERE EXISTS (SELECT 1 FROM sync_account)",
        (as_json(ids),),
    )


class Inbox:
    def __init__(self, connections: Connections, now: Callable[[], datetime]) -> None:
        self._connections = connections
        self._now = now

    def ids(self) -> "array[int]":
        """All of the inbox, the newest first."""
        with self._connections.reading() as connection:
            return ids_of(connection, (_IN_ORDER, []))

    def counts(self) -> dict[PodcastId, int]:
        """How many episodes of each podcast are in the inbox, if any are."""
        with self._connections.reading() as connection:
            rows = connection.execute(
                "SELECT e.podcast_id, count(*) FROM inbox i CROSS JOIN episodes e ON e.id = i.episode_id GROUP BY 1"
            )
            return {PodcastId(podcast_id): count for podcast_id, count in rows}

    def __len__(self) -> int:
        return len(self.ids())

    def add(self, ids: Sequence[EpisodeId]) -> list[EpisodeId]:
        """Returns the episodes that weren't there before."""
        with self._connections.writing() as connection:
            added = connection.execute(
                "INSERT INTO inbox (episode_id, arrived_at) SELECT e.id, ?"
                " FROM json_each(?) j CROSS JOIN episodes e ON e.id = j.value WHERE true"
                " ON CONFLICT DO NOTHING RETURNING episode_id",
                (stored(self._now()), as_json(ids)),
            )
            found = {row[0] for row in added}
        return [one for one in ids if one in found]

    def remove(self, ids: Sequence[EpisodeId]) -> list[EpisodeId]:
        """Returns the episodes that were there."""
        with self._connections.writing() as connection:
            there = {row[0] for row in connection.execute("SELECT episode_id FROM inbox")}
            if gone := [one for one in ids if one in there] if there else []:
                connection.execute(
                    "DELETE FROM inbox WHERE episode_id IN (SELECT value FROM json_each(?))", (as_json(gone),)
                )
                note_decisions(connection, gone)
        return gone

    def remove_older_of(self, podcast_id: PodcastId, newest: EpisodeId) -> None:
        """Removes the podcast's episodes that are older than `newest`."""
        with self._connections.writing() as connection:
            connection.execute(
                "DELETE FROM inbox WHERE episode_id IN (SELECT e.id FROM inbox i CROSS JOIN episodes e"
                " ON e.id = i.episode_id WHERE e.podcast_id = ? AND e.id <> ?"
                " AND e.sort <= (SELECT sort FROM episodes WHERE id = ?))",
                (podcast_id, newest, newest),
            )

    def expire(self) -> bool:
        """Removes episodes older than the age limit of their podcast; returns whether there were any."""
        with self._connections.writing() as connection:
            cursor = connection.execute(
                "DELETE FROM inbox WHERE episode_id IN (SELECT i.episode_id FROM inbox i"
                " CROSS JOIN episodes e ON e.id = i.episode_id"
                " CROSS JOIN podcast_settings s ON s.podcast_id = e.podcast_id"
                " WHERE coalesce(e.published, i.arrived_at) < ? - s.age_limit_days * 86400000)"
                " AND EXISTS (SELECT 1 FROM podcast_settings WHERE age_limit_days IS NOT NULL)",
                (stored(self._now()),),
            )
            return cursor.rowcount > 0


_LATE_MS = timedelta(days=7) // timedelta(milliseconds=1)
"""How much older than the newest known episode a new episode may be. Older episodes are the back catalogue."""
_DAY_MS = 24 * 60 * 60_000


class Arrival(NamedTuple):
    """An episode that a feed has brought; `sort` is its date, or stands for it, in ms since 1970."""

    id: EpisodeId
    title: str
    sort: int


class Known(NamedTuple):
    """The dates of the oldest and the newest episode that a podcast already had."""

    oldest: int
    newest: int


class Landed(NamedTuple):
    """Whether the inbox and the queue have changed."""

    inbox: bool = False
    queue: bool = False


class Settled(Protocol):
    """`decided` are the episodes about which the listener has decided in another app."""

    @property
    def decided(self) -> frozenset[int]: ...

    @property
    def inbox(self) -> bool: ...

    @property
    def queue(self) -> bool: ...


Settle = Callable[[PodcastId], Settled]
"""Applies what another app knew about episodes that have arrived."""


def arrivals_to_keep(
    found: Sequence[Arrival], known: Known | None, rules: NewEpisodeRules, now_ms: int
) -> list[EpisodeId]:
    """The episodes that go where the rules say, oldest first. `known` is None when the feed was read for the first
    time: then only the newest. Episodes of the back catalogue are left out."""
    chosen = [one for one in found if _is_new(one, known, now_ms) and _passes(one, rules, now_ms)]
    chosen.sort(key=lambda one: one.sort)
    if known is None or rules.only_newest:
        chosen = [next(one for one in chosen if one.sort == chosen[-1].sort)] if chosen else []
    return [one.id for one in chosen]


def _is_new(one: Arrival, known: Known | None, now_ms: int) -> bool:
    # A date in the future must not make all later episodes seem old.
    return known is None or one.sort >= max(known.oldest, min(known.newest, now_ms) - _LATE_MS)


def _passes(one: Arrival, rules: NewEpisodeRules, now_ms: int) -> bool:
    if rules.age_limit_days is not None and one.sort < now_ms - rules.age_limit_days * _DAY_MS:
        return False
    return title_passes(one.title, rules.include, rules.exclude)


class Arrivals:
    """Its writes are part of the enclosing transaction. Unless `uses_inbox()`, nothing goes into the inbox. `settle` is
    called before any new episode goes anywhere.
    """

    def __init__(
        self,
        settings: PodcastSettingsStore,
        inbox: Inbox,
        queue: Queue,
        now: Callable[[], datetime],
        uses_inbox: Callable[[], bool],
        settle: Settle,
    ) -> None:
        self._settings = settings
        self._inbox = inbox
        self._queue = queue
        self._now = now
        self._uses_inbox = uses_inbox
        self._settle = settle

    def settle(self, podcast_id: PodcastId) -> Landed:
        """Applies what another app knew about episodes that are in the library now."""
        settled = self._settle(podcast_id)
        return Landed(settled.inbox, settled.queue)

    def land(self, podcast_id: PodcastId, found: Sequence[Arrival], known: Known | None) -> Landed:
        """Puts the episodes that a feed has brought where the podcast's rules say, unless another app has already
        decided about them."""
        if not found:
            return Landed()
        settled = self._settle(podcast_id)
        rest = self._land(podcast_id, found, known, settled.decided)
        return Landed(settled.inbox or rest.inbox, settled.queue or rest.queue)

    def land_live(self, podcast_id: PodcastId, found: Sequence[Arrival]) -> Landed:
        """Puts live shows that have begun into the inbox, if the podcast's new episodes go there. They never go into
        the queue, as they may be over when their turn comes."""
        rules = self._settings.new_episodes(podcast_id) if found else None
        if rules is None or rules.to is not NewEpisodes.INBOX or not self._uses_inbox():
            return Landed()
        ids = [one.id for one in found if title_passes(one.title, rules.include, rules.exclude)]
        return Landed(inbox=bool(self._inbox.add(ids)))

    def _land(
        self, podcast_id: PodcastId, found: Sequence[Arrival], known: Known | None, decided: frozenset[int]
    ) -> Landed:
        rules = self._settings.new_episodes(podcast_id)
        if rules.to is NewEpisodes.NOWHERE:
            return Landed()
        ids = [one for one in arrivals_to_keep(found, known, rules, stored(self._now())) if one not in decided]
        if not ids:
            return Landed()
        if rules.to is NewEpisodes.QUEUE:
            return Landed(queue=bool(self._queue.add_last(ids, by_rule=True)))
        if rules.to is NewEpisodes.NEXT:
            return Landed(queue=bool(self._queue.add_next(ids, by_rule=True)))
        if not self._uses_inbox():
            return Landed()
        if rules.only_newest:
            self._inbox.remove_older_of(podcast_id, ids[0])
        return Landed(inbox=bool(self._inbox.add(ids)))
