"""The state of bookmarks, or of segments, before an act that made, changed or deleted them: what `acts` stores about
it."""

import json
import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from player.model.episode import EpisodeId


class Kept(NamedTuple):
    """A table whose rows are kept, under their `id`, in the table `kept`. Where the column `present` is NULL, there was
    no row. `title` is SQL for the title of a row's episode; rows of an `owner` that is gone don't come back."""

    table: str
    kept: str
    id: str
    present: str
    columns: tuple[str, ...]
    title: str
    owner: str = "1"

    @property
    def names(self) -> str:
        return ", ".join(self.columns)


BOOKMARKS = Kept(
    "bookmarks",
    "act_bookmarks",
    "bookmark_id",
    "position_ms",
    (
        "position_ms",
        "created_at",
        "chapter",
        "line",
        "note",
        "episode",
        "podcast",
        "link",
        "guid",
        "feed",
        "length_ms",
        "audio",
        "moved_ms",
    ),
    "coalesce(a.episode, b.episode)",
)
SEGMENTS = Kept(
    "segments",
    "act_segments",
    "segment_id",
    "start_ms",
    ("podcast_id", "start_ms", "end_ms", "kind", "created_at", "audio", "moved_ms"),
    "coalesce((SELECT title FROM episodes WHERE id = coalesce(a.episode_id, b.episode_id)), (SELECT"
    " coalesce(nullif(own_title, ''), title) FROM podcasts WHERE id = coalesce(a.podcast_id, b.podcast_id)), '')",
    "EXISTS (SELECT 1 FROM podcasts WHERE id = a.podcast_id)",
)
ALL = (BOOKMARKS, SEGMENTS)


def newest(connection: sqlite3.Connection, of: Kept) -> int:
    """The highest id that a row ever had."""
    sql = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = ?"
    (found,) = connection.execute(sql, (of.table,)).fetchone()
    return int(found)


def capture(connection: sqlite3.Connection, of: Kept, act_id: int, ids: Sequence[int]) -> None:
    """Stores the present state of these rows, and of segments their sound and where it was found."""
    connection.execute(
        f"INSERT OR IGNORE INTO {of.kept} (act_id, {of.id}, episode_id, {of.names})"
        f" SELECT ?, j.value, b.episode_id, {', '.join(f'b.{name}' for name in of.columns)}"
        f" FROM json_each(?) j LEFT JOIN {of.table} b ON b.id = j.value",
        (act_id, json.dumps(list(ids))),
    )
    if of is SEGMENTS:
        connection.execute(
            "UPDATE act_segments SET sound = (SELECT sound FROM segments WHERE id = segment_id),"
            " found = (SELECT json_group_array(json_array(f.episode_id, f.start_ms, f.end_ms, f.rejected))"
            " FROM found_segments f WHERE f.segment_id = act_segments.segment_id) WHERE act_id = ?",
            (act_id,),
        )


def capture_made(connection: sqlite3.Connection, of: Kept, act_id: int, since: int) -> None:
    """Stores for the rows made since the highest id was `since` that they didn't exist before."""
    connection.execute(
        f"INSERT OR IGNORE INTO {of.kept} (act_id, {of.id}) SELECT ?, id FROM {of.table} WHERE id > ?",
        (act_id, since),
    )


def finish(connection: sqlite3.Connection, of: Kept, act_id: int) -> bool:
    """Drops the rows that the act left unchanged; stores how many are left, and the title of the first one's episode.
    False when there is none."""
    both = f"{of.kept} a LEFT JOIN {of.table} b ON b.id = a.{of.id} WHERE a.act_id = ?1"
    same = " AND ".join(f"a.{name} IS b.{name}" for name in ("episode_id", *of.columns))
    connection.execute(
        f"DELETE FROM {of.kept} WHERE act_id = ?1 AND {of.id} IN (SELECT a.{of.id} FROM {both} AND {same})", (act_id,)
    )
    row = connection.execute(
        f"SELECT count(*) OVER (), {of.title} FROM {both} ORDER BY a.{of.id} LIMIT 1", (act_id,)
    ).fetchone()
    if row is None:
        return False
    connection.execute("UPDATE acts SET count = ?, title = ? WHERE id = ?", (*row, act_id))
    return True


