"""The inbox: episodes that have arrived and that the listener hasn't decided about.

An episode leaves it by a decision, or when it is played.
"""

import sqlite3
from array import array
from collections.abc import Callable, Sequence
from datetime import datetime

from player.library.database.connections import Connections
from player.library.database.values import as_json, stored
from player.library.lists.listing import ids_of
from player.model.episode import EpisodeId
from player.model.podcast import PodcastId

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

    def podcasts(self) -> frozenset[PodcastId]:
        """The podcasts with episodes in the inbox."""
        with self._connections.reading() as connection:
            rows = connection.execute(
                "SELECT DISTINCT e.podcast_id FROM inbox i CROSS JOIN episodes e ON e.id = i.episode_id"
            )
            return frozenset(PodcastId(row[0]) for row in rows)

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
