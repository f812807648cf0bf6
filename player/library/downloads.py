"""Which episodes are downloaded, and where their files are."""

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from player.library.database.connections import Connections
from player.library.database.values import check_kinds, moment_maybe, stored
from player.model.downloads import MANUAL, Download, Original, Work
from player.model.episode import EpisodeId
from player.model.podcast import PodcastId

if TYPE_CHECKING:
    from player.library.download_rules import DownloadFacts
    from player.library.listening.act_downloads import DownloadTrash
    from player.library.listening.download_queue import DownloadQueue

_DOWNLOADS = "SELECT episode_id, path, downloaded_at, size, why, original_size, original_head FROM downloads"


class Downloads:
    def __init__(self, connections: Connections, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._connections = connections
        self._now = now

    @property
    def queue(self) -> "DownloadQueue":
        """The queue of downloads. Its module is loaded at first use."""
        from player.library.listening.download_queue import DownloadQueue

        return DownloadQueue(self._connections, self._now)

    @property
    def facts(self) -> "DownloadFacts":
        """What rules need to know about downloads. Its module is loaded at first use."""
        from player.library.download_rules import DownloadFacts

        return DownloadFacts(self._connections, self._now)

    @property
    def trash(self) -> "DownloadTrash":
        """The files that clean-ups have moved aside. Its module is loaded at first use."""
        from player.library.listening.act_downloads import DownloadTrash

        return DownloadTrash(self._connections, self._now)

    # -- reading ----------------------------------------------------------------------------------------------

    def path(self, episode_id: EpisodeId) -> Path | None:
        """The path of the downloaded file, None if the episode isn't downloaded."""
        with self._connections.reading() as connection:
            row = connection.execute("SELECT path FROM downloads WHERE episode_id = ?", (episode_id,)).fetchone()
            return Path(row[0]) if row else None

    def get(self, episode_id: EpisodeId) -> Download | None:
        with self._connections.reading() as connection:
            row = connection.execute(f"{_DOWNLOADS} WHERE episode_id = ?", (episode_id,)).fetchone()
            return _download(row) if row else None

    def all(self) -> list[Download]:
        """Every download, in the order in which they were made."""
        with self._connections.reading() as connection:
            rows = connection.execute(f"{_DOWNLOADS} ORDER BY downloaded_at, episode_id").fetchall()
            return [_download(row) for row in rows]

    def size(self) -> int:
        """The total size of all files in bytes, as far as their sizes are known."""
        with self._connections.reading() as connection:
            (size,) = connection.execute("SELECT coalesce(sum(size), 0) FROM downloads").fetchone()
            check_kinds((), (size,))
            return int(size)

    def of_podcast(self, podcast_id: PodcastId) -> list[Path]:
        with self._connections.reading() as connection:
            rows = connection.execute(
                "SELECT d.path FROM downloads d CROSS JOIN episodes e ON e.id = d.episode_id WHERE e.podcast_id = ?",
                (podcast_id,),
            )
            return [Path(path) for (path,) in rows]

    # -- writing ----------------------------------------------------------------------------------------------

    def put(
        self,
        episode_id: EpisodeId,
        path: Path,
        *,
        size: int | None = None,
        why: str = MANUAL,
        original: Original | None = None,
    ) -> None:
        """The episode is downloaded now, and no longer to be downloaded. Does nothing if the episode is gone.

        `size` is in bytes.
        """
        from player.library.listening.download_queue import done

        with self._connections.writing() as connection:
            connection.execute(
                "INSERT INTO downloads (episode_id, path, downloaded_at, size, why, original_size, original_head)"
                " SELECT id, ?, ?, ?, ?, ?, ? FROM episodes WHERE id = ?"
                " ON CONFLICT DO UPDATE SET (path, downloaded_at, size, why, original_size, original_head) ="
                " (excluded.path, excluded.downloaded_at, excluded.size, excluded.why, excluded.original_size,"
                " excluded.original_head)",
                (
                    str(path),
                    stored(self._now()),
                    size,
                    why,
                    original.length if original else None,
                    original.head if original else None,
                    episode_id,
                ),
            )
            done(connection, episode_id, Work.DOWNLOAD)

    def remove(self, episode_id: EpisodeId) -> None:
        with self._connections.writing() as connection:
            connection.execute("DELETE FROM downloads WHERE episode_id = ?", (episode_id,))


def _download(row: sqlite3.Row | tuple[Any, ...]) -> Download:
    episode_id, path, downloaded_at, size, why, original_size, original_head = row
    check_kinds((path, why), (downloaded_at, size, original_size, original_head))
    known = original_size is not None and original_head is not None
    return Download(
        EpisodeId(episode_id),
        Path(path),
        moment_maybe(downloaded_at),
        size,
        why,
        Original(original_size, original_head) if known else None,
    )
