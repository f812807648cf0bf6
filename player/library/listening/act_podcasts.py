"""The state of podcasts before an act that gave them tags, a title or a pin: what `acts` stores about it."""

import json
import sqlite3
from collections.abc import Sequence

from player.model.listening import OF_PODCASTS, Part
from player.model.podcast import PodcastId

_NOW = (
    "SELECT p.own_title, p.pinned, (SELECT json_group_array(tag) FROM (SELECT tag FROM podcast_tags"
    " WHERE podcast_id = p.id ORDER BY tag)) FROM podcasts p WHERE p.id = ?"
)


def capture(connection: sqlite3.Connection, act_id: int, ids: Sequence[PodcastId]) -> None:
    """Stores the present state of these podcasts."""
    for podcast_id in ids:
        if now := connection.execute(_NOW, (podcast_id,)).fetchone():
            connection.execute(
                "INSERT OR REPLACE INTO act_podcasts (act_id, podcast_id, own_title, pinned, tags)"
                " VALUES (?, ?, ?, ?, ?)",
                (act_id, podcast_id, *now),
            )


def finish(connection: sqlite3.Connection, act_id: int) -> bool:
    """Drops the podcasts that the act left unchanged; stores how many are left, and what the first of them was called
    before. False when there is none."""
    changed = [
        (podcast_id, own_title)
        for podcast_id, own_title, *before in _kept(connection, act_id)
        if connection.execute(_NOW, (podcast_id,)).fetchone() not in (None, (own_title, *before))
    ]
    connection.execute(
        "DELETE FROM act_podcasts WHERE act_id = ? AND podcast_id NOT IN (SELECT value FROM json_each(?))",
        (act_id, json.dumps([podcast_id for podcast_id, _title in changed])),
    )
    if not changed:
        return False
    podcast_id, own_title = changed[0]
    connection.execute(
        "UPDATE acts SET count = ?, title = coalesce(nullif(?, ''), (SELECT title FROM podcasts WHERE id = ?))"
        " WHERE id = ?",
        (len(changed), own_title, podcast_id, act_id),
    )
    return True


def change_sides(connection: sqlite3.Connection, act_id: int, parts: Sequence[Part]) -> tuple[PodcastId, ...]:
    """Exchanges `parts` of the podcasts with the stored state, and returns these podcasts."""
    if not OF_PODCASTS.intersection(parts):
        return ()
    kept = _kept(connection, act_id)
    capture(connection, act_id, [podcast_id for podcast_id, *_before in kept])
    there = [row for row in kept if connection.execute("SELECT 1 FROM podcasts WHERE id = ?", row[:1]).fetchone()]
    for podcast_id, own_title, pinned, tags in there:
        if Part.TITLE in parts:
            rename(connection, podcast_id, own_title)
        if Part.PIN in parts:
            connection.execute("UPDATE podcasts SET pinned = ? WHERE id = ?", (pinned, podcast_id))
        if Part.TAGS in parts:
            connection.execute("DELETE FROM podcast_tags WHERE podcast_id = ?", (podcast_id,))
            connection.execute(
                "INSERT INTO podcast_tags (podcast_id, tag) SELECT ?, value FROM json_each(?)", (podcast_id, tags)
            )
    return tuple(row[0] for row in there)


def rename(connection: sqlite3.Connection, podcast_id: PodcastId, own_title: str) -> None:
    """Gives a podcast the listener's own title; with "" the feed's title applies."""
    connection.execute(
        "UPDATE podcasts SET own_title = ?1, folded = fold(coalesce(nullif(?1, ''), title)) WHERE id = ?2",
        (own_title, podcast_id),
    )


def prune(connection: sqlite3.Connection) -> None:
    """Deletes the rows of acts that are gone."""
    connection.execute("DELETE FROM act_podcasts WHERE act_id NOT IN (SELECT id FROM acts)")


def _kept(connection: sqlite3.Connection, act_id: int) -> list[tuple[PodcastId, str, int, str]]:
    return connection.execute(
        "SELECT podcast_id, own_title, pinned, tags FROM act_podcasts WHERE act_id = ? ORDER BY podcast_id", (act_id,)
    ).fetchall()
