"""Times as people write and read them."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.text.durations import brief, clock, in_words, parse_time


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("90", 90_000), ("12:34", 754_000), ("1:02:03", 3_723_000), ("1h2m3s", 3_723_000), ("2m", 120_000),
        ("1h", 3_600_000),
        ("45s", 45_000), ("1h30s", 3_630_000), ("1.5", 1_500), ("0:01.25", 1_250), (" 1H2M3S ", 3_723_000), ("0", 0),
        ("90:00", 5_400_000), ("1:2:3", 3_723_000), ("9:5", 545_000), ("9:59.5", 599_500), ("2.0005s", 2_000),
    ],
)  # fmt: skip
def test_a_time_is_read_in_each_of_its_forms(text: str, ms: int) -> None:
    assert parse_time(text) == ms


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "soon",
        "1:2:3:4",
        "-5",
        "+5",
        ":30",
        "1h2",
        "1m2h",
        "h",
        "1 2",
        "1,5",
        "٣",
        "9:99",
        "9:60",
        "1:60:00",
        "1:75:10",
        "1:02:60",
        "9:5:99",
        "1:2:003",
        "9:60.5",
    ],
)
def test_what_is_no_time_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match="Invalid time"):
        parse_time(text)


@given(st.text(max_size=40))
def test_any_text_is_a_time_or_refused(text: str) -> None:
    with contextlib.suppress(ValueError):
        assert parse_time(text) >= 0


@given(st.integers(0, 10**9))
def test_a_clock_reads_back_to_the_second(ms: int) -> None:
    assert parse_time(clock(ms)) == ms // 1000 * 1000


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "0:00"),
        (492_000, "8:12"),
        (3_723_999, "1:02:03"),
        (-15_000, "-0:15"),
        (-3_600_000, "-1:00:00"),
        (999, "0:00"),
    ],
)
def test_a_place_as_a_clock(ms: int, text: str) -> None:
    assert clock(ms) == text


@pytest.mark.parametrize(
    ("ms", "text"),
    [(0, "0s"), (45_000, "45s"), (59_999, "59s"), (60_000, "1m"), (960_000, "16m"), (3_570_000, "1h 00m"),
     (3_900_000, "1h 05m"), (-5, "0s")],
)  # fmt: skip
def test_a_length_at_a_glance(ms: int, text: str) -> None:
    assert brief(ms) == text


@pytest.mark.parametrize(
    ("ms", "text"),
    [(0, "0 seconds"), (1_000, "1 second"), (15_000, "15 seconds"), (60_000, "1 minute"), (300_000, "5 minutes"),
     (90_000, "1m30s"), (2_500, "2.5s"), (7_200_000, "2h")],
)  # fmt: skip
def test_a_length_in_words_loses_nothing(ms: int, text: str) -> None:
    assert in_words(ms) == text
