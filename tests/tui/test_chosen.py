"""What was chosen in the app holds until somebody sets something else in config.toml."""

import pytest

from tui.chosen import chosen_in


@pytest.mark.parametrize(
    ("remembered", "configured", "holds"),
    [
        ("nord over auto", "auto", "nord"),
        ("nord over auto", "paper", "paper"),
        ("", "auto", "auto"),
        (" over auto", "auto", "auto"),
        ("nord", "auto", "auto"),
    ],
)
def test_a_choice_holds_while_the_setting_is_as_it_was(remembered: str, configured: str, holds: str) -> None:
    assert chosen_in(remembered, configured) == holds
