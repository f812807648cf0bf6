"""Positions that an import or the first sync has written, and the positions before: what `acts` needs to undo it.

Unlike a mark, a position is only undone while it is still the one that was written: a listener who has listened
since keeps the new position.
"""

import json
import sqlite3
from collections.abc import Sequence

Moved = tuple[int, int, int]
"""Episode, its new position (ms), and when it was saved (ms since 1970)."""
_NO_POSITION = -1
"""The new position of an episode that no longer has one."""


def capture(connection: sqlite3.Connection, act_id: int, moved: Sequence[Moved]) -> None:
    """Stores the positions as they are before `save`."""
    connection.execute(
        "INSERT OR IGNORE INTO act_positions (act_id, episode_id, position_ms, saved_at, byte, file_size, guessed,"
        " new_position_ms, new_saved_at)"
        " SELECT ?, e.id, g.position_ms, g.saved_at, g.byte, g.file_size, g.guessed, j.value ->> 1, j.value ->> 2"
        " FROM json_each(?) j CROSS JOIN episodes e ON e.id = j.value ->> 0"
        " LEFT JOIN progress g ON g.episode_id = e.id",
        (act_id, json.dumps(moved)),
    )


def capture_dropped(connection: sqlite3.Connection, act_id: int, ids: Sequence[int]) -> None:
    """Stores the positions as they are before they are deleted."""
    capture(connection, act_id, [(one, _NO_POSITION, 0) for one in ids])


def save(connection: sqlite3.Connection, moved: Sequence[Moved]) -> None:
    connection.executemany(
        "INSERT OR REPLACE INTO progress (episode_id, position_ms, saved_at) VALUES (?, ?, ?)", moved
    )


def change_sides(connection: sqlite3.Connection, act_id: int, *, undone: bool) -> None:
    """Undoes or redoes the changes of positions."""
    if not undone:
        connection.execute(
            "INSERT OR REPLACE INTO progress (episode_id, position_ms, saved_at)"
            " SELECT a.episode_id, a.new_position_ms, a.new_saved_at FROM act_positions a"
            " JOIN episodes e ON e.id = a.episode_id LEFT JOIN progress g ON g.episode_id = a.episode_id"
            f" WHERE a.act_id = ? AND a.new_position_ms <> {_NO_POSITION}"
            " AND g.position_ms IS a.position_ms AND g.saved_at IS a.saved_at",
            (act_id,),
        )
        connection.execute(
            "DELETE FROM progress WHERE (episode_id, position_ms, saved_at) IN"
            " (SELECT episode_id, position_ms, saved_at"
            f" FROM act_positions WHERE act_id = ? AND new_position_ms = {_NO_POSITION})",
            (act_id,),
        )
        return
    columns = "a.episode_id, a.position_ms, a.saved_at, a.byte, a.file_size, coalesce(a.guessed, 0)"
    before = connection.execute(
        f"SELECT {columns} FROM act_positions a JOIN progress g ON g.episode_id = a.episode_id"
        " AND g.position_ms - g.moved_ms = a.new_position_ms AND g.saved_at = a.new_saved_at WHERE a.act_id = ?"
        f" UNION ALL SELECT {columns} FROM act_positions a JOIN episodes e ON e.id = a.episode_id"
        f" WHERE a.act_id = ? AND a.new_position_ms = {_NO_POSITION}"
        " AND NOT EXISTS (SELECT 1 FROM progress g WHERE g.episode_id = a.episode_id)",
        (act_id, act_id),
    ).fetchall()
    connection.executemany("DELETE FROM progress WHERE episode_id = ?", [row[:1] for row in before])
    connection.executemany(
        "INSERT INTO progress (episode_id, position_ms, saved_at, byte, file_size, guessed) VALUES (?, ?, ?, ?, ?, ?)",
        [row for row in before if row[1] is not None],
    )


def forget_undone(connection: sqlite3.Connection) -> None:
    """An import that was undone, and can't be redone any more, counts as never done: it can be imported again."""
    undone = "SELECT id FROM acts WHERE undone = 1 AND kind = 'imported'"
    for (act_id,) in connection.execute(undone).fetchall():
        for table in ("waiting_episodes", "brought"):
            connection.execute(f"DELETE FROM {table} WHERE act_id = ?", (act_id,))


def prune(connection: sqlite3.Connection) -> None:
    """Deletes the rows of acts that are gone."""
    connection.execute("DELETE FROM act_positions WHERE act_id NOT IN (SELECT id FROM acts)")
