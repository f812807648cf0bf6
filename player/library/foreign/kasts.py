"""Kasts' database (`database.db3`, SQLite): schema versions 1 to 15."""

from pathlib import Path

from player.library.foreign.database import ForeignDatabase, Row, Value, opened, recognised
from player.model.foreign import ForeignEpisode, ForeignLibrary, ForeignPodcast, position_of, queued_at
from player.text.sentences import _
from player.text.untrusted_json import is_true, line_of, moment_of_s, whole_of

_NEWEST = 15


class KastsReader:
    def recognises(self, path: Path, start: bytes) -> bool:
        return recognised(path, start, "Entries", "hasEnclosure", "read", "created")

    def read(self, path: Path) -> ForeignLibrary:
        with opened(path) as database:
            # Up to version 11 feeds are named by their addresses, episodes by their guids; after that by numbers.
            numbered = database.has("Entries", "entryuid", "feeduid")
            episodes = _episodes(database, *(("entryuid", "feeduid") if numbered else ("id", "feed")))
            podcasts = tuple(
                ForeignPodcast(line_of(url, 8_000), line_of(name), episodes=tuple(episodes.get(key, ())))
                for key, url, name in database.rows("Feeds", "feeduid" if numbered else "url", "url", "name")
            )
            version = database.version()
            left_out = [*database.problems]
        if version > _NEWEST:
            left_out.append(_("This Kasts is newer than Earmark knows: something may be missing."))
        return ForeignLibrary("Kasts", str(version or ""), podcasts, tuple(left_out))


def _episodes(database: ForeignDatabase, key: str, feed_key: str) -> dict[Value, list[ForeignEpisode]]:
    """The episodes by their feed. Kasts doesn't store when an episode was heard."""
    enclosures: dict[Value, Row] = {}
    for entry, *enclosure in database.rows("Enclosures", key, "url", "duration", "playposition"):
        enclosures.setdefault(entry, tuple(enclosure))
    queue = {row[1]: whole_of(row[0]) for row in database.rows("Queue", "listnr", key)}
    found: dict[Value, list[ForeignEpisode]] = {}
    for entry, feed, guid, title, created, read, favorite in database.rows(
        "Entries", key, feed_key, "id", "title", "created", "read", "favorite"
    ):
        url, duration, position = enclosures.get(entry, (None, None, None))
        episode = ForeignEpisode(
            line_of(guid, 8_000),
            line_of(url, 8_000),
            line_of(title),
            moment_of_s(created),
            1000 * (whole_of(duration) or 0) or None,
            is_true(read),
            None if is_true(read) else position_of(whole_of(position) or 0),
            None,
            is_true(favorite),
            queued_at(queue.get(entry)),
        )
        if episode.is_touched:
            found.setdefault(feed, []).append(episode)
    return found
