"""A journal that somebody else put beside a database: SQLite takes it with the database and would delete any file that
it names as its super-journal."""

import os
import re
import sqlite3
import struct
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from player.library.database.backups import Backups, set_aside
from player.library.database.connect import files_of
from player.library.library import Library
from player.paths import Paths
from tests.player.library.foreign.test_readers import antennapod
from tests.tui.cli.conftest import Earmark
from tests.watched_files import Act, watched

MAGIC = bytes.fromhex("d9d505f920a163d7")


def hot_journal(database: Path, victim: Path) -> Path:
    """Undoes nothing, and names `victim`: the format is SQLite's (“The Rollback Journal”). Naming it twice, it still
    does after one record has been cut off."""
    raw = database.read_bytes()
    page = struct.unpack(">H", raw[16:18])[0]
    head = MAGIC + struct.pack(">IIIII", 0, 1, len(raw) // page, 512, page)
    name = str(victim).encode()
    record = struct.pack(">I", (1 << 30) // page + 1) + name
    record += struct.pack(">II", len(name), sum(name)) + MAGIC
    journal = database.with_name(f"{database.name}-journal")
    journal.write_bytes(head.ljust(512, b"\0") + record + record)
    return journal


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    folder = tmp_path / "private"
    folder.mkdir()
    victim = folder / "diary.txt"
    victim.write_bytes(b"dear diary\0")
    return victim


def test_such_a_journal_makes_sqlite_delete_a_file(tmp_path: Path, victim: Path) -> None:
    """The attack works, and what watches sees it: else the tests below would show nothing."""
    path = antennapod(tmp_path)
    hot_journal(path, victim)
    with watched(victim.parent) as acts, closing(sqlite3.connect(path)) as connection:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    assert not victim.exists()
    assert Act("deleted", victim) in acts


@pytest.mark.parametrize("options", [[], ["--dry-run"]], ids=["import", "dry run"])
def test_an_import_touches_no_file_that_the_journal_names(
    tmp_path: Path, victim: Path, options: list[str], earmark: Earmark
) -> None:
    path = antennapod(tmp_path / "shared")
    before = path.read_bytes()
    journal = hot_journal(path, victim)
    there = journal.read_bytes()
    with watched(victim.parent, path.parent) as acts:
        ran = earmark("import", str(path), *options)
    assert "2 podcasts" in ran.out, "and it is read, though its feeds can't be reached"
    assert [act for act in acts if act.path.parent == victim.parent] == []
    assert {act.what for act in acts} == {"opened"}
    assert {act.path for act in acts} == {path, journal}
    assert victim.exists()
    assert (path.read_bytes(), journal.read_bytes()) == (before, there)


@pytest.mark.parametrize("name", ["library", "search"])
def test_nor_does_a_library_that_was_put_there(name: str, victim: Path, earmark: Earmark) -> None:
    paths = Paths.of()
    earmark("search", "welcome")
    database: Path = getattr(paths, name)
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    hot_journal(database, victim)
    with watched(victim.parent) as acts:
        ran = earmark("search", "welcome")
        library = Library(paths)
        library.open()
        library.close()
    assert acts == []
    assert ran.code == 0, ran.err
    assert "Welcome" in ran.out


def test_a_backup_that_is_restored_is_not_changed_by_a_journal_that_lay_there(victim: Path, earmark: Earmark) -> None:
    paths = Paths.of()
    earmark("podcasts")
    backups = Backups(paths.library, paths.backups, 100)
    backup = backups.make(datetime.now(UTC))
    hot_journal(paths.library, victim)
    hot_journal(backup.path, victim)
    with watched(victim.parent) as acts:
        assert list(backups.good(datetime.now(UTC))) == [backup]
        backups.restore(backup, lambda: set_aside(paths.library, datetime.now(UTC)))
    assert acts == []
    assert not paths.library.with_name("library.db-journal").exists(), "it was moved with its library"
    assert earmark("podcasts").code == 0


@pytest.mark.parametrize("name", ["library", "search"])
@pytest.mark.parametrize("number", range(4), ids=["database", "wal", "shm", "journal"])
def test_a_fifo_beside_a_database_is_refused_and_not_waited_for(name: str, number: int, earmark: Earmark) -> None:
    earmark("search", "welcome")
    file = files_of(getattr(Paths.of(), name))[number]
    file.unlink(missing_ok=True)
    os.mkfifo(file)
    ran = earmark("search", "welcome")
    assert ran.code == 1
    assert file.name in ran.err
    assert "Traceback" not in ran.err
    file.unlink()
    if number:
        assert earmark("search", "welcome").code == 0


def test_only_one_place_opens_databases_that_lie_somewhere() -> None:
    """It looks at what lies beside them. Another app's is copied with its journal, or opened as immutable."""
    root = Path(__file__).parents[3]
    opening = {
        str(file.relative_to(root))
        for file in (root / "player").rglob("*.py")
        if re.search(r"sqlite3\.connect\((?!\":memory:\")", file.read_text())
    }
    assert opening == {"player/library/database/connect.py", "player/library/foreign/database.py"}
