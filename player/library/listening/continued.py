"""Which lists play on by themselves once the queue is empty, and what comes next in them."""

import json
from collections.abc import Collection

from player.library.database.column_types import check_kinds
from player.library.database.connections import Connections
from player.library.lists import compiler
from player.library.lists.compiler import GIVEN
from player.model.episode import EpisodeId
from player.model.filters import EVERYTHING, View


class Continued:
    """Lists are known by their keys (`View.key`). A list that isn't here doesn't continue."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def newest_first(self, view: View) -> bool | None:
        """In which order the view continues; None: it doesn't."""
        with self._connections.reading() as connection:
            row = connection.execute("SELECT newest_first FROM continued WHERE view = ?", (view.key,)).fetchone()
            check_kinds((), row or ())
        return bool(row[0]) if row else None

    def set(self, view: View, newest_first: bool | None) -> None:
        """None: it doesn't continue any more."""
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

        It needn't be in the view itself any more. Not for views that need the index of words: those have no next.
        """
        if view.filter.needs_words:
            return None
        before = "<" if newest_first else ">"
        terms, values = self._of(view)
        terms += [
            "e.played = 0",
            f"(e.sort {before} a.sort OR (e.sort = a.sort AND e.id > a.id))",
            f"e.id NOT IN {GIVEN}",
        ]
        with self._connections.reading() as connection:
            row = connection.execute(
                f"SELECT e.id FROM episodes a CROSS JOIN episodes e WHERE a.id = ? AND {' AND '.join(terms)}"
                f" ORDER BY e.sort{' DESC' if newest_first else ''}, e.id LIMIT 1",
                (after, *values, json.dumps(list(besides))),
            ).fetchone()
            check_kinds((), row or ())
        return EpisodeId(row[0]) if row else None

    def _of(self, view: View) -> tuple[list[str], list[compiler.Value]]:
        """Terms on the table `episodes e`, and their values."""
        if view.filter == EVERYTHING:
            return [], []
        if compiler.is_indexed(view.filter):
            return compiler.conditions(view.filter)
        sql, values = compiler.select(view.filter, view.order)
        return [f"e.id IN ({sql})"], values
