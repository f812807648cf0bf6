"""What was stored while the clock was wrong, once it is right again."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from player.downloads import trash
from player.downloads.attempt import wait_s
from player.downloads.planning import Cause, Removal
from player.library import Library
from player.model.filters import EpisodeFilter, Order, View, ViewName
from player.model.listening import ListeningSpan
from player.model.moments import left, used_at, within
from player.paths import Paths
from tests.player.library.helpers import URL, apply_feed, episode

NOW = datetime(2026, 6, 1, 9, tzinfo=UTC)
WRONG = [NOW.replace(year=year) for year in (1970, 2040, 2100)]
DAY, HOUR = timedelta(days=1), timedelta(hours=1)


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def library(paths: Paths, clock: Clock) -> Iterator[Library]:
    library = Library(paths, now=clock, backs_up=False)
    library.open()
    yield library
    library.close()


@pytest.mark.parametrize("wrong", WRONG)
def test_nothing_is_waited_for_longer_than_it_may_take(wrong: datetime) -> None:
    assert left(wrong + DAY, NOW, DAY) == timedelta()
    assert left(NOW + DAY, NOW, DAY) == DAY
    assert left(NOW, NOW, DAY) == left(None, NOW, DAY) == timedelta()
    assert not within(wrong, NOW, DAY)
    assert within(NOW - timedelta(hours=1), NOW, DAY)


@pytest.mark.parametrize("wrong", WRONG)
def test_a_file_used_by_a_wrong_clock_is_dropped_from_a_cache_before_those_used_since(wrong: datetime) -> None:
    now, lately = NOW.timestamp(), (NOW - 30 * DAY).timestamp()
    assert used_at(wrong.timestamp(), now) < used_at(lately, now) < used_at(now + 1, now)


@pytest.mark.parametrize("wrong", WRONG)
def test_a_download_is_tried_again(wrong: datetime) -> None:
    assert wait_s(wrong + timedelta(minutes=5), NOW) == 0
    assert wait_s(NOW + timedelta(minutes=5), NOW) == 300


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_heard_after_the_history_was_forgotten_is_recorded(
    library: Library, clock: Clock, wrong: datetime
) -> None:
    (one,) = apply_feed(library, library.podcasts.add(URL), episode(0)).new
    clock.now = wrong
    library.history.forget()
    clock.now = NOW
    library.progress.save(one, 60_000, None, NOW, heard=[ListeningSpan(one, 0, 60_000, NOW, 1.0)])
    assert [span.to_ms for span in library.history.spans(one)] == [60_000]


MINUTE = timedelta(minutes=1)


def hears(library: Library, at: datetime, number: int = 0) -> None:
    """Ten minutes, from ten times `number` on."""
    podcast = library.podcasts.by_url(URL) or library.podcasts.add(URL)
    one = library.episodes.at_guid(podcast.id, "one") or apply_feed(library, podcast, episode(0, guid="one")).new[0]
    heard = ListeningSpan(one, number * 600_000, (number + 1) * 600_000, at, 1.0)
    library.progress.save(one, heard.to_ms, None, at, heard=[heard])


def began(library: Library) -> list[datetime]:
    return [one.began_at for one in reversed(library.history.sessions(zone=UTC)[0])]


@pytest.mark.parametrize("wrong", WRONG[1:])
@pytest.mark.parametrize("earlier", [True, False])
def test_what_was_heard_while_the_clock_was_ahead_was_heard_before_what_is_heard_now(
    library: Library, wrong: datetime, earlier: bool
) -> None:
    if earlier:
        hears(library, NOW - 2 * DAY)
    hears(library, wrong, number=1)
    hears(library, wrong + 2 * HOUR, number=2)
    hears(library, NOW, number=3)
    expected = [NOW - 2 * DAY] * earlier + [NOW - 2 * HOUR - 10 * MINUTE, NOW - 10 * MINUTE]
    assert began(library) == [*expected[:-1], NOW - 10 * MINUTE]
    totals = library.history.totals(date(2026, 1, 1), date(2026, 12, 31), NOW.date(), UTC)
    assert totals.real_ms == (30 + 10 * earlier) * 60_000
    assert max(totals.per_day) == NOW.date()
    hears(library, wrong + 2 * HOUR, number=2)
    hears(library, NOW, number=3)
    assert library.history.totals(date(2026, 1, 1), date(2026, 12, 31), NOW.date(), UTC) == totals, "written once more"


def test_a_clock_that_is_behind_leaves_the_history_as_it_is(library: Library) -> None:
    days = [NOW + number * 30 * DAY for number in range(40)]
    for number, day in enumerate(days):
        hears(library, day, number=number % 3)
    hears(library, NOW + DAY)
    assert sorted(began(library)) == sorted([*days, NOW + DAY])


@pytest.mark.parametrize("wrong", WRONG)
def test_a_preview_is_forgotten_a_week_after_it_was_opened_or_the_clock_was_set(
    library: Library, clock: Clock, wrong: datetime
) -> None:
    clock.now = wrong
    preview = library.previews.add(URL, "A show")
    week = timedelta(days=7)
    for clock.now in (NOW, NOW + DAY * 8):
        library.previews.clear(clock.now - week)
    assert library.previews.by_url(preview.url) is None


@pytest.mark.parametrize("wrong", WRONG)
def test_a_position_of_now_replaces_one_of_then(library: Library, wrong: datetime) -> None:
    (one,) = apply_feed(library, library.podcasts.add(URL), episode(0)).new
    library.progress.save(one, 5_000, None, wrong)
    library.progress.save(one, 9_000, None, NOW)
    saved = library.progress.position(one)
    assert saved
    assert (saved.position_ms, saved.saved_at) == (9_000, NOW)


@pytest.mark.parametrize("wrong", WRONG[1:])
def test_what_went_into_the_trash_goes_a_day_after_the_clock_was_set(
    library: Library, clock: Clock, wrong: datetime, tmp_path: Path
) -> None:
    (one,) = apply_feed(library, library.podcasts.add(URL), episode(0)).new
    clock.now = wrong
    folder = tmp_path / "episodes"
    folder.mkdir()
    file = folder / "one.mp3"
    file.write_bytes(bytes(10))
    library.downloads.put(one, file, size=10, why="queue")
    assert trash.set_aside(library, folder, [Removal(one, 10, Cause.PLAYED)]).gone == [one]
    clock.now = NOW
    trash.sweep(library, folder)
    assert [trashed.at for trashed in library.downloads.facts.trash()] == [NOW.timestamp() * 1000]


@pytest.mark.parametrize("wrong", WRONG)
def test_what_was_heard_by_a_wrong_clock_stands_behind_what_was_heard_since(library: Library, wrong: datetime) -> None:
    ids = apply_feed(library, library.podcasts.add(URL), *(episode(number) for number in range(4))).new
    for one, at in zip(ids, (NOW - DAY, wrong, NOW), strict=False):
        library.progress.save(one, 5_000, None, at)
    first, second, third, never = ids
    assert list(library.listing(View.of(ViewName.IN_PROGRESS)).page(0, 9)) == [third, first, second]
    assert list(library.listing(View(order=Order.LAST_HEARD)).page(0, 9)) == [third, first, second, never]


@pytest.mark.parametrize("wrong", WRONG)
def test_what_was_begun_by_a_wrong_clock_does_not_stay_cached_for_ever(library: Library, wrong: datetime) -> None:
    one, other = apply_feed(library, library.podcasts.add(URL), episode(0), episode(1)).new
    library.progress.save(one, 5_000, None, wrong)
    library.progress.save(other, 5_000, None, NOW)
    assert [found.id for found in library.episodes.in_progress_since(NOW - DAY)] == [other]


def listed(library: Library) -> list[str]:
    return [row.title for row in library.episodes.rows(library.listing(View()).page(0, 9))]


@pytest.mark.parametrize("first", [True, False], ids=["with the first reading", "later"])
def test_an_episode_dated_in_the_future_stands_where_it_was_found(library: Library, clock: Clock, first: bool) -> None:
    podcast = library.podcasts.add(URL)
    old = [episode(number) for number in range(2)]
    ahead = episode(9, published=NOW.replace(year=2100))
    if not first:
        apply_feed(library, podcast, *old)
    apply_feed(library, podcast, ahead, *old)
    assert listed(library) == ["Episode 9", "Episode 0", "Episode 1"]
    clock.now = NOW + DAY
    fresh = episode(10, published=NOW + timedelta(hours=1))
    apply_feed(library, podcast, fresh, ahead, *old)
    assert listed(library) == ["Episode 10", "Episode 9", "Episode 0", "Episode 1"]
    apply_feed(library, podcast, fresh, episode(9, title="Nine", published=NOW.replace(year=2101)), *old)
    assert listed(library) == ["Episode 10", "Nine", "Episode 0", "Episode 1"], "also with another such date"
    apply_feed(library, podcast, fresh, episode(9, title="IX", published=NOW - 900 * DAY), *old)
    assert listed(library) == ["Episode 10", "Episode 0", "Episode 1", "IX"], "corrected"
    (found,) = library.episodes.rows([library.episodes.find("IX").id])
    assert found.published == NOW - 900 * DAY


def test_a_clock_that_lost_its_date_takes_none_for_the_future(library: Library, clock: Clock) -> None:
    clock.now = WRONG[0]
    apply_feed(library, library.podcasts.add(URL), *(episode(number) for number in range(3)))
    assert listed(library) == ["Episode 0", "Episode 1", "Episode 2"]
    newest = library.episodes.find("Episode 0")
    assert library.listing(View(filter=EpisodeFilter(after=date(2020, 1, 1)))).page(0, 1)[0] == newest.id
