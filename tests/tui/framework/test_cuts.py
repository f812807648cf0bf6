"""Lines that are cut, such as those behind the edge of a dialog, leave little behind in memory."""

import tracemalloc

from rich.segment import Segment
from textual.strip import Strip

import tui.framework.rendering  # noqa: F401 - it changes how much Rich remembers

TITLE = "日本語の番組" * 40


def test_thousands_of_lines_that_were_cut_are_not_all_remembered() -> None:
    tracemalloc.start()
    try:
        for number in range(4_000):
            Strip([Segment(f"{number} {TITLE}")]).crop(3, 20)
        kept, _most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 5_000_000


def test_a_line_is_cut_as_ever() -> None:
    cut = Strip([Segment("日本語"), Segment(" “a” ")]).crop(1, 9)
    assert cut.text == " 本語 “a"
    assert cut.cell_length == 8
