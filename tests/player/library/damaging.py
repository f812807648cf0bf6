"""Damage as a bad disk makes it: in the library's file, behind SQLite's back."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing

from player.paths import Paths


def damage(paths: Paths, statement: str) -> None:
    """Runs `statement`, which may set values of a type that the table refuses: a changed bit asks nobody."""
    with closing(sqlite3.connect(paths.library)) as database, database:
        tables = database.execute("SELECT sql, name FROM sqlite_master WHERE sql LIKE '%STRICT'").fetchall()
        if statement.startswith("UPDATE"):
            _set_schema(database, ((sql.removesuffix("STRICT").rstrip(", "), name) for sql, name in tables))
            database.execute(statement)
            _set_schema(database, tables)
        else:
            database.execute(statement)


def _set_schema(database: sqlite3.Connection, statements: Iterable[tuple[str, str]]) -> None:
    database.execute("PRAGMA writable_schema = ON")
    database.executemany("UPDATE sqlite_master SET sql = ? WHERE name = ?", statements)
    database.execute("PRAGMA writable_schema = RESET")
