"""How long the queue lasts."""

from datetime import datetime, timedelta

import pytest

from tui.drawing.phrases import ends, queue_facts

NOW = datetime(2026, 11, 20, 14, 28)
MINUTE, HOUR = 60_000, 3_600_000


def test_the_time_left_ends_on_the_clock() -> None:
    facts = queue_facts(5, 4 * HOUR + 12 * MINUTE, 0, NOW, "·")
    assert facts[:2] == ("5 episodes · 4h 12m left · ends 18:40", "4h 12m left · ends 18:40")


def test_episodes_of_unknown_length_are_counted_beside_it_and_no_end_is_claimed() -> None:
    assert queue_facts(3, 40 * MINUTE, 1, NOW, "·")[0] == "3 episodes · 40m left · 1 of unknown length"
    assert queue_facts(2, 0, 2, NOW, "·")[0] == "2 episodes"


@pytest.mark.parametrize(("coming", "words"), [(5, "5 to come"), (1, "1 to come"), (0, "the last one")])
def test_what_is_heard_is_not_to_come(coming: int, words: str) -> None:
    assert queue_facts(coming, 12 * MINUTE, 0, NOW, "·", plays=True)[0] == f"{words} · 12m left · ends 14:40"


@pytest.mark.parametrize(
    ("hours", "words"), [(1, "ends 15:28"), (10, "ends tomorrow 00:28"), (60, "ends Mon 02:28"), (300, "ends 3 Dec")]
)
def test_a_later_day_is_named(hours: int, words: str) -> None:
    assert ends(NOW + timedelta(hours=hours), NOW) == words
