"""Episodes: which of them a list shows and in which order, their rows, and finding one by its number or title."""

import json
import sqlite3
from array import array
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from msgspec import Struct

from player.errors import Ambiguous, NotFound
from player.library.database.connections import Connections
from player.library.database.values import TOMORROW, as_json, check_kinds, moment_maybe, stored
from player.library.lists import compiler
from player.library.lists.compiler import GIVEN
from player.library.lists.listing import (
    MOST_FILTERED,
    MOST_TAGGED,
    DateCounts,
    DatedIds,
    IndexedList,
    KnownRowMarks,
    Listing,
    Reversed,
    WholeList,
    counts_since,
    dated_ids,
    first_ids,
    ids_of,
)
from player.library.lists.preview_keys import FIRST_KEY, LISTED, PREVIEWS, SUBSCRIBED
from player.model.episode import Episode, EpisodeId, LiveState, TranscriptRef
from player.model.filters import EpisodeFilter, Order, View, ViewCounts, ViewName
from player.model.podcast import PodcastId
from player.text.cleaning import clean_line, fold
from player.text.sentences import _, mark, translate

if TYPE_CHECKING:
    from player.events import Mark


_SHOWN = 4
_TITLES = {
    "episodes": f"SELECT e.id, e.title, e.folded FROM episodes e WHERE {LISTED}",
    "podcasts": (
        "SELECT id, coalesce(nullif(own_title, ''), title) AS title, folded FROM podcasts"
        f" WHERE {SUBSCRIBED}"
        " UNION ALL SELECT id, own_title, fold(title) FROM podcasts WHERE own_title <> ''"
        f" AND {SUBSCRIBED}"
    ),
}
"""The names of each row. A podcast that the listener renamed is also found by the feed's title; previews are not
found."""
_NONE = {
    "episodes": (mark("No episode matches “{text}”"), mark("See `earmark episodes`.")),
    "podcasts": (mark("No podcast matches “{text}”"), mark("See `earmark podcasts`.")),
}
_SEVERAL = {
    "episodes": mark("“{text}” matches several episodes: {matches}{more}"),
    "podcasts": mark("“{text}” matches several podcasts: {matches}{more}"),
}


def find_id(connection: sqlite3.Connection, table: str, text: str) -> int:
    """The id of the row of `table` with that number or title, or whose title begins with the text or contains it.

    Case and accents don't matter. Raises NotFound or Ambiguous.
    """
    if text.strip().isdecimal() and (row := _by_number(connection, table, text)):
        return row
    folded = fold(text.strip())
    rows = connection.execute(
        "SELECT min(CASE WHEN folded = ?1 THEN 0 WHEN instr(folded, ?1) = 1 THEN 1 ELSE 2 END) AS rank, id, title"
        f" FROM ({_TITLES[table]}) WHERE ?1 <> '' AND instr(folded, ?1) > 0"
        f" GROUP BY id ORDER BY rank, id DESC LIMIT {_SHOWN + 1}",
        (folded,),
    ).fetchall()
    best = [(row_id, title) for rank, row_id, title in rows if rank == rows[0][0]]
    shown = clean_line(text, 80)
    if not best:
        said, advice = _NONE[table]
        raise NotFound(translate(said, text=shown), translate(advice))
    if len(best) > 1:
        several = ", ".join(f"{row_id} “{clean_line(title, 60)}”" for row_id, title in best[:_SHOWN])
        more = _(" and more") if len(best) > _SHOWN else ""
        raise Ambiguous(translate(_SEVERAL[table], text=shown, matches=several, more=more), _("Use an ID."))
    return int(best[0][0])


def _by_number(connection: sqlite3.Connection, table: str, text: str) -> int | None:
    if len(text) > 18:
        return None
    subscribed = f" AND {SUBSCRIBED}" if table == "podcasts" else ""
    row = connection.execute(f"SELECT id FROM {table} WHERE id = ?{subscribed}", (int(text),)).fetchone()
    return int(row[0]) if row else None


# CROSS JOIN keeps SQLite from starting with the podcasts.
_ROW = (
    "SELECT e.id, e.podcast_id, coalesce(nullif(p.own_title, ''), p.title), e.title, e.guid, e.url,"
    " e.media_type, e.size, e.link, e.published, coalesce(e.measured_ms, e.duration_ms), coalesce(g.position_ms, 0),"
    " e.played, e.starred, EXISTS (SELECT 1 FROM downloads d WHERE d.episode_id = e.id),"
    " EXISTS (SELECT 1 FROM queue u WHERE u.episode_id = e.id),"
    " EXISTS (SELECT 1 FROM inbox i WHERE i.episode_id = e.id),"
    " (SELECT v.status FROM live_shows v WHERE v.episode_id = e.id)"
    " FROM episodes e CROSS JOIN podcasts p ON p.id = e.podcast_id LEFT JOIN progress g ON g.episode_id = e.id"
)
# The first number counts added episodes; the second counts removed and moved ones.
_STATE = ", ".join(
    f"(SELECT seq FROM sqlite_sequence WHERE name = '{table}')" for table in ("episodes", "search_changes")
)


