"""How long somebody listened on which day."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from player.model.episode import EpisodeId
from player.model.listening import ListeningDay, ListeningSpan, per_day, start_of

MINUTE = 60_000
ONE = EpisodeId(1)
ZONES = [ZoneInfo(name) for name in ("UTC", "Europe/Berlin", "America/Havana", "Asia/Beirut", "Pacific/Apia")]


def span(began_at: datetime, minutes: float, speed: float = 1.0) -> ListeningSpan:
    """So many minutes of an episode."""
    return ListeningSpan(ONE, 0, int(minutes * MINUTE), began_at, speed)


def test_at_twice_the_speed_an_hour_of_an_episode_takes_half_an_hour() -> None:
    heard = span(datetime(2026, 3, 1, 12, tzinfo=UTC), 60, speed=2.0)
    assert per_day([heard], UTC) == (ListeningDay(date(2026, 3, 1), 30 * MINUTE, 60 * MINUTE),)


def test_a_span_over_midnight_counts_on_both_days() -> None:
    heard = span(datetime(2026, 3, 1, 23, 50, tzinfo=UTC), 60, speed=1.5)
    assert per_day([heard], UTC) == (
        ListeningDay(date(2026, 3, 1), 10 * MINUTE, 15 * MINUTE),
        ListeningDay(date(2026, 3, 2), 30 * MINUTE, 45 * MINUTE),
    )


def test_days_begin_at_the_listeners_midnight() -> None:
    heard = span(datetime(2026, 3, 1, 23, 30, tzinfo=UTC), 10)
    assert [day.day for day in per_day([heard], ZoneInfo("Europe/Berlin"))] == [date(2026, 3, 2)]


def test_a_day_on_which_the_clock_is_put_forward_has_23_hours() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    heard = span(start_of(date(2026, 3, 29), berlin), 24 * 60)
    assert [day.real_ms for day in per_day([heard], berlin)] == [23 * 60 * MINUTE, 60 * MINUTE]


@given(
    st.datetimes(datetime(2000, 1, 1), datetime(2037, 1, 1)),
    st.integers(0, 80 * 60 * MINUTE),
    st.sampled_from([0.5, 1.0, 1.25, 3.0]),
    st.sampled_from(ZONES),
)
def test_whatever_the_zone_all_that_was_heard_counts_once(
    began: datetime, heard_ms: int, speed: float, zone: ZoneInfo
) -> None:
    heard = ListeningSpan(ONE, 5, 5 + heard_ms, began.replace(tzinfo=UTC), speed)
    days = per_day([heard], zone)
    assert abs(sum(day.real_ms for day in days) - heard.real_ms) <= len(days)
    assert abs(sum(day.content_ms for day in days) - heard.content_ms) <= len(days)
    assert all(day.real_ms <= timedelta(hours=25) / timedelta(milliseconds=1) for day in days)
    assert len({day.day for day in days}) == len(days)
