"""The segments that the listener has marked, and where their sound was found in other episodes."""

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any

from player.errors import EarmarkError, NotFound
from player.library.audio import LATEST
from player.library.database.connections import Connections
from player.library.database.values import check_kinds, moment, stored
from player.model.episode import EpisodeId
from player.model.podcast import PodcastId
from player.model.segments import LONGEST_MS, SHORTEST_MS, Segment, SegmentId, SegmentKind
from player.text.durations import clock
from player.text.sentences import _

Find = tuple[SegmentId, int, int]
"""The segment whose sound was found, and from when to when, in ms."""

_TITLES = "coalesce(e.title, ''), coalesce(nullif(p.own_title, ''), p.title)"
_OWN = (
    "SELECT s.id AS id, s.podcast_id, s.episode_id AS episode_id, s.start_ms AS start_ms, s.end_ms AS end_ms, s.kind,"
    f" s.created_at AS created_at, 0, {_TITLES}"
    " FROM segments s JOIN podcasts p ON p.id = s.podcast_id LEFT JOIN episodes e ON e.id = s.episode_id"
)
_FOUND = (
    f"SELECT s.id, s.podcast_id, f.episode_id, f.start_ms, f.end_ms, s.kind, s.created_at, 1, {_TITLES}"
    " FROM found_segments f JOIN segments s ON s.id = f.segment_id JOIN podcasts p ON p.id = s.podcast_id"
    " JOIN episodes e ON e.id = f.episode_id"
)
_ITSELF = "s.episode_id = r.episode_id AND s.id = r.segment_id AND r.start_ms < s.end_ms AND r.end_ms > s.start_ms"
"""A row in `found_segments` that isn't about another place where the sound is, but about the marked segment itself."""


def possible(start_ms: int, end_ms: int) -> None:
    """Raises EarmarkError with a sentence for a segment that is too short or too long."""
    if end_ms - start_ms < SHORTEST_MS:
        raise EarmarkError(_("A segment can't be shorter than a second"), _("Mark an end that is later."))
    if end_ms - start_ms > LONGEST_MS:
        length = clock(end_ms - start_ms)
        raise EarmarkError(
            _("A segment can't be longer than an hour; this one is {length}", length=length),
            _("Mark its start and its end again."),
        )


