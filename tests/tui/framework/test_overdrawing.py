"""Cells that an update leaves out stay as they are; all others are written as before."""

import re

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.segment import Segment
from textual._compositor import ChopsUpdate
from textual.geometry import Region
from textual.strip import Strip

from tui.framework.rendering import without

CONSOLE = Console(force_terminal=True, color_system=None, width=30)


def update(cuts: list[int], start: int, end: int) -> ChopsUpdate:
    """One line of 20 cells, in parts that begin at the cuts; only the cells from `start` to `end` are to be written."""
    edges = sorted({0, *cuts})
    ends = [*edges[1:], 20]
    text = "abcdefghijklmnopqrst"
    chops = {a: Strip([Segment(text[a:b])], b - a) for a, b in zip(edges, ends, strict=True)}
    return ChopsUpdate([chops], [(0, start, end)], [ends])


def written(codes: str, columns: int) -> str:
    """What a line shows after the codes: cursor moves and text; blanks where nothing was written."""
    cells, column = [" "] * columns, 0
    for move, text in re.findall(r"\x1b\[\d+;(\d+)H|([a-z])", codes):
        if move:
            column = int(move) - 1
        else:
            cells[column] = text
            column += 1
    return "".join(cells)


@given(
    st.lists(st.integers(1, 19), max_size=4),
    st.integers(0, 19),
    st.integers(1, 20),
    st.integers(0, 19),
    st.integers(1, 8),
)
def test_only_those_cells_are_left_out(cuts: list[int], start: int, length: int, at: int, width: int) -> None:
    whole = update(cuts, start, min(20, start + length))
    hole = Region(at, 0, min(width, 20 - at), 1)
    before = written(whole.render_segments(CONSOLE), 20)
    after = written(without(whole, [hole]).render_segments(CONSOLE), 20)
    left, right = hole.column_span
    assert after[left:right] == " " * (right - left)
    # Textual may write more than it has to, but never less.
    others = [at for at in range(start, min(20, start + length)) if not left <= at < right]
    assert [after[at] for at in others] == [before[at] for at in others]
