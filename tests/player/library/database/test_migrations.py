"""An older library becomes a newer one, whole or not at all, after a backup."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from player.errors import DamagedLibrary, DiskFull, LibraryBusy
from player.library import Library
from player.library.database import migrations
from player.library.database.backups import Backups
from player.library.lists.preview_keys import FIRST_KEY
from player.model.listening import ListeningSpan
from player.model.podcast_settings import PodcastSettings
from player.model.syncing import SyncAccount
from player.paths import Paths
from tests.player.library.helpers import URL, apply_feed, episode, other_process

Step = Callable[[sqlite3.Connection], None]
FIRST_SCHEMA = Path(__file__).with_name("schema_27.sql")
ABOUT_TABLES = ("table_xinfo", "foreign_key_list", "index_list")


@pytest.fixture
def old(paths: Paths, library: Library) -> Paths:
    """A library of the schema before the steps that a test adds."""
    (new,) = apply_feed(library, library.podcasts.add(URL), episode(0)).new
    at = datetime(2026, 3, 2, tzinfo=UTC)
    library.progress.save(new, 1000, None, at, heard=[ListeningSpan(new, 0, 1000, at)])
    library.queue.add_last([new])
    library.lists.add_episodes(library.lists.add("A list").id, [new])
    library.podcast_settings.set(library.podcasts.find("A show").id, PodcastSettings(speed=2.0))
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
from player.model.syncing import SyncAccount
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


# -- the schema -----------------------------------------------------------------------------------------------


@pytest.fixture
def first(old: Paths, tmp_path: Path) -> Paths:
    """The library `old` as the oldest version that opens would have written it."""
    new = tmp_path / "new.db"
    old.library.rename(new)
    with closing(sqlite3.connect(old.library, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.executescript(FIRST_SCHEMA.read_text(encoding="utf-8"))
        triggers = database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _sql in triggers:
            database.execute(f"DROP TRIGGER {name}")
        database.execute("ATTACH ? AS new", (str(new),))
        for (table,) in database.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'").fetchall():
            if table == "sqlite_sequence":
                database.execute("DELETE FROM sqlite_sequence")
            columns = ", ".join(row[1] for row in database.execute(f"PRAGMA main.table_info({table})"))
            database.execute(f"INSERT OR REPLACE INTO main.{table} ({columns}) SELECT {columns} FROM new.{table}")
        for _name, sql in triggers:
            database.execute(sql)
    return old


def _described(path: Path) -> dict[str, object]:
    """All that SQLite says of the tables, indexes and triggers in a file."""
    with closing(sqlite3.connect(path)) as database:

        def ask(pragma: str) -> list[tuple[object, ...]]:
            return sorted(database.execute(f"PRAGMA {pragma}").fetchall(), key=repr)

        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'sqlite_sequence'")
        names = [name for (name,) in tables]
        indexes = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'index'")]
        return {
            "schema": migrations.schema_of(database),
            "tables": {name: [ask(f"{what}({name})") for what in ABOUT_TABLES] for name in names},
            "strict and without row ids": [row for row in ask("table_list") if row[1] in names],
            "indexes": {name: ask(f"index_xinfo({name})") for name in indexes},
            "numbers": [ask(what) for what in ("user_version", "application_id")],
        }


def _rows(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with closing(sqlite3.connect(path)) as database:
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {name: database.execute(f"SELECT * FROM {name}").fetchall() for (name,) in tables}


def test_an_older_library_gets_the_schema_of_a_new_one_and_keeps_its_rows(first: Paths, tmp_path: Path) -> None:
    assert _ask(first, "PRAGMA user_version") == [(migrations.FIRST,)]
    rows = _rows(first.library)
    assert sum(map(len, rows.values())) > 10
    for paths in (first, new := Paths.of({"EARMARK_HOME": str(tmp_path / "another")})):
        library = Library(paths)
        library.open()
        library.check()
        library.close()
    assert _described(first.library) == _described(new.library)
    now = _rows(first.library)  # with more columns at the end, and more tables
    for table, before in rows.items():
        assert [row[: len(old)] for row, old in zip(now[table], before, strict=True)] == before
    library = Library(first)
    library.open()
    assert [podcast.title for podcast in library.podcasts.all()][-1] == "Welcome to Earmark"
    ids = apply_feed(library, library.podcasts.find("A show"), episode(0), episode(1)).new
    assert library.podcasts.find("A show").episode_count == 2
    assert len(ids) == 1
    library.close()


@pytest.mark.parametrize(("target", "step_ms", "has_facts"), [("folder", 1, True), ("gpodder", 1000, False)])
def test_the_account_of_an_older_library_goes_on_to_carry_what_it_did(
    first: Paths, target: str, step_ms: int, has_facts: bool
) -> None:
    with closing(sqlite3.connect(first.library)) as database, database:
        database.execute(
            "INSERT INTO sync_account (target, address, user, device, name)"
            " VALUES (?, 'there', '', 'laptop-1', 'laptop')",
            (target,),
        )
    library = Library(first)
    library.open()
    account = library.syncing.account()
    library.close()
    assert account == SyncAccount(target, "there", "", "laptop-1", "laptop", step_ms, has_facts)


def test_every_table_refuses_values_of_another_type(old: Paths) -> None:
    tables = _ask(old, "SELECT name, strict FROM pragma_table_list WHERE type = 'table' AND schema = 'main'")
    lax = {name for name, strict in tables if not strict}
    assert lax == {"sqlite_schema", "sqlite_sequence"}
    assert len(tables) > 40
    with pytest.raises(sqlite3.IntegrityError, match="cannot store TEXT value in INTEGER column"):
        _ask(old, "UPDATE podcasts SET pinned = 'yes'")


def test_a_value_of_another_type_in_an_older_library_is_damage_and_stays(first: Paths) -> None:
    with closing(sqlite3.connect(first.library)) as database, database:
        database.execute("UPDATE episodes SET title = x'41'")
    before = first.library.read_bytes()
    with pytest.raises(DamagedLibrary, match="is damaged"):
        Library(first).open()
    assert first.library.read_bytes() == before


def test_previews_are_below_the_key_that_the_schema_names(old: Paths) -> None:
    triggers = _ask(old, "SELECT sql FROM sqlite_master WHERE name IN ('search_removed', 'search_subscribed')")
    assert len(triggers) == 2
    for (sql,) in triggers:
        assert f"OLD.sort >= {FIRST_KEY}" in str(sql) or f"NEW.sort >= {FIRST_KEY}" in str(sql)
