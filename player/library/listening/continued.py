"""Which lists continue to play once the queue is empty, and what comes next in them."""

import json
from array import array
from collections.abc import Callable, Collection, Sequence

from player.library.database.connections import Connections
from player.library.database.values import check_kinds
from player.library.episodes import Episodes
from player.library.listening.list_contents import by_date, order_of
from player.library.listening.lists import Lists
from player.library.lists import compiler
from player.library.lists.compiler import GIVEN
from player.library.lists.listing import Listing
from player.library.lists.preview_keys import LISTED
from player.library.lists.view_settings import ViewSettingsStore
from player.model.episode import EpisodeId
from player.model.filters import EVERYTHING, ListId, Order, View, ViewSettings


class Continued:
    """Lists are identified by their keys (`View.key`). A list that isn't here doesn't continue.

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
        """The order in which the view continues; None: it doesn't."""
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
        """The first unplayed episode of the view that comes later than `after` and is none of `besides`.

        It needn't be in the view itself any more. Not for views that need the index of words: those have no next,
        unless they are smart lists. A smart list may be read whole, which takes seconds where it searches a million
        episodes.
        """
        return _first(self._next(view, after, besides, 1, newest_first=newest_first))

    def next_ids(self, view: View, after: EpisodeId, most: int) -> "array[int]":
        """At most so many that `next_of` would give, one after the other; none where the view doesn't continue."""
        newest_first = self.newest_first(view)
        return array("q") if newest_first is None else self._next(view, after, (), most, newest_first=newest_first)

    def first_unplayed(self, ids: "array[int]", besides: Collection[EpisodeId]) -> EpisodeId | None:
        """Of these, which stand in the order in which they are to be played."""
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
        terms += ["e.played = 0", f"({later})", f"e.id NOT IN {GIVEN}"]
        return self._ids(
            f"SELECT e.id FROM episodes a CROSS JOIN episodes e WHERE a.id = ? AND {' AND '.join(terms)}"
            f" ORDER BY {order} LIMIT ?",
            (after, *values, json.dumps(list(besides)), most),
        )

    def _next_in_list(
        self, view: View, list_id: ListId, after: EpisodeId, besides: Collection[EpisodeId], most: int
    ) -> "array[int]":
        """What stands behind `after`, or behind where that would stand: a list of what is unplayed loses it when it has
        been heard. A playlist from which it was taken begins anew."""
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
            f" WHERE e.played = 0 AND e.id NOT IN {GIVEN} ORDER BY j.key LIMIT ?",
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
