"""Where rows and their headings stand: every line has one thing on it, and every row is found where it stands."""

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.quick import examples
from tui.drawing.episode_rows import Line, RowLines


@st.composite
def laid(draw: st.DrawFn) -> RowLines:
    count = draw(st.integers(0, 40))
    headings = sorted(draw(st.sets(st.integers(0, 40), max_size=8)))
    return RowLines(count, draw(st.integers(1, 2)), headings, gap=draw(st.booleans()))


def written_out(lines: RowLines, headings: list[int], *, gap: bool) -> list[Line]:
    """What is on each line, one after the other."""
    found: list[Line] = []
    for row in range(lines.count):
        if row in headings:
            found += [Line(row, -2)] if gap and found else []
            found.append(Line(row, -1))
        found += [Line(row, part) for part in range(lines.height)]
    return found


@given(st.integers(0, 40), st.integers(1, 2), st.sets(st.integers(0, 45), max_size=9).map(sorted), st.booleans())
@settings(max_examples=examples(300), deadline=None)
def test_every_line_has_what_comes_there_when_all_is_written_out(
    count: int, height: int, headings: list[int], gap: bool
) -> None:
    lines = RowLines(count, height, headings, gap=gap)
    expected = written_out(lines, headings, gap=gap)
    assert len(lines) == len(expected)
    assert [lines.at(line) for line in range(len(lines))] == expected
    for row in range(count):
        assert expected[lines.top_of(row)] == Line(row, 0)
        head = lines.head_of(row)
        assert all(expected[line].row == row for line in range(head, lines.top_of(row)))
        assert head == 0 or expected[head - 1].row == row - 1


@given(laid(), st.integers(0, 120), st.integers(0, 120))
@settings(max_examples=examples(200), deadline=None)
def test_the_rows_between_two_lines_are_those_with_something_on_them(lines: RowLines, start: int, height: int) -> None:
    seen = {lines.at(line).row for line in range(start, min(start + height, len(lines))) if lines.at(line).part >= 0}
    assert seen <= set(lines.rows_between(start, start + height))
    assert len(lines.rows_between(start, start + height)) <= len(seen) + 1


def test_past_the_end_there_are_rows_that_do_not_exist() -> None:
    lines = RowLines(3, 2, (0, 2), gap=True)
    assert lines.at(len(lines)).row == 3
    assert RowLines(0).at(0) == Line(0, 0)
    assert len(RowLines(0)) == 0


def test_a_million_rows_are_as_quick_as_ten() -> None:
    lines = RowLines(1_000_000, 2, range(0, 1_000_000, 3_000), gap=True)
    started = time.process_time()
    for row in range(0, 1_000_000, 1_000):
        assert lines.at(lines.top_of(row)) == Line(row, 0)
    assert time.process_time() - started < 0.2
