"""Episodes: which ones a list shows, in which order, their rows, and all there is to know of one."""

import json
import sqlite3
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from typing import Any

from player.errors import NotFound
from player.library.database.column_types import check_kinds
from player.library.database.connections import Connections
from player.library.database.timestamps import moment_maybe, stored
from player.library.lists.listing import MOST_FILTERED, IndexedList, Listing, WholeList
from player.library.lists.row_marks import KnownRowMarks
from player.library.lookup import find_id
from player.model.episode import Episode, EpisodeId
from player.model.filters import EpisodeQuery, View, ViewCounts
from player.model.transcript import TranscriptRef
from player.text.cleaning import fold

# CROSS JOIN keeps SQLite from starting with the podcasts.
_ROW = (
    "SELECT e.id, e.podcast_id, p.title, e.title, e.guid, e.url, e.media_type, e.size, e.link, e.published,"
    " coalesce(e.measured_ms, e.duration_ms), coalesce(g.position_ms, 0), e.played, e.starred,"
    " EXISTS (SELECT 1 FROM downloads d WHERE d.episode_id = e.id)"
    " FROM episodes e CROSS JOIN podcasts p ON p.id = e.podcast_id LEFT JOIN progress g ON g.episode_id = e.id"
)
_GIVEN = "(SELECT value FROM json_each(?))"
_NEWEST_FIRST = 20_000
_NEWEST = "SELECT e.sort FROM episodes e ORDER BY e.sort DESC LIMIT 1 OFFSET ?"
# Each episode that is added counts the first one up; each that is removed, or stands elsewhere now, the second.
_STATE = ", ".join(
    f"(SELECT seq FROM sqlite_sequence WHERE name = '{table}')" for table in ("episodes", "search_changes")
)


@dataclass(frozen=True, slots=True)
class EpisodeDetails:
    """What a feed says of an episode beyond its row; `extra` is a JSON object, "" for nothing."""

    notes: str = ""
    image_url: str = ""
    season: int | None = None
    number: str = ""
    explicit: bool = False
    chapters_url: str = ""
    transcripts: tuple[TranscriptRef, ...] = ()
    extra: str = ""


