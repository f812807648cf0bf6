"""Podcasts that say what all their episodes are and in which order they are heard, such as a folder of audio."""

import sqlite3
from collections.abc import Sequence

from player.library.database.values import as_json
from player.library.lists.sort_keys import UNDATED
from player.model.episode import EpisodeId
from player.model.feed import FeedEpisode
from player.model.podcast import PodcastId

_STEP_MS = 1000
"""The search orders episodes by the second."""

_TOUCHED = " OR ".join(
    f"EXISTS (SELECT 1 FROM {table} t WHERE t.episode_id = e.id)"
    for table in ("progress", "queue", "playlist_episodes", "bookmarks", "listening_spans", "downloads")
)


def ordered_keys(items: Sequence[FeedEpisode]) -> dict[str, int]:
    """The sort key for each address: the first one to be heard is the oldest. All are older than what has a date."""
    return {item.url: UNDATED + _STEP_MS * place for place, item in enumerate(items)}


def put_in_order(
    connection: sqlite3.Connection, podcast_id: PodcastId, items: Sequence[FeedEpisode], shift: int
) -> bool:
    """Moves the podcast's episodes to where the items stand, `shift` lower; True if any were elsewhere."""
    keys = {url: key - shift for url, key in ordered_keys(items).items()}
    rows = connection.execute("SELECT id, url, sort FROM episodes WHERE podcast_id = ?", (podcast_id,)).fetchall()
    moved = [(keys[url], row_id) for row_id, url, sort in rows if url in keys and keys[url] != sort]
    connection.executemany("UPDATE episodes SET sort = ? WHERE id = ?", moved)
    return bool(moved)


def drop_untouched(connection: sqlite3.Connection, ids: Sequence[EpisodeId]) -> bool:
    """Removes those of the episodes that the listener has never done anything with; True if any were."""
    if not ids:
        return False
    gone = connection.execute(
        "DELETE FROM episodes AS e WHERE e.id IN (SELECT value FROM json_each(?))"
        f" AND e.played = 0 AND e.starred = 0 AND NOT ({_TOUCHED})",
        (as_json(ids),),
    )
    return gone.rowcount > 0
