"""How the listener has arranged the podcasts: tags, the listener's own titles, pins."""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from player.errors import NotFound
from player.library.database.connections import Connections
from player.library.database.values import check_kinds
from player.library.listening import act_podcasts
from player.library.lists.preview_keys import PREVIEWS
from player.model.podcast import PodcastId
from player.text.cleaning import clean_line, fold
from player.text.sentences import _
from player.text.typed_names import clean_tags


class Shelf:
    """Every method that writes raises NotFound if the podcast is gone."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def tags(self) -> dict[PodcastId, tuple[str, ...]]:
        """The tags of each subscription that has any, in alphabetical order."""
        with self._connections.reading() as connection:
            sql = f"SELECT podcast_id, tag FROM podcast_tags WHERE podcast_id NOT IN {PREVIEWS} ORDER BY fold(tag), tag"
            rows = connection.execute(sql).fetchall()
        check_kinds((tag for _podcast, tag in rows), (podcast for podcast, _tag in rows))
        found: dict[PodcastId, tuple[str, ...]] = {}
        for podcast_id, tag in rows:
            found[podcast_id] = (*found.get(podcast_id, ()), tag)
        return found

    def set_tags(self, podcast_id: PodcastId, tags: Iterable[str]) -> tuple[str, ...]:
        """Sets exactly these tags, in the spelling that other podcasts already use. Returns them."""
        wanted = clean_tags(tags)
        with self._connections.writing() as connection:
            _title_of(connection, podcast_id)
            known = dict(
                connection.execute(
                    "SELECT fold(tag), tag FROM podcast_tags"
                    " WHERE podcast_id <> ? AND fold(tag) IN (SELECT fold(value) FROM json_each(?))",
                    (podcast_id, json.dumps(wanted)),
                ).fetchall()
            )
            found = {fold(tag): known.get(fold(tag), tag) for tag in wanted}
            connection.execute("DELETE FROM podcast_tags WHERE podcast_id = ?", (podcast_id,))
            connection.executemany(
                "INSERT INTO podcast_tags (podcast_id, tag) VALUES (?, ?)",
                [(podcast_id, tag) for tag in found.values()],
            )
        return tuple(found.values())

    def add_tags(self, tags: Mapping[PodcastId, Sequence[str]]) -> dict[PodcastId, list[str]]:
        """Adds tags to many podcasts, in the spelling that is already used. Returns the tags that are new to them."""
        added: dict[PodcastId, list[str]] = {}
        with self._connections.writing() as connection:
            have = self.tags()
            known = {fold(tag): tag for some in have.values() for tag in some}
            for podcast_id, wanted in tags.items():
                before = have.get(podcast_id, ())
                spelled = [known.setdefault(fold(tag), tag) for tag in clean_tags((*before, *wanted))]
                if new := [tag for tag in spelled if tag not in before]:
                    added[podcast_id] = new
            connection.executemany(
                "INSERT OR IGNORE INTO podcast_tags (podcast_id, tag) SELECT id, ?2 FROM podcasts WHERE id = ?1",
                [(podcast_id, tag) for podcast_id, new in added.items() for tag in new],
            )
        return added

    def feed_title(self, podcast_id: PodcastId) -> str:
        """The feed's title; "" if the podcast is gone."""
        with self._connections.reading() as connection:
            row = connection.execute("SELECT title FROM podcasts WHERE id = ?", (podcast_id,)).fetchone()
        return str(row[0]) if row else ""

    def rename(self, podcast_id: PodcastId, title: str) -> None:
        """Gives the podcast this title, whatever its feed says; with "", or with the feed's own title, the feed's title
        applies again."""
        title = clean_line(title)
        with self._connections.writing() as connection:
            of_feed = _title_of(connection, podcast_id)
            act_podcasts.rename(connection, podcast_id, "" if title == of_feed else title)

    def set_pinned(self, podcast_id: PodcastId, pinned: bool) -> None:
        """A pinned podcast comes before the others."""
        with self._connections.writing() as connection:
            _title_of(connection, podcast_id)
            connection.execute("UPDATE podcasts SET pinned = ? WHERE id = ?", (int(pinned), podcast_id))


def _title_of(connection: sqlite3.Connection, podcast_id: PodcastId) -> str:
    """The feed's title. Raises NotFound."""
    row = connection.execute("SELECT title FROM podcasts WHERE id = ?", (podcast_id,)).fetchone()
    if row is None:
        raise NotFound(_("This podcast is no longer in the library"), _("See `earmark podcasts`."))
    return str(row[0])
