"""The selected row stands out from its pane, and can be read, in every theme."""

import pytest

from tui.look.built_in import BUILT_IN
from tui.look.colours import contrast as contrast_of
from tui.look.colours import luminance
from tui.look.themes import mixed, readable, selection, theme_of

THEMES = [(system, name) for system in ("truecolor", "256") for name in BUILT_IN if not name.startswith("ansi")]


@pytest.mark.parametrize(("system", "name"), THEMES)
def test_the_selected_row_is_unmistakable_in_every_theme(system: str, name: str) -> None:
    theme = theme_of(name, system)
    roles = theme.variables
    for ground in (theme.background, theme.surface):
        assert contrast_of(roles["selection"], str(ground)) >= 1.35
        assert (
            1.15 <= contrast_of(roles["selection-blurred"], str(ground)) < contrast_of(roles["selection"], str(ground))
        )
    assert contrast_of(roles["selection-on-panel"], str(theme.panel)) >= 1.35


@pytest.mark.parametrize(("system", "name"), THEMES)
def test_all_of_the_selected_row_can_be_read(system: str, name: str) -> None:
    roles = theme_of(name, system).variables
    for ground in ("selection", "selection-blurred", "selection-on-panel"):
        assert contrast_of(roles["text"], roles[ground]) >= 4.5
        assert contrast_of(roles["selection-muted"], roles[ground]) >= 4.5


def test_contrast_is_the_ratio_that_wcag_defines() -> None:
    assert contrast_of("#000000", "#ffffff") == pytest.approx(21)
    assert contrast_of("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert luminance("#ff0000") == pytest.approx(0.2126)


def test_a_mix_has_the_luminance_that_is_wanted() -> None:
    assert luminance(mixed("#10131a", "#d5dbe6", 0.2)) == pytest.approx(0.2, abs=0.005)
    assert mixed("#10131a", "#d5dbe6", 1.0) == "#d5dbe6"


def test_colours_that_only_the_terminal_knows_are_left_alone() -> None:
    assert selection(("ansi_black", "ansi_blue"), "ansi_white", 1.4) == "ansi_blue"


@pytest.mark.parametrize("of_256", [True, False])
@pytest.mark.parametrize(("ground", "towards"), [("#f0f0f0", "#ffffff"), ("#0a0a0a", "#000000")])
def test_where_no_colour_has_the_contrast_the_farthest_is_taken(ground: str, towards: str, of_256: bool) -> None:
    assert selection((ground,), towards, 1.4, of_256=of_256) == towards
    assert readable("ansi_white", "#000000", "#ffffff") == "ansi_white"
