"""Paragraphs with parts that are read from right to left, broken into lines: each line in the order of its reader."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from player.text.directions import FSI, LRI, PDI, RLI, field, without_marks
from tests.quick import examples
from tui.drawing.bidi import reordered
from tui.drawing.cells import steady
from tui.drawing.line_ends import is_of_right_to_left
from tui.drawing.runs import Line, Run, width_of, wrap
from tui.terminal.bidi import Bidi

HEBREW = "אבג דהו (זחט) יכל 12 מנס!"


def shown(line: Line) -> str:
    return "".join(text for text, _ in reordered([(run.text, "") for run in line], Bidi.EARMARK))


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        (steady(HEBREW), 14, [" (טחז) והד גבא", "   !סנמ 12 לכי"]),
        (steady("אבג ABC DEF GHI דהו"), 8, [" ABC גבא", " DEF GHI", "     והד"]),
        (f"{field(HEBREW)} heard 3 times", 14, ["(טחז) והד גבא", "!סנמ 12 לכי", "heard 3 times"]),
        (f"After {field(HEBREW)}, 3 times", 14, ["After והד גבא", "12 לכי (טחז)", "!סנמ, 3 times"]),
        (f"“{field(HEBREW)}” · 12 May · 3", 14, ["“(טחז) והד גבא", "!סנמ 12 לכי” ·", "12 May · 3"]),
        (f"אחרי {field('One two three four')}, 3", 12, ["One two ירחא", " ,three four", "           3"]),
        (f"{field('אבג דהו')} and\nthen {field('זחט יכל')}", 12, ["והד גבא and", "then לכי טחז"]),
    ],
)
def test_each_line_is_read_as_a_part_of_the_whole(text: str, width: int, lines: list[str]) -> None:
    assert [shown(line) for line in wrap([Run(text)], width)] == lines


def test_a_part_with_a_style_of_its_own_stays_one_text() -> None:
    lines = wrap([Run("After ", "muted"), Run(field(HEBREW), "title"), Run(", 3 times", "muted")], 14)  # type: ignore[arg-type]
    assert [shown(line) for line in lines] == ["After והד גבא", "12 לכי (טחז)", "!סנמ, 3 times"]
    assert [[run.role for run in line if run.text.strip()] for line in lines] == [
        ["muted", "title"], ["title"], ["title", "muted"],
    ]  # fmt: skip
    assert not any(map(is_of_right_to_left, lines))
    assert all(map(is_of_right_to_left, wrap([Run(steady(HEBREW), "title")], 14)))


WORDS = st.lists(st.sampled_from(["אבג", "ab", "12", "(", ")", "!", "שלום", "longer-word", "ابت", "漢字"]), max_size=8)
PARTS = st.tuples(st.sampled_from(["", FSI, RLI, LRI]), WORDS.map(" ".join))


@given(st.lists(PARTS, max_size=6), st.integers(2, 30))
@settings(max_examples=examples(300), deadline=None)
def test_no_line_leaves_a_text_open_and_no_letter_is_lost(parts: list[tuple[str, str]], width: int) -> None:
    text = " ".join(f"{opener}{words}{PDI if opener else ''}" for opener, words in parts)
    lines = wrap([Run(f"{text} א")], width)
    for line in lines:
        joined = "".join(run.text for run in line)
        depth = 0
        for character in joined:
            depth += (character in (LRI, RLI, FSI)) - (character == PDI)
            assert depth >= 0
        assert depth == 0
        assert width_of(line) <= max(width, 2)
    letters = "".join(without_marks(run.text) for line in lines for run in line)
    assert letters.replace(" ", "") == f"{without_marks(text)}א".replace(" ", "")
