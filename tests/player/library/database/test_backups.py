"""Copies of the library: one a day, the newest few, only whole ones."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from player.errors import DiskFull, LibraryBusy, LibraryError
from player.library import Backup, Library
from player.library.database.backups import Backups, Cancelled
from player.model.listening import Moment
from player.paths import Paths
from tests.player.library.helpers import URL, apply_feed, episode

DAY = datetime(2026, 6, 1, 9, 0, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.now = DAY

    def __call__(self) -> datetime:
        return self.now


def _start_and_end(paths: Paths, clock: Clock) -> Library:
    library = Library(paths, now=clock)
    library.open()
    library.close()
    return library


def _names(paths: Paths) -> list[str]:
    return sorted(path.name for path in paths.backups.iterdir()) if paths.backups.exists() else []


def test_there_is_one_backup_a_day_and_the_newest_three_stay(paths: Paths) -> None:
    clock = Clock()
    _start_and_end(paths, clock)
    assert _names(paths) == [], "a library just made has nothing to lose"
    for hours in (0, 1, 23, 24, 30, 50, 75, 100):
        clock.now = DAY + timedelta(hours=hours)
        _start_and_end(paths, clock)
    assert _names(paths) == ["library-20260603-110000.db", "library-20260604-120000.db", "library-20260605-130000.db"]


def test_a_clock_that_was_wrong_does_not_end_backups(paths: Paths) -> None:
    clock = Clock()
    _start_and_end(paths, clock)
    for days in (5000, 0):
        clock.now = DAY + timedelta(days=days)
        _start_and_end(paths, clock)
    assert "library-20260601-090000.db" in _names(paths)


@pytest.mark.parametrize("year", [2040, 2100])
def test_a_backup_dated_after_now_comes_last_and_is_dropped_first(paths: Paths, year: int) -> None:
    clock = Clock()
    _start_and_end(paths, clock)
    ahead = f"library-{year}0601-090000.db"
    clock.now = DAY.replace(year=year)
    _start_and_end(paths, clock)
    assert _names(paths) == [ahead]
    for day in range(2):
        clock.now = DAY + timedelta(days=day)
        library = _start_and_end(paths, clock)
        assert library.newest_backup() == Backup(paths.backups / f"library-2026060{day + 1}-090000.db", clock.now)
        assert [backup.path.name for backup, _contents in library.backups()][-1] == ahead
    clock.now = DAY + timedelta(days=2)
    _start_and_end(paths, clock)
    assert ahead not in _names(paths)
    assert len(_names(paths)) == 3


def test_a_clock_that_lost_its_date_drops_no_backup(paths: Paths) -> None:
    clock = Clock()
    for day in range(4):
        clock.now = DAY + timedelta(days=day)
        _start_and_end(paths, clock)
    before = _names(paths)
    for day in range(5):
        clock.now = datetime(1970, 1, 1 + day, 0, 1, tzinfo=UTC)
        _start_and_end(paths, clock)
    assert _names(paths) == [*(f"library-1970010{day}-000100.db" for day in (3, 4, 5)), *before]
    clock.now = DAY + timedelta(days=4)
    library = _start_and_end(paths, clock)
    assert _names(paths) == [*before[1:], "library-20260605-090000.db"]
    assert library.newest_backup() == Backup(paths.backups / "library-20260605-090000.db", clock.now)


def test_each_backup_says_how_much_it_has(paths: Paths, library: Library) -> None:
    podcast = library.podcasts.add(URL)
    ids = apply_feed(library, podcast, episode(0), episode(1)).new
    backups = Backups(paths.library, paths.backups, 1000)
    backups.make(DAY)
    library.episodes.set_starred(ids[:1], True)
    library.bookmarks.put(ids[0], Moment(1000))
    library.progress.save(ids[1], 5, None, DAY)
    backups.make(DAY + timedelta(days=1))
    more, less = [contents.words for _backup, contents in library.backups()]
    assert less == "3 podcasts, 2 episodes, 0 stars, 0 bookmarks, 0 positions"
    assert more == "3 podcasts, 2 episodes, 1 star, 1 bookmark, 1 position"


def test_a_backup_holds_what_was_in_the_library(paths: Paths, library: Library) -> None:
    apply_feed(library, library.podcasts.add(URL), episode(0))
    made = Backups(paths.library, paths.backups, 1000).make(DAY)
    library.podcasts.remove(library.podcasts.find("A show").id)
    library.close()
    library.set_aside()
    assert library.newest_backup() == made == Backup(paths.backups / "library-20260601-090000.db", DAY)
    library.restore(made)
    library.open()
    assert library.episodes.find("Episode 0").title == "Episode 0"


def test_a_backup_that_is_damaged_is_passed_over(paths: Paths, library: Library) -> None:
    backups = Backups(paths.library, paths.backups, 1000)
    old, new = (backups.make(DAY + timedelta(days=day)) for day in range(2))
    assert library.newest_backup() == new
    os.truncate(new.path, 10_000)
    assert library.newest_backup() == old
    old.path.write_bytes(b"")
    assert library.newest_backup() is None
    (paths.backups / "library-of-mine.db").write_text("not by Earmark")
    assert library.newest_backup() is None


def test_a_library_is_never_overwritten_by_a_backup(paths: Paths, library: Library) -> None:
    made = Backups(paths.library, paths.backups, 1000).make(DAY)
    library.close()
    with pytest.raises(LibraryError, match="Set it aside first"):
        library.restore(made)


def test_a_backup_that_is_gone_can_not_be_restored(paths: Paths) -> None:
    library = Library(paths)
    paths.data.mkdir(parents=True)
    with pytest.raises(LibraryError):
        library.restore(Backup(paths.backups / "gone.db", DAY))
    assert list(paths.data.iterdir()) == []


def test_writing_goes_on_during_a_backup_which_holds_one_moment(paths: Paths, library: Library) -> None:
    podcast = library.podcasts.add(URL)
    apply_feed(library, podcast, *(episode(number, notes="n" * 20_000) for number in range(500)))
    ids = apply_feed(library, podcast, episode(1000)).new
    asked = 0

    def meanwhile() -> bool:
        nonlocal asked
        asked += 1
        library.progress.save(ids[0], asked, None, DAY)
        return False

    Backups(paths.library, paths.backups, 1000).make(DAY, meanwhile)
    assert asked > 2
    saved = library.progress.position(ids[0])
    assert saved
    assert saved.position_ms == asked
    library.close()
    library.set_aside()
    library.restore(library.newest_backup() or pytest.fail("no backup"))
    library.open()
    assert library.progress.position(ids[0]) is None
    assert library.podcasts.get(podcast.id).episode_count == 501


def test_a_backup_given_up_leaves_nothing(paths: Paths, library: Library) -> None:
    backups = Backups(paths.library, paths.backups, 1000)
    with pytest.raises(Cancelled):
        backups.make(DAY, lambda: True)
    assert _names(paths) == []
    assert library.newest_backup() is None


def test_two_backups_are_not_made_at_once(paths: Paths, library: Library) -> None:
    backups = Backups(paths.library, paths.backups, 1000)
    apply_feed(library, library.podcasts.add(URL), *(episode(number, notes="n" * 20_000) for number in range(500)))

    def another() -> bool:
        with pytest.raises(Cancelled):
            backups.make(DAY + timedelta(hours=1))
        return False

    backups.make(DAY, another)
    assert _names(paths) == ["library-20260601-090000.db"]


def test_a_backup_does_not_take_the_last_space(paths: Paths, library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    class Usage:
        free = 1000

    monkeypatch.setattr("shutil.disk_usage", lambda _path: Usage)
    with pytest.raises(DiskFull, match="backup"):
        Backups(paths.library, paths.backups, 1000).make(DAY)
    assert _names(paths) == []
    library.close()
    library.open()
    assert library.podcasts.all(), "no room for a backup is no reason not to open"


def test_a_backup_folder_that_can_not_be_made_is_no_reason_not_to_open(paths: Paths, library: Library) -> None:
    library.close()
    Path(paths.backups).write_text("in the way")
    library.open()
    assert library.podcasts.all()


def test_a_backup_can_be_made_before_something_that_changes_much(paths: Paths, library: Library) -> None:
    apply_feed(library, library.podcasts.add(URL), episode(0))
    made = library.back_up()
    assert made.path.name in _names(paths)
    backups = Backups(paths.library, paths.backups, 1000)

    def meanwhile() -> bool:
        with pytest.raises(LibraryBusy, match="Another Earmark is making a backup"):
            library.back_up()
        return False

    backups.make(DAY, meanwhile)
