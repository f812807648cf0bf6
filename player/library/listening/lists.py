"""The listener's own lists: smart lists and playlists, their episodes, and what plays next from a list."""

import json
import sqlite3
from array import array
from collections.abc import Callable, Collection, Sequence

from msgspec.structs import replace

from player.errors import LibraryError, NotFound
from player.library.database.connections import Connections
from player.library.database.values import check_kinds
from player.library.episodes import Episodes
from player.library.listening.queue import moved
from player.library.lists import compiler
from player.library.lists.compiler import BY_DATE, GIVEN, NOT_LIVE
from player.library.lists.listing import FirstRows, Listing, WholeList, ids_of
from player.library.lists.ordering import ViewSettingsStore
from player.library.lists.preview_keys import LISTED
from player.model.episode import EpisodeId
from player.model.filters import EVERYTHING, EpisodeFilter, ListId, Order, SavedList, View, ViewSettings
from player.text.cleaning import clean_line, fold
from player.text.sentences import _

MOST_LETTERS = 80
"""The most characters of a list's name."""


class Lists:
    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    # -- reading ----------------------------------------------------------------------------------------------

    def all(self) -> list[SavedList]:
        """In the listener's order."""
        with self._connections.reading() as connection:
            rows = connection.execute("SELECT id, title, query FROM lists ORDER BY rank, id").fetchall()
            for one, title, query in rows:
                check_kinds((title, query or ""), (one,))
        return [SavedList(ListId(one), title, query) for one, title, query in rows]

    def get(self, list_id: ListId) -> SavedList | None:
        return next((one for one in self.all() if one.id == list_id), None)

    def find(self, text: str) -> SavedList:
        """Finds a list by name, or by the beginning of its name. Raises NotFound."""
        lists = self.all()
        whole = [one for one in lists if fold(one.title) == fold(text)]
        if found := whole or [one for one in lists if fold(one.title).startswith(fold(text)) and text]:
            return found[0]
        raise NotFound(_("There is no list “{title}”", title=text), _("See `earmark lists`."))

    def episodes(self, list_id: ListId) -> "array[int]":
        """The episodes of a playlist, in its order."""
        sql = "SELECT episode_id FROM playlist_episodes WHERE list_id = ? ORDER BY rank, episode_id"
        with self._connections.reading() as connection:
            return ids_of(connection, (sql, [list_id]))

    # -- writing ----------------------------------------------------------------------------------------------

    def add(self, title: str, query: str | None = None) -> SavedList:
        """Adds a list after the others. Raises LibraryError if the name is taken or empty."""
        with self._connections.writing() as connection:
            title = _free_title(connection, title)
            cursor = connection.execute(
                "INSERT INTO lists (title, query, rank) VALUES (?, ?, (SELECT coalesce(max(rank), 0) + 1 FROM lists))",
                (title, query),
            )
            return SavedList(ListId(cursor.lastrowid or 0), title, query)

    def change(self, list_id: ListId, title: str, query: str | None) -> None:
        """Changes the name and, for a smart list, the search. Raises LibraryError as `add`."""
        with self._connections.writing() as connection:
            title = _free_title(connection, title, but=list_id)
            connection.execute(
                "UPDATE lists SET title = ?, query = CASE WHEN query IS NULL THEN NULL ELSE ? END WHERE id = ?",
                (title, query or "", list_id),
            )

    def move(self, list_id: ListId, by: int) -> None:
        """`by` rows up (less than 0) or down among the lists."""
        with self._connections.writing() as connection:
            ids = [one.id for one in self.all()]
            order = moved([EpisodeId(one) for one in ids], [EpisodeId(list_id)], by)
            connection.executemany(
                "UPDATE lists SET rank = ? WHERE id = ?", [(rank, int(one)) for rank, one in enumerate(order, 1)]
            )

    def remove(self, list_id: ListId) -> None:
        """Removes the list and its view settings; its episodes stay."""
        with self._connections.writing() as connection:
            connection.execute("DELETE FROM lists WHERE id = ?", (list_id,))
            connection.execute("DELETE FROM view_settings WHERE view = ?", (f"list {list_id}",))

    def add_episodes(self, list_id: ListId, ids: Sequence[EpisodeId]) -> list[EpisodeId]:
        """Adds to the end of a playlist, in this order; episodes already in it don't move. Returns the new ones."""
        with self._connections.writing() as connection:
            if connection.execute("SELECT 1 FROM lists WHERE id = ? AND query IS NULL", (list_id,)).fetchone() is None:
                raise NotFound(_("This list is gone"), _("Choose another one."))
            there = set(self.episodes(list_id))
            known = connection.execute(
                "SELECT id FROM episodes WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(list(ids)),)
            )
            exists = {row[0] for row in known}
            new = [one for one in dict.fromkeys(ids) if one not in there and one in exists]
            (last,) = connection.execute(
                "SELECT coalesce(max(rank), 0) FROM playlist_episodes WHERE list_id = ?", (list_id,)
            ).fetchone()
            connection.executemany(
                "INSERT INTO playlist_episodes (list_id, episode_id, rank) VALUES (?, ?, ?)",
                [(list_id, one, rank) for rank, one in enumerate(new, last + 1)],
            )
        return new

    def take_out(self, list_id: ListId, ids: Sequence[EpisodeId]) -> None:
        with self._connections.writing() as connection:
            connection.execute(
                "DELETE FROM playlist_episodes WHERE list_id = ? AND episode_id IN (SELECT value FROM json_each(?))",
                (list_id, json.dumps(list(ids))),
            )

    def move_episodes(self, list_id: ListId, ids: Sequence[EpisodeId], by: int) -> None:
        """`by` rows up (less than 0) or down in a playlist."""
        self._reorder(list_id, lambda order: moved(order, ids, by))

    def _reorder(self, list_id: ListId, new_order: Callable[[list[EpisodeId]], list[EpisodeId]]) -> None:
        with self._connections.writing() as connection:
            old = [EpisodeId(one) for one in self.episodes(list_id)]
            connection.executemany(
                "UPDATE playlist_episodes SET rank = ? WHERE list_id = ? AND episode_id = ?",
                [(rank, list_id, one) for rank, one in enumerate(new_order(list(old)), 1)],
            )


