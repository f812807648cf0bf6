"""Rows put in many at a time are all there, each once, in their order."""

import sqlite3

import pytest

from player.library.database.bulk_insert import insert_many


@pytest.mark.parametrize("number", [0, 1, 49, 50, 199, 200, 263, 400])
def test_every_row_is_put_in_once(number: int) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE numbers (id INTEGER PRIMARY KEY AUTOINCREMENT, value TEXT)")
    rows = [(f"{value}",) for value in range(number)]
    insert_many(connection, "INSERT INTO numbers (value)", rows)
    assert connection.execute("SELECT value FROM numbers ORDER BY id").fetchall() == rows
