"""What the listener has done with episodes, written into the library: marks, positions, queue, playlists, history."""

import sqlite3

from msgspec import Struct

from player.library.database.values import stored
from player.library.listening.bookmarks import SAME_MS
from player.library.personal.records import ExportedEpisode, Heard, Kept, SavedAt
from player.links.same_feed import url_key
from player.model.podcast import Podcast

_HERE = (
    "SELECT e.played, e.starred, g.saved_at, q.rank FROM episodes e LEFT JOIN progress g ON g.episode_id = e.id"
    " LEFT JOIN queue q ON q.episode_id = e.id WHERE e.id = ?"
)
_SPAN = (
    "INSERT INTO listening_spans (episode_id, from_ms, to_ms, began_at, speed) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT (episode_id, began_at) DO UPDATE SET to_ms = excluded.to_ms"
    " WHERE from_ms = excluded.from_ms AND speed = excluded.speed AND to_ms < excluded.to_ms"
)


class Counts(Struct):
    """What has changed: numbers of episodes, bookmarks, spans."""

    episodes: int = 0
    played: int = 0
    starred: int = 0
    positions: int = 0
    queued: int = 0
    bookmarks: int = 0
    spans: int = 0
    forgotten: int = 0
    """Spans that were left out, as the listener has deleted the history since."""


