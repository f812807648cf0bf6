"""Podcasts that are opened and played without subscribing to them: rows of the library that no list and no count has.

Whatever is done with one is kept when it becomes a subscription: positions, played marks, stars, the history.
"""

import sqlite3
from collections.abc import Callable
from datetime import datetime

from player.library.database.connections import Connections
from player.library.database.values import stored
from player.library.listening.arrivals import Arrival, Arrivals, Landed
from player.library.listening.removed_podcasts import IN_USE
from player.library.lists.preview_keys import SHIFT
from player.library.subscriptions.podcast_rows import podcast_row
from player.links.same_feed import url_key
from player.model.episode import EpisodeId
from player.model.podcast import Podcast, PodcastId


class Previews:
    """`now` returns the time at which one is opened."""

    def __init__(self, connections: Connections, arrivals: Arrivals, now: Callable[[], datetime]) -> None:
        self._connections = connections
        self._arrivals = arrivals
        self._now = now

    def by_url(self, url: str) -> Podcast | None:
        """The preview with this address, or with an equivalent one."""
        with self._connections.reading() as connection:
            return podcast_row(connection, "p.url_key = ? AND p.previewed_at IS NOT NULL", url_key(url))

    def add(self, url: str, title: str) -> Podcast:
        """A preview of the feed at that address, or the podcast that the library has with it. It is opened just now."""
        now = stored(self._now())
        with self._connections.writing() as connection:
            connection.execute(
                "INSERT INTO podcasts (url, url_key, title, folded, previewed_at) VALUES (?1, ?2, ?3, fold(?3), ?4)"
                " ON CONFLICT (url_key) DO UPDATE SET previewed_at = ?4 WHERE previewed_at IS NOT NULL",
                (url, url_key(url), title or url, now),
            )
            podcast = podcast_row(connection, "p.url_key = ?", url_key(url))
        assert podcast is not None, "it has just been written"
        return podcast

    def opened(self, podcast_id: PodcastId) -> None:
        """Notes that it is opened again: it is cleared later then."""
        with self._connections.writing() as connection:
            connection.execute(
                "UPDATE podcasts SET previewed_at = ? WHERE id = ? AND previewed_at IS NOT NULL",
                (stored(self._now()), podcast_id),
            )

    def subscribe(self, podcast_id: PodcastId) -> Landed:
        """Makes it a subscription, with all that was done with its episodes; the newest one arrives as of any new
        podcast. Nothing happens if it is one already."""
        with self._connections.writing() as connection:
            return subscribe(connection, self._arrivals, podcast_id)

    def clear(self, before: datetime) -> list[PodcastId]:
        """Discards those that were opened last before that time, each in a transaction of its own: one of a thousand
        episodes takes 0.05 s. Returns what is gone. One opened while the clock was ahead counts as opened just now."""
        now = stored(self._now())
        with self._connections.writing() as connection:
            connection.execute("UPDATE podcasts SET previewed_at = ?1 WHERE previewed_at > ?1", (now,))
        with self._connections.reading() as connection:
            old = connection.execute("SELECT id FROM podcasts WHERE previewed_at < ?", (stored(before),)).fetchall()
        return [PodcastId(row[0]) for row in old if self.discard(row[0])]

    def discard(self, podcast_id: PodcastId) -> bool:
        """Removes a preview of which nothing was played, nor anything else done with an episode; else False."""
        with self._connections.writing() as connection:
            if connection.execute(IN_USE, (podcast_id,)).fetchone() is not None:
                return False
            sql = "DELETE FROM podcasts WHERE id = ? AND previewed_at IS NOT NULL"
            return connection.execute(sql, (podcast_id,)).rowcount > 0


def subscribe(connection: sqlite3.Connection, arrivals: Arrivals, podcast_id: PodcastId) -> Landed:
    """As `Previews.subscribe`, within a transaction."""
    rows = connection.execute(
        "UPDATE podcasts SET previewed_at = NULL WHERE id = ? AND previewed_at IS NOT NULL RETURNING id", (podcast_id,)
    ).fetchall()
    if not rows:
        return Landed()
    connection.execute("UPDATE episodes SET sort = sort + ? WHERE podcast_id = ?", (SHIFT, podcast_id))
    found = connection.execute(
        "SELECT id, title, sort, played FROM episodes WHERE podcast_id = ? ORDER BY sort DESC, id", (podcast_id,)
    ).fetchall()
    if not found or found[0][3]:  # what was played already isn't new
        return Landed()
    return arrivals.land(podcast_id, [Arrival(EpisodeId(row[0]), row[1], row[2]) for row in found], None)
