"""Which episodes are downloaded, and where their files are."""

from pathlib import Path

from player.library.database.connections import Connections
from player.model.episode import EpisodeId
from player.model.podcast import PodcastId


class Downloads:
    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def path(self, episode_id: EpisodeId) -> Path | None:
        """The path of the downloaded file, None if the episode isn't downloaded."""
        with self._connections.reading() as connection:
            row = connection.execute("SELECT path FROM downloads WHERE episode_id = ?", (episode_id,)).fetchone()
            return Path(row[0]) if row else None

    def of_podcast(self, podcast_id: PodcastId) -> list[Path]:
        with self._connections.reading() as connection:
            rows = connection.execute(
                "SELECT d.path FROM downloads d CROSS JOIN episodes e ON e.id = d.episode_id WHERE e.podcast_id = ?",
                (podcast_id,),
            )
            return [Path(path) for (path,) in rows]

    def put(self, episode_id: EpisodeId, path: Path) -> None:
        """Does nothing, and raises nothing, if the episode is gone."""
        with self._connections.writing() as connection:
            connection.execute(
                "INSERT INTO downloads (episode_id, path) SELECT id, ? FROM episodes WHERE id = ?"
                " ON CONFLICT DO UPDATE SET path = excluded.path",
                (str(path), episode_id),
            )

    def remove(self, episode_id: EpisodeId) -> None:
        with self._connections.writing() as connection:
            connection.execute("DELETE FROM downloads WHERE episode_id = ?", (episode_id,))
