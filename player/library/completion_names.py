"""Names of podcasts, episodes, lists and tags for a shell that completes what is typed: read from a library as it is,
opened read-only. Imports next to nothing: a key waits for it."""

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from player.library.database.connect import connect
from player.library.lists.preview_keys import FIRST_KEY, SUBSCRIBED
from player.text.cleaning import clean_line, fold

MOST = 60
"""The most names in an answer."""
_PATIENCE_MS = 20
_TIME_S = 0.05
"""Seconds for looking through episodes; what was found by then is the answer."""
_STEPS_BETWEEN_LOOKS = 5_000
BUILT_IN = ("new", "queue", "in_progress", "starred", "downloads", "bookmarks", "history", "all")
"""The names of the lists that come with Earmark."""

_EPISODES = (
    "SELECT e.title, coalesce(nullif(p.own_title, ''), p.title), e.played"
    " FROM episodes e INDEXED BY episodes_newest CROSS JOIN podcasts p ON p.id = e.podcast_id"
    f" WHERE e.sort >= {FIRST_KEY} AND substr(e.folded, 1, ?1) = ?2 ORDER BY e.sort DESC, e.id"
)
_PODCASTS = (
    "SELECT coalesce(nullif(p.own_title, ''), p.title) AS name, '' FROM podcasts p"
    f" LEFT JOIN podcast_counts c ON c.podcast_id = p.id WHERE p.{SUBSCRIBED} AND substr(fold(name), 1, ?1) = ?2"
    " ORDER BY p.pinned DESC, coalesce(c.unplayed, 0) = 0, fold(name)"
)
_TAGS = "SELECT DISTINCT tag, '' FROM podcast_tags WHERE substr(fold(tag), 1, ?1) = ?2 ORDER BY fold(tag)"
_LISTS = "SELECT title, coalesce(query, '') FROM lists WHERE substr(fold(title), 1, ?1) = ?2 ORDER BY rank"
_PLAYLISTS = "SELECT title, '' FROM lists WHERE query IS NULL AND substr(fold(title), 1, ?1) = ?2 ORDER BY rank"


class Named(NamedTuple):
    """A name, and a description that tells it from others of its kind, or "". Both are one clean line."""

    name: str
    about: str = ""


def named(library: Path, kind: str, beginning: str) -> list[Named]:
    """At most MOST names of one of KINDS that begin with the text, whatever the case and the accents; of episodes
    unplayed ones first, newest first. Nothing if the library is missing or can't be read: it is never created or
    repaired."""
    folded = fold(beginning)
    try:
        with closing(_opened(library)) as connection:
            found = list(KINDS[kind](connection, folded))
    except (sqlite3.Error, OSError):
        found = []
    if kind == "list":
        found = [*(Named(one) for one in BUILT_IN if one.startswith(folded)), *found]
    usable = {one.name: one for one in found if _is_usable(one.name)}
    return list(usable.values())[:MOST]


def _is_usable(name: str) -> bool:
    """A number would be taken for an ID, and a name that begins with a minus for an option."""
    return bool(name) and not name.isdecimal() and not name.startswith("-")


def _opened(library: Path) -> sqlite3.Connection:
    """Raises sqlite3.Error if there is no library. If there is no write-ahead log, no process has the library open: it
    is read as it is, and no file is created beside it."""
    log = library.with_name(f"{library.name}-wal")
    return connect(library, _PATIENCE_MS, mode="ro", immutable=not log.exists())


def _rows(sql: str) -> "Reader":
    def read(connection: sqlite3.Connection, folded: str) -> Iterator[Named]:
        for name, about in connection.execute(f"{sql} LIMIT {MOST}", (len(folded), folded)):
            yield _clean(name, about)

    return read


def _episodes(connection: sqlite3.Connection, folded: str) -> Iterable[Named]:
    """Read from the newest on, until there are enough or the time is up."""
    until = time.monotonic() + _TIME_S
    connection.set_progress_handler(lambda: time.monotonic() > until, _STEPS_BETWEEN_LOOKS)
    unplayed: list[Named] = []
    played: list[Named] = []
    with suppress(sqlite3.OperationalError):
        for title, podcast, is_played in connection.execute(_EPISODES, (len(folded), folded)):
            (played if is_played else unplayed).append(_clean(title, podcast))
            if len(unplayed) >= MOST:
                break
    return [*unplayed, *played[:MOST]]


def _clean(name: object, about: object) -> Named:
    return Named(clean_line(str(name)), clean_line(str(about), 60))


Reader = Callable[[sqlite3.Connection, str], Iterable[Named]]
KINDS: Mapping[str, Reader] = {
    "episode": _episodes,
    "podcast": _rows(_PODCASTS),
    "tag": _rows(_TAGS),
    "list": _rows(_LISTS),
    "playlist": _rows(_PLAYLISTS),
}
"""How the names of each kind are read."""
