"""A filter as SQL. Pure; which index gives the episodes is decided here alone.

The cases, fastest where measured with a million episodes:

- what is in progress, downloaded, queued or new is little: those are gone through, and each is looked up;
- everything, a podcast or what is starred comes from an index of its own, in order; unplayed or not is checked row by
  row, and so is a title where one of these narrows it;
- titles, lengths and what is played of everything are read in the order of the file, and what fits is sorted: 0.2 s
  instead of 1.4 s. With `since` only the newest are read, through the index, which is where `first_ids` begins;
- words are met in an index of words (FTS5), dates and podcasts as well; the rest is checked row by row;
- what somebody says is met in the index of voices, which has a row for each speaker of an episode.

Names of tables are those of the library and of the index of words, whichever connection has both.
"""

import json
import sqlite3
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import NamedTuple

from msgspec.structs import replace

from player.library.database.values import TOMORROW, stored
from player.library.lists.ordering import ID_MASK, first_number, podcast_word
from player.library.lists.preview_keys import FIRST_KEY, LISTED, PREVIEWS, SUBSCRIBED
from player.model.filters import EVERYTHING, EpisodeFilter, Order, State, Term
from player.model.podcast import PodcastId
from player.text.cleaning import fold

Value = str | int
Sql = tuple[str, list[Value]]

NAMED_PODCASTS = 100
"""The most podcasts that are looked up in the full-text index by name; if there are more, the rest is checked row by
row."""

GIVEN = "(SELECT value FROM json_each(?))"
NOT_LIVE = "NOT EXISTS (SELECT 1 FROM live_shows v WHERE v.episode_id = e.id)"
"""The condition for an episode `e` that is no live show."""

BY_DATE = (Order.NEWEST, Order.OLDEST)

_LENGTH = "coalesce(e.measured_ms, e.duration_ms)"
_NEWEST = "e.sort DESC, e.id"
_OLDEST = "e.sort, e.id DESC"
_QUEUED_FIRST = "u.rank IS NULL, u.rank, e.id"
_ORDERS = {
    Order.NEWEST: _NEWEST,
    Order.OLDEST: _OLDEST,
    Order.LONGEST: f"{_LENGTH} DESC, {_NEWEST}",
    Order.SHORTEST: f"{_LENGTH} IS NULL, {_LENGTH}, {_NEWEST}",
    Order.OWN: _NEWEST,
    Order.LAST_HEARD: f"CASE WHEN g.saved_at > {TOMORROW} THEN 0 ELSE g.saved_at END DESC, e.id",
    Order.QUEUE: _QUEUED_FIRST,
}
_HEARD = "LEFT JOIN progress g ON g.episode_id = e.id"
_QUEUED = "LEFT JOIN queue u ON u.episode_id = e.id"
_TABLES = {State.DOWNLOADED: "downloads d", State.QUEUED: "queue u", State.NEW: "inbox i"}
"""Tables, and their short names, with a row for every episode in that state."""
_HERE = (
    "SELECT episode_id AS id FROM downloads UNION SELECT value FROM json_each(?)"
    " UNION SELECT f.id FROM podcasts q CROSS JOIN episodes f ON f.podcast_id = q.id"
    " WHERE q.url LIKE 'file:%' OR q.url LIKE 'earmark:%'"
)
"""The condition for episodes that can be played without a network: downloaded or cached ones, those of podcasts on this
computer, and the built-in one."""
_SAID_BY = "SELECT v.episode_id AS id FROM voices w CROSS JOIN speakers v ON v.id = w.rowid WHERE voices MATCH ?"
_MARKS = {State.UNPLAYED: "e.played = 0", State.PLAYED: "e.played = 1", State.STARRED: "e.starred = 1"}


class Match(NamedTuple):
    """A full-text index, and the query for it, in the language of FTS5; "": any words."""

    table: str
    words: str


class _Where:
    """Conditions that must all hold, and the values for their question marks."""

    def __init__(self) -> None:
        self.terms: list[str] = []
        self.values: list[Value] = []

    def add(self, term: str, *values: Value) -> None:
        self.terms.append(term)
        self.values += values

    @property
    def sql(self) -> str:
        return where(self.terms)


def where(terms: Sequence[str]) -> str:
    return f" WHERE {' AND '.join(terms)}" if terms else ""


# -- a list -----------------------------------------------------------------------------------------------------------


def is_indexed(chosen: EpisodeFilter) -> bool:
    """Whether an index has these episodes by date, so that their number is known without reading them."""
    words = chosen.title.strip() + chosen.names.strip()
    rest = replace(chosen, title=words, names="", podcasts=frozenset(), states=frozenset())
    return rest == EVERYTHING and len(chosen.podcasts) < 2 and chosen.states <= {State.UNPLAYED, State.STARRED}


