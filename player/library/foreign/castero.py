"""castero's database (`~/.local/share/castero/castero.db`, SQLite): schema versions 1 to 4."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path

from player.library.foreign.database import ForeignDatabase, Value, opened, recognised
from player.model.foreign import ForeignEpisode, ForeignLibrary, ForeignPodcast, position_of, queued_at
from player.text.sentences import _
from player.text.untrusted_json import is_true, line_of, moment_of_text, whole_of

_NEWEST = 4


class CasteroReader:
    def recognises(self, path: Path, start: bytes) -> bool:
        return recognised(path, start, "episode", "feed_key", "enclosure")

    def read(self, path: Path) -> ForeignLibrary:
        with opened(path) as database:
            episodes = _episodes(database)
            podcasts = tuple(
                ForeignPodcast(
                    line_of(key, 8_000), line_of(title), episodes=tuple(episodes.get(line_of(key, 8_000), ()))
                )
                for key, title in database.rows("feed", "key", "title")
            )
            version = database.version()
            left_out = [*database.problems]
        if version > _NEWEST:
            left_out.append(_("This castero is newer than Earmark knows: something may be missing."))
        return ForeignLibrary("castero", str(version or ""), podcasts, tuple(left_out))


def _episodes(database: ForeignDatabase) -> dict[str, list[ForeignEpisode]]:
    """The episodes by their feed's address. castero stores no guids and no times of listening."""
    positions = {row[0]: whole_of(row[1]) or 0 for row in database.rows("progress", "ep_id", "time")}
    queue = {row[1]: whole_of(row[0]) for row in database.rows("queue", "id", "ep_id")}
    found: dict[str, list[ForeignEpisode]] = {}
    for number, feed, title, published, url, played in database.rows(
        "episode", "id", "feed_key", "title", "pubdate", "enclosure", "played"
    ):
        episode = ForeignEpisode(
            url=line_of(url, 8_000),
            title=line_of(title),
            published=_moment(published),
            played=is_true(played),
            position=position_of(positions.get(number, 0)),
            queued=queued_at(queue.get(number)),
        )
        if episode.is_touched:
            found.setdefault(line_of(feed, 8_000), []).append(episode)
    return found


def _moment(text: Value) -> datetime | None:
    """Parses the date, which is stored as the feed wrote it."""
    if not isinstance(text, str) or len(text) > 100:
        return None
    try:
        found = parsedate_to_datetime(text)
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, TypeError, OverflowError, IndexError):
        return moment_of_text(text)
