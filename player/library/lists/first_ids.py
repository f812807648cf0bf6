"""The first episodes that match any filter, reading as little as possible."""

import sqlite3
from array import array
from itertools import chain
from typing import NamedTuple

from player.library.lists import compiler
from player.model.filters import EpisodeFilter, Order

_NEWEST_FIRST = 20_000
_NEWEST = "SELECT e.sort FROM episodes e ORDER BY e.sort DESC LIMIT 1 OFFSET ?"


class DatedIds(NamedTuple):
    """Episodes, and the sort key of each."""

    ids: "array[int]"
    sorts: "array[int]"

    def first(self, number: int) -> "DatedIds":
        return DatedIds(self.ids[:number], self.sorts[:number])


def first_ids(connection: sqlite3.Connection, chosen: EpisodeFilter, order: Order, limit: int) -> DatedIds:
    """At most `limit` episodes; the words of the filter aren't checked.

    A state that many episodes have is first looked for among the newest.
    """
    newest = order is Order.NEWEST and compiler.reads_all(chosen)
    if newest and (row := connection.execute(_NEWEST, (_NEWEST_FIRST,)).fetchone()):
        found = dated_ids(connection, compiler.select(chosen, since=row[0], limit=limit, dated=True))
        if len(found.ids) >= limit or (chosen.after is not None and compiler.sort_key(chosen.after) >= row[0]):
            return found
    return dated_ids(connection, compiler.select(chosen, order, limit=limit, dated=True))


def ids_of(connection: sqlite3.Connection, statement: compiler.Sql) -> "array[int]":
    """The values of a statement with a single column."""
    return array("q", chain.from_iterable(connection.execute(*statement)))


def dated_ids(connection: sqlite3.Connection, statement: compiler.Sql) -> DatedIds:
    """The values of a statement with two columns: ids and sort keys."""
    both = array("q", chain.from_iterable(connection.execute(*statement)))
    return DatedIds(both[::2], both[1::2])
