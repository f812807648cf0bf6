"""The queue of episodes that are to be files of the listener's own, or to be transcribed, in order."""

import json
import sqlite3
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from player.library.database.connections import Connections
from player.library.database.values import as_json, check_kinds, moment, moment_maybe, stored, stored_maybe
from player.library.listening.queue import moved
from player.model.downloads import MANUAL, DownloadState, QueuedDownload, Work
from player.model.episode import EpisodeId

_GIVEN = "(SELECT value FROM json_each(?))"
_ROWS = (
    "SELECT episode_id, state, why, asked_at, attempts, retry_at, problem, advice, path, downloads, transcribes"
    " FROM download_queue"
    " ORDER BY rank, episode_id"
)
_RANKS = "SELECT episode_id, rank FROM download_queue ORDER BY rank, episode_id"
_TO_TRANSCRIBE = (
    "SELECT e.id FROM podcast_settings s CROSS JOIN episodes e ON e.podcast_id = s.podcast_id"
    " LEFT JOIN details d ON d.episode_id = e.id"
    " WHERE (s.transcribe = 'downloaded' AND (e.url LIKE 'file:%' OR e.id IN (SELECT episode_id FROM downloads))"
    " OR s.transcribe = 'queued' AND e.id IN (SELECT episode_id FROM queue))"
    " AND coalesce(d.transcripts, '[]') = '[]'"
    " AND NOT EXISTS (SELECT 1 FROM companions c WHERE c.episode_id = e.id AND c.kind = 'transcript')"
    " AND e.id NOT IN (SELECT episode_id FROM download_queue WHERE transcribes) ORDER BY e.sort DESC"
)
_WANTED = {Work.DOWNLOAD: "downloads", Work.TRANSCRIPT: "transcribes"}
"""The columns that say what is still to be done."""
_STATES = frozenset({DownloadState.WAITING, DownloadState.PAUSED, DownloadState.FAILED})


