"""What was stored while the clock was wrong, once it is right again."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from player.downloads.retries import wait_s
from player.downloads.rules.records import Cause, Removal
from player.downloads.ruling import trash
from player.library import Library
from player.model.listening import ListeningSpan
from player.model.moments import left, used_at, within
from player.paths import Paths
from tests.player.library.helpers import URL, apply_feed, episode

NOW = datetime(2026, 6, 1, 9, tzinfo=UTC)
WRONG = [NOW.replace(year=year) for year in (1970, 2040, 2100)]
DAY = timedelta(days=1)


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
    assert trash.set_aside(library, folder, [Removal(one, 10, Cause.PLAYED)]) == [one]
    clock.now = NOW
    trash.sweep(library, folder)
    assert [trashed.at for trashed in library.downloads.facts.trash()] == [NOW.timestamp() * 1000]
