"""The listener's position in every episode, and which episode was played last."""

import sqlite3
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from player.library.audio import note
from player.library.database.connections import Connections
from player.library.database.values import check_kinds, moment, stored
from player.model.episode import BytePosition, EpisodeId, SavedPosition

if TYPE_CHECKING:
    from player.model.listening import ListeningSpan

_LAST = "last_episode"


class Progress:
    """The listener's positions. A position is on the disk when `save` returns. Nothing is saved for an episode that is
    gone."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def position(self, episode_id: EpisodeId) -> SavedPosition | None:
        with self._connections.reading() as connection:
            row = connection.execute(
                "SELECT position_ms, saved_at, byte, file_size, guessed, audio, unsure FROM progress"
                " WHERE episode_id = ?",
                (episode_id,),
            ).fetchone()
            if row is None:
                return None
            position_ms, saved_at, byte, size, guessed, audio, unsure = row
            check_kinds((), (position_ms, saved_at, byte, size, audio))
            byte_position = BytePosition(position_ms, byte, size, not guessed) if byte is not None else None
            return SavedPosition(position_ms, moment(saved_at), byte_position, audio, bool(unsure))

    def save(
        self,
        episode_id: EpisodeId,
        position_ms: int,
        duration_ms: int | None,
        at: datetime,
        byte_position: BytePosition | None = None,
        heard: "Sequence[ListeningSpan]" = (),
        saved_ms: int = 0,
        segments_ms: int = 0,
        version: str = "",
        audio: int | None = None,
    ) -> None:
        """`duration_ms` is the measured duration, which is better than the feed's; None: unknown.

        `byte_position` ties `position_ms` to the file's bytes. `heard` goes into the listening history, in the same
        transaction as the position, as does the time that trimmed pauses and skipped segments have saved since the last
        call; less than 0 where a skip was undone. `version` identifies the bytes that are open; if it is "", none are,
        and the position is in the audio that it was in. `audio` says if it is in another audio than that of the bytes.
        """
        tied = (
            (byte_position.byte, byte_position.size, not byte_position.exact) if byte_position else (None, None, False)
        )
        with self._connections.writing() as connection:
            heard_in = note(connection, episode_id, version) if version else None
            connection.execute(
                "INSERT INTO progress (episode_id, position_ms, saved_at, byte, file_size, guessed, audio)"
                " SELECT id, ?, ?, ?, ?, ?, ? FROM episodes WHERE id = ?"
                " ON CONFLICT DO UPDATE SET position_ms = excluded.position_ms, saved_at = excluded.saved_at,"
                " byte = excluded.byte, file_size = excluded.file_size, guessed = excluded.guessed,"
                " audio = coalesce(excluded.audio, audio),"
                " moved_ms = iif(position_ms = excluded.position_ms, moved_ms, 0),"
                " unsure = iif(position_ms = excluded.position_ms, unsure, 0)",
                (position_ms, stored(at), *tied, heard_in if audio is None else audio, episode_id),
            )
            if duration_ms is not None:
                connection.execute(
                    "UPDATE episodes SET measured_ms = ?1 WHERE id = ?2 AND measured_ms IS NOT ?1",
                    (duration_ms, episode_id),
                )
            _write(connection, heard, heard_in)
            _add_saved(connection, episode_id, at, saved_ms, segments_ms)

    def start(self, episode_id: EpisodeId) -> bool:
        """Makes it the last episode, unplayed and no longer new. True if it was marked as played."""
        with self._connections.writing() as connection:
            _make_last(connection, episode_id)
            connection.execute("DELETE FROM inbox WHERE episode_id = ?", (episode_id,))
            connection.execute("UPDATE live_shows SET heard = 1 WHERE episode_id = ?", (episode_id,))
            unmark = "UPDATE episodes SET played = 0 WHERE id = ? AND played <> 0"
            return connection.execute(unmark, (episode_id,)).rowcount > 0

    def make_last(self, episode_id: EpisodeId) -> None:
        """Makes it the last episode; whether it is played or new stays as it is."""
        with self._connections.writing() as connection:
            _make_last(connection, episode_id)

    def finish(self, episode_id: EpisodeId, heard: "Sequence[ListeningSpan]" = ()) -> bool:
        """The episode was played to the end: marks it as played, removes it from the queue, and deletes its position.

        `heard` as with `save`. True if it wasn't marked as played before.
        """
        with self._connections.writing() as connection:
            mark = "UPDATE episodes SET played = 1 WHERE id = ? AND played <> 1"
            marked = connection.execute(mark, (episode_id,)).rowcount > 0
            for table in ("progress", "queue", "inbox"):
                connection.execute(f"DELETE FROM {table} WHERE episode_id = ?", (episode_id,))
            _write(connection, heard)
        return marked

    def last(self) -> EpisodeId | None:
        """The episode that `start` or `make_last` was last called with, if it is still in the library."""
        with self._connections.reading() as connection:
            row = connection.execute(
                "SELECT e.id FROM state s JOIN episodes e ON e.id = CAST(s.value AS INTEGER) WHERE s.key = ?", (_LAST,)
            ).fetchone()
        return EpisodeId(row[0]) if row else None


def _make_last(connection: sqlite3.Connection, episode_id: EpisodeId) -> None:
    connection.execute(
        "INSERT INTO state (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (_LAST, str(episode_id)),
    )


def _write(connection: sqlite3.Connection, heard: "Sequence[ListeningSpan]", audio: int | None = None) -> None:
    """The history's module is loaded when there is something to write: startup never waits for it."""
    if heard:
        from player.library.history.spans import write_spans

        write_spans(connection, heard, audio)


def _add_saved(
    connection: sqlite3.Connection, episode_id: EpisodeId, at: datetime, saved_ms: int, segments_ms: int
) -> None:
    if saved_ms > 0 or segments_ms:
        connection.execute(
            "INSERT INTO trimmed_pauses (podcast_id, day, saved_ms, segments_ms)"
            " SELECT podcast_id, ?1, max(0, ?2), max(0, ?3) FROM episodes WHERE id = ?4"
            " ON CONFLICT DO UPDATE SET saved_ms = saved_ms + max(0, ?2), segments_ms = max(0, segments_ms + ?3)",
            (at.astimezone().toordinal(), saved_ms, segments_ms, episode_id),
        )
