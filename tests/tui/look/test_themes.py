"""Every theme can be read: contrast by WCAG 2.2, worked out here afresh, for all colours on all grounds."""

from collections.abc import Iterable
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.theme import Theme

from tui.look.built_in import BUILT_IN, built_in
from tui.look.colours import Roles, colours_of_256, contrast, readable
from tui.look.themes import theme_of

OF_THE_TERMINAL = ("ansi", "ansi-light")
COLOURED = [name for name in BUILT_IN if name not in OF_THE_TERMINAL]
COLOURS = st.integers(0, 0xFFFFFF).map(lambda number: f"#{number:06x}")


def light_of(colour: str) -> float:
    """Relative luminance, as the definition in WCAG 2.2 has it."""

    def linear(value: float) -> float:
        return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(int(colour[at : at + 2], 16) / 255) for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def ratio(one: str, other: str) -> float:
    low, high = sorted((light_of(one), light_of(other)))
    return (high + 0.05) / (low + 0.05)


def too_near(colours: Iterable[str], roles: Roles, least: float) -> list[tuple[str, str, float]]:
    """Those that are too near to a ground, with that ground."""
    grounds = (roles.background, roles.surface, roles.panel)
    pairs = [(colour, ground, round(ratio(colour, ground), 2)) for colour in colours for ground in grounds]
    return [pair for pair in pairs if pair[2] < least]


@pytest.mark.parametrize("few", [False, True], ids=["truecolor", "256"])
@pytest.mark.parametrize("name", COLOURED)
def test_text_headings_and_hues_stand_out_from_every_ground(name: str, few: bool) -> None:
    roles = built_in(name, few=few)
    texts = (roles.text, roles.muted, roles.accent, roles.success, roles.error)
    assert too_near(texts, roles, 7.0 if name.startswith("high-contrast") else 4.5) == []
    assert too_near((roles.faint, *roles.hues), roles, 3.0) == []


@pytest.mark.parametrize("few", [False, True], ids=["truecolor", "256"])
@pytest.mark.parametrize("name", COLOURED)
def test_no_two_roles_have_one_colour(name: str, few: bool) -> None:
    roles = built_in(name, few=few)
    grounds = (roles.background, roles.surface, roles.panel, roles.line)
    assert len({*grounds, roles.faint, roles.muted, roles.text}) == len(grounds) + 3
    assert all(ratio(one, other) >= 1.04 for one, other in combinations(grounds, 2))
    assert light_of(roles.text) > light_of(roles.background) or not roles.dark


@pytest.mark.parametrize("name", COLOURED)
def test_in_256_colours_there_are_none_but_those(name: str) -> None:
    roles = built_in(name, few=True)
    used = {*roles.grounds, roles.text, roles.muted, roles.faint, roles.line, roles.accent, roles.success, roles.error}
    assert used | {*roles.hues, *roles.tints} <= set(colours_of_256())


@pytest.mark.parametrize("name", OF_THE_TERMINAL)
def test_the_terminals_own_colours_leave_the_ground_to_it(name: str) -> None:
    roles = built_in(name)
    assert {*roles.grounds, roles.text} == {"ansi_default"}
    assert all(colour.startswith("ansi_") for colour in (roles.accent, *roles.hues, *roles.tints))


@pytest.mark.parametrize("is_light", [False, True])
@pytest.mark.parametrize("name", ["ink", "catppuccin-latte"])
def test_a_terminal_with_16_colours_gets_its_own_whatever_the_theme(name: str, is_light: bool) -> None:
    made = theme_of(name, "standard", is_light=is_light)
    assert made.name == name
    assert made.ansi
    assert (made.accent, made.dark) == (("ansi_magenta", False) if is_light else ("ansi_yellow", True))


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_theme_is_what_its_entry_says(name: str) -> None:
    made: Theme = theme_of(name)
    assert (made.name, made.dark) == (name, BUILT_IN[name].dark)
    assert made.to_color_system().generate()["text"] == built_in(name).text


@given(COLOURS, COLOURS)
def test_a_colour_is_changed_only_as_far_as_needed(colour: str, ground: str) -> None:
    made = readable(colour, (ground,), 4.5)
    assert contrast(made, ground) == pytest.approx(ratio(made, ground))
    assert (made == colour) is (ratio(colour, ground) >= 4.5)
    if made not in (colour, "#ffffff", "#000000"):
        assert 4.5 <= ratio(made, ground) < 4.8
