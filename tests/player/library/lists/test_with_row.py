"""A list that still shows an episode that has left it."""

from array import array

import pytest

from player.library import WholeList, WithRow
from player.model.episode import EpisodeId

LEFT = EpisodeId(99)
OTHERS = [EpisodeId(one) for one in range(1, 8)]


@pytest.mark.parametrize("row", [0, 3, 7, 12])
def test_it_is_the_list_with_that_row_in_any_page(row: int) -> None:
    made = WithRow(WholeList(array("q", OTHERS)), row, LEFT)
    at = min(row, len(OTHERS))
    whole = [*OTHERS[:at], LEFT, *OTHERS[at:]]
    assert len(made) == len(whole)
    for start in range(10):
        for size in range(10):
            assert made.page(start, size).tolist() == whole[start : start + size]
    assert [made.rank(one) for one in whole] == list(range(len(whole)))
    assert made.rank(EpisodeId(1000)) is None
    assert made.rank(None) is None
