"""Spans of bytes agree with a plain set of bytes."""

from hypothesis import given
from hypothesis import strategies as st

from player.media.cache import Ranges

spans = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=12)


@given(spans, st.integers(0, 70), st.integers(0, 70))
def test_ranges_agree_with_a_set(added: list[tuple[int, int]], offset: int, size: int) -> None:
    ranges, there = Ranges.of(added), {byte for start, end in added for byte in range(start, end)}
    assert [byte for start, end in ranges.spans for byte in range(start, end)] == sorted(there)
    assert all(first[1] < second[0] for first, second in zip(ranges.spans, ranges.spans[1:], strict=False))
    reach = offset
    while reach in there:
        reach += 1
    assert ranges.reach(offset) == reach
    assert ranges.covers(offset, size) == (set(range(offset, size)) <= there)
    gap = ranges.gap(offset, size)
    assert gap == (None if reach >= size else (reach, min([byte for byte in there if byte > reach] + [size])))
    overlap = [byte for start, end in ranges.overlap(offset, size) for byte in range(start, end)]
    assert overlap == sorted(there & set(range(offset, size)))


def test_a_gap_without_a_known_size_has_no_end() -> None:
    assert Ranges.of([(0, 5)]).gap(2, None) == (5, None)
    assert Ranges.of([(0, 5), (9, 12)]).gap(2, None) == (5, 9)