def _free_title(connection: sqlite3.Connection, title: str, *, but: ListId | None = None) -> str:
    title = clean_line(title, MOST_LETTERS)
    if not title:
        raise LibraryError(_("A list needs a name"), _("Type one."))
    same = "SELECT 1 FROM lists WHERE fold(title) = ? AND id IS NOT ?"
    if connection.execute(same, (fold(title), but)).fetchone():
        raise LibraryError(_("There is a list called “{title}” already", title=title), _("Choose another name."))
    return title


def contents(lists: Lists, episodes: Episodes, view: View, listing: Callable[[View], Listing]) -> Listing:
    """The episodes of the list `view.list_id`, narrowed by the view's filter and in its order; empty if the list is
    gone.

    `listing` reads any other view.
    """
    saved = None if view.list_id is None else lists.get(view.list_id)
    if saved is None:
        return WholeList(array("q"))
    if saved.query is None:
        return _in_order(episodes, lists.episodes(saved.id), view)
    return _found(saved, saved.query, episodes, view, listing)


def size_of(query: str, episodes: Episodes, listing: Callable[[View], Listing]) -> tuple[int, bool]:
    """How many episodes a smart list with that search would have, and whether there are more than were counted."""
    saved = SavedList(ListId(0), "", query)
    found = _found(saved, query, episodes, View.of_list(saved.id), listing)
    return len(found), found.more


def _found(saved: SavedList, text: str, episodes: Episodes, view: View, listing: Callable[[View], Listing]) -> Listing:
    from player.library.search.query import parse  # its patterns are compiled at first use

    query = parse(text)
    own = query.order or Order.NEWEST
    if (chosen := episodes.with_podcasts(query.filter)) is None:
        return WholeList(array("q"))
    if query.limit is None:
        return listing(View(filter=_both(chosen, view.filter), order=order_of(saved, view)))
    first = FirstRows(listing(View(filter=chosen, order=own)), query.limit)
    if view.order is Order.OWN and view.filter == EVERYTHING:
        return first
    ids = first.page(0, query.limit)
    return _in_order(episodes, ids, replace(view, order=own) if view.order is Order.OWN and own in BY_DATE else view)