def change_sides(connection: sqlite3.Connection, of: Kept, act_id: int) -> list[EpisodeId]:
    """Exchanges the present state of the rows with the stored one. Returns the episodes concerned."""
    ids = [row[0] for row in connection.execute(f"SELECT {of.id} FROM {of.kept} WHERE act_id = ?", (act_id,))]
    if not ids:
        return []
    now = -act_id
    capture(connection, of, now, ids)
    concerned = _episodes(connection, of, act_id, now)
    connection.execute(
        f"DELETE FROM {of.table} WHERE id IN (SELECT {of.id} FROM {of.kept} WHERE act_id = ? AND {of.present} IS NULL)",
        (act_id,),
    )
    columns = ("episode_id", *of.columns)
    connection.execute(
        f"INSERT INTO {of.table} (id, episode_id, {of.names})"
        f" SELECT a.{of.id}, (SELECT id FROM episodes WHERE id = a.episode_id), {of.names} FROM {of.kept} a"
        f" WHERE a.act_id = ? AND a.{of.present} IS NOT NULL AND {of.owner}"
        f" ON CONFLICT (id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in columns)}",
        (act_id,),
    )
    if of is SEGMENTS:
        _bring_back(connection, act_id, now)
    connection.execute(f"DELETE FROM {of.kept} WHERE act_id = ?", (act_id,))
    connection.execute(f"UPDATE {of.kept} SET act_id = ? WHERE act_id = ?", (act_id, now))
    return concerned


def prune(connection: sqlite3.Connection) -> None:
    """Deletes the rows of acts that are gone."""
    for of in ALL:
        connection.execute(f"DELETE FROM {of.kept} WHERE act_id NOT IN (SELECT id FROM acts)")


def _episodes(connection: sqlite3.Connection, of: Kept, *act_ids: int) -> list[EpisodeId]:
    """The episodes of the stored rows, and those in which stored segments were found."""
    acts = json.dumps(act_ids)
    sql = f"SELECT episode_id FROM {of.kept} WHERE act_id IN (SELECT value FROM json_each(?1))"
    if of is SEGMENTS:
        sql += (
            " UNION SELECT f.value ->> 0 FROM act_segments a, json_each(a.found) f"
            " WHERE a.act_id IN (SELECT value FROM json_each(?1))"
        )
    rows = connection.execute(f"SELECT id FROM episodes WHERE id IN ({sql}) ORDER BY id", (acts,))
    return [EpisodeId(row[0]) for row in rows]


def _bring_back(connection: sqlite3.Connection, act_id: int, now: int) -> None:
    """The sound of segments that weren't there until `now`, and where it had been found."""
    back = (
        "act_segments a JOIN act_segments n ON n.act_id = ?2 AND n.segment_id = a.segment_id AND n.start_ms IS NULL"
        " JOIN segments s ON s.id = a.segment_id"
    )
    connection.execute(
        f"UPDATE segments SET sound = found.sound FROM (SELECT a.segment_id, a.sound FROM {back} WHERE a.act_id = ?1)"
        " AS found WHERE segments.id = found.segment_id",
        (act_id, now),
    )
    connection.execute(
        "INSERT OR IGNORE INTO found_segments (episode_id, segment_id, start_ms, end_ms, rejected)"
        f" SELECT f.value ->> 0, a.segment_id, f.value ->> 1, f.value ->> 2, f.value ->> 3 FROM {back},"
        " json_each(a.found) f JOIN episodes e ON e.id = f.value ->> 0 WHERE a.act_id = ?1",
        (act_id, now),
    )
