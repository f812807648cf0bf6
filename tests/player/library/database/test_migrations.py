"""An older library becomes a newer one, whole or not at all, after a backup."""

import sqlite3
from collections.abc import Callable

import pytest

from player.errors import DamagedLibrary, DiskFull, LibraryBusy
from player.library import Library
from player.library.database import migrations
from player.library.database.backups import Backups
from player.paths import Paths
from tests.player.library.helpers import URL, apply_feed, episode, other_process

Step = Callable[[sqlite3.Connection], None]


@pytest.fixture
def old(paths: Paths, library: Library) -> Paths:
    """A library of the schema before the steps that a test adds."""
    apply_feed(library, library.podcasts.add(URL), episode(0))
    library.close()
    return paths


def add_colour(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE podcasts ADD COLUMN colour TEXT NOT NULL DEFAULT 'blue'")


def rebuild_podcasts(connection: sqlite3.Connection) -> None:
    (schema,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'podcasts'").fetchone()
    connection.execute(schema.replace("podcasts", "rebuilt", 1))
    connection.execute("INSERT INTO rebuilt SELECT * FROM podcasts")
    connection.execute("DROP TABLE podcasts")
    connection.execute("ALTER TABLE rebuilt RENAME TO podcasts")


def fail(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM podcasts")
    raise ZeroDivisionError


def orphan(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM podcasts")


def _with(monkeypatch: pytest.MonkeyPatch, *steps: Step) -> None:
    monkeypatch.setattr(migrations, "STEPS", (*migrations.STEPS, *steps))


def _ask(paths: Paths, statement: str) -> list[tuple[object, ...]]:
    database = sqlite3.connect(paths.library)
    rows = database.execute(statement).fetchall()
    database.close()
    return rows


def test_missing_steps_run_once_in_order(old: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    _with(monkeypatch, add_colour, rebuild_podcasts)
    for _ in range(2):
        library = Library(old)
        library.open()
        assert not library.fresh
        assert library.podcasts.find("A show").episode_count == 1, "rebuilding a table takes nothing along"
        library.close()
    assert _ask(old, "PRAGMA user_version") == [(migrations.latest(),)]
    assert set(_ask(old, "SELECT colour FROM podcasts")) == {("blue",)}


def test_foreign_keys_are_on_after_a_migration(old: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    _with(monkeypatch, rebuild_podcasts)
    library = Library(old)
    library.open()
    library.podcasts.remove(library.podcasts.find("A show").id)
    library.close()
    assert _ask(old, "SELECT count(*) FROM episodes") == [(0,)]


def test_a_backup_of_the_old_schema_is_made_first(old: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    before = migrations.latest()
    _with(monkeypatch, add_colour)
    library = Library(old)
    library.open()
    library.close()
    backup = library.newest_backup()
    assert backup
    database = sqlite3.connect(backup.path)
    assert database.execute("PRAGMA user_version").fetchone() == (before,)
    assert database.execute("SELECT count(*) FROM episodes").fetchone() == (1,)
    database.close()


def test_without_a_backup_nothing_is_migrated(old: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_space(_self: Backups) -> None:
        raise DiskFull("No space is left")

    monkeypatch.setattr(Backups, "_check_space", no_space)
    before = old.library.read_bytes()
    _with(monkeypatch, add_colour)
    with pytest.raises(DiskFull):
        Library(old).open()
    assert old.library.read_bytes() == before


def test_a_step_that_fails_leaves_no_trace_and_those_before_it_stay(
    old: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = migrations.latest()
    _with(monkeypatch, add_colour, fail)
    with pytest.raises(ZeroDivisionError):
        Library(old).open()
    assert _ask(old, "PRAGMA user_version") == [(version + 1,)]
    assert len(_ask(old, "SELECT colour FROM podcasts")) == 3


def test_a_step_that_leaves_rows_belonging_to_nothing_is_undone(old: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    _with(monkeypatch, orphan)
    with pytest.raises(DamagedLibrary, match="belong to nothing"):
        Library(old).open()
    assert _ask(old, "SELECT count(*) FROM podcasts") == [(3,)]


def test_a_library_is_not_migrated_under_an_older_earmark(old: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    code = """
from player.library import Library
from player.paths import Paths
library = Library(Paths.of())
library.open()
print("open")
input()
library.close()
print("closed")
"""
    with other_process(code) as older:
        assert older.line() == "open"
        _with(monkeypatch, add_colour)
        with pytest.raises(LibraryBusy, match="Quit it, then start again"):
            Library(old).open()
        older.go_on()
        assert older.line() == "closed"
        library = Library(old)
        library.open()
        library.close()
    assert _ask(old, "PRAGMA user_version") == [(migrations.latest(),)]