class DownloadQueue:
    """Every method that writes is one transaction, on the disk when it returns. Episodes that are gone from the library
    are left out without complaint."""

    def __init__(self, connections: Connections, now: Callable[[], datetime]) -> None:
        self._connections = connections
        self._now = now

    # -- reading ----------------------------------------------------------------------------------------------

    def all(self) -> list[QueuedDownload]:
        """All of the queue, in order."""
        with self._connections.reading() as connection:
            return [_queued(row) for row in connection.execute(_ROWS)]

    def to_transcribe(self) -> list[EpisodeId]:
        """The episodes that are to be transcribed by themselves: without a transcript, neither here nor named by their
        feed; the newest first. Those in the queue for that already are left out."""
        with self._connections.reading() as connection:
            return [EpisodeId(row[0]) for row in connection.execute(_TO_TRANSCRIBE)]

    # -- writing ----------------------------------------------------------------------------------------------

    def add(
        self,
        ids: Sequence[EpisodeId],
        why: str = MANUAL,
        *,
        work: Work = Work.DOWNLOAD,
        first: bool = False,
        resumes: bool = False,
    ) -> list[EpisodeId]:
        """Adds to the end, or (`first`) to the head, in this order, and returns the episodes that weren't to be
        downloaded, or transcribed, before.

        Downloaded episodes aren't downloaded again; episodes at the end keep their place. Those that have failed wait
        again, for the same reason as before, and so do paused ones, if adding `resumes` them. A download that the
        listener asks for belongs to the listener, even if a rule had added it. `why` is the reason for a download.
        """
        with self._connections.writing() as connection:
            if why == MANUAL and work is Work.DOWNLOAD:
                connection.execute(
                    f"UPDATE download_queue SET why = ? WHERE why <> ? AND episode_id IN {_GIVEN}",
                    (MANUAL, MANUAL, as_json(ids)),
                )
            self._to_waiting(connection, ids, ("failed", "paused") if resumes else ("failed",))
            there = {row[0] for row in connection.execute("SELECT episode_id FROM download_queue")}
            new = [one for one in dict.fromkeys(ids) if one not in there]
            lowest, highest = connection.execute(
                "SELECT coalesce(min(rank), 1), coalesce(max(rank), 0) FROM download_queue"
            ).fetchone()
            wanted = _WANTED[work]
            here = "SELECT episode_id FROM downloads" if work is Work.DOWNLOAD else "0"
            also = connection.execute(
                f"UPDATE download_queue SET {wanted} = 1, why = CASE WHEN downloads THEN why ELSE ? END"
                f" WHERE NOT {wanted} AND episode_id IN {_GIVEN} AND episode_id NOT IN ({here}) RETURNING episode_id",
                (why, as_json(ids)),
            )
            found = {row[0] for row in also.fetchall()}
            added = connection.execute(
                "INSERT INTO download_queue (episode_id, rank, state, why, asked_at, downloads, transcribes)"
                " SELECT e.id, ? + j.key, 'waiting', ?, ?, ?, ?"
                " FROM json_each(?) j CROSS JOIN episodes e ON e.id = j.value"
                f" WHERE e.id NOT IN ({here}) RETURNING episode_id",
                (
                    lowest - len(ids) if first else highest + 1, why, stored(self._now()),
                    work is Work.DOWNLOAD, work is Work.TRANSCRIPT, as_json(new),
                ),
            )  # fmt: skip
            found |= {row[0] for row in added}
            if first:
                ranks = [(lowest - len(ids) + number, one) for number, one in enumerate(ids)]
                connection.executemany("UPDATE download_queue SET rank = ? WHERE episode_id = ?", ranks)
            return [one for one in dict.fromkeys(ids) if one in found]

    def done(self, episode_id: EpisodeId, work: Work) -> None:
        """The episode leaves the queue, unless something else is to be done with it."""
        with self._connections.writing() as connection:
            done(connection, episode_id, work)

    def remove(self, ids: Sequence[EpisodeId]) -> list[EpisodeId]:
        with self._connections.writing() as connection:
            sql = f"DELETE FROM download_queue WHERE episode_id IN {_GIVEN} RETURNING episode_id"
            return [EpisodeId(row[0]) for row in connection.execute(sql, (as_json(ids),))]

    def pause(self, ids: Sequence[EpisodeId]) -> None:
        """Pauses the waiting ones; failed ones stay failed."""
        with self._connections.writing() as connection:
            connection.execute(
                f"UPDATE download_queue SET state = 'paused' WHERE episode_id IN {_GIVEN} AND state = 'waiting'",
                (as_json(ids),),
            )

    def wait(self, ids: Sequence[EpisodeId]) -> None:
        """The episodes wait for their turn as if they had just been added; being paused or failed is forgotten."""
        with self._connections.writing() as connection:
            self._to_waiting(connection, ids)

    def problem(
        self,
        episode_id: EpisodeId,
        problem: str,
        advice: str,
        *,
        state: DownloadState,
        attempts: int,
        retry_at: datetime | None = None,
    ) -> None:
        """Records that an attempt has failed, or was ended."""
        with self._connections.writing() as connection:
            connection.execute(
                "UPDATE download_queue SET state = ?, attempts = ?, retry_at = ?, problem = ?, advice = ?"
                " WHERE episode_id = ?",
                (state.value, attempts, stored_maybe(retry_at), problem, advice, episode_id),
            )

    def set_path(self, episode_id: EpisodeId, path: Path) -> None:
        """Records where the complete file is about to be put."""
        with self._connections.writing() as connection:
            connection.execute("UPDATE download_queue SET path = ? WHERE episode_id = ?", (str(path), episode_id))

    def move(self, ids: Sequence[EpisodeId], by: int) -> bool:
        """Some rows, up (`by` < 0) or down, together; the first and the last row stop them. False: nothing changed."""
        with self._connections.writing() as connection:
            rows = connection.execute(
                "SELECT episode_id, rank FROM download_queue ORDER BY rank, episode_id"
            ).fetchall()
            old = [EpisodeId(row[0]) for row in rows]
            new = moved(list(old), ids, by)
            # Ranks may be equal after unsubscribing was undone, so each episode gets a new one.
            first = rows[0][1] if rows else 0
            connection.executemany(
                "UPDATE download_queue SET rank = ? WHERE episode_id = ?",
                [(first + number, one) for number, one in enumerate(new)],
            )
            return new != old

    def _to_waiting(
        self, connection: sqlite3.Connection, ids: Sequence[EpisodeId], states: Sequence[str] = tuple(_STATES)
    ) -> None:
        connection.execute(
            "UPDATE download_queue SET state = 'waiting', attempts = 0, retry_at = NULL, problem = '', advice = ''"
            f" WHERE episode_id IN {_GIVEN} AND state IN {_GIVEN}",
            (as_json(ids), json.dumps(states)),
        )


def done(connection: sqlite3.Connection, episode_id: EpisodeId, work: Work) -> None:
    """As `DownloadQueue.done`, within a transaction."""
    connection.execute(
        f"UPDATE download_queue SET {_WANTED[work]} = 0, state = 'waiting', attempts = 0, retry_at = NULL,"
        " problem = '', advice = '' WHERE episode_id = ?",
        (episode_id,),
    )
    connection.execute(
        "DELETE FROM download_queue WHERE episode_id = ? AND NOT downloads AND NOT transcribes", (episode_id,)
    )


def _queued(row: sqlite3.Row | tuple[Any, ...]) -> QueuedDownload:
    episode_id, state, why, asked_at, attempts, retry_at, problem, advice, path, downloads, transcribes = row
    check_kinds((state, why, problem, advice, path), (asked_at, attempts, retry_at, downloads, transcribes))
    known = DownloadState(state)
    if known not in _STATES:
        raise ValueError(state)
    return QueuedDownload(
        EpisodeId(episode_id),
        known,
        why,
        moment(asked_at),
        attempts,
        moment_maybe(retry_at),
        problem,
        advice,
        Path(path) if path else None,
        bool(downloads),
        bool(transcribes),
    )
