"""The bookmarks: moments of episodes. A bookmark outlives its episode, and is attached to it again if the episode comes
back."""

import json
import sqlite3
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct

from player.errors import NotFound
from player.library.audio import LATEST
from player.library.database.connections import Connections
from player.library.database.values import check_kinds, moment, stored
from player.model.episode import EpisodeId
from player.model.listening import Bookmark, BookmarkId, Moment
from player.text.cleaning import clean_line
from player.text.sentences import _

SAME_MS = 2_000
"""Bookmarks of one episode that are at most this far apart are the same bookmark; so are clips, if their ends are, too.
A clip and a moment never are."""
LONGEST_NOTE = 2_000
_LONGEST_CHAPTER, _LONGEST_LINE = 300, 600

_EPISODE_ID = (
    "coalesce(b.episode_id, (SELECT e.id FROM podcasts p CROSS JOIN episodes e ON e.podcast_id = p.id"
    " WHERE p.url_key = b.feed AND e.guid = b.guid))"
)
_BOOKMARK = (
    f"SELECT b.id, {_EPISODE_ID}, b.position_ms, b.created_at, b.chapter, b.line, b.note, b.episode, coalesce((SELECT"
    " coalesce(nullif(p.own_title, ''), p.title) FROM podcasts p WHERE p.url_key = b.feed), b.podcast), b.link,"
    " b.length_ms"
    " FROM bookmarks b"
)
_OF_EPISODE = (
    "(b.episode_id = ?1 OR (b.episode_id IS NULL AND EXISTS (SELECT 1 FROM episodes e"
    " JOIN podcasts p ON p.id = e.podcast_id WHERE e.id = ?1 AND e.guid = b.guid AND p.url_key = b.feed)))"
)


class Put(Struct, frozen=True):
    """A new bookmark, or an updated one, whose earlier state is `before`."""

    bookmark: Bookmark
    before: Bookmark | None = None


class Bookmarks:
    """Every method that writes is one transaction, on the disk when it returns."""

    def __init__(self, connections: Connections, now: Callable[[], datetime]) -> None:
        self._connections = connections
        self._now = now

    # -- reading ----------------------------------------------------------------------------------------------

    def all(self) -> list[Bookmark]:
        """Of all episodes, the latest first."""
        with self._connections.reading() as connection:
            return _bookmarks(connection, "ORDER BY b.created_at DESC, b.id DESC", ())

    def of_episode(self, episode_id: EpisodeId) -> list[Bookmark]:
        """In the order of the episode."""
        with self._connections.reading() as connection:
            return _bookmarks(connection, f"WHERE {_OF_EPISODE} ORDER BY b.position_ms, b.id", (episode_id,))

    def near(self, episode_id: EpisodeId, position_ms: int, length_ms: int = 0) -> Bookmark | None:
        """The bookmark that a new one at that position, or a clip of that length, would update."""
        with self._connections.reading() as connection:
            found = _bookmarks(
                connection,
                f"WHERE {_OF_EPISODE} AND {same_moment('?2', '?3', 'b.')}"
                " ORDER BY abs(b.position_ms - ?2), b.id LIMIT 1",
                (episode_id, position_ms, length_ms),
            )
        return found[0] if found else None

    def get(self, bookmark_id: BookmarkId) -> Bookmark:
        """Raises NotFound."""
        with self._connections.reading() as connection:
            found = _bookmarks(connection, "WHERE b.id = ?", (bookmark_id,))
        if not found:
            raise NotFound(_("That bookmark no longer exists"))
        return found[0]

    # -- writing ----------------------------------------------------------------------------------------------

    def put(self, episode_id: EpisodeId, wanted: Moment) -> Put:
        """Bookmarks a moment or a clip; the same one within 2 s moves to it and keeps its note unless there is a new
        note. Raises NotFound when the episode is gone."""
        chapter, line = clean_line(wanted.chapter, _LONGEST_CHAPTER), clean_line(wanted.line, _LONGEST_LINE)
        note, position_ms = clean_line(wanted.note, LONGEST_NOTE), max(0, wanted.position_ms)
        length_ms = max(0, wanted.length_ms)
        with self._connections.writing() as connection:
            before = self.near(episode_id, position_ms, length_ms)
            if before is not None:
                connection.execute(
                    "UPDATE bookmarks SET episode_id = ?1, position_ms = ?2, length_ms = ?3, chapter = ?4, line = ?5,"
                    f" note = ?6, audio = {LATEST.format(episode='?1')}, moved_ms = 0 WHERE id = ?7",
                    (episode_id, position_ms, length_ms, chapter, line, note or before.note, before.id),
                )
                return Put(self.get(before.id), before)
            cursor = connection.execute(
                "INSERT INTO bookmarks (episode_id, position_ms, length_ms, created_at, chapter, line, note,"
                " episode, podcast, link, guid, feed, audio)"
                " SELECT e.id, ?, ?, ?, ?, ?, ?, e.title, coalesce(nullif(p.own_title, ''), p.title),"
                f" coalesce(nullif(e.link, ''), e.url), e.guid, p.url_key, {LATEST.format(episode='e.id')}"
                " FROM episodes e JOIN podcasts p ON p.id = e.podcast_id WHERE e.id = ?",
                (position_ms, length_ms, stored(self._now()), chapter, line, note, episode_id),
            )
            if cursor.rowcount != 1:
                raise NotFound(_("That episode is no longer in the library"))
            return Put(self.get(BookmarkId(cursor.lastrowid or 0)))

    def delete(self, ids: Sequence[BookmarkId]) -> list[BookmarkId]:
        """Returns the deleted bookmarks, which are the given ones that existed."""
        with self._connections.writing() as connection:
            gone = connection.execute(
                "DELETE FROM bookmarks WHERE id IN (SELECT value FROM json_each(?)) RETURNING id",
                (json.dumps(list(ids)),),
            )
            found = {row[0] for row in gone}
        return [one for one in ids if one in found]


def _bookmarks(connection: sqlite3.Connection, which: str, values: tuple[object, ...]) -> list[Bookmark]:
    return [_bookmark(row) for row in connection.execute(f"{_BOOKMARK} {which}", values)]


def _bookmark(row: tuple[Any, ...]) -> Bookmark:
    number, episode_id, position_ms, created_at, *texts, length_ms = row
    check_kinds(texts, (number, episode_id, position_ms, created_at, length_ms))
    return Bookmark(number, episode_id, position_ms, moment(created_at), *(*texts, length_ms))


def same_moment(position: str, length: str, table: str = "") -> str:
    """The condition that a row of `bookmarks` is the same as one with that position and length, which are SQL."""
    ends = f"abs({table}position_ms + {table}length_ms - {position} - {length}) <= {SAME_MS}"
    kinds = f"({table}length_ms > 0) = ({length} > 0)"
    return f"abs({table}position_ms - {position}) <= {SAME_MS} AND {ends} AND {kinds}"
