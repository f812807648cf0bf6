"""The headings of lists by date."""

import itertools
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.quick import examples
from tui.drawing.episode_rows import date_groups, headings

FRIDAY = date(2026, 11, 20)


def words(today: date) -> list[str]:
    return [one.words for one in date_groups(today)]


def test_recent_days_have_names_then_come_the_months() -> None:
    assert words(FRIDAY)[:9] == [
        "Upcoming", "Today", "Yesterday", "This week", "Last week", "November", "October", "September", "August",
    ]  # fmt: skip
    assert "November 2025" in words(FRIDAY)
    assert words(FRIDAY)[-2:] == ["Before 2000", "Without a date"]


def test_a_group_that_has_no_days_left_is_no_group() -> None:
    monday, tuesday = date(2026, 11, 16), date(2026, 11, 17)
    assert words(monday)[:4] == ["Upcoming", "Today", "Yesterday", "Last week"], "yesterday was last week"
    assert words(tuesday)[:4] == ["Upcoming", "Today", "Yesterday", "Last week"], "this week is today and yesterday"
    assert words(date(2026, 11, 2))[3:5] == ["Last week", "October"]


@given(st.dates(date(2001, 1, 1), date(2090, 1, 1)))
@settings(max_examples=examples(60), deadline=None)
def test_every_group_begins_before_the_one_above_it_and_they_are_few(today: date) -> None:
    groups = date_groups(today)
    assert all(one.since > two.since for one, two in itertools.pairwise(groups))
    assert len(groups) < 12 * 100
    midnight = groups[1].since.astimezone()
    assert (midnight.date(), midnight.hour) == (today, 0)


@pytest.mark.parametrize("oldest_first", [False, True])
def test_headings_stand_above_the_first_row_of_each_group_that_has_any(oldest_first: bool) -> None:
    groups = date_groups(FRIDAY)
    counts = [0, 2, 2, 5, *[5] * (len(groups) - 5)]
    found = headings(groups, counts, 7, oldest_first=oldest_first)
    newest = ((0, "Today"), (2, "This week"), (5, "Without a date"))
    oldest = ((0, "Without a date"), (2, "This week"), (5, "Today"))
    assert found == (oldest if oldest_first else newest)


def test_an_empty_list_has_none() -> None:
    groups = date_groups(FRIDAY + timedelta(days=1))
    assert headings(groups, [0] * (len(groups) - 1), 0) == ()


def test_what_wasnt_counted_of_a_very_long_list_is_earlier() -> None:
    groups = date_groups(FRIDAY)
    assert headings(groups, [0, 2, 4], 1_000_000) == ((0, "Today"), (2, "Yesterday"), (4, "Earlier"))
    assert headings(groups, [0, 2], 10, oldest_first=True) == ((0, "Earlier"), (8, "Today"))
