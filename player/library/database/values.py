"""Values on their way into SQLite and back: times, many ids or rows at once, and checks that a value read is one that
was written."""

import sqlite3
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain, islice
from typing import Any

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MS = timedelta(milliseconds=1)
TOMORROW = "(CAST(strftime('%s', 'now') AS INTEGER) * 1000 + 86400000)"
"""SQL for tomorrow: a stored time after it was stored while the clock was ahead."""
_IDS_AT_ONCE = 1_000
_ROWS_AT_ONCE = (200, 50)
"""Rows per statement: only a few sizes, so that the statements stay prepared. The remaining rows go one by one."""


def stored(moment: datetime) -> int:
    """An aware datetime as the library stores it: whole milliseconds since 1970 in UTC, rounded down."""
    return (moment - _EPOCH) // _MS


def moment(ms: int) -> datetime:
    return _EPOCH + ms * _MS


def stored_maybe(value: datetime | None) -> int | None:
    return None if value is None else stored(value)


def moment_maybe(ms: int | None) -> datetime | None:
    return None if ms is None else moment(ms)


def as_json(ids: Sequence[int]) -> str:
    """The ids as JSON for `json_each`.

    Written a thousand at a time: 100,000 at once would delay the handling of a key by 12 ms, since Python lets no other
    thread run meanwhile.
    """
    left = iter(ids)
    pieces = iter(lambda: ",".join(map(str, islice(left, _IDS_AT_ONCE))), "")
    return f"[{','.join(pieces)}]"


def insert_many(connection: sqlite3.Connection, into: str, rows: Sequence[tuple[Any, ...]], rest: str = "") -> None:
    """Like executemany with `into`, `INSERT INTO table (columns)`, but with many rows per statement. `rest` is the SQL
    after the values: `ON CONFLICT ...`.

    Fewer statements alone are no faster. But Python releases its lock after each statement and then waits to get it
    back; with other threads at work, that costs more than the writing. At most 160 columns (SQLite allows 32,766
    values).
    """
    if not rows:
        return
    row = f"({','.join('?' * len(rows[0]))})"
    start = 0
    for size in _ROWS_AT_ONCE:
        sql = f"{into} VALUES {','.join([row] * size)} {rest}"
        while start + size <= len(rows):
            connection.execute(sql, tuple(chain.from_iterable(rows[start : start + size])))
            start += size
    connection.executemany(f"{into} VALUES {row} {rest}", rows[start:])


def check_kinds(texts: Iterable[object], numbers: Iterable[object] = ()) -> None:
    """Raises TypeError for a value of another type, which `Connections` takes as a sign of damage.

    A STRICT table refuses to store such a value, but SQLite returns whatever the file contains.

    A number may be missing (None). Takes 1 to 2 µs for nine values.
    """
    for text in texts:
        if text.__class__ is not str:
            raise TypeError(f"{type(text).__name__} instead of a text")
    for number in numbers:
        if number.__class__ is not int and number is not None:
            raise TypeError(f"{type(number).__name__} instead of a whole number")
