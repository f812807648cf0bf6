"""Ids in one statement, however many."""

import json
from array import array

import pytest

from player.library.database.id_lists import as_json


@pytest.mark.parametrize("count", [0, 1, 999, 1000, 1001, 2500])
def test_each_id_is_in_it_once_and_in_order(count: int) -> None:
    ids = [7 * number for number in range(count, 0, -1)]
    assert json.loads(as_json(ids)) == ids
    assert as_json(array("q", ids)) == as_json(tuple(ids))
