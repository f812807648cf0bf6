"""A number of days as people write it."""

import pytest

from player.text.times import days_in_words, parse_days


@pytest.mark.parametrize(
    ("text", "days"),
    [("at once", 0), ("NOW", 0), ("0", 0), ("never", None), ("", None), ("1 day", 1), ("2  days", 2), ("30d", 30)],
)
def test_it_is_understood(text: str, days: int | None) -> None:
    assert parse_days(text) == days


@pytest.mark.parametrize("text", ["soon", "-1", "1.5 days", "99999", "2 weeks", "٣"])
def test_anything_else_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match="number of days"):
        parse_days(text)


def test_days_are_said_in_words() -> None:
    assert (days_in_words(1), days_in_words(30)) == ("1 day", "30 days")
