"""Dates and times of day as they are shown while the clock on the wall is put forward or back."""

from datetime import UTC, datetime, timedelta

import pytest

from player.text.regional import time_of_day
from tests.player.test_daylight_saving import Change, change
from tui.drawing.episode_rows import date_groups
from tui.drawing.labels import is_new_day, short_date
from tui.drawing.phrases import queue_facts
from tui.widgets.player_bar import PlayerBar

__all__ = ["change"]

HOUR = 3_600_000


@pytest.mark.parametrize("days", [-1, 0, 1, 2])
def test_an_episode_stands_under_the_day_on_which_it_came(change: Change, days: int) -> None:
    """Seen on the day before the change, on its day, and on the two after it."""
    today = change.wall(0).date() + timedelta(days=days)
    groups = date_groups(today)
    for quarter in range(-4 * 96, 4 * 96):
        came = change.at + timedelta(minutes=15 * quarter)
        words = next(one.words for one in groups if one.since <= came)
        age = (today - came.astimezone().date()).days
        assert (words == "Upcoming") is (age < 0)
        assert (words == "Today") is (age == 0)
        assert (words == "Yesterday") is (age == 1)
        assert is_new_day(came, today) is (age in (0, 1))
        assert (short_date(came, today) == "today") is (age == 0)


@pytest.mark.parametrize("aware", [True, False])
@pytest.mark.parametrize("minutes", [-600, -90, -30, 30])
def test_the_queue_ends_when_the_wall_will_say_so(change: Change, minutes: int, aware: bool) -> None:
    now = datetime.fromtimestamp((change.at + timedelta(minutes=minutes)).timestamp(), UTC if aware else None)
    for hours in (0.5, 1, 2, 24, 25):
        end = change.wall(minutes + 60 * hours)
        then = queue_facts(1, int(hours * HOUR), 0, now, "·")[0].rpartition(" · ")[2]
        days = (end.date() - change.wall(minutes).date()).days
        day = {0: "", 1: "tomorrow "}.get(days, f"{end:%a} ")
        assert then == f"ends {day}{end:%H:%M}"


def test_the_player_bar_says_when_an_episode_ends_on_the_wall(change: Change) -> None:
    """Its time has a fixed offset, to which what is left is added."""
    assert PlayerBar.now().tzinfo is not None
    now = (change.at - timedelta(minutes=30)).astimezone()
    assert time_of_day(now + timedelta(hours=1)) == f"{change.wall(30):%H:%M}"
