"""Which times in a text are places in the episode."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.text.times import leading, time_link, time_of, timestamps

HOUR = 3_600_000


@pytest.mark.parametrize(
    ("line", "ms", "rest"),
    [
        ("12:34 - Title", 754_000, "Title"),
        ("(00:41) Title", 41_000, "Title"),
        ("[1:02:03] | Title", 3_723_000, "Title"),
        ("100:00 Title", 6_000_000, "Title"),
        ("0:50: Title", 50_000, "Title"),
        ("0:00", 0, ""),
    ],
)
def test_a_line_that_begins_with_a_time(line: str, ms: int, rest: str) -> None:
    found = leading(line)
    assert found is not None
    assert (found.ms, line[found.end :]) == (ms, rest)


@pytest.mark.parametrize("line", ["Title 12:34", "12:3 x", "10:30 pm Keynote", "9:00 CEST", "12:34:56:78", "16:9"])
def test_a_line_that_begins_with_none(line: str) -> None:
    assert leading(line) is None


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("we say at 12:34 and (00:41), then 0:59.", ["12:34", "00:41", "0:59"]),
        ("Intro 0:30-1:20", ["0:30"]),
        ("at 10:30 am, 10:30 PT, 10:30 Uhr", []),
        ("2024-01-02 12:34, 2024-01-02T12:34, UTC+02:00, 16:9, 1.12:34, a:12:34", []),
        ("beyond the end: 2:00:00", []),
    ],
)
def test_times_amid_a_text(text: str, times: list[str]) -> None:
    assert [time.text for time in timestamps(text, HOUR)] == times
    assert all(text[time.start : time.end] == time.text for time in timestamps(text, HOUR))


def test_without_a_known_length_only_brackets_are_trusted() -> None:
    assert [time.text for time in timestamps("at 12:34 and (3:05)")] == ["3:05"]


@given(st.text(alphabet="0123456789:.-() []apmT", max_size=60), st.none() | st.integers(0, 10**7))
def test_no_time_is_beyond_the_end(text: str, duration_ms: int | None) -> None:
    found = [*timestamps(text, duration_ms), *filter(None, [leading(text, duration_ms)])]
    assert all(0 <= time.ms <= (duration_ms if duration_ms is not None else time.ms) for time in found)


def test_a_link_to_a_time_says_which() -> None:
    assert time_of(time_link(754_000)) == 754_000
    assert [time_of(href) for href in ("https://a.org/1", "earmark:time/", "earmark:time/-1", "earmark:time/²")] == [
        None
    ] * 4
