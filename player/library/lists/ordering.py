"""The order of episodes in a list, and the listener's view settings of each list."""

import sqlite3
from collections.abc import Sequence
from datetime import datetime

from player.library.database.connections import Connections
from player.library.database.values import as_json, check_kinds, stored
from player.model.episode import EpisodeId
from player.model.feed import FeedEpisode
from player.model.filters import AS_IT_IS, Order, ViewSettings
from player.model.podcast import PodcastId

ID_BITS = 28
ID_MASK = (1 << ID_BITS) - 1

_FARTHEST_S = 1 << 33


def row_number(sort: int, episode_id: int) -> int:
    """`sort` in ms since 1970."""
    second = max(-_FARTHEST_S, min(sort // 1000, _FARTHEST_S))
    return second << ID_BITS | episode_id


def first_number(ms: int) -> int:
    """No episode from that time on has a lower number."""
    return row_number(ms, 0)


def podcast_word(podcast_id: int) -> str:
    """The word for a podcast in the index."""
    return f"p{podcast_id}"


UNDATED = 0
"""Where the episodes of a feed without any dates go when it is first read: behind every dated episode, in the feed's
order."""


def sort_keys(dates: Sequence[datetime | None], known: Sequence[int | None], now: int | None) -> list[int]:
    """The sort keys of a feed's items (ms since 1970), from the `dates` in the feed, in the feed's order.

    `known` has the keys of the items that are in the library already. An item without a date is placed behind the item
    before it. At the top of the feed it counts as found `now`; when the feed is first read (`now` is None) it is placed
    with the first dated item.
    """
    keys = [key if date is None else stored(date) for date, key in zip(dates, known, strict=True)]
    above = next((key for key in keys if key is not None), UNDATED) if now is None else now
    found: list[int] = []
    for key in keys:
        above = above if key is None else key
        found.append(above)
    return found


_STEP_MS = 1000
"""The search orders episodes by the second."""

_TOUCHED = " OR ".join(
    f"EXISTS (SELECT 1 FROM {table} t WHERE t.episode_id = e.id)"
    for table in ("progress", "queue", "playlist_episodes", "bookmarks", "segments", "listening_spans", "downloads")
)


def ordered_keys(items: Sequence[FeedEpisode]) -> dict[str, int]:
    """The sort key for each address: the first episode to be heard is the oldest. All of them are older than anything
    with a date."""
    return {item.url: UNDATED + _STEP_MS * place for place, item in enumerate(items)}


def put_in_order(
    connection: sqlite3.Connection, podcast_id: PodcastId, items: Sequence[FeedEpisode], shift: int
) -> bool:
    """Moves the podcast's episodes to the places of the items, `shift` lower; True if any were elsewhere."""
    keys = {url: key - shift for url, key in ordered_keys(items).items()}
    rows = connection.execute("SELECT id, url, sort FROM episodes WHERE podcast_id = ?", (podcast_id,)).fetchall()
    moved = [(keys[url], row_id) for row_id, url, sort in rows if url in keys and keys[url] != sort]
    connection.executemany("UPDATE episodes SET sort = ? WHERE id = ?", moved)
    return bool(moved)


def drop_untouched(connection: sqlite3.Connection, ids: Sequence[EpisodeId]) -> bool:
    """Removes the given episodes that the listener has never done anything with; True if there were any."""
    if not ids:
        return False
    gone = connection.execute(
        "DELETE FROM episodes AS e WHERE e.id IN (SELECT value FROM json_each(?))"
        f" AND e.played = 0 AND e.starred = 0 AND NOT ({_TOUCHED})",
        (as_json(ids),),
    )
    return gone.rowcount > 0


class ViewSettingsStore:
    """`view` is a view's key."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def get(self, view: str) -> ViewSettings:
        """An order that this version of Earmark doesn't know is replaced by the view's default."""
        with self._connections.reading() as connection:
            row = connection.execute(
                "SELECT order_by, hide_played FROM view_settings WHERE view = ?", (view,)
            ).fetchone()
            check_kinds(row[:1] if row else ())
        if row is None:
            return AS_IT_IS
        order_by, hide_played = row
        return ViewSettings(Order(order_by) if order_by in set(Order) else None, bool(hide_played))

    def set(self, view: str, settings: ViewSettings) -> None:
        with self._connections.writing() as connection:
            connection.execute("DELETE FROM view_settings WHERE view = ?", (view,))
            if settings != AS_IT_IS:
                connection.execute(
                    "INSERT INTO view_settings (view, order_by, hide_played) VALUES (?, ?, ?)",
                    (view, settings.order or "", int(settings.hide_played)),
                )