class Segments:
    """Every method that writes is one transaction, on the disk when it returns."""

    def __init__(self, connections: Connections, now: Callable[[], datetime]) -> None:
        self._connections = connections
        self._now = now

    # -- reading ----------------------------------------------------------------------------------------------

    def all(self, *, found: bool = False) -> list[Segment]:
        """Of all episodes, the latest first; with those that were `found`, each below the marked one."""
        with self._connections.reading() as connection:
            both = f"{_OWN} UNION ALL {_FOUND} WHERE f.rejected = 0" if found else _OWN
            return _segments(connection, f"{both} ORDER BY created_at DESC, id DESC, 8, episode_id DESC, start_ms")

    def of_episode(self, episode_id: EpisodeId) -> list[Segment]:
        """The marked and the found ones, in the order of the episode. Those that the listener has rejected are
        missing."""
        with self._connections.reading() as connection:
            return _segments(
                connection,
                f"{_OWN} WHERE s.episode_id = ?1 UNION ALL {_FOUND} WHERE f.episode_id = ?1 AND f.rejected = 0"
                " ORDER BY start_ms, end_ms, id",
                episode_id,
            )

    def to_pass(self, episode_id: EpisodeId) -> list[Segment]:
        """As `of_episode`, without the marked ones that the listener went back to hear."""
        with self._connections.reading() as connection:
            return _segments(
                connection,
                f"{_OWN} WHERE s.episode_id = ?1 AND NOT EXISTS"
                f" (SELECT 1 FROM found_segments r WHERE r.rejected = 1 AND {_ITSELF})"
                f" UNION ALL {_FOUND} WHERE f.episode_id = ?1 AND f.rejected = 0 ORDER BY start_ms, end_ms, id",
                episode_id,
            )

    def of_podcast(self, podcast_id: PodcastId) -> list[Segment]:
        """The marked ones, the first one first."""
        with self._connections.reading() as connection:
            return _segments(connection, f"{_OWN} WHERE s.podcast_id = ? ORDER BY id", podcast_id)

    def get(self, segment_id: SegmentId) -> Segment:
        """Raises NotFound."""
        with self._connections.reading() as connection:
            found = _segments(connection, f"{_OWN} WHERE s.id = ?", segment_id)
        if not found:
            raise NotFound(_("That segment no longer exists"))
        return found[0]

    def sound(self, segment_id: SegmentId) -> bytes | None:
        """As it was stored with `set_sound`; None until then."""
        with self._connections.reading() as connection:
            row = connection.execute("SELECT sound FROM segments WHERE id = ?", (segment_id,)).fetchone()
        return zlib.decompress(row[0]) if row and row[0] is not None else None

    def found_in(self, ids: Sequence[SegmentId]) -> list[EpisodeId]:
        """The episodes of these segments, and those in which they were found."""
        with self._connections.reading() as connection:
            rows = connection.execute(
                "SELECT episode_id FROM segments WHERE id IN (SELECT value FROM json_each(?1)) AND episode_id NOT NULL"
                " UNION SELECT episode_id FROM found_segments WHERE segment_id IN (SELECT value FROM json_each(?1))",
                (json.dumps(list(ids)),),
            )
            return sorted(EpisodeId(row[0]) for row in rows)

    # -- writing ----------------------------------------------------------------------------------------------

    def mark(self, episode_id: EpisodeId, start_ms: int, end_ms: int, kind: SegmentKind) -> Segment:
        """Raises NotFound when the episode is gone, and EarmarkError for an impossible length."""
        start_ms = max(0, start_ms)
        possible(start_ms, end_ms)
        with self._connections.writing() as connection:
            cursor = connection.execute(
                "INSERT INTO segments (podcast_id, episode_id, start_ms, end_ms, kind, created_at, audio)"
                f" SELECT e.podcast_id, e.id, ?, ?, ?, ?, {LATEST.format(episode='e.id')}"
                " FROM episodes e WHERE e.id = ?",
                (start_ms, end_ms, kind, stored(self._now()), episode_id),
            )
            if cursor.rowcount != 1:
                raise NotFound(_("That episode is no longer in the library"))
            return self.get(SegmentId(cursor.lastrowid or 0))

    def change(self, segment_id: SegmentId, kind: SegmentKind) -> Segment:
        """Raises NotFound."""
        with self._connections.writing() as connection:
            connection.execute("UPDATE segments SET kind = ? WHERE id = ?", (kind, segment_id))
            return self.get(segment_id)

    def delete(self, ids: Sequence[SegmentId]) -> list[SegmentId]:
        """Returns the deleted segments, which are the given ones that existed. What was found of them goes, too."""
        with self._connections.writing() as connection:
            gone = connection.execute(
                "DELETE FROM segments WHERE id IN (SELECT value FROM json_each(?)) RETURNING id",
                (json.dumps(list(ids)),),
            )
            deleted = {row[0] for row in gone}
        return [one for one in ids if one in deleted]

    def set_sound(self, segment_id: SegmentId, sound: bytes | None) -> None:
        """Does nothing when the segment is gone."""
        packed = None if sound is None else zlib.compress(sound)
        with self._connections.writing() as connection:
            connection.execute("UPDATE segments SET sound = ? WHERE id = ?", (packed, segment_id))

    def put_found(self, episode_id: EpisodeId, finds: Iterable[Find]) -> None:
        """Replaces what was found in the episode. What the listener has rejected stays so, and a find of which more
        than half was rejected, or found before, isn't stored; nor is the marked segment itself. Nothing is stored for
        an episode or a segment that is gone."""
        with self._connections.writing() as connection:
            connection.execute("DELETE FROM found_segments WHERE episode_id = ? AND rejected = 0", (episode_id,))
            connection.executemany(
                "INSERT OR IGNORE INTO found_segments (episode_id, segment_id, start_ms, end_ms)"
                " SELECT e.id, s.id, ?3, ?4 FROM episodes e JOIN segments s ON s.id = ?2"
                " WHERE e.id = ?1 AND ?3 >= 0 AND ?4 > ?3"
                " AND NOT (s.episode_id IS e.id AND ?3 < s.end_ms AND ?4 > s.start_ms)"
                " AND NOT EXISTS (SELECT 1 FROM found_segments r WHERE r.episode_id = e.id AND r.segment_id = s.id"
                " AND 2 * (min(r.end_ms, ?4) - max(r.start_ms, ?3)) > ?4 - ?3)",
                [(episode_id, *find) for find in finds],
            )

    def reject(self, episode_id: EpisodeId, finds: Iterable[Find], rejected: bool = True) -> None:
        """The listener went back to hear these, or has skipped them again after that: until then they aren't skipped
        in this episode."""
        with self._connections.writing() as connection:
            for segment_id, start_ms, end_ms in finds:
                connection.execute(
                    "INSERT INTO found_segments (episode_id, segment_id, start_ms, end_ms, rejected)"
                    " SELECT e.id, s.id, ?3, ?4, ?5 FROM episodes e JOIN segments s ON s.id = ?2 WHERE e.id = ?1"
                    " ON CONFLICT DO UPDATE SET rejected = excluded.rejected",
                    (episode_id, segment_id, start_ms, end_ms, int(rejected)),
                )
            connection.execute(
                "DELETE FROM found_segments AS r WHERE r.episode_id = ? AND r.rejected = 0"
                f" AND EXISTS (SELECT 1 FROM segments s WHERE {_ITSELF})",
                (episode_id,),
            )


def _segments(connection: sqlite3.Connection, sql: str, *values: object) -> list[Segment]:
    return [_segment(row) for row in connection.execute(sql, values)]


def _segment(row: tuple[Any, ...]) -> Segment:
    number, podcast_id, episode_id, start_ms, end_ms, kind, created_at, found, *titles = row
    check_kinds((kind, *titles), (number, podcast_id, episode_id, start_ms, end_ms, created_at))
    return Segment(
        number, podcast_id, episode_id, start_ms, end_ms, SegmentKind(kind), moment(created_at), bool(found), *titles
    )
