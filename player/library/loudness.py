"""How loud episodes are, as they have been measured."""

from msgspec import Struct

from player.library.database.connections import Connections
from player.library.database.values import check_kinds
from player.model.episode import EpisodeId
from player.model.podcast import PodcastId

_LAST = 5


class MeasuredLoudness(Struct, frozen=True):
    """`lufs` is the integrated loudness, `peak_db` the true peak in dBTP, of the first `heard_ms` or, if `is_whole`, of
    the whole episode."""

    lufs: float
    peak_db: float
    heard_ms: int
    is_whole: bool


class LoudnessStore:
    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def of(self, episode_id: EpisodeId) -> MeasuredLoudness | None:
        """None if it hasn't been measured."""
        with self._connections.reading() as connection:
            row = connection.execute(
                "SELECT lufs, peak_db, heard_ms, is_whole FROM loudness WHERE episode_id = ?", (episode_id,)
            ).fetchone()
            if row is None:
                return None
            lufs, peak_db, heard_ms, is_whole = row
            check_kinds((), (heard_ms, is_whole))
            return MeasuredLoudness(float(lufs), float(peak_db), heard_ms, bool(is_whole))

    def usual(self, podcast_id: PodcastId) -> float | None:
        """The median of the last five episodes of the podcast that were measured as a whole, in LUFS; None if none
        was."""
        from statistics import median  # takes 4 ms

        with self._connections.reading() as connection:
            rows = connection.execute(
                "SELECT lufs FROM loudness JOIN episodes ON episodes.id = loudness.episode_id"
                " WHERE podcast_id = ? AND is_whole ORDER BY published DESC, episodes.id DESC LIMIT ?",
                (podcast_id, _LAST),
            ).fetchall()
            return median(float(lufs) for (lufs,) in rows) if rows else None

    def before(self, podcast_id: PodcastId) -> float | None:
        """The loudness of the episode of another podcast that was heard last and has been measured, in LUFS."""
        with self._connections.reading() as connection:
            row = connection.execute(
                "SELECT lufs FROM listening_spans s CROSS JOIN episodes e ON e.id = s.episode_id"
                " CROSS JOIN loudness l ON l.episode_id = e.id"
                " WHERE e.podcast_id <> ? AND l.is_whole ORDER BY s.began_at DESC LIMIT 1",
                (podcast_id,),
            ).fetchone()
            return None if row is None else float(row[0])

    def put(self, episode_id: EpisodeId, measured: MeasuredLoudness) -> None:
        """In place of an earlier measurement. Nothing happens if the episode is gone."""
        with self._connections.writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO loudness (episode_id, lufs, peak_db, heard_ms, is_whole)"
                " SELECT id, ?, ?, ?, ? FROM episodes WHERE id = ?",
                (measured.lufs, measured.peak_db, measured.heard_ms, measured.is_whole, episode_id),
            )