class EpisodeMarks:
    """Within a transaction. `exported_at` is when the export was made."""

    def __init__(self, connection: sqlite3.Connection, exported_at_ms: int) -> None:
        self.counts = Counts()
        self._connection = connection
        self._exported_at = exported_at_ms
        self.titles: dict[str, str] = {}
        """What playlists of the export are called here."""
        self._queue: list[tuple[int, int, int]] = []
        self._playlists: dict[str, list[tuple[int, int]]] = {}
        row = connection.execute("SELECT value FROM state WHERE key = 'history_forgotten'").fetchone()
        self.forgotten_ms = int(row[0]) if row else None

    def put(self, episode_id: int, podcast: Podcast, one: ExportedEpisode) -> None:
        """Of an episode that was made from this entry."""
        self.counts.episodes += 1
        self.counts.played += one.played
        self.counts.starred += one.starred
        if one.position is not None:
            self._save(episode_id, one.position)
        if one.inbox is not None:
            self._connection.execute("INSERT INTO inbox VALUES (?, ?)", (episode_id, stored(one.inbox)))
        self._rest(episode_id, podcast, one, queues=True)

    def join(self, episode_id: int, podcast: Podcast, one: ExportedEpisode) -> None:
        """Of an episode that the library has. Whether it waits in the inbox was decided here."""
        played, starred, saved_at, rank = self._connection.execute(_HERE, (episode_id,)).fetchone()
        if one.starred and not starred:
            self.counts.starred += 1
            self._connection.execute("UPDATE episodes SET starred = 1 WHERE id = ?", (episode_id,))
        if one.measured_ms is not None:
            self._connection.execute(
                "UPDATE episodes SET measured_ms = ? WHERE id = ? AND measured_ms IS NULL",
                (one.measured_ms, episode_id),
            )
        later_here = saved_at is not None and saved_at > self._exported_at
        if one.played and not played and not later_here:
            self.counts.played += 1
            self._connection.execute("UPDATE episodes SET played = 1 WHERE id = ?", (episode_id,))
            self._connection.execute("DELETE FROM inbox WHERE episode_id = ?", (episode_id,))
            if one.position is None:
                self._connection.execute("DELETE FROM progress WHERE episode_id = ?", (episode_id,))
        position = one.position
        if position is not None and (one.played or not played) and (saved_at is None or saved_at < _ms(position)):
            self._save(episode_id, position)
        self._rest(episode_id, podcast, one, queues=rank is None and (one.played or not played))

    def finish(self) -> None:
        """Adds what is queued to the end of the queue, and to the ends of the playlists, which must be there."""
        (last,) = self._connection.execute("SELECT coalesce(max(rank), 0) FROM queue").fetchone()
        for rank, (_wanted, episode_id, added_at) in enumerate(sorted(self._queue), last + 1):
            self._connection.execute(
                "INSERT INTO queue (episode_id, rank, added_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                (episode_id, rank, added_at),
            )
        self.counts.queued = len(self._queue)
        for title, wanted in self._playlists.items():
            self._fill(self.titles.get(title, ""), sorted(wanted))

    def bookmark(
        self, one: Kept, *, episode_id: int | None, feed: str, guid: str, titles: tuple[str, str, str]
    ) -> None:
        """Unless there is one at the same moment: that keeps what it has, and gets the note if it has none."""
        same = self._connection.execute(
            "SELECT id, note FROM bookmarks WHERE (episode_id = ?1 OR (?3 <> '' AND feed = ?2 AND guid = ?3))"
            f" AND abs(position_ms - ?4) <= {SAME_MS} ORDER BY abs(position_ms - ?4), id LIMIT 1",
            (episode_id, feed, guid, one.position_ms),
        ).fetchone()
        if same is None:
            self.counts.bookmarks += 1
            self._connection.execute(
                "INSERT INTO bookmarks (episode_id, position_ms, created_at, chapter, line, note, episode, podcast,"
                " link, guid, feed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    episode_id, one.position_ms, stored(one.created_at), one.chapter, one.line, one.note, *titles, guid,
                    feed,
                ),
            )  # fmt: skip
        elif one.note and not same[1]:
            self._connection.execute("UPDATE bookmarks SET note = ? WHERE id = ?", (one.note, same[0]))

    def heard(self, episode_id: int, spans: tuple[Heard, ...]) -> None:
        for one in spans:
            if self.forgotten_ms is not None and stored(one.began_at) < self.forgotten_ms:
                self.counts.forgotten += 1
                continue
            cursor = self._connection.execute(
                _SPAN, (episode_id, one.from_ms, one.to_ms, stored(one.began_at), one.speed)
            )
            self.counts.spans += cursor.rowcount > 0

    # -- inside -----------------------------------------------------------------------------------------------

    def _save(self, episode_id: int, position: SavedAt) -> None:
        self.counts.positions += 1
        self._connection.execute(
            "INSERT OR REPLACE INTO progress (episode_id, position_ms, saved_at, byte, file_size, guessed)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (
                episode_id, position.position_ms, stored(position.saved_at), position.byte, position.file_size,
                int(position.guessed),
            ),
        )  # fmt: skip

    def _rest(self, episode_id: int, podcast: Podcast, one: ExportedEpisode, *, queues: bool) -> None:
        """What is added to what is there, whether the episode was here before or not."""
        if one.queued is not None and queues:
            self._queue.append((one.queued.rank, episode_id, stored(one.queued.added_at)))
        for title, rank in one.playlists.items():
            self._playlists.setdefault(title, []).append((rank, episode_id))
        feed = url_key(podcast.url)
        for kept in one.bookmarks:
            titles = (kept.episode or one.title, kept.podcast or podcast.title, kept.link or one.link or one.url)
            self.bookmark(kept, episode_id=episode_id, feed=feed, guid=one.guid, titles=titles)
        self.heard(episode_id, one.heard)

    def _fill(self, title: str, wanted: list[tuple[int, int]]) -> None:
        row = self._connection.execute("SELECT id FROM lists WHERE title = ? AND query IS NULL", (title,)).fetchone()
        if row is None:
            return
        (last,) = self._connection.execute(
            "SELECT coalesce(max(rank), 0) FROM playlist_episodes WHERE list_id = ?", row
        ).fetchone()
        self._connection.executemany(
            "INSERT INTO playlist_episodes (list_id, episode_id, rank) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            [(row[0], episode_id, rank) for rank, (_wanted, episode_id) in enumerate(wanted, last + 1)],
        )


def _ms(position: SavedAt) -> int:
    return stored(position.saved_at)