def conditions(chosen: EpisodeFilter) -> tuple[list[str], list[Value]]:
    """The conditions on the table `episodes e` for a filter that `is_indexed`, and their values.

    The caller must add the conditions of `listed`, or end the list where previews begin.
    """
    found = _Where()
    _narrow(found, chosen, checked=frozenset())
    return found.terms, found.values


def listed(chosen: EpisodeFilter) -> tuple[str, ...]:
    """The condition that leaves out previews. They are shown if their podcast is asked for, or in lists that only the
    listener fills: the queue and the downloads."""
    own = {State.QUEUED, State.DOWNLOADED} & chosen.states
    return () if chosen.podcasts or own else (LISTED,)


def count(chosen: EpisodeFilter) -> Sql:
    """How many episodes match a filter that `is_indexed`: triggers keep the counts, except for the few starred ones."""
    if State.STARRED in chosen.states:
        terms, values = conditions(chosen)
        return f"SELECT count(*) FROM episodes e{where([*terms, *listed(chosen)])}", values
    column = "unplayed" if State.UNPLAYED in chosen.states else "episodes"
    if not chosen.podcasts:
        return f"SELECT coalesce(sum({column}), 0) FROM podcast_counts WHERE podcast_id NOT IN {PREVIEWS}", []
    return f"SELECT {column} FROM podcast_counts WHERE podcast_id = ?", list(chosen.podcasts)


def reads_all(chosen: EpisodeFilter, order: Order = Order.NEWEST) -> bool:
    """Whether every episode has to be read when few of the newest ones match."""
    narrow = (chosen.podcasts, chosen.podcast_titles, chosen.tags, chosen.before, chosen.needs_words)
    if chosen.here is not None:
        return False
    few = chosen.states - {State.PLAYED, State.UNPLAYED}
    lengths = (chosen.at_least_ms, chosen.under_ms)
    looked_at = chosen.title.strip() or chosen.names.strip() or State.PLAYED in chosen.states or lengths != (None, None)
    return bool(looked_at) and order in BY_DATE and not few and not any(narrow)


def select(
    chosen: EpisodeFilter,
    order: Order = Order.NEWEST,
    *,
    match: Match | None = None,
    among: Sequence[int] | None = None,
    since: int | None = None,
    limit: int | None = None,
    dated: bool = False,
) -> Sql:
    """The episodes of a filter: a column of ids or, with `match`, of numbers in the full-text index, newest first.

    `dated`: a column with their sort keys follows that of ids.

    Only those `since` a time (a sort key), or `among` some ids, if given. `match` is the filter's words as a query for
    one index; without it the words aren't checked.
    """
    found = _Where()
    if match is not None and not {State.IN_PROGRESS, State.STARRED, *_TABLES} & chosen.states:
        source, column, ordered = _from_words(found, chosen, match), "w.rowid", "w.rowid DESC"
    else:
        source, column, ordered = _from_library(found, chosen, order, match, among), "e.id", _NEWEST
        if match is None and among is None and since is None:
            for term in listed(chosen):
                found.add(term)
        if match is not None:
            column = "row_number(e.sort, e.id)"
        else:
            column += ", e.sort" if dated else ""
            ordered = _ORDERS[order]
            if among is None and since is None and reads_all(chosen, order):
                # A plus keeps SQLite from using the index.
                ordered, found.terms = f"+{ordered}", [f"+{term.lstrip('+')}" for term in found.terms]
    if since is not None:
        found.add("e.sort >= ?", max(since, FIRST_KEY))
    sql = f"SELECT {column} FROM {source}{found.sql} ORDER BY {ordered}"
    return (sql, found.values) if limit is None else (f"{sql} LIMIT ?", [*found.values, limit])


def _from_words(found: _Where, chosen: EpisodeFilter, match: Match) -> str:
    words, checked = _in_words(chosen, match)
    found.add(f"{match.table} MATCH ?", words)
    _narrow(found, chosen, checked | {"dates"})
    for day, sign in ((chosen.after, ">="), (chosen.before, "<")):
        if day is not None:
            found.add(f"w.rowid {sign} ?", first_number(sort_key(day)))
    return f"{match.table} w CROSS JOIN episodes e ON e.id = w.rowid & {ID_MASK}"