class Episodes:
    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._anchors = KnownRowMarks()

    # -- reading ----------------------------------------------------------------------------------------------

    def get(self, episode_id: EpisodeId) -> Episode:
        """Raises NotFound."""
        with self._connections.reading() as connection:
            return _get(connection, episode_id)

    def rows(self, ids: "Sequence[EpisodeId] | array[int]") -> list[Episode]:
        """The rows of these episodes, in the order of `ids`; those that are gone are left out."""
        with self._connections.reading() as connection:
            rows = connection.execute(f"{_ROW} WHERE e.id IN {_GIVEN}", (json.dumps(list(ids)),))
            found = {row[0]: _episode(row) for row in rows}
        return [found[episode_id] for episode_id in ids if episode_id in found]

    def ids(self, query: EpisodeQuery) -> "array[int]":
        """The episodes of a list, from its top."""
        sql, values = _ids_sql(query)
        with self._connections.reading() as connection:
            return array("q", chain.from_iterable(connection.execute(sql, values)))

    def listing(self, query: EpisodeQuery, unwanted: Callable[[], bool] = lambda: False) -> Listing:
        """The same list, to be read where it is looked at.

        With a `text`, the newest MOST_FILTERED; of what is in progress, as many that were heard last. A filter that is
        `unwanted` meanwhile raises Interrupted soon.
        """
        if query.limit is not None:
            return WholeList(self.ids(query))
        if query.text or query.view is View.IN_PROGRESS:
            return self._first_of(query, unwanted)
        terms, values = _listed(query)
        sql, count_values = _count_sql(query, terms, values)
        with self._connections.reading() as connection:
            count, *state = connection.execute(f"SELECT coalesce(({sql}), 0), {_STATE}", count_values).fetchone()
            check_kinds((), (count,))
        kept = None if query.unplayed or query.view is View.STARRED else self._anchors.of(query, tuple(state))
        return IndexedList(self._connections, terms, values, count, kept)

    def _first_of(self, query: EpisodeQuery, unwanted: Callable[[], bool]) -> WholeList:
        """The first of them. What many titles have is found among the newest, before all are looked through."""
        wanted = replace(query, limit=MOST_FILTERED + 1)
        ids: array[int] = array("q")
        with self._connections.reading(unwanted) as connection:
            if _looks_through_all(query) and (row := connection.execute(_NEWEST, (_NEWEST_FIRST,)).fetchone()):
                sql, values = _ids_sql(wanted, since=row[0])
                ids.extend(chain.from_iterable(connection.execute(sql, values)))
            if len(ids) <= MOST_FILTERED:
                sql, values = _ids_sql(wanted)
                ids = array("q", chain.from_iterable(connection.execute(sql, values)))
        return WholeList(ids[:MOST_FILTERED], more=len(ids) > MOST_FILTERED)

    def find(self, text: str) -> Episode:
        """By number or title. Raises NotFound or Ambiguous."""
        with self._connections.reading() as connection:
            return _get(connection, find_id(connection, "episodes", "episode", text))

    def in_progress_since(self, moment: datetime) -> list[Episode]:
        """Those heard since then that aren't heard to their end."""
        with self._connections.reading() as connection:
            rows = connection.execute(
                f"{_ROW} WHERE e.played = 0 AND e.id IN"
                " (SELECT episode_id FROM progress WHERE saved_at >= ? AND position_ms > 0)",
                (stored(moment),),
            )
            return [_episode(row) for row in rows]

    def notes(self, episode_id: EpisodeId) -> str:
        """The notes as the feed has them, HTML or plain text; "" when there are none."""
        with self._connections.reading() as connection:
            row = connection.execute("SELECT notes FROM details WHERE episode_id = ?", (episode_id,)).fetchone()
            check_kinds(row or ())
        return row[0] if row else ""

    def details(self, episode_id: EpisodeId) -> EpisodeDetails:
        """Raises NotFound."""
        with self._connections.reading() as connection:
            row = connection.execute(
                "SELECT notes, image_url, season, number, explicit, chapters_url, transcripts, extra FROM details"
                " WHERE episode_id = ?",
                (episode_id,),
            ).fetchone()
            if row is None:
                _get(connection, episode_id)
                raise LookupError("an episode without its details")
            notes, image_url, season, number, explicit, chapters_url, transcripts, extra = row
            check_kinds((notes, image_url, number, chapters_url, extra), (season,))
            refs = tuple(TranscriptRef(*ref) for ref in json.loads(transcripts))
        return EpisodeDetails(notes, image_url, season, number, bool(explicit), chapters_url, refs, extra)

    def counts(self) -> ViewCounts:
        with self._connections.reading() as connection:
            row = connection.execute(
                "SELECT (SELECT coalesce(sum(episodes), 0) FROM podcast_counts),"
                " (SELECT count(*) FROM progress g CROSS JOIN episodes e ON e.id = g.episode_id"
                "  WHERE g.position_ms > 0 AND e.played = 0),"
                " (SELECT count(*) FROM episodes WHERE starred = 1),"
                " (SELECT count(*) FROM episodes WHERE starred = 1 AND played = 0)"
            ).fetchone()
            check_kinds((), row)
        return ViewCounts(*row)

    # -- writing ----------------------------------------------------------------------------------------------

    def set_starred(self, ids: Sequence[EpisodeId], starred: bool) -> None:
        with self._connections.writing() as connection:
            connection.execute(
                f"UPDATE episodes SET starred = ? WHERE id IN {_GIVEN}", (int(starred), json.dumps(list(ids)))
            )

    def set_played(self, ids: Sequence[EpisodeId], played: bool) -> None:
        """A place stays beneath the mark: unmarking brings it back."""
        with self._connections.writing() as connection:
            connection.execute(
                f"UPDATE episodes SET played = ? WHERE id IN {_GIVEN}", (int(played), json.dumps(list(ids)))
            )


