"""What statistics say, counted from spans whose numbers are known."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from player.library import Library
from player.library.history.totals import ListeningTotals, Share
from player.model.episode import EpisodeId
from player.model.listening import ListeningSpan
from player.model.podcast import Podcast
from tests.player.library.helpers import apply_feed, episode

MINUTE = 60_000
LENGTH = 30
"""Minutes of each episode of the library."""
YEAR = date(2026, 1, 1), date(2026, 12, 31)
Ids = tuple[EpisodeId, ...]


def listen(
    library: Library, episode_id: EpisodeId, at: datetime, minutes: tuple[float, float], speed: float = 1.0
) -> None:
    span = ListeningSpan(episode_id, int(minutes[0] * MINUTE), int(minutes[1] * MINUTE), at, speed)
    library.progress.save(episode_id, 0, None, at, heard=[span])


def year(library: Library, today: date = date(2026, 12, 31), first_last: tuple[date, date] = YEAR) -> ListeningTotals:
    return library.history.totals(*first_last, today, UTC)


def test_time_is_the_listeners_and_speed_saves_the_rest(library: Library, ids: Ids) -> None:
    listen(library, ids[0], datetime(2026, 4, 1, 9, tzinfo=UTC), (0, 30), 2.0)
    listen(library, ids[1], datetime(2026, 4, 2, 20, 50, tzinfo=UTC), (0, 20))
    found = year(library)
    assert (found.real_ms, found.content_ms) == (35 * MINUTE, 50 * MINUTE)
    assert {hour: ms // MINUTE for hour, ms in enumerate(found.hours) if ms} == {9: 15, 20: 10, 21: 10}
    assert found.podcasts == (Share("A show", 35 * MINUTE),)
    assert found.top == (Share("Episode 1", 20 * MINUTE), Share("Episode 0", 15 * MINUTE))
    assert (found.episodes, found.streak) == (2, 2)
    assert found.longest is not None
    assert found.longest.day == date(2026, 4, 2)


def test_marking_as_played_is_not_hearing(library: Library, ids: Ids) -> None:
    library.episodes.set_played(ids, True)
    assert year(library) == ListeningTotals(*YEAR)


def test_finished_is_what_was_heard_to_its_end_and_not_jumped_to(library: Library, ids: Ids) -> None:
    at = datetime(2026, 4, 1, 9, tzinfo=UTC)
    listen(library, ids[0], at, (0, LENGTH - 0.5))
    listen(library, ids[1], at + timedelta(hours=1), (LENGTH - 2, LENGTH))
    found = year(library)
    assert (found.finished, found.abandoned) == (1, 1)


@pytest.mark.parametrize(("minutes", "left_ms"), [(10, MINUTE), (40, 2 * MINUTE), (120, 3 * MINUTE)])
def test_the_last_minutes_need_not_be_heard(library: Library, podcast: Podcast, minutes: int, left_ms: int) -> None:
    """One of a short episode, a twentieth of a longer one, and at most three."""
    both = apply_feed(library, podcast, *(episode(number, duration_ms=minutes * MINUTE) for number in (0, 1))).new
    for more, one in enumerate(both):
        at = datetime(2026, 4, 1 + more, 9, tzinfo=UTC)
        span = ListeningSpan(one, 0, minutes * MINUTE - left_ms - more, at)
        library.progress.save(one, 0, None, at, heard=[span])
        assert year(library).finished == 1


def test_an_episode_is_finished_in_the_year_in_which_its_end_was_heard(library: Library, ids: Ids) -> None:
    listen(library, ids[0], datetime(2025, 12, 31, 22, tzinfo=UTC), (0, 20))
    listen(library, ids[0], datetime(2026, 1, 1, 10, tzinfo=UTC), (20, LENGTH))
    assert year(library).finished == 1
    assert year(library).real_ms == 10 * MINUTE
    before = date(2025, 1, 1), date(2025, 12, 31)
    assert year(library, first_last=before).finished == 0
    assert year(library, first_last=before).real_ms == 20 * MINUTE


def test_abandoned_is_begun_and_left_for_a_month_or_marked_played_before_its_end(library: Library, ids: Ids) -> None:
    at = datetime(2026, 4, 1, 9, tzinfo=UTC)
    for number, minutes in enumerate((5, 5, 0.5)):
        listen(library, ids[number], at + timedelta(hours=number), (0, minutes))
    assert year(library, date(2026, 4, 20)).abandoned == 0
    library.episodes.set_played([ids[0]], True)
    assert year(library, date(2026, 4, 20)).abandoned == 1
    assert year(library, date(2026, 5, 20)).abandoned == 2


def test_skipped_is_what_was_passed_over_in_finished_episodes_and_never_heard(library: Library, ids: Ids) -> None:
    at = datetime(2026, 4, 1, 9, tzinfo=UTC)
    listen(library, ids[0], at, (2, 10))
    listen(library, ids[0], at + timedelta(minutes=8), (14, LENGTH))
    listen(library, ids[0], at + timedelta(minutes=40), (10, 11))
    listen(library, ids[1], at + timedelta(hours=2), (0, 1))
    listen(library, ids[1], at + timedelta(hours=3), (10, 12))
    assert year(library).skipped_ms == 3 * MINUTE


def test_what_a_removed_podcast_was_heard_counts_as_before(library: Library, podcast: Podcast, ids: Ids) -> None:
    listen(library, ids[0], datetime(2026, 4, 1, 9, tzinfo=UTC), (0, LENGTH))
    before = year(library)
    library.podcasts.remove(podcast.id)
    assert year(library) == before
    assert before.finished == 1


def test_new_years_eve_is_split_at_the_listeners_midnight(library: Library, ids: Ids) -> None:
    listen(library, ids[0], datetime(2025, 12, 31, 22, 50, tzinfo=UTC), (0, 30))
    found = library.history.totals(*YEAR, date(2026, 2, 1), ZoneInfo("Europe/Berlin"))
    assert found.real_ms == 20 * MINUTE
    assert found.per_day == {date(2025, 12, 31): 10 * MINUTE, date(2026, 1, 1): 20 * MINUTE}


def test_nothing_heard_is_all_zero(library: Library) -> None:
    assert year(library) == ListeningTotals(*YEAR)


def test_what_trimmed_pauses_saved_is_counted_by_day_and_by_podcast(
    library: Library, podcast: Podcast, ids: Ids
) -> None:
    for at, saved_ms in ((datetime(2025, 12, 1, 12), 90_000), (datetime(2026, 4, 1, 12), 60_000)):
        for _ in range(2):
            library.progress.save(ids[0], 1_000, None, at.astimezone(UTC), saved_ms=saved_ms)
    library.progress.save(EpisodeId(9_999), 1_000, None, datetime.now(UTC), saved_ms=5_000)  # it is gone
    assert year(library).trimmed_ms == 120_000
    assert library.statistics.facts(podcast.id).trimmed_ms == 300_000
    library.check()
    library.history.forget()
    assert year(library).trimmed_ms == 0


def test_what_skipped_segments_saved_is_counted_by_day_and_by_podcast_until_a_skip_is_undone(
    library: Library, podcast: Podcast, ids: Ids
) -> None:
    for at, segments_ms in ((datetime(2025, 12, 1, 12), 90_000), (datetime(2026, 4, 1, 12), 60_000)):
        library.progress.save(ids[0], 1_000, None, at.astimezone(UTC), segments_ms=segments_ms)
    assert year(library).segments_ms == 60_000
    assert (year(library).trimmed_ms, library.statistics.facts(podcast.id).segments_ms) == (0, 150_000)
    for _ in range(2):
        library.progress.save(ids[0], 1_000, None, datetime(2026, 4, 1, 13).astimezone(UTC), segments_ms=-60_000)
    assert year(library).segments_ms == 0
    assert library.statistics.facts(podcast.id).segments_ms == 90_000
    library.check()
