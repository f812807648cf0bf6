"""Databases of other apps that are damaged, or made to harm."""

import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path
from shutil import copyfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from player.errors import TransferError
from player.library.foreign import database as foreign
from player.library.foreign.database import opened
from player.text.cleaning import clean_line
from player.transfer.load import load
from tests.player.library.foreign import files
from tests.player.library.foreign.test_readers import antennapod, newsboat
from tests.quick import examples

READERS = (files.ANTENNAPOD, files.GPODDER, files.CASTERO, files.KASTS, files.KASTS_BEFORE_NUMBERS, files.NEWSBOAT)


def test_the_file_and_its_folder_stay_as_they_are(tmp_path: Path) -> None:
    path = antennapod(tmp_path / "there")
    before = path.read_bytes()
    path.chmod(0o400)
    load(path)
    assert path.read_bytes() == before
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_what_the_app_has_only_written_to_its_log_is_read_too(tmp_path: Path) -> None:
    path = antennapod(tmp_path / "there")
    with closing(sqlite3.connect(path)) as running:
        running.execute("PRAGMA journal_mode = WAL")
        running.execute("UPDATE FeedItems SET title = 'Just now' WHERE id = 1")
        running.commit()
        assert load(path).podcasts[0].episodes[0].title == "Just now"
        assert path.with_name(f"{path.name}-wal").stat().st_size
    # Closed, it has no log, and its folder gets none from us.
    assert load(path).podcasts[0].episodes[0].title == "Just now"
    assert [one.name for one in path.parent.iterdir()] == [path.name]


def test_what_an_app_wrote_when_it_was_killed_is_undone_in_a_copy(tmp_path: Path) -> None:
    """A journal that is left: SQLite rolls back what wasn't committed, which a reader alone can't."""
    path = antennapod(tmp_path)
    with closing(sqlite3.connect(path, isolation_level=None)) as running:
        running.execute("PRAGMA cache_size = 1")
        running.execute("PRAGMA cache_spill = 1")
        running.execute("BEGIN IMMEDIATE")
        running.execute("UPDATE FeedItems SET title = 'Never committed', description = hex(zeroblob(100000))")
        (tmp_path / "killed").mkdir()
        for one in (path, path.with_name(f"{path.name}-journal")):
            copyfile(one, tmp_path / "killed" / one.name)
    killed = tmp_path / "killed" / path.name
    before = killed.read_bytes()
    assert load(killed).podcasts[0].episodes[0].title == "E1"
    assert killed.read_bytes() == before


def test_views_and_virtual_tables_are_no_tables(tmp_path: Path) -> None:
    path = tmp_path / "views.db"
    endless = (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id, i AS feed, i AS read FROM n"
    )
    with closing(sqlite3.connect(path)) as made:
        made.execute(f"CREATE VIEW FeedItems AS {endless}")
        made.execute("CREATE VIRTUAL TABLE Feeds USING fts5(id, download_url)")
    began = time.monotonic()
    with pytest.raises(TransferError, match="doesn't know"):
        load(path)
    assert time.monotonic() - began < 30
    with opened(path) as database:
        assert not database.has("FeedItems")
        assert not database.has("Feeds")
        assert list(database.rows("FeedItems", "id")) == []


def test_nothing_of_the_schema_runs(tmp_path: Path) -> None:
    """A generated column and an index on an expression are no columns; triggers need writing, which is refused."""
    path = tmp_path / "generated.db"
    with closing(sqlite3.connect(path)) as made:
        made.execute("CREATE TABLE feed (key TEXT, title TEXT, big TEXT AS (hex(zeroblob(1000000))) VIRTUAL)")
        made.execute("INSERT INTO feed (key, title) VALUES ('https://a.example/', 'A')")
        made.execute("CREATE TRIGGER t AFTER INSERT ON feed BEGIN DELETE FROM feed; END")
        made.commit()
    with opened(path) as database:
        assert not database.has("feed", "big")
        assert list(database.rows("feed", "key", "big")) == [("https://a.example/", None)]
        connection = database._connection
        for sql in (
            "DELETE FROM feed",
            "SELECT load_extension('x')",
            "ATTACH 'y.db' AS y",
            "SELECT writefile('z', 'z')",
        ):
            with pytest.raises(sqlite3.Error):
                connection.execute(sql)


