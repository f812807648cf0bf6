"""What a tile says of a podcast, and that it has its size whatever the title."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.drawing.cells import width
from tui.drawing.cover_cells import ASCII_LINES, LINES, initials, tile


@pytest.mark.parametrize(
    ("title", "letters"),
    [
        ("The Rust Show", "RS"),
        ("The", "Th"),
        ("Changelog", "Ch"),
        ("99% Invisible", "9I"),
        ("C++ Weekly", "CW"),
        ("日本語ラジオ", "日本"),
        ("한국 방송", "한방"),
        ("🎧 Radio Lab", "RL"),
        ("🎧", "🎧"),
        ("🇩🇪", "🇩🇪"),
        ("👩‍👩‍👧 family", "Fa"),
        ("שלום עולם", "ש"),
        ("हिन्दी रेडियो", "हि"),
        ("e\u0301cole normale", "E\u0301N"),
        ("straße ßu", "Sß"),
        ("", ""),
        ("\u200d\u200d", ""),
    ],
)
def test_initials_are_characters_as_a_reader_counts_them(title: str, letters: str) -> None:
    assert initials(title) == letters


@given(st.text(max_size=40), st.integers(1, 14), st.integers(1, 7), st.sampled_from([None, LINES, ASCII_LINES]))
def test_a_tile_has_its_size_whatever_the_title(title: str, columns: int, rows: int, frame: object) -> None:
    lines = tile(initials(title), columns, rows, frame)  # type: ignore[arg-type]
    assert [width(line) for line in lines] == [columns] * rows
    assert not any(ord(character) < 32 for line in lines for character in line)


def test_the_letters_stand_in_the_middle_of_lines_where_there_is_no_colour() -> None:
    assert tile("RS", 6, 3, LINES) == ["╭────╮", "│ RS │", "╰────╯"]
    assert tile("RS", 6, 3, ASCII_LINES) == ["+----+", "| RS |", "+----+"]
