"""Only the cells that differ are drawn again."""

from hypothesis import given
from hypothesis import strategies as st

from tui.drawing.player_bar import changed_cells
from tui.drawing.runs import Line, Run


def test_of_a_bar_that_moves_by_a_cell_one_cell_is_drawn() -> None:
    old = (Run("0:08", "text"), Run("  "), Run("━━━━━━━━━━━━", "played"), Run("━━━━━━━━━━━━", "cached"))
    new = (Run("0:09", "text"), Run("  "), Run("━━━━━━━━━━━━━", "played"), Run("━━━━━━━━━━━", "cached"))
    assert changed_cells(old, new) == [(3, 4), (18, 19)]
    assert changed_cells(new, new) == []


def test_a_wide_character_is_never_drawn_by_half() -> None:
    assert changed_cells((Run("字a"),), (Run("文a"),)) == [(0, 2)]
    assert changed_cells((Run("abc"),), ()) == [(0, 3)]


lines = st.lists(st.builds(Run, st.text("ab字━ ", max_size=8), st.sampled_from(["", "played"])), max_size=5).map(tuple)


@given(lines, lines)
def test_outside_of_them_both_lines_are_the_same(old: Line, new: Line) -> None:
    def cells(line: Line) -> list[tuple[str, str]]:
        return [(char, run.role) for run in line for char in run.text for _ in range(2 if char == "字" else 1)]

    spans = changed_cells(old, new)
    assert spans == sorted(spans)
    for at, (one, other) in enumerate(zip(cells(old), cells(new), strict=False)):
        assert one == other or any(start <= at < end for start, end in spans)
