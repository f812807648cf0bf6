"""Two days whose every figure was added up by hand: midnight, the hour that comes twice, speeds, a clock set back."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from player.library import Library
from player.library.history.totals import ListeningTotals, Share
from player.model.episode import EpisodeId
from player.model.listening import ListeningDay, ListeningSpan

MINUTE = 60_000
BERLIN = ZoneInfo("Europe/Berlin")
FIRST, SECOND = date(2026, 10, 24), date(2026, 10, 25)
"""In the night between them 3:00 becomes 2:00, at 1:00 UTC."""


@pytest.fixture
def found(library: Library, ids: tuple[EpisodeId, ...]) -> ListeningTotals:
    """Episodes of 30 minutes each."""
    late, twice, back = ids[:3]
    heard = (
        # From 23:50 to 0:10.
        (late, datetime(2026, 10, 24, 21, 50, tzinfo=UTC), 0, 30, 1.5),
        # From 2:50 to 2:00, and at double speed from 2:00 to 2:10.
        (twice, datetime(2026, 10, 25, 0, 50, tzinfo=UTC), 0, 10, 1.0),
        (twice, datetime(2026, 10, 25, 1, 0, tzinfo=UTC), 10, 30, 2.0),
        # From 13:00 to 13:20; then the clock is put back to 13:15, and 5 of the following 10 minutes count.
        (back, datetime(2026, 10, 25, 12, 0, tzinfo=UTC), 0, 20, 1.0),
        (back, datetime(2026, 10, 25, 12, 15, tzinfo=UTC), 20, 30, 1.0),
    )
    for episode_id, at, first, last, speed in heard:
        span = ListeningSpan(episode_id, first * MINUTE, last * MINUTE, at, speed)
        library.progress.save(episode_id, 0, None, at, heard=[span])
    return library.history.totals(date(2026, 1, 1), date(2026, 12, 31), SECOND + timedelta(days=60), BERLIN)


def test_days(found: ListeningTotals) -> None:
    assert found.days == (
        ListeningDay(FIRST, 10 * MINUTE, 15 * MINUTE),
        ListeningDay(SECOND, (10 + 20 + 25) * MINUTE, (15 + 30 + 25) * MINUTE),
    )
    assert found.per_day == {FIRST: 10 * MINUTE, SECOND: 55 * MINUTE}
    assert found.streak == 2


def test_time_of_day(found: ListeningTotals) -> None:
    assert {hour: ms // MINUTE for hour, ms in enumerate(found.hours) if ms} == {23: 10, 0: 10, 2: 20, 13: 25}


def test_what_speed_saved(found: ListeningTotals) -> None:
    assert found.content_ms - found.real_ms == (10 + 10) * MINUTE


def test_podcasts_and_episodes(found: ListeningTotals) -> None:
    assert found.podcasts == (Share("A show", 65 * MINUTE),)
    assert [one.real_ms // MINUTE for one in found.top] == [25, 20, 20]
    assert found.episodes == 3


def test_all_three_were_heard_to_their_end(found: ListeningTotals) -> None:
    assert (found.finished, found.abandoned) == (3, 0)


def test_minutes_before_the_clock_was_put_back_are_no_part_that_was_skipped(found: ListeningTotals) -> None:
    assert found.skipped_ms == 0


def test_two_players_at_once_are_one_listener(library: Library, ids: tuple[EpisodeId, ...]) -> None:
    at = datetime(2026, 3, 1, 12, tzinfo=UTC)
    for number, one in enumerate(ids[:2]):
        span = ListeningSpan(one, 0, 20 * MINUTE, at + timedelta(minutes=10 * number))
        library.progress.save(one, 0, None, at, heard=[span])
    found = library.history.totals(date(2026, 1, 1), date(2026, 12, 31), date(2026, 3, 1), UTC)
    assert [one.real_ms // MINUTE for one in found.top] == [20, 10]
    assert found.real_ms == 30 * MINUTE
    sessions, _more = library.history.sessions(zone=UTC)
    assert sum(one.real_ms for one in sessions) == 30 * MINUTE
