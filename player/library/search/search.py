"""Finds episodes by the words of their titles, notes and transcripts, best matches first, and where the words are
said."""

import json
import logging
import sqlite3
from array import array
from collections.abc import Callable, Sequence
from heapq import merge
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from player.errors import LibraryError
from player.library.database.connections import Connections
from player.library.database.sqlite_errors import Interrupted, library_error
from player.library.episodes import Episodes
from player.library.lists import compiler
from player.library.lists.compiler import BY_DATE
from player.library.lists.listing import MOST_FILTERED, DatedIds, Listing, WholeList, dated_ids, first_ids, ids_of
from player.library.lists.ordering import ID_MASK
from player.library.search.index import SearchIndex, plain
from player.library.search.query import parse, titled
from player.library.search.spoken_hits import SpokenHit, spoken_hits
from player.library.search.transcript_index import lines_of, texts_of
from player.library.search.words import LOOKED_AT, Words, excerpt
from player.model.episode import Episode, EpisodeId
from player.model.filters import EVERYTHING, EpisodeFilter, Order, State, Term, View
from player.text.sentences import _

log = logging.getLogger(__name__)

_STEPS_BETWEEN_LOOKS = 2000
MOST_SORTED = 50_000
"""The most episodes found by words that are sorted in an order other than newest first: 0.3 s."""


