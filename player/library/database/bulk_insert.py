"""Rows put into a table many at a time."""

import sqlite3
from collections.abc import Sequence
from itertools import chain
from typing import Any

_PIECES = (200, 50)
"""Rows of a statement: few sizes, which stay prepared. What is left over goes one by one."""


def insert_many(connection: sqlite3.Connection, into: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """As executemany with `into`, `INSERT INTO table (columns)`, but with many rows a statement.

    By itself that takes as long. But after every statement Python lets go of its lock and waits for it again: where
    other threads work too, that is worth more than the writing. No more than 160 columns (SQLite: 32,766 values).
    """
    if not rows:
        return
    row = f"({','.join('?' * len(rows[0]))})"
    start = 0
    for size in _PIECES:
        sql = f"{into} VALUES {','.join([row] * size)}"
        while start + size <= len(rows):
            connection.execute(sql, tuple(chain.from_iterable(rows[start : start + size])))
            start += size
    connection.executemany(f"{into} VALUES {row}", rows[start:])
