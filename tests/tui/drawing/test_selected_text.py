"""What is selected is copied as it was written, however it was broken into lines."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from player.notes import read_notes
from tests.tui.shelf import NOTES
from tui.drawing.notes.notes_page import body
from tui.drawing.runs import Line, Run, width_of, wrap
from tui.drawing.selected_text import Selection, Spot, between, copied, paragraph_at, snapped, word_at
from tui.look.glyphs import UNICODE

ALL = Selection(Spot(0, 0), Spot(100_000, 0))
PROSE = "The post-grad passes run once the graph has been made functional, and split."


@given(st.text("abc défg 日本語、。 한국어-/", max_size=400), st.integers(8, 60))
@example(PROSE * 5, 20)
@example("x" * 100, 9)
@example("日本語" * 80, 11)
def test_a_paragraph_is_one_line_again(text: str, width: int) -> None:
    text = " ".join(text.split())
    assert copied(wrap([Run(text)], width), ALL) == text


def test_what_was_on_lines_of_its_own_stays_so() -> None:
    assert copied(wrap([Run(f"{PROSE}\nand\n{PROSE}")], 30), ALL) == f"{PROSE}\nand\n{PROSE}"


@pytest.mark.parametrize("columns", [20, 33, 76])
def test_notes_read_the_same_at_any_width(columns: int) -> None:
    html = f"<p>{PROSE} <a href='https://a.org'>A link</a> in it</p><ul><li>{PROSE}</li><li>two</li></ul>"
    html += f"<blockquote>{PROSE}</blockquote><pre>if x:\n    yes = {'y' * 70}</pre>"
    text = copied(body(read_notes(html), columns, UNICODE), ALL)
    assert text == (
        f"{PROSE} A link in it\n\n• {PROSE}\n• two\n\n{PROSE}\n\nif x:\n    yes = {'y' * 70}\n\nLinks\nA link  a.org"
    )


def test_the_same_notes_at_every_width() -> None:
    pages = [copied(body(read_notes(NOTES), columns, UNICODE), ALL) for columns in range(24, 120, 7)]
    found = {" ".join(page.split(" ")).replace("  ", " ") for page in pages}
    assert len(found) == 1


def test_a_part_of_a_line_and_of_lines() -> None:
    lines: list[Line] = wrap([Run("one two three four five")], 9)  # one two / three / four five
    assert copied(lines, between(Spot(0, 4), Spot(0, 6))) == "two"
    assert copied(lines, between(Spot(2, 3), Spot(0, 4))) == "two three four"
    assert copied(lines, between(Spot(5, 0), Spot(9, 3))) == ""


def test_no_wide_character_is_cut_in_its_middle() -> None:
    line = (Run("a日本b"),)
    assert snapped(line, range(2, 4)) == range(3, 5)
    assert copied([line], between(Spot(0, 2), Spot(0, 3))) == "本"
    assert snapped(line, range(2, 2)) == range(0)


@pytest.mark.parametrize(
    ("text", "cell", "word"),
    [
        ("see https://a.org/b_c?d=1, and", 10, "https://a.org/b_c?d=1"),
        ("it isn’t so.", 5, "isn’t"),
        ("(well-known)", 3, "well-known"),
        ("日本、東京", 0, "日本"),
        ("a  b", 1, None),
        ("... !", 1, None),
        ("a", 40, None),
    ],
)
def test_the_word_at_a_cell(text: str, cell: int, word: str | None) -> None:
    line = (Run(text[:4], "bold"), Run(text[4:]))
    found = word_at(line, 7, cell)
    assert (found and copied([()] * 7 + [line], found)) == word


def test_a_paragraph_is_all_its_lines_and_no_more() -> None:
    lines = [*wrap([Run("one two three four five")], 9), (), *wrap([Run("six seven")], 4)]
    for row in (0, 1, 2):
        found = paragraph_at(lines, row)
        assert found
        assert copied(lines, found) == "one two three four five"
    assert paragraph_at(lines, 3) is None
    assert paragraph_at(lines, 99) is None


@given(st.lists(st.text("ab 日🇩🇪é\u0301", max_size=12), max_size=6), *[st.integers(-2, 20)] * 4)
def test_any_selection_of_anything_is_a_part_of_it(texts: list[str], row: int, cell: int, to: int, at: int) -> None:
    lines: list[Line] = [(Run(text),) for text in texts]
    selection = between(Spot(row, cell), Spot(to, at))
    text = copied(lines, selection)
    for part in text.split("\n"):
        assert any(part in one for one in texts) or not part
    for index, line in enumerate(lines):
        cells = snapped(line, selection.cells_of(index, width_of(line)))
        assert 0 <= cells.start <= cells.stop <= width_of(line)