class Found(Struct, frozen=True):
    """`ids` in order; `more`: there are more than were asked for. `problems` are the parts that weren't understood."""

    ids: "array[int]"
    more: bool = False
    terms: tuple[Term, ...] = ()
    speakers: tuple[Term, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def is_said(self) -> bool:
        """Whether only episodes with transcripts can be found."""
        return bool(self.speakers) or any(term.said for term in self.terms)


class Passage(NamedTuple):
    """Text around a match; `hit` is its sentence, if it is from a transcript."""

    text: str
    hit: SpokenHit | None = None

    @property
    def at_ms(self) -> int | None:
        """When it is said."""
        return self.hit.at_ms if self.hit else None


class Places(NamedTuple):
    """How many of the episodes found have all words in their titles, how many others in their notes, and how many only
    in their transcripts."""

    titles: int
    notes: int
    transcripts: int


class EpisodeSearch:
    """Searches the index, which may be a few seconds behind the library: `left` episodes are still to be indexed."""

    def __init__(self, index: SearchIndex, connections: Connections) -> None:
        self._index = index
        self._connections = connections

    def find(
        self, text: str, limit: int, *, best: bool = False, cancelled: Callable[[], bool] = lambda: False
    ) -> Found:
        """At most `limit` episodes. Raises LibraryError, and Interrupted soon after it is `cancelled`."""
        query = parse(text)
        chosen, order = query.filter, query.order
        if chosen == EVERYTHING and order is None:
            return Found(array("q"), problems=query.problems)
        if order in (None, Order.NEWEST):
            ids = self.ids(chosen, limit + 1, best=best and order is None, cancelled=cancelled)
        else:
            ids = self.in_order(chosen, order or Order.NEWEST, limit + 1, cancelled).ids
        if query.limit is not None:
            ids = ids[: query.limit]
        return Found(ids[:limit], len(ids) > limit, chosen.terms, chosen.speakers, query.problems)

    def ids(
        self, chosen: EpisodeFilter, limit: int, *, best: bool = False, cancelled: Callable[[], bool] = lambda: False
    ) -> "array[int]":
        """At most `limit` episodes that match a filter, the newest or the best first. Raises as `find`."""
        try:
            with self._index.reading() as connection:
                connection.set_progress_handler(cancelled, _STEPS_BETWEEN_LOOKS)
                return _ids(connection, chosen, limit, best=best)
        except sqlite3.DatabaseError as error:
            raise self._failure(error) from error

    def in_order(
        self, chosen: EpisodeFilter, order: Order, limit: int, cancelled: Callable[[], bool] = lambda: False
    ) -> DatedIds:
        """At most `limit` episodes that match a filter, in any order. Raises as `find`.

        If the filter has words, only the newest MOST_SORTED matches are sorted.
        """
        found = self.ids(chosen, MOST_SORTED, cancelled=cancelled) if chosen.needs_words else None
        with self._connections.reading(cancelled) as connection:
            if found is None:
                return first_ids(connection, chosen, order, limit)
            return dated_ids(connection, compiler.select(EVERYTHING, order, among=found, limit=limit, dated=True))

    def places(self, found: Found, cancelled: Callable[[], bool] = lambda: False) -> Places | None:
        """Where the words of `found` are; None without words, or if words must be said. Raises as `find`."""
        terms = [term for term in found.terms if not term.left_out]
        if found.is_said or not terms:
            return None
        try:
            with self._index.reading() as connection:
                connection.set_progress_handler(cancelled, _STEPS_BETWEEN_LOOKS)
                numbers = _numbers(connection, found.ids)
                titles, written = (_having(connection, numbers, terms, columns) for columns in ("title", "title notes"))
        except sqlite3.DatabaseError as error:
            raise self._failure(error) from error
        return Places(titles, written - titles, len(numbers) - written)

    def passages(self, episodes: Sequence[Episode], found: Found, width: int) -> list[Passage]:
        """For each episode, about `width` characters around the first match.

        They come from the notes, or from the transcript if title and notes don't have all of the words.
        """
        try:
            with self._connections.watched(), self._index.reading() as connection:
                return [_passage(connection, one, found, width) for one in episodes]
        except sqlite3.DatabaseError as error:
            raise self._failure(error) from error

    def spoken_hits(self, episode_id: EpisodeId, found: Found) -> list[SpokenHit]:
        """Where the words are said in an episode."""
        try:
            with self._connections.watched(), self._index.reading() as connection:
                texts = texts_of(connection, episode_id)
                return spoken_hits(texts, found.terms, found.speakers) if texts else []
        except sqlite3.DatabaseError as error:
            raise self._failure(error) from error

    def said_at(self, episode_id: EpisodeId, hit: SpokenHit) -> int | None:
        """When the first word of a hit is said, in ms, as exactly as the transcript tells."""
        try:
            with self._connections.watched(), self._index.reading() as connection:
                lines = lines_of(connection, episode_id)
        except sqlite3.DatabaseError as error:
            raise self._failure(error) from error
        # The transcript may have changed since it was indexed.
        same = hit.line < len(lines) and lines[hit.line].start_ms == hit.at_ms
        return lines[hit.line].said_at(hit.begin) if same else hit.at_ms

    def speakers(self, limit: int) -> list[str]:
        """The names of the speakers in transcripts, those of most episodes first."""
        try:
            with self._index.reading() as connection:
                sql = "SELECT name FROM speakers GROUP BY name ORDER BY count(*) DESC, name LIMIT ?"
                return [row[0] for row in connection.execute(sql, (limit,))]
        except sqlite3.DatabaseError as error:
            raise self._failure(error) from error

    def with_transcripts(self, ids: "array[int]") -> set[int]:
        """The episodes with a transcript that can be searched."""
        try:
            with self._index.reading() as connection:
                sql = "SELECT episode_id FROM heard WHERE episode_id IN (SELECT value FROM json_each(?))"
                return {row[0] for row in connection.execute(sql, (json.dumps(ids.tolist()),))}
        except sqlite3.DatabaseError as error:
            raise self._failure(error) from error

    def close(self) -> None:
        """Closes the connection that is kept for the next search."""
        self._index.close()

    def left(self) -> int:
        """How many episodes aren't indexed yet."""
        with self._connections.watched():
            return self._index.left()

    def catch_up(self, enough: Callable[[], bool] = lambda: False, *, in_bulk: bool = False) -> bool:
        """Indexes everything in the library; False when `enough` stopped it before the end. Raises LibraryError."""
        with self._connections.watched():
            return self._index.catch_up(self._forget, enough, in_bulk=in_bulk)

    def _forget(self, change_id: int) -> None:
        with self._connections.writing() as connection:
            connection.execute("DELETE FROM search_changes WHERE id <= ?", (change_id,))

    def _failure(self, error: sqlite3.DatabaseError) -> Exception:
        """The error to raise for a failed search. A damaged index is deleted, and rebuilt later."""
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT:
            return Interrupted()
        if isinstance(error, sqlite3.OperationalError):
            return library_error(error, self._index.library) or error
        log.warning("the search index is damaged: %s", error)
        self._index.throw_away()
        return LibraryError(_("The search index was damaged"), _("It is being rebuilt; search again in a moment."))

    def titles(self, text: str, limit: int, cancelled: Callable[[], bool] = lambda: False) -> Found | None:
        """At most `limit` episodes whose titles have words that begin like those of `text`, the newest first.

        None if the index can't tell: no word is long enough, no title has such words, the index is behind the library,
        or more than `limit` titles would have to be read to check the rest of the text.
        """
        terms, parts = titled(text)
        if not terms or self.left():
            return None
        try:
            with self._index.reading() as connection:
                connection.set_progress_handler(cancelled, _STEPS_BETWEEN_LOOKS)
                rows = connection.execute(*compiler.select_titles(terms, limit + 1))
                ids = array("q", (row[0] & ID_MASK for row in rows))
                more = len(ids) > limit
                if parts and more:
                    return None
                # In the order of a list.
                fitting = compiler.select(EpisodeFilter(title=" ".join(parts)), among=ids[:limit])
                ids = ids_of(connection, fitting)
        except sqlite3.DatabaseError as error:
            raise self._failure(error) from error
        return Found(ids, more, terms) if ids or more else None


def _ids(connection: sqlite3.Connection, chosen: EpisodeFilter, limit: int, *, best: bool) -> "array[int]":
    if (known := compiler.with_podcasts(connection, chosen)) is None:
        return array("q")
    chosen = known
    stages = compiler.matches(chosen, best=best)
    if not stages:
        return first_ids(connection, chosen, Order.NEWEST, limit).ids
    found: dict[int, None] = {}
    for stage in stages:
        statements = [compiler.select(chosen, match=match, limit=limit) for match in stage]
        rows = [connection.execute(*one) for one in statements]
        found.update(dict.fromkeys(row[0] & ID_MASK for row in merge(*rows, reverse=True)))
        if len(found) >= limit:
            break
    return array("q", list(found)[:limit])


def _numbers(connection: sqlite3.Connection, ids: "array[int]") -> set[int]:
    """The numbers of episodes in the full-text indexes."""
    sql = f"SELECT row_number(sort, id) FROM lib.episodes WHERE id IN {compiler.GIVEN}"
    return {row[0] for row in connection.execute(sql, (json.dumps(ids.tolist()),))}


def _having(connection: sqlite3.Connection, numbers: set[int], terms: Sequence[Term], columns: str) -> int:
    """How many of the numbered episodes have all terms in these columns."""
    sql = "SELECT rowid FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ?"
    first, last = min(numbers, default=0), max(numbers, default=0)
    rows = connection.execute(sql, (compiler.expression(terms, columns), first, last))
    return sum(row[0] in numbers for row in rows)


def _passage(connection: sqlite3.Connection, episode: Episode, found: Found, width: int) -> Passage:
    sql = "SELECT notes FROM lib.details WHERE episode_id = ?"
    notes = plain((connection.execute(sql, (episode.id,)).fetchone() or ("",))[0])
    if found.is_said or not _all_in(f"{episode.title}\n{notes}"[:LOOKED_AT], found.terms):
        texts = texts_of(connection, episode.id)
        for hit in spoken_hits(texts, found.terms, found.speakers, 1) if texts else ():
            return Passage(excerpt(f"{hit.text} {hit.after}", found.terms, width), hit)
    return Passage(excerpt(notes, found.terms, width))


def _all_in(text: str, terms: Sequence[Term]) -> bool:
    words = Words(text)
    return all(words.have(term) for term in terms if not term.left_out)


def filtered(search: EpisodeSearch, episodes: Episodes, view: View, cancelled: Callable[[], bool]) -> Listing:
    """A view with words or a title that no podcast has in its name. Raises Interrupted."""
    if view.filter.needs_words:
        return _with_words(search, episodes, view, cancelled)
    found = _with_title(search, episodes, view, cancelled)
    return episodes.listing(view, cancelled) if found is None else found


def _with_words(search: EpisodeSearch, episodes: Episodes, view: View, cancelled: Callable[[], bool]) -> Listing:
    """The episodes of a search, in the view's order."""
    if view.order is Order.NEWEST:
        ids = search.ids(view.filter, MOST_FILTERED + 1, cancelled=cancelled)
        found = episodes.among(ids[:MOST_FILTERED], View())
        found.more = len(ids) > MOST_FILTERED
        return found
    ids, sorts = search.in_order(view.filter, view.order, MOST_FILTERED + 1, cancelled)
    in_order = sorts[:MOST_FILTERED] if view.order in BY_DATE else None
    return WholeList(ids[:MOST_FILTERED], more=len(ids) > MOST_FILTERED, sorts=in_order)


def _with_title(
    search: EpisodeSearch, episodes: Episodes, view: View, cancelled: Callable[[], bool]
) -> WholeList | None:
    """The titles that the full-text index finds; None if all titles have to be searched."""
    of_everything = replace(view.whole.filter, states=view.filter.states - {State.UNPLAYED}) == EVERYTHING
    found = search.titles(view.title, MOST_FILTERED, cancelled) if of_everything and view.order in BY_DATE else None
    if found is not None and view.whole == View():
        return WholeList(found.ids, more=found.more)
    if found is not None and not found.more:
        return episodes.among(found.ids, view.whole)
    return None