class EpisodeDetails(Struct, frozen=True):
    """What a feed says about an episode besides its row; `extra` is a JSON object, "" for nothing."""

    notes: str = ""
    image_url: str = ""
    season: int | None = None
    number: str = ""
    explicit: bool = False
    chapters_url: str = ""
    transcripts: tuple[TranscriptRef, ...] = ()
    extra: str = ""


class WithAudio(NamedTuple):
    """`nth`: it is the newest download of its podcast, the second and so on; 0: it isn't downloaded. `marked`: the
    listener has been in it or bookmarked it. `needed`: a bookmark, or the position in an episode that hasn't been heard
    to its end, depends on what its audio is, or segments of its podcast are looked for in it."""

    id: EpisodeId
    guid: str
    url: str
    nth: int
    queued: bool
    marked: bool
    needed: bool


_WITH_AUDIO = """
WITH here AS (
    SELECT episode_id FROM progress UNION SELECT episode_id FROM queue UNION SELECT episode_id FROM downloads
),
ranked AS (
    SELECT d.episode_id, d.downloaded_at, row_number() OVER (PARTITION BY o.podcast_id ORDER BY o.sort DESC) AS nth
    FROM downloads d CROSS JOIN episodes o ON o.id = d.episode_id
)
SELECT e.id, e.guid, e.url, coalesce(r.nth, 0), q.rank IS NOT NULL,
    p.episode_id IS NOT NULL OR EXISTS (SELECT 1 FROM bookmarks b WHERE b.episode_id = e.id)
    OR EXISTS (SELECT 1 FROM listening_spans s WHERE s.episode_id = e.id),
    (e.played = 0 AND p.position_ms > 0) OR EXISTS (SELECT 1 FROM bookmarks b WHERE b.episode_id = e.id)
    OR EXISTS (SELECT 1 FROM segments m WHERE m.podcast_id = e.podcast_id)
FROM here h CROSS JOIN episodes e ON e.id = h.episode_id
LEFT JOIN ranked r ON r.episode_id = e.id
LEFT JOIN queue q ON q.episode_id = e.id
LEFT JOIN progress p ON p.episode_id = e.id
ORDER BY q.rank IS NULL, q.rank, r.downloaded_at DESC, e.id DESC
"""