def order_of(saved: SavedList, view: View) -> Order:
    """The order of the list's episodes; OWN only for a playlist in the order in which it was arranged by hand."""
    from player.library.search.query import parse

    if view.order is not Order.OWN or saved.query is None:
        return view.order
    return parse(saved.query).order or Order.NEWEST


def by_date(saved: SavedList, episodes: Episodes, view: View) -> View | None:
    """A smart list as a view that needn't be read whole; None if it has a limit, isn't ordered by date, needs the index
    of words, or names no existing podcast."""
    from player.library.search.query import parse

    order = order_of(saved, view)
    query = parse(saved.query or "")
    if saved.query is None or query.limit is not None or order not in BY_DATE or query.filter.needs_words:
        return None
    chosen = episodes.with_podcasts(query.filter)
    return None if chosen is None else View(filter=_both(chosen, view.filter), order=order)


def problems_of(saved: SavedList) -> tuple[str, ...]:
    """The parts of a smart list's search that aren't understood. The trailing space completes the last word."""
    from player.library.search.query import parse

    return () if saved.query is None else parse(f"{saved.query} ").problems


def _in_order(episodes: Episodes, ids: "array[int]", view: View) -> Listing:
    """Some episodes narrowed by the view's filter, in their own order or in the order set for the view."""
    if view.order is not Order.OWN:
        return episodes.among(ids, View(filter=view.filter, order=view.order))
    if view.filter == EVERYTHING:
        return WholeList(ids)
    fitting = set(episodes.among(ids, View(filter=view.filter)).ids)
    return WholeList(array("q", (one for one in ids if one in fitting)))


def _both(chosen: EpisodeFilter, more: EpisodeFilter) -> EpisodeFilter:
    title = f"{chosen.title} {more.title}".strip()
    return replace(chosen, title=title, names=more.names, states=chosen.states | more.states, here=more.here)