def _from_library(
    found: _Where, chosen: EpisodeFilter, order: Order, match: Match | None, among: Sequence[int] | None
) -> str:
    source, checked = "episodes e", frozenset[str]()
    if among is not None:
        source = "json_each(?) j CROSS JOIN episodes e ON e.id = j.value"
        found.values.append(json.dumps(sorted(set(among))))
    elif State.IN_PROGRESS in chosen.states:
        source, checked = "progress g CROSS JOIN episodes e ON e.id = g.episode_id", frozenset({State.IN_PROGRESS})
        found.add("g.position_ms > 0")
        found.add("e.played = 0")
    elif few := next((state for state in _TABLES if state in chosen.states), None):
        table = _TABLES[few]
        source, checked = f"{table} CROSS JOIN episodes e ON e.id = {table[-1]}.episode_id", frozenset({few})
    elif chosen.here is not None:
        source, checked = f"({_HERE}) o CROSS JOIN episodes e ON e.id = o.id", frozenset({"here"})
        found.values.append(json.dumps(sorted(chosen.here)))
    elif chosen.speakers:
        source = f"(SELECT DISTINCT id FROM ({_SAID_BY})) o CROSS JOIN episodes e ON e.id = o.id"
        checked = frozenset({"speakers", "transcripts"})
        found.values.append(voices(chosen))
    elif chosen.in_transcripts and match is None:
        source, checked = "heard h CROSS JOIN episodes e ON e.id = h.episode_id", frozenset({"transcripts"})
    if order is Order.LAST_HEARD and State.IN_PROGRESS not in checked:
        source += f" {_HEARD}"
    if order is Order.QUEUE and State.QUEUED not in checked:
        source += f" {_QUEUED}"
    if match is not None:
        words, named = _in_words(chosen, match)
        source += f" CROSS JOIN {match.table} w"
        found.add(f"{match.table} MATCH ?", words)
        found.add("w.rowid = row_number(e.sort, e.id)")
        checked |= named | {"transcripts"}
    _narrow(found, chosen, checked)
    return source


def _in_words(chosen: EpisodeFilter, match: Match) -> tuple[str, frozenset[str]]:
    """The query for a full-text index, and which conditions then needn't be checked row by row."""
    if not chosen.podcasts or len(chosen.podcasts) > NAMED_PODCASTS:
        return match.words, frozenset({"transcripts"})
    named = f"podcast : ({' OR '.join(map(podcast_word, sorted(chosen.podcasts)))})"
    return f"{named} AND ({match.words})" if match.words else named, frozenset({"transcripts", "podcasts"})


def _narrow(found: _Where, chosen: EpisodeFilter, checked: frozenset[str]) -> None:
    """The conditions on a row of `episodes e`, except those that its source has already `checked`."""
    for state in sorted(state for state in chosen.states if state not in checked):
        if state is State.IN_PROGRESS:
            found.add("e.played = 0")
            found.add("EXISTS (SELECT 1 FROM progress WHERE episode_id = e.id AND position_ms > 0)")
        elif state in _TABLES:
            found.add(f"EXISTS (SELECT 1 FROM {_TABLES[state]} WHERE episode_id = e.id)")
        else:
            found.add(_MARKS[state])
    if chosen.here is not None and "here" not in checked:
        found.add(f"e.id IN ({_HERE})", json.dumps(sorted(chosen.here)))
    if chosen.in_transcripts and "transcripts" not in checked:
        found.add("EXISTS (SELECT 1 FROM heard WHERE episode_id = e.id)")
    if chosen.speakers and "speakers" not in checked:
        found.add(f"e.id IN ({_SAID_BY})", voices(chosen))
    if len(chosen.podcasts) == 1 and "podcasts" not in checked:
        found.add("e.podcast_id = ?", *chosen.podcasts)
    elif chosen.podcasts and "podcasts" not in checked:
        found.add(f"e.podcast_id IN {GIVEN}", json.dumps(sorted(chosen.podcasts)))
    if chosen.podcast_titles:
        sql, values = podcasts_named(chosen.podcast_titles)
        found.add(f"e.podcast_id IN ({sql})", *values)
    if chosen.tags:
        sql, values = podcasts_tagged(chosen.tags)
        found.add(f"e.podcast_id IN ({sql})", *values)
    if "dates" not in checked:
        for day, sign in ((chosen.after, ">="), (chosen.before, "<")):
            if day is not None:
                found.add(f"e.sort {sign} ?", sort_key(day))
    for length, sign in ((chosen.at_least_ms, ">="), (chosen.under_ms, "<")):
        if length is not None:
            found.add(f"{_LENGTH} {sign} ?", length)
    for part in fold(chosen.title).split():
        found.add("instr(e.folded, ?) > 0", part)
    for part in fold(chosen.names).split():
        sql, values = podcasts_named((part,))
        found.add(f"(instr(e.folded, ?) > 0 OR e.podcast_id IN ({sql}))", part, *values)


