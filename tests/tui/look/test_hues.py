import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.model.podcast import STARTER_URL
from tui.look.built_in import BUILT_IN, built_in
from tui.look.colours import HUES, hue_of


@given(st.text())
def test_every_address_has_a_hue(address: str) -> None:
    assert 0 <= hue_of(address) < HUES


def test_a_podcast_keeps_its_hue_from_start_to_start() -> None:
    assert hue_of(STARTER_URL) == 3


@pytest.mark.parametrize("theme", BUILT_IN)
def test_every_theme_has_eight_hues_that_are_not_the_accent(theme: str) -> None:
    roles = built_in(theme)
    assert len({*roles.hues, roles.accent}) == HUES + 1
