"""A library opens, or a sentence says why not and nothing was overwritten."""

import errno
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from player.errors import DamagedLibrary, LibraryError, NewerLibrary, ReadOnlyLibrary
from player.library import Library
from player.library.database.integrity import APPLICATION_ID
from player.library.database.migrations import FIRST, latest
from player.model.filters import View
from player.model.podcast import STARTER_URL, WELCOME_URL
from player.paths import Paths
from tests.player.library.helpers import URL, apply_feed, episode

NOBODY = 65534


@pytest.fixture
def closed(paths: Paths) -> Path:
    """A library with 300 episodes that was closed well: where it is."""
    library = Library(paths)
    library.open()
    apply_feed(library, library.podcasts.add(URL), *(episode(number, notes="n" * 2000) for number in range(300)))
    library.close()
    return paths.library


def files(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock"}


# -- the first start ------------------------------------------------------------------------------------------


def test_a_new_library_holds_two_shows(library: Library) -> None:
    assert library.fresh
    (welcome,), (suggested,) = library.podcasts.all(), library.previews.suggestions()
    assert (suggested.title, suggested.url) == ("PyTorch Developer Podcast", STARTER_URL)
    assert (welcome.title, welcome.url) == ("Welcome to Earmark", WELCOME_URL)
    assert suggested.last_refreshed is welcome.last_refreshed is None
    assert suggested.error is welcome.error is None
    assert suggested.previewed
    assert not welcome.previewed


def test_removing_a_show_is_final(library: Library) -> None:
    for podcast in (*library.podcasts.all(), *library.previews.suggestions()):
        library.acts.unsubscribe(podcast.id)
    library.close()
    library.open()
    assert not library.fresh
    assert library.podcasts.all() == library.previews.suggestions() == []
    assert library.acts.undo()
    assert [one.url for one in library.previews.suggestions()] == [STARTER_URL]


def test_the_folder_is_private(paths: Paths, library: Library) -> None:
    library.close()
    assert paths.data.stat().st_mode & 0o777 == 0o700


def test_a_library_that_others_could_read_is_closed_to_them(paths: Paths, library: Library) -> None:
    library.close()
    paths.library.chmod(0o644)
    paths.data.chmod(0o755)
    library.open()
    library.state.set("key", "1")
    assert {file.stat().st_mode & 0o777 for file in paths.data.glob("library.db*")} == {0o600}
    assert paths.data.stat().st_mode & 0o777 == 0o755


def test_the_file_says_what_it_is(closed: Path) -> None:
    with sqlite3.connect(closed) as database:
        assert database.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert database.execute("PRAGMA user_version").fetchone() == (latest(),)
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()


def test_nothing_but_the_library_is_left_when_it_is_closed(paths: Paths, closed: Path) -> None:
    assert sorted(path.name for path in paths.data.iterdir()) == ["library.db", "library.lock"]
    assert closed.stat().st_size > 500_000


def test_a_start_that_was_killed_before_anything_was_written_is_a_first_start(paths: Paths) -> None:
    paths.data.mkdir(parents=True)
    database = sqlite3.connect(paths.library)
    database.execute("PRAGMA journal_mode = WAL")
    database.close()
    library = Library(paths)
    library.open()
    assert library.fresh
    library.close()


def test_a_disk_without_locks_will_do(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(_handle: int, _wanted: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", no_locks)
    for fresh in (True, False, False):
        library = Library(paths)
        library.open()
        assert library.fresh is fresh
        library.close()
    assert library.newest_backup()


def test_what_is_closed_says_so(library: Library) -> None:
    library.close()
    library.close()
    with pytest.raises(LibraryError, match="closed"):
        library.podcasts.all()
    with pytest.raises(LibraryError, match="closed"):
        library.state.set("speed", "1")
    with pytest.raises(LibraryError, match="closed"):
        library.version()


# -- a newer Earmark's ----------------------------------------------------------------------------------------


def test_a_newer_library_is_left_alone(paths: Paths, closed: Path) -> None:
    _alter(closed, f"PRAGMA user_version = {latest() + 1}")
    before = files(paths.data)
    with pytest.raises(NewerLibrary, match=r"written by a newer version of Earmark\. Update Earmark"):
        Library(paths).open()
    assert files(paths.data) == before


def test_a_library_from_before_the_first_release_is_named_and_left_alone(paths: Paths, closed: Path) -> None:
    for version in (1, FIRST - 1):
        _alter(closed, f"PRAGMA user_version = {version}")
        before = files(paths.data)
        with pytest.raises(LibraryError, match=r"before the first release\. Nothing was changed in it\. Export it"):
            Library(paths).open()
        assert files(paths.data) == before


def test_an_sqlite_that_is_too_old_is_named(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sqlite3.sqlite_version_info", (3, 37, 2))
    with pytest.raises(LibraryError, match=r"Earmark needs 3\.38\.0 or newer\. Update SQLite, or install Earmark with"):
        Library(paths).open()
    assert not paths.library.exists()


# -- damage ---------------------------------------------------------------------------------------------------


def _garbage(path: Path) -> None:
    path.write_bytes(b"no database at all, but long enough to be one " * 300)


def _short_garbage(path: Path) -> None:
    path.write_bytes(b"oops")


def _bad_header(path: Path) -> None:
    _overwrite(path, 0, b"\0" * 100)


def _bad_schema(path: Path) -> None:
    _overwrite(path, 100, b"\xff" * 900)


def _truncated(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def _cut_in_a_page(path: Path) -> None:
    os.truncate(path, 5000)


def _no_tables(path: Path) -> None:
    _alter(path, "DROP TABLE progress")


def _somebody_elses(path: Path) -> None:
    path.unlink()
    _alter(path, "CREATE TABLE photos (id)")


@pytest.mark.parametrize(
    "harm",
    [_garbage, _short_garbage, _bad_header, _bad_schema, _truncated, _cut_in_a_page, _no_tables, _somebody_elses],
)
def test_a_damaged_library_is_found_and_nothing_is_overwritten(
    paths: Paths, closed: Path, harm: Callable[[Path], None]
) -> None:
    harm(closed)
    before = files(paths.data)
    with pytest.raises(DamagedLibrary, match=f"{closed}.*Nothing was changed in it"):
        Library(paths).open()
    assert files(paths.data) == before


def test_damage_inside_is_found_at_once_after_an_unclean_end(paths: Paths, closed: Path) -> None:
    _harm_inside(closed)
    (closed.parent / "library.db-wal").touch()
    with pytest.raises(DamagedLibrary):
        Library(paths).open()


def test_damage_met_in_use_is_said_and_looked_for_at_the_next_start(paths: Paths, closed: Path) -> None:
    _harm_inside(closed)
    library = Library(paths)
    library.open()
    with pytest.raises(DamagedLibrary, match="is damaged"):
        _read_everything(library)
    library.close()
    with pytest.raises(DamagedLibrary):
        Library(paths).open()


def test_text_that_is_no_text_any_more_is_damage(paths: Paths, closed: Path) -> None:
    closed.write_bytes(closed.read_bytes().replace(b"Episode 7", b"Episode \xff"))
    library = Library(paths)
    library.open()
    with pytest.raises(DamagedLibrary, match="is damaged"):
        _read_everything(library)
    library.close()


def test_a_check_finds_damage_and_so_does_every_start_after_it(paths: Paths, closed: Path) -> None:
    library = Library(paths)
    library.open()
    library.check()
    _harm_inside(closed)
    with pytest.raises(DamagedLibrary):
        library.check()
    library.close()
    for _ in range(2):
        with pytest.raises(DamagedLibrary):
            library.open()


def test_the_days_backup_finds_damage_for_the_next_start(paths: Paths, closed: Path) -> None:
    _harm_inside(closed)
    library = Library(paths)
    library.open()
    library.close()
    assert library.newest_backup() is None
    with pytest.raises(DamagedLibrary):
        Library(paths).open()


def test_an_emptied_library_counts_as_damaged_when_there_are_backups(paths: Paths, closed: Path) -> None:
    library = Library(paths)
    library.open()
    library.close()
    os.truncate(closed, 0)
    with pytest.raises(DamagedLibrary, match="is empty"):
        Library(paths).open()


def test_after_damage_the_newest_good_backup_brings_it_all_back(paths: Paths, closed: Path) -> None:
    library = Library(paths)
    library.open()
    library.close()
    _garbage(closed)
    with pytest.raises(DamagedLibrary):
        library.open()
    aside = library.set_aside()
    assert aside.name == f"library.damaged-{datetime.now(UTC):%Y-%m-%d}.db"
    assert aside.read_bytes().startswith(b"no database at all")
    backup = library.newest_backup()
    assert backup
    library.restore(backup)
    library.open()
    assert not library.fresh
    assert library.podcasts.find("A show").episode_count == 300
    library.close()
    assert backup.path.exists()


def test_after_damage_without_a_backup_one_can_start_anew(paths: Paths, closed: Path) -> None:
    library = Library(paths)
    for number in range(3):
        _garbage(closed)
        with pytest.raises(DamagedLibrary):
            library.open()
        assert library.newest_backup() is None
        aside = library.set_aside()
        assert aside.exists()
        assert len(list(paths.data.glob("library.damaged-*"))) == number + 1
        library.open()
        assert library.fresh
        library.close()
        shutil.rmtree(paths.backups, ignore_errors=True)


# -- rights ---------------------------------------------------------------------------------------------------


@contextmanager
def _without_root() -> Iterator[None]:
    """Root may write anything: go on as nobody."""
    if os.getuid():
        yield
        return
    os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


@pytest.fixture
def open_to_all(paths: Paths) -> Iterator[Paths]:
    """A home that nobody may enter."""
    root = Path(tempfile.mkdtemp(prefix="earmark-test-"))
    root.chmod(0o755)
    paths = replace(paths, data=root / "data")
    yield paths
    for path in (root, *root.rglob("*")):
        path.chmod(0o755)
    shutil.rmtree(root)


@pytest.mark.parametrize(
    ("folder", "file"),
    [(0o555, 0o444), (0o555, 0o666), (0o777, 0o444), (0o777, 0o000)],
    ids=["both read-only", "folder read-only", "file read-only", "file unreadable"],
)
def test_a_library_that_can_not_be_written_is_left_alone(open_to_all: Paths, folder: int, file: int) -> None:
    library = Library(open_to_all)
    library.open()
    library.close()
    open_to_all.library.chmod(file)
    open_to_all.data.chmod(folder)
    with _without_root(), pytest.raises(ReadOnlyLibrary, match="can't be written to"):
        library.open()
    open_to_all.data.chmod(0o755)
    open_to_all.library.chmod(0o644)
    assert sorted(path.name for path in open_to_all.data.iterdir()) == ["library.db", "library.lock"]


def test_a_folder_that_can_not_be_made_is_said(open_to_all: Paths) -> None:
    open_to_all.data.parent.chmod(0o555)
    with _without_root(), pytest.raises(ReadOnlyLibrary):
        Library(open_to_all).open()


def test_a_folder_in_the_place_of_the_file_is_said(paths: Paths) -> None:
    paths.library.mkdir(parents=True)
    with pytest.raises(LibraryError, match="isn't a file"):
        Library(paths).open()


def test_a_file_in_the_place_of_the_folder_is_said(paths: Paths) -> None:
    paths.data.parent.mkdir(parents=True)
    paths.data.touch()
    with pytest.raises(LibraryError, match=str(paths.data)):
        Library(paths).open()


# -- helpers --------------------------------------------------------------------------------------------------


def _read_everything(library: Library) -> None:
    for row in library.episodes.rows(library.episodes.ids(View())):
        library.episodes.notes(row.id)


def _alter(path: Path, statement: str) -> None:
    database = sqlite3.connect(path)
    database.execute(statement)
    database.commit()
    database.close()


def _overwrite(path: Path, offset: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(data)


def _harm_inside(path: Path) -> None:
    """Spoils every tenth page from the middle on; header and schema stay whole."""
    for offset in range(path.stat().st_size // 2 // 4096 * 4096, path.stat().st_size, 10 * 4096):
        _overwrite(path, offset, b"\xa5" * 4096)