def sort_key(day: date) -> int:
    """The sort key of a day's first moment."""
    return stored(datetime(day.year, day.month, day.day, tzinfo=UTC))


def podcasts_named(parts: Sequence[str]) -> Sql:
    """The podcasts with any of the parts in their titles, the listener's own or the feed's."""
    sql = (
        f"SELECT p.id FROM podcasts p WHERE p.{SUBSCRIBED} AND"
        " EXISTS (SELECT 1 FROM json_each(?) one WHERE instr(p.folded, one.value) > 0"
        " OR (p.own_title <> '' AND instr(fold(p.title), one.value) > 0))"
    )
    return sql, [json.dumps([*map(fold, parts)])]


def podcasts_tagged(tags: Sequence[str]) -> Sql:
    """The podcasts with any of the tags."""
    sql = f"SELECT podcast_id FROM podcast_tags WHERE fold(tag) IN {GIVEN} AND podcast_id NOT IN {PREVIEWS}"
    return sql, [json.dumps([*map(fold, tags)])]


def with_podcasts(connection: sqlite3.Connection, chosen: EpisodeFilter) -> EpisodeFilter | None:
    """The same filter with the podcasts that it names by title or tag; None if there is no such podcast."""
    podcasts = chosen.podcasts
    for parts, sql in ((chosen.podcast_titles, podcasts_named), (chosen.tags, podcasts_tagged)):
        if parts:
            named = frozenset(PodcastId(row[0]) for row in connection.execute(*sql(parts)))
            podcasts = named & podcasts if podcasts else named
            if not podcasts:
                return None
    return replace(chosen, podcasts=podcasts, podcast_titles=(), tags=())


# -- words ------------------------------------------------------------------------------------------------------------


def matches(chosen: EpisodeFilter, *, best: bool = False) -> list[list[Match]]:
    """The queries for the full-text indexes, in stages until there are enough matches; a stage has a single order.

    Empty if they aren't needed. The best come first: all words in the title, then some of them, then all in title and
    notes, then in the transcript. bm25 isn't used: it counts all episodes with each word before the first is rated,
    0.3 s for a million.
    """
    terms = chosen.terms
    if chosen.speakers:
        return []
    if chosen.in_transcripts or any(term.said for term in terms):
        words = expression(terms, "title notes transcript")
        return [[Match("spoken", words)]] if words or 0 < len(chosen.podcasts) <= NAMED_PODCASTS else []
    words = expression(terms)
    if not words:
        # If there are several podcasts, only the full-text index has the episodes in order.
        return [[Match("words", "")]] if 1 < len(chosen.podcasts) <= NAMED_PODCASTS else []
    transcripts = Match("spoken", expression(terms, "title notes transcript"))
    if not best:
        return [[Match("words", words), transcripts]]
    rated = (expression(terms, "title", "title notes"), f"({_in_titles(terms)}) AND ({words})", words)
    return [*([Match("words", one)] for one in rated), [transcripts]]


def select_titles(terms: Sequence[Term], limit: int) -> Sql:
    """The numbers of the episodes with all the terms in their titles, newest first."""
    sql = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?"
    return sql, [expression(terms, "title"), limit]


def expression(terms: Sequence[Term], columns: str = "title notes", left_out_of: str = "") -> str:
    """The terms in the language of FTS5; "" if there are none.

    They must occur in the `columns`, or in the transcript if they are said; excluded terms must not, unless other
    columns are given for them.
    """
    required = [_within(columns, term) for term in terms if not term.left_out]
    if not required:
        return ""
    left_out = "".join(f" NOT {_within(left_out_of or columns, term)}" for term in terms if term.left_out)
    return f"({' AND '.join(required)}){left_out}"


def voices(chosen: EpisodeFilter) -> str:
    """What the speakers of a filter say, in the language of FTS5."""
    named = f"name : ({' OR '.join(map(_phrase, chosen.speakers))})"
    words = expression([replace(term, said=False) for term in chosen.terms], "lines")
    return f"({named}) AND ({words})" if words else named


def _in_titles(terms: Sequence[Term]) -> str:
    """Any of the terms, in a title."""
    return f"title : ({' OR '.join(_phrase(term) for term in terms if not term.left_out)})"


def _within(columns: str, term: Term) -> str:
    return f"{{{'transcript' if term.said else columns}}} : {_phrase(term)}"


def _phrase(term: Term) -> str:
    return f'"{" ".join(term.words)}"{"*" if term.beginning else ""}'
