"""Episodes by the words of their titles, notes and transcripts: the newest first, or the best first, as few as are
looked at.
"""

import json
import logging
import sqlite3
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import merge
from typing import Any, NamedTuple

from player.errors import LibraryError
from player.library.database.connections import Connections
from player.library.database.sqlite_errors import Interrupted, library_error
from player.library.database.timestamps import stored
from player.library.search.index import ID_MASK, SearchIndex, first_number, plain, podcast_word
from player.library.search.query import (
    LOOKED_AT,
    Search,
    Term,
    excerpt,
    expression,
    hits,
    in_titles,
    titled,
    understand,
)
from player.library.search.snippets import said_at
from player.library.search.transcript_index import texts_of
from player.model.episode import Episode
from player.text.sentences import _

log = logging.getLogger(__name__)

_STEPS_BETWEEN_LOOKS = 2000
_IN_TITLES = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?"
_NAMED_PODCASTS = 100
"""Podcasts that are looked up in the index by name; more of them are sorted out row by row."""
_MARKS = {
    "unplayed": "e.played = 0",
    "played": "e.played = 1",
    "starred": "e.starred = 1",
    "in-progress": "e.played = 0 AND e.id IN (SELECT episode_id FROM lib.progress WHERE position_ms > 0)",
    "downloaded": "e.id IN (SELECT episode_id FROM lib.downloads)",
}


@dataclass(frozen=True, slots=True)
class Found:
    """`ids` in order; `more`: there are more than were asked for. `problems` are what was not understood.

    `spoken`: only transcripts were looked at.
    """

    ids: "array[int]"
    more: bool = False
    terms: tuple[Term, ...] = ()
    problems: tuple[str, ...] = ()
    spoken: bool = False


class Passage(NamedTuple):
    """A line around what was found; `at_ms` is when it is said, where it is."""

    text: str
    at_ms: int | None = None


class EpisodeSearch:
    """Searches the index, which may be a few seconds behind the library: `left` tells by how many episodes."""

    def __init__(self, index: SearchIndex, connections: Connections) -> None:
        self._index = index
        self._connections = connections

    def find(self, text: str, limit: int, *, best: bool = False, unwanted: Callable[[], bool] = lambda: False) -> Found:
        """At most `limit` episodes. Raises Interrupted soon after it is `unwanted`, and LibraryError."""
        search = understand(text)
        if search.empty:
            return Found(array("q"), problems=search.problems)
        try:
            ids = self._ask(search, limit + 1, best=best, unwanted=unwanted)
        except sqlite3.DatabaseError as error:
            raise self._told(error) from error
        return Found(ids[:limit], len(ids) > limit, search.terms, search.problems, search.spoken)

    def passages(self, episodes: Sequence[Episode], found: Found, width: int) -> list[Passage]:
        """For each, about `width` characters around the first word that was looked for: of its notes, or where title
        and notes don't have all of them, of what is said."""
        try:
            with self._connections.watched(), self._index.reading() as connection:
                return [_passage(connection, one, found, width) for one in episodes]
        except sqlite3.DatabaseError as error:
            raise self._told(error) from error

    def with_transcripts(self, ids: "array[int]") -> set[int]:
        """Those of which something that is said can be found."""
        try:
            with self._index.reading() as connection:
                sql = "SELECT episode_id FROM heard WHERE episode_id IN (SELECT value FROM json_each(?))"
                return {row[0] for row in connection.execute(sql, (json.dumps(ids.tolist()),))}
        except sqlite3.DatabaseError as error:
            raise self._told(error) from error

    def left(self) -> int:
        """How many episodes can't be found yet."""
        with self._connections.watched():
            return self._index.left()

    def catch_up(self, enough: Callable[[], bool] = lambda: False, *, in_bulk: bool = False) -> bool:
        """Makes all that is in the library findable; False when it was `enough` before. Raises LibraryError."""
        with self._connections.watched():
            return self._index.catch_up(self._forget, enough, in_bulk=in_bulk)

    def _forget(self, change_id: int) -> None:
        with self._connections.writing() as connection:
            connection.execute("DELETE FROM search_changes WHERE id <= ?", (change_id,))

    def _told(self, error: sqlite3.DatabaseError) -> Exception:
        """What a failed search means. An index that is damaged is thrown away: it will be made again."""
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT:
            return Interrupted()
        if isinstance(error, sqlite3.OperationalError):
            return library_error(error, self._index.library) or error
        log.warning("the search index is damaged: %s", error)
        self._index.throw_away()
        return LibraryError(_("The search index was damaged"), _("It is being rebuilt; search again in a moment."))

    def titles(self, text: str, limit: int, unwanted: Callable[[], bool] = lambda: False) -> Found | None:
        """At most `limit` episodes with words in their titles that begin so, the newest first.

        None when the index can't tell: no word is long enough, or none begins so, or more than `limit` titles would
        have to be looked at for the rest of the text, or the index is behind the library.
        """
        terms, parts = titled(text)
        if not terms or self.left():
            return None
        try:
            with self._index.reading() as connection:
                connection.set_progress_handler(unwanted, _STEPS_BETWEEN_LOOKS)
                rows = connection.execute(_IN_TITLES, (expression(terms, "title"), limit + 1))
                ids = array("q", (row[0] & ID_MASK for row in rows))
                more = len(ids) > limit
                if parts and more:
                    return None
                ids = _as_listed(connection, ids[:limit], parts)
        except sqlite3.DatabaseError as error:
            raise self._told(error) from error
        return Found(ids, more, terms) if ids or more else None

    def _ask(self, search: Search, limit: int, *, best: bool, unwanted: Callable[[], bool]) -> "array[int]":
        with self._index.reading() as connection:
            connection.set_progress_handler(unwanted, _STEPS_BETWEEN_LOOKS)
            podcasts = None
            if search.podcasts:
                podcasts = podcasts_named(connection, search.podcasts)
                if not podcasts:
                    return array("q")
            found: dict[int, None] = {}
            for asked in _asked(search, best=best):
                statements = [statement(search, table, words, podcasts, limit) for table, words in asked]
                rows = [connection.execute(*one) for one in statements]
                found.update(dict.fromkeys(row[0] & ID_MASK for row in merge(*rows, reverse=True)))
                if len(found) >= limit:
                    break
            return array("q", list(found)[:limit])


