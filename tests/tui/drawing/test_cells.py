"""Text is cut and padded by what a terminal shows, not by characters."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from player.text.cleaning import clean_line
from tests.quick import examples
from tui.drawing.cells import cut, fit, graphemes, steady

ODD = "".join(
    chr(code) for code in (0x200D, 0xFE0F, 0x0301, 0x1F469, 0x1F4BB, 0x1F1E9, 0x1F1EA, 0x1F3FD, 0x20E3, 0x5D0)
)
TEXTS = st.text(st.one_of(st.characters(exclude_categories=["Cs", "Cc"]), st.sampled_from(ODD + "ab 테é")), max_size=40)


@given(TEXTS, st.integers(0, 50))
@settings(max_examples=examples(300), deadline=None)
def test_any_text_fits_exactly(text: str, cells: int) -> None:
    text = clean_line(text)
    assert cell_len(fit(text, cells)) == cells
    assert cell_len(fit(text, cells, "right", "..")) == cells
    assert cell_len(cut(text, cells)) <= cells


@pytest.mark.parametrize(
    ("text", "cells", "shown"),
    [
        ("Higher order operators", 10, "Higher or…"),
        ("Higher order", 7, "Higher…"),
        ("short", 5, "short"),
        ("테크 토크", 6, "테크…"),
        ("테크 토크", 4, "테…"),
        ("🇩🇪🇰🇷", 3, "🇩🇪…"),
        ("e\u0301e\u0301e\u0301", 2, "e\u0301…"),
        ("👩\u200d💻 x", 4, "👩 x"),
        ("abc", 0, ""),
    ],
)
def test_a_cut_falls_between_graphemes(text: str, cells: int, shown: str) -> None:
    assert cut(text, cells) == shown


def test_what_terminals_disagree_on_is_made_plain() -> None:
    assert steady("❤\ufe0f 1\ufe0f\u20e3 👍🏽 👩\u200d👩\u200d👧") == "❤ 1 👍 👩"
    assert steady("plain") == "plain"


def test_text_from_right_to_left_keeps_the_next_column_where_it_is() -> None:
    assert steady("עברית") == "\u2067עברית\u2069\u200e"
    assert steady(steady("עברית")) == steady("עברית")
    assert cell_len(fit("עברית", 8)) == 8


def test_a_gap_beside_right_to_left_text_stays_where_it_is() -> None:
    assert steady("  עברית ") == cut("  עברית ", 20) == "  \u2067עברית\u2069\u200e "


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("“\u2068עברית\u2069” moved", "\u2066“\u2068עברית\u2069” moved\u2069\u200e"),
        ("\u2068עברית\u2069", "\u2067עברית\u2069\u200e"),
        ("\u2068ab עברית\u2069", "\u2066ab עברית\u2069\u200e"),
        ("“\u2068עברית\u2069”", "\u2067“\u2068עברית\u2069”\u2069\u200e"),
        ("שלום \u2068abc\u2069", "\u2067שלום \u2068abc\u2069\u2069\u200e"),
        ("a\u2069 \u2068עברית", "\u2066a \u2068עברית\u2069\u2069\u200e"),
        (f"{steady('עברית')} {steady('שלום')}", "\u2067\u2067עברית\u2069 \u2067שלום\u2069\u2069\u200e"),
    ],
)
def test_a_part_with_an_order_of_its_own_keeps_it_and_turns_nothing_else_round(text: str, shown: str) -> None:
    assert steady(text) == steady(steady(text)) == shown


def test_a_sentence_that_is_cut_within_such_a_part_ends_it() -> None:
    assert cut("Moved “\u2068עברית\u2069” to the end", 10) == "\u2066Moved “\u2068עב…\u2069\u2069\u200e"


def test_graphemes_put_together_are_the_text() -> None:
    text = "a🇩🇪é테👩\u200d💻"
    assert "".join(piece for piece, _ in graphemes(text)) == text
    assert ("🇩🇪", 2) in graphemes(text)
