"""The clock on the wall is put forward or back while Earmark is in use: time passes as ever, and hours and days are
those of the wall."""

import time
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from msgspec import Struct

from player.feeds.schedule import after_failure, after_success, may_ask
from player.library import Library
from player.library.history.sessions import start_of
from player.model.episode import EpisodeId
from player.model.feed import FeedSchedule
from player.model.listening import ListeningSpan
from player.model.playback import SleepChoice, SleepStatus, SleepUntil
from player.playback.sleep import SleepHours
from player.text.times import parse_hours
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.playback.sleep.test_sleeper import Night

MINUTE = 60_000


class Change(Struct, frozen=True):
    """At `at` the clock of `zone` is put `forward` by so many minutes, or back (below 0)."""

    zone: str
    at: datetime
    forward: int

    def __str__(self) -> str:
        return f"{self.zone}, {self.forward:+}"

    def wall(self, minutes: float) -> datetime:
        """So long after the change, on the wall."""
        return (self.at + timedelta(minutes=minutes)).astimezone(ZoneInfo(self.zone))


CHANGES = (
    Change("Europe/Berlin", datetime(2026, 3, 29, 1, tzinfo=UTC), 60),
    Change("Europe/Berlin", datetime(2026, 10, 25, 1, tzinfo=UTC), -60),
    Change("America/New_York", datetime(2026, 3, 8, 7, tzinfo=UTC), 60),
    Change("America/New_York", datetime(2026, 11, 1, 6, tzinfo=UTC), -60),
    Change("Australia/Lord_Howe", datetime(2026, 10, 3, 15, 30, tzinfo=UTC), 30),
    Change("Australia/Lord_Howe", datetime(2026, 4, 4, 15, tzinfo=UTC), -30),
)


@pytest.fixture(params=CHANGES, ids=str)
def change(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Change]:
    """This computer is in that zone."""
    one: Change = request.param
    monkeypatch.setenv("TZ", one.zone)
    time.tzset()
    yield one
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def ids(library: Library) -> tuple[EpisodeId, ...]:
    return apply_feed(library, library.podcasts.add(URL, "A show"), *(episode(number) for number in range(3))).new


@pytest.fixture
def night(library: Library, change: Change) -> Iterator[Night]:
    """Listening from five minutes before the change on."""
    one = Night(library)
    one.time.day = change.at - timedelta(minutes=5)
    yield one
    one.end()


def test_the_table_of_changes_is_true(change: Change) -> None:
    before, after = (change.at + timedelta(seconds=s) for s in (-1, 0))
    told = [one.astimezone().replace(tzinfo=None) for one in (before, after)]
    assert told[1] - told[0] == timedelta(seconds=1, minutes=change.forward)


def test_ten_minutes_of_listening_are_ten_minutes(night: Night, ids: tuple[EpisodeId, ...], change: Change) -> None:
    night.play(ids[0], 0)
    night.listen(600)
    night.controller.pause()
    assert night.saved(ids[0]) == 10 * MINUTE
    spans = night.library.history.spans(ids[0])
    assert sum(one.to_ms - one.from_ms for one in spans) == pytest.approx(10 * MINUTE, abs=600)
    (session,), _more = night.library.history.sessions()
    assert session.real_ms == pytest.approx(10 * MINUTE, abs=600)
    assert session.end - session.start == pytest.approx(10 * MINUTE, abs=600)
    day = change.wall(-5).date()
    totals = night.library.history.totals(date(day.year, 1, 1), date(day.year, 12, 31), day)
    assert set(totals.per_day) == {day}
    of_hours = {hour: round(ms / MINUTE) for hour, ms in enumerate(totals.hours) if ms}
    before, after = change.wall(-5).hour, change.wall(1).hour
    assert of_hours == ({before: 10} if before == after else {before: 5, after: 5})