class Episodes:
    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._row_marks = KnownRowMarks()

    # -- reading ----------------------------------------------------------------------------------------------

    def snapshot(self) -> AbstractContextManager[None]:
        """Everything that this thread reads inside shows the library at the same moment, whatever is written
        meanwhile."""
        return self._connections.snapshot()

    def get(self, episode_id: EpisodeId) -> Episode:
        """Raises NotFound."""
        with self._connections.reading() as connection:
            return _get(connection, episode_id)

    def rows(self, ids: "Sequence[EpisodeId] | array[int]") -> list[Episode]:
        """The rows of these episodes, in the order of `ids`, without the episodes that are gone."""
        with self._connections.reading() as connection:
            rows = connection.execute(f"{_ROW} WHERE e.id IN {GIVEN}", (as_json(ids),))
            found = {row[0]: _episode(row) for row in rows}
        return [found[episode_id] for episode_id in ids if episode_id in found]

    def ids(self, view: View, limit: int | None = None) -> "array[int]":
        """The ids of a view's episodes in order, for a view that doesn't need the full-text index."""
        with self._connections.reading() as connection:
            return ids_of(connection, compiler.select(view.filter, view.order, limit=limit))

    def among(self, ids: "Sequence[EpisodeId] | array[int]", view: View) -> WholeList:
        """The given episodes that are in the view, in its order; the words of its filter aren't checked."""
        with self._connections.reading() as connection:
            found = dated_ids(connection, compiler.select(view.filter, view.order, among=ids, dated=True))
        return _whole(found, view.order)

    def with_podcasts(self, chosen: EpisodeFilter) -> EpisodeFilter | None:
        """The same filter with the IDs of the podcasts that it names by title or tag; None if there is no such
        podcast."""
        with self._connections.reading() as connection:
            return compiler.with_podcasts(connection, chosen)

    def listing(self, view: View, cancelled: Callable[[], bool] = lambda: False) -> Listing:
        """The list of a view, reading only the rows that are shown.

        A list that no index has in order is cut to its first MOST_FILTERED episodes, a list of a tag to its first
        MOST_TAGGED. Raises Interrupted soon after it is `cancelled`.
        """
        if view.order not in compiler.BY_DATE or not compiler.is_indexed(view.filter):
            return self._first_of(view, cancelled)
        terms, values = compiler.conditions(view.filter)
        sql, count_values = compiler.count(view.filter)
        with self._connections.reading() as connection:
            count, *state = connection.execute(f"SELECT coalesce(({sql}), 0), {_STATE}", count_values).fetchone()
            check_kinds((), (count,))
        marks = None if view.filter.states else self._row_marks.of(view.filter, tuple(state))
        end = FIRST_KEY if compiler.listed(view.filter) else None
        listing = IndexedList(self._connections, terms, values, count, marks, end)
        return listing if view.order is Order.NEWEST else Reversed(listing)

    def counts_since(self, listing: Listing, moments: Sequence[datetime]) -> DateCounts | None:
        """For each of the moments, newest first, how many rows of a list are of that moment or newer. Only the first
        moments are counted if the list is very long; None if it isn't in the order of dates."""
        return counts_since(self._connections, listing, [stored(one) for one in moments])

    def _first_of(self, view: View, cancelled: Callable[[], bool]) -> WholeList:
        with self._connections.reading(cancelled) as connection:
            most = MOST_TAGGED if view.name is ViewName.TAG and not view.title else MOST_FILTERED
            found = first_ids(connection, view.filter, view.order, most + 1)
        return _whole(found.first(most), view.order, more=len(found.ids) > most)

    def find(self, text: str) -> Episode:
        """By number or title. Raises NotFound or Ambiguous."""
        with self._connections.reading() as connection:
            return _get(connection, find_id(connection, "episodes", text))

    def at_url(self, url: str) -> EpisodeId | None:
        """The newest episode whose audio is at this address. There is no index of addresses: 50,000 episodes take 10
        ms."""
        with self._connections.reading() as connection:
            row = connection.execute(
                "SELECT id FROM episodes WHERE url = ? ORDER BY sort DESC LIMIT 1", (url,)
            ).fetchone()
        return EpisodeId(row[0]) if row else None

    def at_guid(self, podcast_id: PodcastId, guid: str) -> EpisodeId | None:
        with self._connections.reading() as connection:
            row = connection.execute(
                "SELECT id FROM episodes WHERE podcast_id = ? AND guid = ?", (podcast_id, guid)
            ).fetchone()
        return EpisodeId(row[0]) if row else None

    def in_progress_since(self, moment: datetime) -> list[Episode]:
        """Episodes heard since then, but not to the end; without episodes that were last heard while the clock was
        ahead."""
        with self._connections.reading() as connection:
            rows = connection.execute(
                f"{_ROW} WHERE e.played = 0 AND e.id IN"
                f" (SELECT episode_id FROM progress WHERE saved_at BETWEEN ? AND {TOMORROW} AND position_ms > 0)",
                (stored(moment),),
            )
            return [_episode(row) for row in rows]

    def heard_or_queued(self) -> list[tuple[EpisodeId, str, str]]:
        """The id, guid and address of every episode that was begun or is queued: only these can be cached whole."""
        with self._connections.reading() as connection:
            rows = connection.execute(
                "SELECT e.id, e.guid, e.url FROM"
                " (SELECT episode_id FROM progress UNION SELECT episode_id FROM queue) b"
                " CROSS JOIN episodes e ON e.id = b.episode_id"
            ).fetchall()
        for _id, guid, url in rows:
            check_kinds((guid, url))
        return [(EpisodeId(one), guid, url) for one, guid, url in rows]

    def existing(self, ids: "Sequence[EpisodeId] | array[int]") -> set[EpisodeId]:
        """Those of them that are in the library."""
        with self._connections.reading() as connection:
            rows = connection.execute(f"SELECT id FROM episodes WHERE id IN {GIVEN}", (as_json(ids),))
            return {EpisodeId(one) for (one,) in rows}

    def with_audio(self) -> list[WithAudio]:
        """The episodes whose audio may be on this computer: those that were begun, are queued or downloaded. First
        those in the queue, then the latest downloads."""
        with self._connections.reading() as connection:
            rows = connection.execute(_WITH_AUDIO).fetchall()
        for _id, guid, url, *_rest in rows:
            check_kinds((guid, url))
        return [
            WithAudio(EpisodeId(one), guid, url, int(nth), bool(queued), bool(marked), bool(needed))
            for one, guid, url, nth, queued, marked, needed in rows
        ]

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

    def counts(self, heard: EpisodeId | None = None) -> ViewCounts:
        """`heard` is the episode being heard, which doesn't count as upcoming any more."""
        with self._connections.reading() as connection:
            row = connection.execute(
                f"SELECT (SELECT coalesce(sum(episodes), 0) FROM podcast_counts WHERE podcast_id NOT IN {PREVIEWS}),"
                " (SELECT count(*) FROM progress g CROSS JOIN episodes e ON e.id = g.episode_id"
                f"  WHERE g.position_ms > 0 AND e.played = 0 AND {LISTED}),"
                f" (SELECT count(*) FROM episodes e WHERE e.starred = 1 AND {LISTED}),"
                " (SELECT count(*) FROM inbox), (SELECT count(*) FROM queue),"
                " (SELECT count(*) FROM (SELECT episode_id FROM downloads UNION SELECT episode_id FROM download_queue)"
                "), (SELECT count(*) FROM bookmarks),"
                " (SELECT count(*) FROM queue WHERE episode_id IS NOT ?)",
                (heard,),
            ).fetchone()
            check_kinds((), row)
        return ViewCounts(*row)

    # -- writing ----------------------------------------------------------------------------------------------

    def all_marked(self, mark: "Mark", ids: Sequence[EpisodeId]) -> bool:
        """Whether all of the episodes have the mark, not counting episodes that are gone."""
        with self._connections.reading() as connection:
            lacks = f"SELECT 1 FROM json_each(?) j CROSS JOIN episodes e ON e.id = j.value WHERE e.{mark} = 0 LIMIT 1"
            return connection.execute(lacks, (as_json(ids),)).fetchone() is None

    def older(self, ids: Sequence[EpisodeId], episode_id: EpisodeId) -> list[EpisodeId]:
        """The episodes in `ids` that are older than the given one, in the same order, each once."""
        with self._connections.reading() as connection:
            rows = connection.execute(
                "SELECT e.id FROM json_each(?) j CROSS JOIN episodes e ON e.id = j.value"
                " WHERE e.sort < (SELECT sort FROM episodes WHERE id = ?) ORDER BY j.key",
                (as_json(list(dict.fromkeys(ids))), episode_id),
            )
            return [EpisodeId(row[0]) for row in rows]

    def set_starred(self, ids: Sequence[EpisodeId], starred: bool) -> list[EpisodeId]:
        """Returns the changed episodes."""
        return self._mark("starred", ids, starred)

    def set_played(self, ids: Sequence[EpisodeId], played: bool) -> list[EpisodeId]:
        """Returns the changed episodes. The position is kept: removing the mark brings it back."""
        return self._mark("played", ids, played)

    def _mark(self, column: str, ids: Sequence[EpisodeId], on: bool) -> list[EpisodeId]:
        with self._connections.writing() as connection:
            (found,) = connection.execute(
                "SELECT json_group_array(id) FROM (SELECT e.id FROM json_each(?2) j CROSS JOIN episodes e"
                f" ON e.id = j.value WHERE e.{column} <> ?1 ORDER BY j.key)",
                (int(on), as_json(ids)),
            ).fetchone()
            connection.execute(
                f"UPDATE episodes SET {column} = ?1 WHERE id IN (SELECT value FROM json_each(?2))", (int(on), found)
            )
        return cast("list[EpisodeId]", json.loads(found))


def _whole(found: DatedIds, order: Order, *, more: bool = False) -> WholeList:
    return WholeList(found.ids, more=more, sorts=found.sorts if order in compiler.BY_DATE else None)


def _episode(row: tuple[Any, ...]) -> Episode:
    row_id, podcast_id, podcast, title, guid, url, media_type, size, link, *rest = row
    published, duration_ms, position_ms, played, starred, downloaded, queued, new, live = rest
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
        queued=bool(queued),
        new=bool(new),
        live=LiveState(live) if live in set(LiveState) else None,
    )


def _get(connection: sqlite3.Connection, episode_id: int) -> Episode:
    row = connection.execute(f"{_ROW} WHERE e.id = ?", (episode_id,)).fetchone()
    if row is None:
        raise _gone()
    return _episode(row)


def _gone() -> NotFound:
    return NotFound(_("This episode is no longer in the library"), _("See `earmark episodes`."))