def _episode(row: tuple[Any, ...]) -> Episode:
    row_id, podcast_id, podcast, title, guid, url, media_type, size, link, *rest = row
    published, duration_ms, position_ms, played, starred, downloaded = rest
    check_kinds((podcast, title, guid, url, media_type, link), (size, duration_ms, position_ms))
    return Episode(
        id=row_id,
        podcast_id=podcast_id,
        podcast=podcast,
        title=title,
        guid=guid,
        url=url,
        media_type=media_type,
        size=size,
        link=link,
        published=moment_maybe(published),
        duration_ms=duration_ms,
        position_ms=position_ms,
        played=bool(played),
        starred=bool(starred),
        downloaded=bool(downloaded),
    )


def _get(connection: sqlite3.Connection, episode_id: int) -> Episode:
    row = connection.execute(f"{_ROW} WHERE e.id = ?", (episode_id,)).fetchone()
    if row is None:
        raise _gone()
    return _episode(row)


def _gone() -> NotFound:
    return NotFound("That episode is no longer in the library", "`earmark episodes` lists what it has.")


def _ids_sql(query: EpisodeQuery, since: int | None = None) -> tuple[str, list[str | int]]:
    """The statement for a list. Without `text` an index gives all of it, in order, and nothing else is read.

    With `text` the titles of a podcast are read through its index. Those of everything are read in the order of the
    file and what fits is sorted; a plus keeps SQLite from the index. A million titles: 0.2 s instead of 1.4 s. Only
    those `since` a moment (a sort key) are read through the index.
    """
    words = fold(query.text).split()
    by_file = "+" if _looks_through_all(query) and since is None else ""
    source, order = "episodes e", f"{by_file}e.sort DESC, e.id"
    listed, ids = _listed(query)
    terms: list[str] = [f"{by_file}{term}" for term in listed]
    values: list[str | int] = [*ids]
    if query.view is View.IN_PROGRESS:
        source, order = "progress g CROSS JOIN episodes e ON e.id = g.episode_id", "g.saved_at DESC, e.id"
        terms += ["g.position_ms > 0", "e.played = 0"]
    if since is not None:
        terms.append("e.sort >= ?")
        values.append(since)
    for word in words:
        terms.append("instr(e.folded, ?) > 0")
        values.append(word)
    where = f" WHERE {' AND '.join(terms)}" if terms else ""
    limit = "" if query.limit is None else " LIMIT ?"
    if query.limit is not None:
        values.append(query.limit)
    return f"SELECT e.id FROM {source}{where} ORDER BY {order}{limit}", values


def _looks_through_all(query: EpisodeQuery) -> bool:
    return bool(query.text.strip()) and query.podcast_id is None and query.view is View.ALL


def _listed(query: EpisodeQuery) -> tuple[list[str], list[int]]:
    """Which episodes are in a list, but for its text."""
    terms: list[str] = []
    values: list[int] = []
    if query.view is View.STARRED:
        terms.append("e.starred = 1")
    if query.podcast_id is not None:
        terms.append("e.podcast_id = ?")
        values.append(query.podcast_id)
    if query.unplayed and query.view is not View.IN_PROGRESS:
        terms.append("e.played = 0")
    return terms, values


def _count_sql(query: EpisodeQuery, terms: Sequence[str], values: Sequence[int]) -> tuple[str, Sequence[int]]:
    """Counted by the triggers already, but for the few that are starred."""
    if query.view is View.STARRED:
        return f"SELECT count(*) FROM episodes e WHERE {' AND '.join(terms)}", values
    column = "unplayed" if query.unplayed else "episodes"
    if query.podcast_id is None:
        return f"SELECT coalesce(sum({column}), 0) FROM podcast_counts", ()
    return f"SELECT {column} FROM podcast_counts WHERE podcast_id = ?", (query.podcast_id,)