def _as_listed(connection: sqlite3.Connection, ids: "array[int]", parts: Sequence[str]) -> "array[int]":
    """Those of the episodes whose titles have all the parts in them, in the order of a list."""
    sql, values = listed_sql(ids, parts)
    return array("q", (row[0] for row in connection.execute(sql, values)))


def listed_sql(ids: "array[int]", parts: Sequence[str]) -> tuple[str, list[Any]]:
    fitting = "".join(" AND instr(e.folded, ?) > 0" for _ in parts)
    sql = f"SELECT e.id FROM lib.episodes e WHERE e.id IN (SELECT value FROM json_each(?)){fitting}"
    return f"{sql} ORDER BY e.sort DESC, e.id", [json.dumps(ids.tolist()), *parts]


def _passage(connection: sqlite3.Connection, episode: Episode, found: Found, width: int) -> Passage:
    sql = "SELECT notes FROM lib.details WHERE episode_id = ?"
    notes = plain((connection.execute(sql, (episode.id,)).fetchone() or ("",))[0])
    texts = texts_of(connection, episode.id)
    if texts and (found.spoken or not _all_in(f"{episode.title}\n{notes}"[:LOOKED_AT], found.terms)):
        at = said_at(texts.lines, found.terms)
        if at is not None:
            return Passage(
                excerpt(_around(texts.lines, at, found.terms, width), found.terms, width), texts.starts_ms[at]
            )
    return Passage(excerpt(notes, found.terms, width))


def _all_in(text: str, terms: Sequence[Term]) -> bool:
    return all(hits(text, (term,)) for term in terms if not term.left_out)


def _around(lines: Sequence[str], at: int, terms: Sequence[Term], width: int) -> str:
    """The line, and those after it for as long as there is room, or words that were looked for are still to come."""
    text = lines[at]
    for line in lines[at + 1 :]:
        if len(text) + len(line) >= width and hits(text, terms):
            break
        text += f" {line}"
    return text


