"""Libraries of other apps are found where each keeps its own, and read where nothing in them does any harm."""

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Timer

import pytest

from player.transfer.load import FoundFile, found_files
from player.transfer.offers import OfferFinder
from tests.player.library.foreign import files
from tests.player.transfer import libraries

ENVIRON: dict[str, str] = {}


@pytest.fixture
def finder() -> Iterator[OfferFinder]:
    with closing(OfferFinder()) as finder:
        yield finder


def facts(finder: OfferFinder, home: Path) -> dict[str, tuple[str, ...]]:
    return {one.app: one.found.facts for one in finder.offers(found_files(home, ENVIRON))}


def test_each_app_is_found_where_it_keeps_its_library_with_what_it_would_bring(
    finder: OfferFinder, tmp_path: Path
) -> None:
    paths = [make(tmp_path) for make in libraries.ALL]
    offers = finder.offers(found_files(tmp_path, ENVIRON))
    assert [(one.app, one.path) for one in offers] == list(
        zip(["gPodder", "newsboat", "castero", "Kasts"], paths, strict=True)
    )
    assert [one.found.facts for one in offers] == [
        ("1 podcast", "1 in progress"),
        ("2 podcasts", "queue of 1", "2 played"),
        ("1 podcast", "1 in progress", "queue of 1", "1 played"),
        ("1 podcast", "2 in progress"),
    ]


def test_libraries_of_snaps_are_found_too(finder: OfferFinder, tmp_path: Path) -> None:
    for app in ("newsboat", "gpodder"):
        getattr(libraries, app)(tmp_path / "snap" / app / "current")
    assert list(facts(finder, tmp_path)) == ["gPodder", "newsboat"]


def test_a_library_without_podcasts_and_a_damaged_one_are_not_offered_and_hide_no_other(
    finder: OfferFinder, tmp_path: Path
) -> None:
    files.write(tmp_path / "gPodder/Database", files.GPODDER, {})
    path = libraries.castero(tmp_path)
    path.write_bytes(path.read_bytes()[:5000] + b"\xff" * 5000)
    libraries.kasts(tmp_path)
    assert list(facts(finder, tmp_path)) == ["Kasts"]


def test_what_is_no_file_is_never_waited_for(finder: OfferFinder, tmp_path: Path) -> None:
    (tmp_path / ".newsboat").mkdir()
    os.mkfifo(tmp_path / ".newsboat/urls")
    libraries.castero(tmp_path)
    (tmp_path / "gPodder").symlink_to("/dev")
    fifo = FoundFile("newsboat", tmp_path / ".newsboat/urls")
    endless = FoundFile("gPodder", Path("/dev/zero"))
    assert list(facts(finder, tmp_path)) == ["castero"]
    assert finder.offers([fifo, endless]) == []


def test_a_library_that_its_app_has_open_is_read_as_it_was_written_last(finder: OfferFinder, tmp_path: Path) -> None:
    path = libraries.castero(tmp_path)
    with closing(sqlite3.connect(path, isolation_level=None)) as app:
        app.execute("PRAGMA journal_mode = wal")
        app.execute("INSERT INTO progress VALUES (3, 5000)")
        app.execute("BEGIN EXCLUSIVE")
        assert facts(finder, tmp_path)["castero"][:2] == ("1 podcast", "2 in progress")


def test_a_crafted_journal_writes_nothing_beside_the_library(finder: OfferFinder, tmp_path: Path) -> None:
    path = libraries.castero(tmp_path)
    victim = tmp_path / "victim"
    victim.write_bytes(b"mine")
    name = str(victim).encode()
    journal = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + b"\0" * 504 + name + len(name).to_bytes(4) + b"\0" * 12
    Path(f"{path}-journal").write_bytes(journal)
    before = sorted((one.name, one.stat().st_mtime_ns) for one in path.parent.iterdir())
    facts(finder, tmp_path)
    assert victim.read_bytes() == b"mine"
    assert sorted((one.name, one.stat().st_mtime_ns) for one in path.parent.iterdir()) == before


def test_a_library_that_takes_too_long_is_left_out_and_leaves_no_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    libraries.castero(tmp_path)
    with closing(OfferFinder(seconds=0.001)) as finder:
        assert facts(finder, tmp_path) == {}
    assert list(scratch.iterdir()) == []


def test_closing_ends_the_reading(finder: OfferFinder, tmp_path: Path) -> None:
    for make in libraries.ALL:
        make(tmp_path)
    Timer(0.01, finder.close).start()
    assert len(facts(finder, tmp_path)) < len(libraries.ALL)
    assert facts(finder, tmp_path) == {}
