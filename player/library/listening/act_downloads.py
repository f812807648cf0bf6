"""Downloads that a clean-up moved aside: what `acts` stores about them. The caller moves the files themselves."""

import json
import sqlite3
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

from msgspec import Struct

from player.library.database.connections import Connections
from player.library.database.values import check_kinds, stored
from player.model.downloads import MANUAL, Refusal
from player.model.episode import EpisodeId

_FREE_TO_GO = (
    "SELECT d.episode_id, d.path FROM json_each(?) j CROSS JOIN downloads d ON d.episode_id = j.value"
    " CROSS JOIN episodes e ON e.id = d.episode_id WHERE d.why <> 'manual' AND e.starred = 0"
    " AND NOT EXISTS (SELECT 1 FROM queue q WHERE q.episode_id = e.id) AND (e.played = 1"
    " OR NOT EXISTS (SELECT 1 FROM progress g WHERE g.episode_id = e.id AND g.position_ms > 0)) ORDER BY j.key"
)
_KEPT = "downloaded_at, size, why, original_size, original_head"


class TrashedFile(Struct, frozen=True):
    """`path` is where the file was, `trashed` where it is."""

    episode_id: EpisodeId
    path: Path
    trashed: Path


class DownloadTrash:
    """Each method that writes is part of the enclosing transaction."""

    def __init__(self, connections: Connections, now: Callable[[], datetime]) -> None:
        self._connections = connections
        self._now = now

    def free_to_go(self, ids: Sequence[EpisodeId]) -> list[tuple[EpisodeId, Path]]:
        """The given downloads that nothing protects at this moment, and their files."""
        with self._connections.reading() as connection:
            return [(EpisodeId(one), Path(path)) for one, path in connection.execute(_FREE_TO_GO, (json.dumps(ids),))]

    def put(self, act_id: int, episode_id: EpisodeId, trashed: Path, refusal: Refusal | None) -> None:
        """Records that the download's file is at `trashed` now. Without a `refusal` rules may download the episode
        again."""
        with self._connections.writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO download_trash (episode_id, act_id, trashed_at, trashed, refusal, path,"
                f" {_KEPT}) SELECT episode_id, ?, ?, ?, ?, path, {_KEPT} FROM downloads WHERE episode_id = ?",
                (act_id, stored(self._now()), str(trashed), refusal or "", episode_id),
            )
            connection.execute("DELETE FROM downloads WHERE episode_id = ?", (episode_id,))
            connection.execute(
                "UPDATE download_notes SET refusal = ? WHERE episode_id = ?", (refusal or "", episode_id)
            )

    def files(self, ids: Sequence[EpisodeId] | None = None) -> list[TrashedFile]:
        """The files that were moved aside and not brought back; of these episodes only, if any are given."""
        with self._connections.reading() as connection:
            rows = connection.execute("SELECT episode_id, path, trashed FROM download_trash WHERE restored = 0")
            return [one for one in _files(rows.fetchall()) if ids is None or one.episode_id in ids]

    def forget(self, ids: Sequence[EpisodeId]) -> None:
        """Their files have been deleted for good; acts that moved nothing else aside can't be undone any more."""
        with self._connections.writing() as connection:
            connection.execute(
                "DELETE FROM download_trash WHERE restored = 0 AND episode_id IN (SELECT value FROM json_each(?))",
                (json.dumps(ids),),
            )
            connection.execute(
                "DELETE FROM acts WHERE kind = 'downloads_deleted' AND id NOT IN (SELECT act_id FROM download_trash)"
            )
            connection.execute(
                "UPDATE acts SET count = (SELECT count(*) FROM download_trash WHERE act_id = acts.id)"
                " WHERE kind = 'downloads_deleted'"
            )

    def restore(self, episode_id: EpisodeId, path: Path, why: str = MANUAL) -> None:
        """The file is at `path` again; a download that is brought back by hand belongs to the listener."""
        with self._connections.writing() as connection:
            _bring_back(connection, episode_id, str(path), why)
        self.forget((episode_id,))

    def to_undo(self) -> list[TrashedFile]:
        """The files that undoing the last act brings back; none if the act was something else."""
        return self._of_act("undone = 0 ORDER BY id DESC", restored=0)

    def to_redo(self) -> list[TrashedFile]:
        """The files that are moved aside again when the act that was undone last is redone."""
        return self._of_act("undone = 1 ORDER BY id", restored=1)

    def moved(self, episode_id: EpisodeId, path: Path, trashed: Path) -> None:
        """Records the original path of that file, and the path it is moved aside to."""
        with self._connections.writing() as connection:
            connection.execute(
                "UPDATE download_trash SET path = ?, trashed = ? WHERE episode_id = ?",
                (str(path), str(trashed), episode_id),
            )

    def _of_act(self, which: str, *, restored: int) -> list[TrashedFile]:
        with self._connections.reading() as connection:
            row = connection.execute(f"SELECT id, kind FROM acts WHERE {which} LIMIT 1").fetchone()
            rows = connection.execute(
                "SELECT episode_id, path, trashed FROM download_trash WHERE act_id = ? AND restored = ?",
                (row[0] if row else 0, restored),
            )
            return _files(rows.fetchall())


def finish(connection: sqlite3.Connection, act_id: int) -> bool:
    """Stores how many downloads the act moved aside, and the title of the first. False when there is none."""
    row = connection.execute(
        "SELECT count(*) OVER (), e.title FROM download_trash t JOIN episodes e ON e.id = t.episode_id"
        " WHERE t.act_id = ? LIMIT 1",
        (act_id,),
    ).fetchone()
    if row is None:
        return False
    connection.execute("UPDATE acts SET count = ?, title = ? WHERE id = ?", (*row, act_id))
    return True


def change_sides(connection: sqlite3.Connection, act_id: int, *, undone: bool) -> list[EpisodeId]:
    """Brings the act's downloads back, or moves them aside again, and returns their episodes."""
    rows = connection.execute(
        "SELECT episode_id, path, refusal FROM download_trash WHERE act_id = ? AND restored = ?",
        (act_id, int(not undone)),
    ).fetchall()
    for episode_id, path, refusal in rows:
        if undone:
            _bring_back(connection, episode_id, path, MANUAL)
        else:
            connection.execute("DELETE FROM downloads WHERE episode_id = ?", (episode_id,))
            connection.execute("UPDATE download_notes SET refusal = ? WHERE episode_id = ?", (refusal, episode_id))
    connection.execute("UPDATE download_trash SET restored = ? WHERE act_id = ?", (int(undone), act_id))
    return [EpisodeId(one) for one, _path, _refusal in rows]


def _bring_back(connection: sqlite3.Connection, episode_id: int, path: str, why: str) -> None:
    """Nothing comes back for an episode that is gone, or that has been downloaded again meanwhile."""
    connection.execute(
        "INSERT OR IGNORE INTO downloads (episode_id, path, downloaded_at, size, why, original_size, original_head)"
        " SELECT e.id, ?, t.downloaded_at, t.size, ?, t.original_size, t.original_head"
        " FROM download_trash t JOIN episodes e ON e.id = t.episode_id WHERE t.episode_id = ?",
        (path, why, episode_id),
    )


def _files(rows: Sequence[tuple[int, str, str]]) -> list[TrashedFile]:
    for one, path, trashed in rows:
        check_kinds((path, trashed), (one,))
    return [TrashedFile(EpisodeId(one), Path(path), Path(trashed)) for one, path, trashed in rows]
