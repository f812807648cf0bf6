"""The first episodes that match any filter, reading as little as possible."""

import sqlite3
from array import array
from itertools import chain

from player.library.lists import compiler
from player.model.filters import EpisodeFilter, Order

_NEWEST_FIRST = 20_000
_NEWEST = "SELECT e.sort FROM episodes e ORDER BY e.sort DESC LIMIT 1 OFFSET ?"


def first_ids(connection: sqlite3.Connection, chosen: EpisodeFilter, order: Order, limit: int) -> "array[int]":
    """At most `limit` episodes; the words of the filter aren't checked.

    A state that many episodes have is first looked for among the newest.
    """
    newest = order is Order.NEWEST and compiler.reads_all(chosen)
    if newest and (row := connection.execute(_NEWEST, (_NEWEST_FIRST,)).fetchone()):
        ids = ids_of(connection, compiler.select(chosen, since=row[0], limit=limit))
        if len(ids) >= limit or (chosen.after is not None and compiler.sort_key(chosen.after) >= row[0]):
            return ids
    return ids_of(connection, compiler.select(chosen, order, limit=limit))


def ids_of(connection: sqlite3.Connection, statement: compiler.Sql) -> "array[int]":
    """The values of a statement with a single column."""
    return array("q", chain.from_iterable(connection.execute(*statement)))
