"""The state of bookmarks before an act that made, changed or deleted them: what `acts` stores about it."""

import json
import sqlite3
from collections.abc import Sequence

from player.model.listening import BookmarkId

_COLUMNS = "position_ms, created_at, chapter, line, note, episode, podcast, link, guid, feed"
_NEWEST = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'bookmarks'"


def newest(connection: sqlite3.Connection) -> int:
    """The highest id that a bookmark ever had."""
    (found,) = connection.execute(_NEWEST).fetchone()
    return int(found)


def capture(connection: sqlite3.Connection, act_id: int, ids: Sequence[BookmarkId]) -> None:
    """Stores the present state of these bookmarks. `position_ms` is NULL for a bookmark that doesn't exist."""
    connection.execute(
        f"INSERT OR IGNORE INTO act_bookmarks (act_id, bookmark_id, episode_id, {_COLUMNS})"
        f" SELECT ?, j.value, b.episode_id, {', '.join(f'b.{name}' for name in _COLUMNS.split(', '))}"
        " FROM json_each(?) j LEFT JOIN bookmarks b ON b.id = j.value",
        (act_id, json.dumps(list(ids))),
    )


def capture_made(connection: sqlite3.Connection, act_id: int, since: int) -> None:
    """Stores for the bookmarks made since the highest id was `since` that they didn't exist before."""
    connection.execute(
        "INSERT OR IGNORE INTO act_bookmarks (act_id, bookmark_id) SELECT ?, id FROM bookmarks WHERE id > ?",
        (act_id, since),
    )


def finish(connection: sqlite3.Connection, act_id: int) -> bool:
    """Drops the bookmarks that the act left unchanged; stores how many are left, and the title of the first one's
    episode. False when there is none."""
    same = " AND ".join(f"a.{name} IS b.{name}" for name in ("episode_id", *_COLUMNS.split(", ")))
    connection.execute(
        "DELETE FROM act_bookmarks WHERE act_id = ?1 AND bookmark_id IN (SELECT a.bookmark_id FROM act_bookmarks a"
        f" LEFT JOIN bookmarks b ON b.id = a.bookmark_id WHERE a.act_id = ?1 AND {same})",
        (act_id,),
    )
    row = connection.execute(
        "SELECT count(*) OVER (), coalesce(a.episode, b.episode) FROM act_bookmarks a"
        " LEFT JOIN bookmarks b ON b.id = a.bookmark_id WHERE a.act_id = ? ORDER BY a.bookmark_id LIMIT 1",
        (act_id,),
    ).fetchone()
    if row is None:
        return False
    connection.execute("UPDATE acts SET count = ?, title = ? WHERE id = ?", (*row, act_id))
    return True


def change_sides(connection: sqlite3.Connection, act_id: int) -> None:
    """Exchanges the present state of the bookmarks with the stored one."""
    kept = connection.execute(
        f"SELECT bookmark_id, episode_id, {_COLUMNS} FROM act_bookmarks WHERE act_id = ?", (act_id,)
    ).fetchall()
    ids = [BookmarkId(row[0]) for row in kept]
    connection.execute("DELETE FROM act_bookmarks WHERE act_id = ?", (act_id,))
    capture(connection, act_id, ids)
    connection.execute("DELETE FROM bookmarks WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(ids),))
    connection.executemany(
        f"INSERT INTO bookmarks (id, episode_id, {_COLUMNS})"
        f" VALUES (?, (SELECT id FROM episodes WHERE id = ?), {', '.join('?' * len(_COLUMNS.split(', ')))})",
        [row for row in kept if row[2] is not None],
    )


def prune(connection: sqlite3.Connection) -> None:
    """Deletes the rows of acts that are gone."""
    connection.execute("DELETE FROM act_bookmarks WHERE act_id NOT IN (SELECT id FROM acts)")
