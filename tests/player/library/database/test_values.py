"""Ids in one statement, however many; rows put in many at a time are all there, each once, in their order."""

import json
import sqlite3
from array import array

import pytest

from player.library.database.values import as_json, insert_many


@pytest.mark.parametrize("count", [0, 1, 999, 1000, 1001, 2500])
def test_each_id_is_in_it_once_and_in_order(count: int) -> None:
    ids = [7 * number for number in range(count, 0, -1)]
    assert json.loads(as_json(ids)) == ids
    assert as_json(array("q", ids)) == as_json(tuple(ids))


@pytest.mark.parametrize("number", [0, 1, 49, 50, 199, 200, 263, 400])
def test_every_row_is_put_in_once(number: int) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE numbers (id INTEGER PRIMARY KEY AUTOINCREMENT, value TEXT)")
    rows = [(f"{value}",) for value in range(number)]
    insert_many(connection, "INSERT INTO numbers (value)", rows)
    assert connection.execute("SELECT value FROM numbers ORDER BY id").fetchall() == rows
