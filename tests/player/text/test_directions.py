"""Which way a text is read, and what keeps texts of both ways apart."""

import pytest

from player.text.directions import FSI, LRI, LRM, PDI, RLI, field, is_right_to_left, isolated, without_marks

HEBREW, ARABIC = "שלום", "مرحبا"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", False), ("Fog", False), ("Zoë 東京", False), ("12:30 …", False),
        (HEBREW, True), (ARABIC, True), (f"12:30 … {ARABIC}", True), (f"🇩🇪 {HEBREW}", True),
        (f"{HEBREW} Fog", True), (f"Fog {HEBREW}", False),
        (f"{FSI}{HEBREW}{PDI} is playing", False), (f"{LRI}Fog{PDI} {HEBREW}", True),
        (f"{FSI}{HEBREW}{PDI}", True), (f"{LRI}{HEBREW}{PDI}", False), (f"{RLI}Fog {HEBREW}{PDI}", True),
    ],
)  # fmt: skip
def test_a_text_is_read_the_way_of_its_first_letter(text: str, expected: bool) -> None:
    assert is_right_to_left(text) is expected


@pytest.mark.parametrize(("text", "opener"), [("Fog", LRI), (HEBREW, RLI), (f"Fog {HEBREW}", LRI)])
def test_an_isolated_text_keeps_its_spaces_outside_and_is_isolated_only_once(text: str, opener: str) -> None:
    assert isolated(f"  {text} ") == f"  {opener}{text}{PDI}{LRM} "
    assert isolated(isolated(text)) == isolated(text)
    assert without_marks(isolated(text)) == text


@pytest.mark.parametrize(
    ("value", "expected"),
    [(7, 7), ("Fog", "Fog"), (HEBREW, f"{FSI}{HEBREW}{PDI}"), (f"{RLI}{HEBREW}{PDI}", f"{RLI}{HEBREW}{PDI}")],
)
def test_only_a_value_that_is_read_from_right_to_left_is_marked_in_a_sentence(value: object, expected: object) -> None:
    assert field(value) == expected
