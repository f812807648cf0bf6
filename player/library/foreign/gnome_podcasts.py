"""GNOME Podcasts' database (`gnome-podcasts/podcasts.db` among the data, SQLite), of 2018 (0.4) and later.

Moments are seconds since 1970 or, since 2024, texts in UTC.
"""

from datetime import datetime
from pathlib import Path

from player.library.foreign.database import ForeignDatabase, opened, recognised
from player.model.foreign import ForeignEpisode, ForeignLibrary, ForeignPodcast, position_of, queued_at
from player.text.untrusted_json import line_of, moment_of_s, moment_of_text, whole_of


class GnomePodcastsReader:
    def recognises(self, path: Path, start: bytes) -> bool:
        return recognised(path, start, "shows", "source_id", "title")

    def read(self, path: Path) -> ForeignLibrary:
        with opened(path) as database:
            sources = {row[0]: line_of(row[1], 8_000) for row in database.rows("source", "id", "uri")}
            episodes = _episodes(database)
            shows = tuple(
                ForeignPodcast(sources.pop(source, ""), line_of(title), episodes=tuple(episodes.get(number, ())))
                for number, source, title in database.rows("shows", "id", "source_id", "title")
            )
            # A feed that was added but never read has no show.
            unread = tuple(map(ForeignPodcast, sources.values()))
            return ForeignLibrary("GNOME Podcasts", "", shows + unread, tuple(database.problems))


def _episodes(database: ForeignDatabase) -> dict[object, list[ForeignEpisode]]:
    """The episodes by their show's number."""
    queue = sorted(database.rows("queue", "position", "episode_id"), key=lambda row: _number(row[0]))
    ranks = {episode: rank for rank, (_position, episode) in enumerate(queue)}
    found: dict[object, list[ForeignEpisode]] = {}
    for number, show, guid, url, title, published, duration_s, played, position_s in database.rows(
        "episodes", "id", "show_id", "guid", "uri", "title", "epoch", "duration", "played", "play_position"
    ):
        episode = ForeignEpisode(
            line_of(guid, 8_000),
            line_of(url, 8_000),
            line_of(title),
            _moment(published),
            (whole_of(duration_s) or 0) * 1000 or None,
            played=played is not None,
            position=None if played is not None else position_of((whole_of(position_s) or 0) * 1000),
            changed_at=_moment(played),
            queued=None if number is None else queued_at(ranks.get(number)),
        )
        if episode.is_touched:
            found.setdefault(show, []).append(episode)
    return found


def _moment(value: object) -> datetime | None:
    return moment_of_text(value) or moment_of_s(value)


def _number(value: object) -> float:
    return value if isinstance(value, int | float) else 0.0
