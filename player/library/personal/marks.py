"""What the listener has done with episodes and lists, written into the library from an export."""

import sqlite3

from msgspec import Struct

from player.library.database.values import stored
from player.library.listening.bookmarks import SAME_MS
from player.library.listening.lists import MOST_LETTERS
from player.library.personal.reading import CHOICES
from player.library.personal.records import (
    ExportedEpisode,
    ExportedList,
    ExportedView,
    Heard,
    Kept,
    RemovedEpisode,
    SavedAt,
)
from player.links.addresses import url_key
from player.model.filters import Order, View, ViewName
from player.model.podcast import Podcast
from player.model.podcast_settings import MOST_NEWEST
from player.text.cleaning import clean_line, fold

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


_MOST_NAMES = 50
_SAME_SPAN = (
    "SELECT coalesce(s.former_id, -s.id) FROM listening_spans s LEFT JOIN episodes e ON e.id = s.episode_id"
    " WHERE s.began_at = ? AND s.from_ms = ? AND coalesce(e.title, s.removed_episode) = ?"
)


def restore_list(connection: sqlite3.Connection, wanted: ExportedList) -> tuple[str, bool]:
    """Its title here, and whether it is new. A list that has the same name and is another one keeps it."""
    here = {fold(title): (title, query) for title, query in connection.execute("SELECT title, query FROM lists")}
    title = clean_line(wanted.title, MOST_LETTERS)
    for number in range(2, _MOST_NAMES):
        if (known := here.get(fold(title))) is None:
            break
        if known[1] == wanted.query:
            return known[0], False
        title = f"{clean_line(wanted.title, MOST_LETTERS - 5)} ({number})"
    else:
        return "", False
    if not title:
        return "", False
    cursor = connection.execute(
        "INSERT INTO lists (title, query, rank) VALUES (?, ?, (SELECT coalesce(max(rank), 0) + 1 FROM lists))",
        (title, wanted.query),
    )
    if wanted.downloads is not None and wanted.downloads > 0:
        most = min(MOST_NEWEST, wanted.downloads)
        connection.execute("INSERT INTO list_downloads (list_id, most) VALUES (?, ?)", (cursor.lastrowid, most))
    key = f"{ViewName.LIST} {cursor.lastrowid}"
    restore_view(connection, ExportedView(key, wanted.order, wanted.hide_played, wanted.continues))
    return title, True


def restore_view(connection: sqlite3.Connection, wanted: ExportedView) -> None:
    """Unless something was set for it here."""
    if View.of_key(wanted.view) is None:
        return
    order = wanted.order if wanted.order in set(Order) else ""
    if order or wanted.hide_played:
        connection.execute(
            "INSERT INTO view_settings (view, order_by, hide_played) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (wanted.view, order, int(wanted.hide_played)),
        )
    if wanted.continues in ("newest", "oldest"):
        connection.execute(
            "INSERT INTO continued (view, newest_first) VALUES (?, ?) ON CONFLICT DO NOTHING",
            (wanted.view, int(wanted.continues == "newest")),
        )


def restore_choices(connection: sqlite3.Connection, wanted: dict[str, str]) -> None:
    """Those that weren't made here."""
    connection.executemany(
        "INSERT INTO state (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING",
        [(key, value) for key, value in wanted.items() if key in CHOICES],
    )


def restore_removed(connection: sqlite3.Connection, wanted: RemovedEpisode, since_ms: int | None) -> tuple[int, int]:
    """How many spans are new, and how many were heard before `since_ms`, when the history was deleted here."""
    number: int | None = None
    missing = []
    forgotten = 0
    for span in wanted.heard:
        began = stored(span.began_at)
        if since_ms is not None and began < since_ms:
            forgotten += 1
        elif (row := connection.execute(_SAME_SPAN, (began, span.from_ms, wanted.episode)).fetchone()) is None:
            missing.append((span.from_ms, span.to_ms, began, span.speed))
        else:
            number = row[0]
    if missing:
        former = number if number is not None and number > 0 else _unused_id(connection)
        connection.executemany(
            "INSERT INTO listening_spans (from_ms, to_ms, began_at, speed, former_id, removed_episode, removed_podcast,"
            " removed_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [(*span, former, wanted.episode, wanted.podcast, wanted.duration_ms) for span in missing],
        )
    return len(missing), forgotten


def _unused_id(connection: sqlite3.Connection) -> int:
    """A number that no episode has had, or will get."""
    row = connection.execute(
        "UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'episodes' RETURNING seq"
    ).fetchone()
    if row is None:
        connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('episodes', 1)")
        return 1
    return int(row[0])
