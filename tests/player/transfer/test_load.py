"""A file of another app is recognised by its reader, and what is read is cleaned."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from player.errors import TransferError
from player.model.foreign import ForeignEpisode, ForeignLibrary, ForeignPodcast, HeardSpan, SavedAt
from player.transfer.load import load

DAY = datetime(2026, 5, 1, tzinfo=UTC)


class Notes:
    """A reader of files that begin with "NOTES"."""

    def __init__(self, found: ForeignLibrary) -> None:
        self._found = found

    def recognises(self, path: Path, start: bytes) -> bool:
        return start.startswith(b"NOTES")

    def read(self, path: Path) -> ForeignLibrary:
        return self._found


def load_as(found: ForeignLibrary, folder: Path) -> ForeignLibrary:
    file = folder / "export"
    file.write_bytes(b"NOTES")
    return load(file, [Notes(found)])


def test_a_list_of_subscriptions_is_read_with_its_folders(tmp_path: Path) -> None:
    file = tmp_path / "podcasts.opml"
    file.write_text(
        '<opml version="2.0"><body><outline text="News"><outline text="Daily" xmlUrl="https://a.example/feed"/>'
        "</outline></body></opml>"
    )
    assert load(file).podcasts == (ForeignPodcast("https://a.example/feed", title="Daily", tags=("News",)),)


def test_a_file_that_nobody_knows_is_refused_with_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "some.db"
    with closing(sqlite3.connect(file)) as database:
        database.execute("CREATE TABLE recipes (title TEXT)")
    with pytest.raises(TransferError, match="an app that Earmark doesn't know"):
        load(file)
    apple = tmp_path / "apple.sqlite"
    with closing(sqlite3.connect(apple)) as database:
        database.execute("CREATE TABLE ZMTPODCAST (Z_PK INTEGER PRIMARY KEY, ZFEEDURL VARCHAR)")
    with pytest.raises(TransferError, match="The database of Apple Podcasts has no ZMTEPISODE"):
        load(apple)
    file.write_bytes(b"SQLite format 3\0" + bytes(5000))
    with pytest.raises(TransferError, match="is damaged, or no database"):
        load(file)
    file.write_bytes(b"\x89PNG\r\n" + bytes(5000))
    with pytest.raises(TransferError, match="There are no podcast feeds in"):
        load(file)
    with pytest.raises(TransferError, match="No such file"):
        load(tmp_path / "missing")
    with pytest.raises(TransferError, match="Is a directory"):
        load(tmp_path)


def test_texts_are_fit_for_a_terminal(tmp_path: Path) -> None:
    podcast = ForeignPodcast("https://a.example/feed", "T\x1b[2Jitle", "Own\n", ("a\x07", "a"), episodes=(
        ForeignEpisode("guid", title="E\x1b]0;x\x07pisode" * 500),
    ))  # fmt: skip
    found = load_as(ForeignLibrary("App\x1b", podcasts=(podcast,), left_out=("no\x1b",)), tmp_path)
    assert (found.app, found.left_out) == ("App", ("no",))
    (kept,) = found.podcasts
    assert (kept.title, kept.own_title, kept.tags) == ("T[2Jitle", "Own", ("a",))
    assert len(kept.episodes[0].title) <= 500
    assert kept.episodes[0].title.isprintable()


def test_impossible_numbers_are_dropped(tmp_path: Path) -> None:
    spans = (HeardSpan(0, 60_000, DAY), HeardSpan(60_000, 0, DAY), HeardSpan(0, 10**15, DAY), HeardSpan(0, 1, DAY, 0.0))
    episode = ForeignEpisode("guid", position=SavedAt(10**15), duration_ms=-1, heard=spans)
    podcast = ForeignPodcast("https://a.example/", episodes=(episode,))
    (kept,) = load_as(ForeignLibrary("App", podcasts=(podcast,)), tmp_path).podcasts
    assert kept.episodes == (ForeignEpisode("guid", heard=spans[:1]),)


def test_a_feed_that_is_named_twice_is_one_podcast(tmp_path: Path) -> None:
    twice = (
        ForeignPodcast("https://a.example/feed", tags=("x",), subscribed=False, episodes=(ForeignEpisode("1"),)),
        ForeignPodcast("http://A.example/feed/", "Title", tags=("y",), episodes=(ForeignEpisode("2"),)),
    )
    (kept,) = load_as(ForeignLibrary("App", podcasts=twice), tmp_path).podcasts
    assert (kept.title, kept.tags, kept.subscribed) == ("Title", ("x", "y"), True)
    assert [episode.guid for episode in kept.episodes] == ["1", "2"]


def test_a_file_without_podcasts_says_so(tmp_path: Path) -> None:
    with pytest.raises(TransferError, match="There are no podcasts in"):
        load_as(ForeignLibrary("App"), tmp_path)


def test_the_folder_of_an_app_is_enough(tmp_path: Path) -> None:
    folder = tmp_path / ".newsboat"
    folder.mkdir()
    (folder / "urls").write_text("https://a.example/feed\n")
    assert load(folder).podcasts == (ForeignPodcast("https://a.example/feed"),)


def test_a_name_that_no_file_can_have_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(TransferError, match="File name too long"):
        load(tmp_path / ("x" * 5000))
