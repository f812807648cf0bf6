"""Inserts rows into a table many at a time."""

import sqlite3
from collections.abc import Sequence
from itertools import chain
from typing import Any

_PIECES = (200, 50)
"""Rows per statement: only a few sizes, so that the statements stay prepared. The remaining rows go one by one."""


def insert_many(connection: sqlite3.Connection, into: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Like executemany with `into`, `INSERT INTO table (columns)`, but with many rows per statement.

    That alone is no faster. But Python releases its lock after each statement and then waits to get it back; with other
    threads at work, that costs more than the writing. At most 160 columns (SQLite allows 32,766 values).
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