def test_a_table_that_takes_too_long_ends(tmp_path: Path) -> None:
    path = files.write(tmp_path / "x.db", {"feed": "key TEXT"}, {"feed": [{"key": str(one)} for one in range(20_000)]})
    with opened(path, 0.0) as database:
        assert len(list(database.rows("feed", "key"))) < 20_000
        assert database.problems == ["feed takes too long to read: a part of it is missing."]


def test_no_more_rows_are_read_than_any_listener_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign, "MOST_ROWS", 3)
    path = files.write(tmp_path / "x.db", {"feed": "key TEXT"}, {"feed": [{"key": str(one)} for one in range(9)]})
    with opened(path) as database:
        assert len(list(database.rows("feed", "key"))) == 3
        assert database.problems == ["Of feed, only the first 3 rows were read."]


def test_huge_texts_are_cut_and_hugest_ones_end_their_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign, "_MOST_BYTES", 2_000_000)
    rows = [{"key": "a"}, {"key": "b" * 200_000}, {"key": "x"}, {"key": "c" * 3_000_000}, {"key": "d"}]
    path = files.write(tmp_path / "x.db", {"feed": "key TEXT"}, {"feed": rows})
    with opened(path) as database:
        found = [str(row[0]) for row in database.rows("feed", "key")]
        assert [len(one) for one in found] == [1, 9_000]
        assert database.problems == ["feed is damaged: a part of it is missing."]


def test_a_file_of_two_gigabytes_is_no_trouble(tmp_path: Path) -> None:
    """Sparse, so that the disk needn't have the room."""
    path = antennapod(tmp_path)
    with path.open("r+b") as file:
        file.truncate(2_000_000_000)
    began = time.monotonic()
    assert len(load(path).podcasts) == 3
    assert time.monotonic() - began < 30


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    import os

    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(TransferError, match="isn't a file"):
        load(tmp_path / "pipe")


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(100, 40_000), noise=st.binary(min_size=1, max_size=3_000), is_cut=st.booleans())
def test_of_damage_what_can_be_read_is_read_and_the_rest_is_a_sentence(
    tmp_path: Path, at: int, noise: bytes, is_cut: bool
) -> None:
    path = tmp_path / "damaged.db"
    path.unlink(missing_ok=True)
    whole = antennapod(tmp_path).read_bytes() if at % 2 else newsboat(tmp_path / "n" / "cache.db").read_bytes()
    for made in (tmp_path / "AntennaPodBackup-2026-07-02.db", tmp_path / "n" / "cache.db"):
        made.unlink(missing_ok=True)
    at %= len(whole)
    path.write_bytes(whole[:at] if is_cut else whole[:at] + noise + whole[at + len(noise) :])
    with suppress(TransferError):
        assert all(one.title.isprintable() for one in load(path).podcasts)


ODD = st.none() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.text(max_size=20) | st.binary(max_size=20)


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_wrong_types_in_every_column_are_no_error(tmp_path: Path, data: st.DataObject) -> None:
    tables = data.draw(st.sampled_from(READERS))
    path = tmp_path / "odd.db"
    path.unlink(missing_ok=True)
    columns = {name: [one.split()[0] for one in text.split(",")] for name, text in tables.items()}
    untyped = {name: ", ".join(names) for name, names in columns.items()}
    rows = {
        name: data.draw(st.lists(st.fixed_dictionaries(dict.fromkeys(names, ODD)), max_size=2))
        for name, names in columns.items()
    }
    clean = {
        name: [{k: v if not isinstance(v, str) else v.replace("\ud800", "") for k, v in row.items()} for row in some]
        for name, some in rows.items()
    }
    files.write(path, untyped, clean)
    with suppress(TransferError):
        for podcast in load(path).podcasts:
            assert clean_line(podcast.title) == podcast.title
            assert all(episode.position is None or episode.position.position_ms > 0 for episode in podcast.episodes)