class Continued:
    """Lists are identified by their keys (`View.key`). A list that isn't stored here doesn't continue.

    `listing` reads the episodes of a view. Smart lists and playlists continue in the order in which they are shown.
    """

    def __init__(
        self,
        connections: Connections,
        lists: Lists,
        episodes: Episodes,
        views: ViewSettingsStore,
        listing: Callable[[View], Listing],
    ) -> None:
        self._connections = connections
        self._lists = lists
        self._episodes = episodes
        self._views = views
        self._listing = listing

    def newest_first(self, view: View) -> bool | None:
        """The order in which the view continues; None: it doesn't continue."""
        with self._connections.reading() as connection:
            row = connection.execute("SELECT newest_first FROM continued WHERE view = ?", (view.key,)).fetchone()
            check_kinds((), row or ())
        return bool(row[0]) if row else None

    def set(self, view: View, newest_first: bool | None) -> None:
        """None: it no longer continues."""
        with self._connections.writing() as connection:
            if newest_first is None:
                connection.execute("DELETE FROM continued WHERE view = ?", (view.key,))
                return
            connection.execute(
                "INSERT INTO continued (view, newest_first) VALUES (?, ?)"
                " ON CONFLICT DO UPDATE SET newest_first = excluded.newest_first",
                (view.key, int(newest_first)),
            )

    def next_of(
        self, view: View, after: EpisodeId, *, newest_first: bool, besides: Collection[EpisodeId] = ()
    ) -> EpisodeId | None:
        """The first unplayed episode of the view that comes after `after` and isn't in `besides`.

        `after` itself needn't be in the view any more. Views that need the index of words have no next episode, unless
        they are smart lists. A smart list may be read whole, which takes seconds where it searches a million episodes.
        """
        return _first(self._next(view, after, besides, 1, newest_first=newest_first))

    def next_ids(self, view: View, after: EpisodeId, most: int) -> "array[int]":
        """At most that many episodes that `next_of` would return, one after the other; none if the view doesn't
        continue."""
        newest_first = self.newest_first(view)
        return array("q") if newest_first is None else self._next(view, after, (), most, newest_first=newest_first)

    def first_unplayed(self, ids: "array[int]", besides: Collection[EpisodeId]) -> EpisodeId | None:
        """The first unplayed of these episodes, which are in playing order."""
        return _first(self._unplayed(ids, besides, 1))

    def _next(
        self, view: View, after: EpisodeId, besides: Collection[EpisodeId], most: int, *, newest_first: bool
    ) -> "array[int]":
        if view.list_id is not None:
            return self._next_in_list(view, view.list_id, after, besides, most)
        if view.filter.needs_words:
            return array("q")
        return self._next_by_date(view, after, besides, most, newest_first=newest_first)

    def _next_by_date(
        self, view: View, after: EpisodeId, besides: Collection[EpisodeId], most: int, *, newest_first: bool
    ) -> "array[int]":
        later = "e.sort < a.sort OR (e.sort = a.sort AND e.id > a.id)"
        order = "e.sort DESC, e.id"
        if not newest_first:  # exactly the other way round
            later, order = "e.sort > a.sort OR (e.sort = a.sort AND e.id < a.id)", "e.sort, e.id DESC"
        terms, values = self._of(view)
        terms += ["e.played = 0", NOT_LIVE, f"({later})", f"e.id NOT IN {GIVEN}"]
        return self._ids(
            f"SELECT e.id FROM episodes a CROSS JOIN episodes e WHERE a.id = ? AND {' AND '.join(terms)}"
            f" ORDER BY {order} LIMIT ?",
            (after, *values, json.dumps(list(besides)), most),
        )

    def _next_in_list(
        self, view: View, list_id: ListId, after: EpisodeId, besides: Collection[EpisodeId], most: int
    ) -> "array[int]":
        """The episodes behind `after`, or behind the place where it would be: a list of unplayed episodes loses it once
        it has been heard. A playlist from which it was removed begins again."""
        if (saved := self._lists.get(list_id)) is None:
            return array("q")
        shown = view.shown(ViewSettings(self._views.get(view.key).order))
        if (dated := by_date(saved, self._episodes, shown)) is not None:
            return self._next_by_date(dated, after, besides, most, newest_first=dated.order is Order.NEWEST)
        listing = self._listing(shown)
        ids, at = listing.page(0, len(listing)), listing.rank(after)
        if at is None and (order := order_of(saved, shown)) is not Order.OWN:
            ids = self._episodes.among(array("q", [*ids, after]), View(order=order)).ids
            at = ids.index(after) if after in ids else None
        return self._unplayed(ids if at is None else ids[at + 1 :], besides, most)

    def _unplayed(self, ids: "array[int]", besides: Collection[EpisodeId], most: int) -> "array[int]":
        return self._ids(
            "SELECT e.id FROM json_each(?) j CROSS JOIN episodes e ON e.id = j.value"
            f" WHERE e.played = 0 AND {NOT_LIVE} AND e.id NOT IN {GIVEN} ORDER BY j.key LIMIT ?",
            (json.dumps(list(ids)), json.dumps(list(besides)), most),
        )

    def _ids(self, sql: str, values: Sequence[compiler.Value]) -> "array[int]":
        with self._connections.reading() as connection:
            rows = connection.execute(sql, values).fetchall()
            for row in rows:
                check_kinds((), row)
        return array("q", (row[0] for row in rows))

    def _of(self, view: View) -> tuple[list[str], list[compiler.Value]]:
        """Terms on the table `episodes e`, and their values."""
        if view.filter == EVERYTHING:
            return [LISTED], []
        if compiler.is_indexed(view.filter):
            terms, values = compiler.conditions(view.filter)
            return [*terms, *compiler.listed(view.filter)], values
        sql, values = compiler.select(view.filter, view.order)
        return [f"e.id IN ({sql})"], values


def _first(ids: "array[int]") -> EpisodeId | None:
    return EpisodeId(ids[0]) if ids else None
