"""The bidirectional algorithm, against python-bidi and against lines in the form of Unicode's BidiCharacterTest."""

import pytest
from bidi import get_display
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.quick import examples
from tui.drawing.bidi import class_of, levels, order

CHARACTERS = 'abZéжяאבגשתابتث0129٠١٩+-#$%€°,.:/ !?"&*;@…·()[]{}<>«»\u05b0\u064b漢테🎧'
ISOLATES = "\u2066\u2067\u2068\u2069"


def shown(text: str) -> str:
    return "".join(text[at] for at in order(levels(text)))


@given(st.text(st.sampled_from(CHARACTERS), max_size=24))
@example("א{0}\u05b0")
@settings(max_examples=examples(600), deadline=None)
def test_the_order_is_that_of_python_bidi(text: str) -> None:
    assert shown(text) == get_display(text, base_dir="L")


@given(st.text(st.sampled_from(CHARACTERS + 3 * ISOLATES), max_size=24))
@settings(max_examples=examples(600), deadline=None)
def test_isolates_have_an_order_of_their_own(text: str) -> None:
    """What is drawn, that is: openers and closers are not."""
    expected = get_display(text, base_dir="L")
    assert _without_isolates(shown(text)) == _without_isolates(expected)


def _without_isolates(text: str) -> str:
    return "".join(character for character in text if character not in ISOLATES)


@given(st.text(max_size=40))
@settings(max_examples=examples(200), deadline=None)
def test_any_text_has_an_order_in_which_nothing_is_lost(text: str) -> None:
    assert sorted(order(levels(text))) == list(range(len(text)))


@pytest.mark.parametrize(
    ("codes", "expected_levels", "expected_order"),
    [
        # The fields of BidiCharacterTest: code points; resolved levels; indices from left to right.
        ("0061 0028 0062 0029 0063", "0 0 0 0 0", "0 1 2 3 4"),
        ("05D0 0028 05D1 0029 05D2", "1 1 1 1 1", "4 3 2 1 0"),
        ("0061 0028 05D0 0029 0062", "0 0 1 0 0", "0 1 2 3 4"),
        ("05D0 0028 0061 0029", "1 0 0 0", "0 1 2 3"),
        ("05D0 0020 0031 0032", "1 1 2 2", "2 3 1 0"),
        ("05D0 0020 0031 002E 0035 0020 05D1", "1 1 2 2 2 1 1", "6 5 2 3 4 1 0"),
        ("0627 0020 0031 002D 0032", "1 1 2 1 2", "4 3 2 1 0"),
        ("05D0 0020 0031 002D 0032", "1 1 2 2 2", "2 3 4 1 0"),
        ("05D0 0024 0031 0030", "1 2 2 2", "1 2 3 0"),
        ("0061 0020 05D0 0020 0020", "0 0 1 0 0", "0 1 2 3 4"),
        ("2067 0061 0020 05D0 2069 0062", "0 2 1 1 0 0", "0 3 2 1 4 5"),
        ("2068 05D0 0031 2069 0032", "0 1 2 0 0", "0 2 1 3 4"),
        ("05D0 2066 0061 2069 05D1", "1 0 2 0 1", None),
        ("05D0 0301 05D1", "1 1 1", "2 1 0"),
    ],
)
def test_lines_of_the_kind_in_bidi_character_test(codes: str, expected_levels: str, expected_order: str | None) -> None:
    text = "".join(chr(int(code, 16)) for code in codes.split())
    wanted = [int(level) for level in expected_levels.split()]
    drawn = [at for at, character in enumerate(text) if character not in ISOLATES]
    assert [levels(text)[at] for at in drawn] == [wanted[at] for at in drawn]
    if expected_order is not None:
        found = [at for at in order(levels(text)) if at in drawn]
        assert found == [at for at in map(int, expected_order.split()) if at in drawn]


def test_a_line_of_a_hundred_isolates_within_each_other_is_no_trouble() -> None:
    text = "\u2067א" * 100 + "\u2069" * 120 + "b"
    assert sorted(order(levels(text))) == list(range(len(text)))


def test_letters_that_unicode_has_not_given_out_yet_are_read_as_their_neighbours() -> None:
    assert class_of("\u05ff") == "R"
    assert class_of("\u0378") == "L"
