"""How the listener has arranged the podcasts: tags, names of one's own, pins."""

import json
from collections.abc import Iterable

from player.errors import NotFound
from player.library.database.column_types import check_kinds
from player.library.database.connections import Connections
from player.model.podcast import PodcastId
from player.text.cleaning import clean_line, fold
from player.text.sentences import _

MOST_LETTERS = 80
"""Of a tag, or of the name of a list."""


class Shelf:
    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def tags(self) -> dict[PodcastId, tuple[str, ...]]:
        """Of each podcast that has some, in order of the alphabet."""
        with self._connections.reading() as connection:
            rows = connection.execute("SELECT podcast_id, tag FROM podcast_tags ORDER BY fold(tag), tag").fetchall()
        check_kinds((tag for _podcast, tag in rows), (podcast for podcast, _tag in rows))
        found: dict[PodcastId, tuple[str, ...]] = {}
        for podcast_id, tag in rows:
            found[podcast_id] = (*found.get(podcast_id, ()), tag)
        return found

    def set_tags(self, podcast_id: PodcastId, tags: Iterable[str]) -> tuple[str, ...]:
        """These tags and no others; one that other podcasts have already is spelled as there. Returns them.

        Raises NotFound when the podcast is gone.
        """
        wanted = {fold(tag): tag for tag in (clean_line(tag, MOST_LETTERS) for tag in tags) if tag}
        with self._connections.writing() as connection:
            if connection.execute("SELECT 1 FROM podcasts WHERE id = ?", (podcast_id,)).fetchone() is None:
                raise NotFound(_("This podcast is no longer in the library"), _("See `earmark podcasts`."))
            known = connection.execute(
                "SELECT fold(tag), tag FROM podcast_tags"
                " WHERE podcast_id <> ? AND fold(tag) IN (SELECT value FROM json_each(?))",
                (podcast_id, json.dumps(list(wanted))),
            )
            wanted |= dict(known.fetchall())
            connection.execute("DELETE FROM podcast_tags WHERE podcast_id = ?", (podcast_id,))
            connection.executemany(
                "INSERT INTO podcast_tags (podcast_id, tag) VALUES (?, ?)",
                [(podcast_id, tag) for tag in wanted.values()],
            )
        return tuple(wanted.values())
