"""What an empty list says stands in the middle of it, and fits."""

from collections.abc import Sequence

import pytest

from tests.pty.hostile import BIDI, ZALGO
from tests.quick import shortest
from tui.drawing.empty import empty_lines
from tui.drawing.runs import Line, width_of

WORDS = "Nothing starred yet\ns  on an episode stars it\nctrl+p  finds “all” 漢字"


def text(lines: Sequence[Line]) -> list[str]:
    return ["".join(run.text for run in line) for line in lines]


def test_a_glyph_a_sentence_and_keys_stand_in_the_middle() -> None:
    assert text(empty_lines(WORDS, "★", 40, 11)) == [
        "", "", "                   ★",
        "", "          Nothing starred yet",
        "", "          s  on an episode stars it",
        "     ctrl+p  finds “all” 漢字",
    ]  # fmt: skip


@pytest.mark.parametrize("columns", [2, 12, 24, 40, 120])
@pytest.mark.parametrize("rows", [1, 4, 8, 40])
def test_it_fits(columns: int, rows: int) -> None:
    lines = empty_lines(WORDS, "★", columns, rows)
    assert 0 < len(lines) <= rows
    assert columns == 2 or max(map(width_of, lines)) <= columns


def test_a_low_list_has_no_glyph_and_no_gaps() -> None:
    assert [line.strip() for line in text(empty_lines(WORDS, "★", 40, 3))] == [
        "Nothing starred yet", "s  on an episode stars it", "ctrl+p  finds “all” 漢字",
    ]  # fmt: skip


def test_nothing_to_say_is_nothing() -> None:
    assert empty_lines("", "★", 40, 10) == ()


@pytest.mark.parametrize("unit", [ZALGO, BIDI], ids=["marks", "right to left"])
def test_it_is_laid_out_once_for_all_lines_of_a_list(unit: str) -> None:
    """A list asks for it at each line that it draws, and what was typed in vain may be long."""
    words = f"Nothing matches “{unit * (2_000 // len(unit))}”."
    assert shortest(lambda: [empty_lines(words, "", 120, 45) for _ in range(45)], 0.1) < 0.1