Asked = tuple[str, str]
"""An index, and what is looked for there."""


def _asked(search: Search, *, best: bool) -> list[list[Asked]]:
    """What is asked, one after the other until there is enough; what is asked together is put in one order."""
    if search.spoken:
        return [[("spoken", expression(search.terms, "transcript"))]]
    said = ("spoken", expression(search.terms, "title notes transcript"))
    if not said[1]:
        return [[("words", "")]]
    if best:
        return [*([("words", words)] for words in _rated(search.terms)), [said]]
    return [[("words", expression(search.terms)), said]]


def _rated(terms: tuple[Term, ...]) -> tuple[str, ...]:
    """The best first: all words in the title, then some of them, then all in title and notes.

    Not by bm25: that counts all episodes with each word before the first is rated, 0.3 s of a million.
    """
    words = expression(terms)
    return expression(terms, "title"), f"({in_titles(terms)}) AND ({words})", words


def podcasts_named(connection: sqlite3.Connection, parts: tuple[str, ...]) -> list[int]:
    where = " OR ".join("instr(folded, ?) > 0" for _ in parts)
    return [row[0] for row in connection.execute(f"SELECT id FROM lib.podcasts WHERE {where}", parts)]


def statement(search: Search, index: str, words: str, podcasts: list[int] | None, limit: int) -> tuple[str, list[Any]]:
    """The SQL for a search in one index: the numbers of rows, the newest first.

    Words, podcasts and dates are met in the index; marks are looked up row by row.

    Few are starred, in progress or downloaded: then those are gone through, and each is looked up in the index.
    """
    match, terms, values = _match(words, podcasts)
    few = [mark for mark in ("in-progress", "downloaded", "starred") if mark in search.marks]
    for mark in sorted(search.marks):
        terms.append(_MARKS[mark])
    if podcasts is not None and len(podcasts) > _NAMED_PODCASTS:
        terms.append("e.podcast_id IN (SELECT value FROM json_each(?))")
        values.append(json.dumps(podcasts))
    if few or not match:
        return _from_library(search, index, few, match, terms, values, limit)
    for moment, sign in ((search.after, ">="), (search.before, "<")):
        if moment is not None:
            terms.append(f"w.rowid {sign} ?")
            values.append(first_number(stored(moment)))
    source = f"{index} w CROSS JOIN lib.episodes e ON e.id = w.rowid & {ID_MASK}"
    where = " AND ".join([f"{index} MATCH ?", *terms])
    return f"SELECT w.rowid FROM {source} WHERE {where} ORDER BY w.rowid DESC LIMIT ?", [match, *values, limit]


def _match(words: str, podcasts: list[int] | None) -> tuple[str, list[str], list[Any]]:
    if podcasts is None or len(podcasts) > _NAMED_PODCASTS:
        return words, [], []
    named = f"podcast : ({' OR '.join(map(podcast_word, podcasts))})"
    return f"{named} AND ({words})" if words else named, [], []


def _from_library(
    search: Search, index: str, few: Sequence[str], match: str, terms: list[str], values: list[Any], limit: int
) -> tuple[str, list[Any]]:
    source = "lib.episodes e"
    if index == "spoken" and not match:
        terms.append("e.id IN (SELECT episode_id FROM heard)")
    if "in-progress" in few:
        source = "lib.progress g CROSS JOIN lib.episodes e ON e.id = g.episode_id"
    elif "downloaded" in few:
        source = "lib.downloads g CROSS JOIN lib.episodes e ON e.id = g.episode_id"
    for moment, sign in ((search.after, ">="), (search.before, "<")):
        if moment is not None:
            terms.append(f"e.sort {sign} ?")
            values.append(stored(moment))
    if match:
        source += f" CROSS JOIN {index} w"
        terms += [f"{index} MATCH ?", "w.rowid = row_number(e.sort, e.id)"]
        values.append(match)
    sql = f"SELECT row_number(e.sort, e.id) FROM {source} WHERE {' AND '.join(terms)}"
    return f"{sql} ORDER BY e.sort DESC, e.id LIMIT ?", [*values, limit]