@pytest.mark.parametrize(("minutes", "rewound_ms"), [(4, 0), (6, 3_000)])
def test_a_pause_over_the_change_is_as_long_as_it_is(
    night: Night, ids: tuple[EpisodeId, ...], minutes: int, rewound_ms: int
) -> None:
    """After five minutes playback resumes three seconds earlier, whatever the wall says."""
    night.play(ids[0], 60_000)
    night.listen(250)
    night.controller.pause()
    night.idle(60 * minutes)
    assert night.saved(ids[0]) == 310_000
    night.controller.toggle()
    night.settle()
    assert night.controller.status.position_ms == 310_000 - rewound_ms


def test_a_sleep_timer_counts_minutes_and_not_the_clock(night: Night, ids: tuple[EpisodeId, ...]) -> None:
    night.play(ids[0], 0)
    night.sleep(SleepUntil.MINUTES, 10)
    night.listen(590)
    assert night.runs()
    night.listen(15)
    assert not night.runs()
    assert night.saved(ids[0]) == pytest.approx(10 * MINUTE, abs=1_000)


def test_a_night_in_which_an_hour_comes_twice_is_one_night(
    night: Night, ids: tuple[EpisodeId, ...], change: Change
) -> None:
    """The timer that starts by itself begins in the hour that is repeated, or left out."""
    begins, ends = change.wall(-1), change.wall(180)
    night.sleep_hours = SleepHours(begins.time(), ends.time(), SleepChoice(SleepUntil.MINUTES, 30))
    night.play(ids[0], 0)
    night.listen(230)
    assert night.timer == SleepStatus()
    night.listen(20)
    assert night.runs()
    night.controller.sleeper.off()
    night.controller.pause()
    night.idle(3600)
    night.play(ids[1], 0)
    night.listen(60)
    assert not night.runs(), "turned off is turned off, for all of the night"


def test_a_feed_is_due_after_the_time_that_has_passed(change: Change) -> None:
    checked_at = change.at - timedelta(minutes=30)
    for schedule in (
        after_success(FeedSchedule(), checked_at, timedelta(hours=1)),
        after_success(FeedSchedule(), checked_at.astimezone(), timedelta(hours=1)),
    ):
        due = [n for n in range(-30, 120) if may_ask(schedule, change.at + timedelta(minutes=n), by_person=False)]
        assert due[0] == 30
    failed = after_failure(FeedSchedule(), checked_at, timedelta(hours=2))
    held = [n for n in range(-30, 120) if may_ask(failed, change.at + timedelta(minutes=n), by_person=True)]
    assert held[0] == 90


def test_hours_of_downloads_are_those_on_the_wall(change: Change) -> None:
    """From two hours before the change to two after it, as the wall shows them."""
    begins, ends = (change.at + timedelta(hours=n) for n in (-2, 2))
    hours = parse_hours(f"{begins.astimezone():%H:%M}-{ends.astimezone():%H:%M}")
    assert hours is not None
    moments = [change.at + timedelta(minutes=n) for n in range(-12 * 60, 12 * 60)]
    inside = [one for one in moments if hours.contain(one.astimezone())]
    assert (inside[0], inside[-1]) == (begins, ends - timedelta(minutes=1))
    assert len(inside) == 240


def test_a_day_is_as_long_as_the_wall_makes_it_and_sums_to_all_of_it(
    library: Library, ids: tuple[EpisodeId, ...], change: Change
) -> None:
    day = change.wall(0).date()
    first, last = (start_of(day + timedelta(days=n)) for n in (0, 1))
    minutes = 24 * 60 - change.forward
    assert last - first == timedelta(minutes=minutes)
    for number in range(-3, minutes // 10 + 3):
        at = first + timedelta(minutes=10 * number)
        span = ListeningSpan(ids[number % 3], 0, 10 * MINUTE, at, 1.0)
        library.progress.save(ids[number % 3], 0, None, at, heard=[span])
    totals = library.history.totals(day, day, day)
    assert [one.real_ms for one in totals.days] == [minutes * MINUTE]
    assert sum(totals.hours) == minutes * MINUTE
    assert {round(ms / MINUTE) for ms in totals.hours} <= {0, 30, 60, 90, 120}
    assert totals.per_day == {
        day: minutes * MINUTE,
        day - timedelta(days=1): 30 * MINUTE,
        day + timedelta(days=1): 30 * MINUTE,
    }
