"""The disk is full, or fails: a sentence, and the library stays whole."""

import os
import resource
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from player.errors import DamagedLibrary, DiskFull, LibraryBusy, LibraryError, ReadOnlyLibrary
from player.library import Library
from player.library.database.connect import files_of
from player.library.database.sqlite_errors import as_library_errors, library_error, os_error
from player.model.episode import EpisodeId
from player.model.filters import View
from player.paths import Paths
from tests.player.library.helpers import URL, apply_feed, episode

AT = datetime(2026, 4, 1, tzinfo=UTC)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of four megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "earmark-test", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("needs the right to mount")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _is_open(file: Path) -> bool:
    """Whether this process has the file open."""
    return any(os.path.realpath(link) == str(file) for link in Path("/proc/self/fd").iterdir())


def _fill(disk: Path) -> Path:
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (65536, 4096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue
    return ballast


def test_a_full_disk_is_said_and_nothing_is_lost(paths: Paths, small_disk: Path) -> None:
    paths = replace(paths, data=small_disk / "data")
    library = Library(paths)
    library.open()
    podcast = library.podcasts.add(URL)
    ids = apply_feed(library, podcast, *(episode(number) for number in range(5))).new
    library.progress.save(ids[0], 1000, None, AT)
    ballast = _fill(small_disk)
    with pytest.raises(DiskFull, match=r"No space left for the library .* Free some space"):
        apply_feed(library, podcast, *(episode(number, notes="n" * 100_000) for number in range(5, 40)))
    _save_until_full(library, ids[0])
    saved = library.progress.position(ids[0])
    assert saved
    ballast.unlink()
    library.progress.save(ids[0], 999_000, None, AT)
    library.close()
    library.open()
    assert library.podcasts.get(podcast.id).episode_count == 5
    assert library.episodes.get(ids[0]).position_ms == 999_000
    library.close()


def _save_until_full(library: Library, episode_id: EpisodeId) -> None:
    """What was acknowledged stays, what wasn't does not come."""
    for number in range(1, 10_000):
        try:
            library.progress.save(episode_id, 1000 + number, None, AT)
        except DiskFull:
            saved = library.progress.position(episode_id)
            assert saved
            assert saved.position_ms == 1000 + number - 1
            return
    pytest.fail("the disk never filled up")


@pytest.mark.parametrize("log", ["no log", "a log left by a crash"])
def test_on_a_full_disk_a_library_is_read_and_others_get_in_when_there_is_room(
    paths: Paths, small_disk: Path, log: str
) -> None:
    made = replace(paths, data=small_disk / "data")
    library = Library(made, backs_up=False)
    library.open()
    podcast = library.podcasts.add(URL)
    ids = apply_feed(library, podcast, *(episode(number) for number in range(5))).new
    if log == "no log":
        library.close()
    else:
        copies = {file: file.read_bytes() for file in files_of(made.library)[:2]}
        library.close()
        for file, content in copies.items():
            file.write_bytes(content)
    before = made.library.read_bytes()
    ballast = _fill(small_disk)
    reading = ["-c", _READS, str(small_disk)]
    library.open()
    assert len(library.episodes.ids(View())) == 5
    assert library.podcasts.get(podcast.id).episode_count == 5
    with pytest.raises(DiskFull, match="Free some space"):
        library.progress.save(ids[0], 1000, None, AT)
    assert made.library.read_bytes() == before
    refused = subprocess.run([sys.executable, *reading], capture_output=True, text=True, check=False)
    assert "No space left for the library" in refused.stderr, "it isn't called busy"
    assert _is_open(made.library)
    library.close()
    assert not _is_open(made.library), "others are let in"
    library.open()
    ballast.unlink()
    library.version()
    seen = subprocess.run([sys.executable, *reading], capture_output=True, text=True, check=True)
    assert seen.stdout == "5\n"
    library.progress.save(ids[0], 1000, None, AT)
    library.close()
    library.open()
    assert library.episodes.get(ids[0]).position_ms == 1000
    library.close()


_READS = """
import sys
from pathlib import Path
from msgspec.structs import replace
from player.library import Library
from player.model.filters import View
from player.paths import Paths
library = Library(replace(Paths.of(), data=Path(sys.argv[1]) / "data"), patience_s=0.1, backs_up=False)
library.open()
print(len(library.episodes.ids(View())))
library.close()
"""


def test_a_new_library_on_a_full_disk_is_said(paths: Paths, small_disk: Path) -> None:
    ballast = _fill(small_disk)
    library = Library(replace(paths, data=small_disk / "new"))
    with pytest.raises(DiskFull):
        library.open()
    ballast.unlink()
    library.open()
    library.close()


def test_a_limit_on_the_size_of_files_is_said(library: Library, ids: tuple[EpisodeId, ...]) -> None:
    podcast = library.podcasts.find("A show")
    with _no_file_above(1_000_000), pytest.raises(LibraryError):
        apply_feed(library, podcast, *(episode(number, notes="n" * 100_000) for number in range(5, 40)))
    library.progress.save(ids[0], 1000, None, AT)
    assert library.podcasts.get(podcast.id).episode_count == 5
    library.close()
    library.open()
    assert library.episodes.get(ids[0]).position_ms == 1000


@contextmanager
def _no_file_above(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


# -- every error of SQLite's has a sentence -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (sqlite3.SQLITE_CORRUPT, DamagedLibrary),
        (sqlite3.SQLITE_CORRUPT_INDEX, DamagedLibrary),
        (sqlite3.SQLITE_NOTADB, DamagedLibrary),
        (sqlite3.SQLITE_FULL, DiskFull),
        (sqlite3.SQLITE_BUSY, LibraryBusy),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, LibraryBusy),
        (sqlite3.SQLITE_LOCKED, LibraryBusy),
        (sqlite3.SQLITE_READONLY, ReadOnlyLibrary),
        (sqlite3.SQLITE_CANTOPEN, LibraryError),
        (sqlite3.SQLITE_IOERR_READ, LibraryError),
    ],
)
def test_what_the_world_does_has_a_sentence(tmp_path: Path, code: int, kind: type[LibraryError]) -> None:
    error = sqlite3.OperationalError("as SQLite says it")
    error.sqlite_errorcode = code
    found = library_error(error, tmp_path / "library.db")
    assert type(found) is kind
    assert str(tmp_path) in str(found)
    assert found.advice.endswith(".")
    assert "as SQLite says it" not in str(found)


def test_a_bug_stays_loud(tmp_path: Path) -> None:
    database = sqlite3.connect(":memory:")
    for wrong in ("SELECT nothing FROM nowhere", "SELEKT", "INSERT INTO t VALUES (NULL)"):
        database.execute("CREATE TABLE IF NOT EXISTS t (x NOT NULL)")
        with pytest.raises(sqlite3.Error), as_library_errors(tmp_path):
            database.execute(wrong)
    database.close()


@pytest.mark.parametrize(
    ("code", "kind"),
    [("ENOSPC", DiskFull), ("EROFS", ReadOnlyLibrary), ("EACCES", ReadOnlyLibrary), ("EIO", LibraryError)],
)
def test_what_happens_to_the_folder_has_a_sentence(code: str, kind: type[LibraryError]) -> None:
    number = int(getattr(__import__("errno"), code))
    assert type(os_error(OSError(number, os.strerror(number)), Path("/somewhere"))) is kind
