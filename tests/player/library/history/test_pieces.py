"""How long somebody listened on which day."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from player.library.database.values import stored
from player.library.history.sessions import Days, Piece, SpanRow, pieces, start_of
from player.library.history.totals import totals
from player.model.episode import EpisodeId
from player.model.listening import ListeningDay, ListeningSpan

MINUTE = 60_000
ONE = EpisodeId(1)
ZONES = [ZoneInfo(name) for name in ("UTC", "Europe/Berlin", "America/Havana", "Asia/Beirut", "Pacific/Apia")]


def span(began_at: datetime, minutes: float, speed: float = 1.0) -> ListeningSpan:
    """So many minutes of an episode."""
    return ListeningSpan(ONE, 0, int(minutes * MINUTE), began_at, speed)


def rows(spans: Iterable[ListeningSpan]) -> list[SpanRow]:
    ordered = sorted(spans, key=lambda one: one.began_at)
    return [(1, one.from_ms, one.to_ms, stored(one.began_at), one.speed) for one in ordered]


def cut(spans: Iterable[ListeningSpan], zone: tzinfo) -> list[Piece]:
    return list(pieces(rows(spans), Days(zone)))


def per_day(spans: Iterable[ListeningSpan], zone: tzinfo) -> tuple[ListeningDay, ...]:
    return totals(rows(spans), {}, Days(zone), date(1990, 1, 1), date(2049, 12, 31), date(2050, 1, 1)).days


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


def test_a_moment_counts_once_for_the_span_that_began_first() -> None:
    first, other = (
        span(datetime(2026, 3, 1, 12, tzinfo=UTC), 60),
        span(datetime(2026, 3, 1, 12, 30, tzinfo=UTC), 80, 2.0),
    )
    within = span(datetime(2026, 3, 1, 12, 10, tzinfo=UTC), 5)
    assert per_day([first, other, within], UTC) == (ListeningDay(date(2026, 3, 1), 70 * MINUTE, 80 * MINUTE),)
    last = cut([first, other, within], UTC)[-1]
    assert last[1:3] == (60 * MINUTE, 80 * MINUTE)


def hours(heard: ListeningSpan, zone: tzinfo) -> dict[int, int]:
    found: dict[int, float] = {}
    days = Days(zone)
    for piece in cut([heard], zone):
        for hour, ms in days.hours(piece[5], piece[3], piece[4]):
            found[hour] = found.get(hour, 0) + ms
    return {hour: round(ms) // MINUTE for hour, ms in found.items()}


def test_an_hour_that_the_clock_repeats_counts_twice_and_one_that_it_skips_never() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    spring = span(start_of(date(2026, 3, 29), berlin), 4 * 60)
    assert hours(spring, berlin) == {0: 60, 1: 60, 3: 60, 4: 60}
    autumn = span(start_of(date(2026, 10, 25), berlin), 4 * 60)
    assert hours(autumn, berlin) == {0: 60, 1: 60, 2: 120}


def test_hours_are_those_of_a_zone_half_an_hour_off() -> None:
    assert hours(span(datetime(2026, 3, 1, 12, 10, tzinfo=UTC), 40), ZoneInfo("Asia/Kolkata")) == {17: 20, 18: 20}
