from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.model.podcast import PodcastId
from tui.look.built_in import BUILT_IN, built_in
from tui.look.colours import HUES, hue_of


@given(st.integers(1, 1 << 40))
def test_podcasts_added_one_after_the_other_have_each_their_own_hue(first: int) -> None:
    hues = [hue_of(PodcastId(first + number)) for number in range(HUES)]
    assert sorted(hues) == list(range(HUES))
    assert all((one - other) % HUES not in (1, HUES - 1) for one, other in pairwise(hues)), "nor one close to the last"


@pytest.mark.parametrize("theme", BUILT_IN)
def test_every_theme_has_eight_hues_that_are_not_the_accent(theme: str) -> None:
    roles = built_in(theme)
    assert len({*roles.hues, roles.accent}) == HUES + 1
