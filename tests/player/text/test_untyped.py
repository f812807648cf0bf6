"""Values of unknown type, as other programs store them."""

from datetime import UTC, datetime
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from player.text.cleaning import clean_line
from player.text.untrusted_json import is_true, line_of, moment_of_ms, moment_of_s, moment_of_text, whole_of

ANYTHING = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.just([1])


@given(ANYTHING)
def test_no_value_is_an_error(value: object) -> None:
    assert clean_line(line_of(value)) == line_of(value)
    assert (number := whole_of(value)) is None or number >= 0
    assert is_true(value) in (True, False)
    for moment in (moment_of_ms(value), moment_of_s(value), moment_of_text(value)):
        assert moment is None or moment.tzinfo is UTC


@pytest.mark.parametrize("value", [None, -1, nan, inf, "", "x", b"5", 2**60, "9" * 40])
def test_what_is_no_number_is_none(value: object) -> None:
    assert whole_of(value) is None


def test_numbers_may_be_texts() -> None:
    assert (whole_of("61"), whole_of(61.9), line_of(7), is_true("true"), is_true("0")) == (61, 61, "7", True, False)


def test_moments_come_in_three_ways() -> None:
    moment = datetime(2026, 5, 1, 10, tzinfo=UTC)
    assert moment_of_s(1777629600) == moment_of_s("1777629600") == moment_of_ms(1777629600000) == moment
    assert moment_of_text("2026-05-01T12:00:00+02:00") == moment_of_text("2026-05-01 10:00:00") == moment
    assert moment_of_s(0) is None
