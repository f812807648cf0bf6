"""Podcast Addict's backups, with the columns that the app's database has."""

import sqlite3
import zipfile
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from player.errors import TransferError
from player.library.foreign import database as foreign
from player.model.foreign import ForeignEpisode, SavedAt
from player.transfer.load import load

SCHEMA = """
CREATE TABLE android_metadata (locale TEXT);
CREATE TABLE podcasts (_id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, team_id INTEGER NOT NULL,
    category TEXT, type TEXT NOT NULL, subscribed_status INTEGER NOT NULL, version INTEGER NOT NULL, homepage TEXT,
    latest_publication_date INTEGER NOT NULL, feed_url TEXT UNIQUE NOT NULL collate nocase, favorite INTEGER,
    rating REAL NOT NULL, update_status INTEGER NOT NULL, last_modified INTEGER NOT NULL, etag TEXT NOT NULL,
    custom_name TEXT, authentication INTEGER DEFAULT 0, login TEXT DEFAULT '', password TEXT DEFAULT '',
    is_virtual INTEGER DEFAULT 0, UNIQUE(feed_url) ON CONFLICT REPLACE);
CREATE TABLE episodes (_id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL collate nocase,
    podcast_id INTEGER NOT NULL, guid TEXT NOT NULL, url TEXT, publication_date INTEGER NOT NULL, download_url TEXT,
    type TEXT, duration TEXT, size INTEGER NOT NULL, favorite INTEGER NOT NULL, seen_status INTEGER NOT NULL,
    new_status INTEGER NOT NULL, playing_status INTEGER NOT NULL DEFAULT 0, position_to_resume INTEGER,
    deleted_status INTEGER NOT NULL, duration_ms INTEGER NOT NULL DEFAULT -1,
    playbackDate INTEGER NOT NULL DEFAULT -1);
CREATE TABLE ordered_list (rank INTEGER NOT NULL, id INTEGER NOT NULL, type INTEGER NOT NULL,
    filter INTEGER DEFAULT -1);
CREATE TABLE tags (_id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, UNIQUE(name) ON CONFLICT REPLACE);
CREATE TABLE tag_relation (_id INTEGER PRIMARY KEY AUTOINCREMENT, tag_id INTEGER NOT NULL DEFAULT -1,
    podcast_id INTEGER NOT NULL DEFAULT -1);
CREATE TABLE chapters (_id INTEGER PRIMARY KEY AUTOINCREMENT, podcastId INTEGER NOT NULL, episodeId INTEGER NOT NULL,
    start INTEGER NOT NULL, name TEXT, customBookmark INTEGER(1) DEFAULT 0);
"""
PREFERENCES = """<?xml version='1.0' encoding='utf-8' standalone='yes' ?>
<map>
    <float name="pref_speedAdjustment" value="1.0" />
    <float name="pref_speedAdjustment_1" value="1.4" />
    <boolean name="pref_speedPlaybackOn_1" value="true" />
    <float name="pref_speedAdjustment_2" value="2.0" />
    <boolean name="pref_speedPlaybackOn_2" value="false" />
</map>
"""
PUBLISHED, HEARD = 1_580_558_400_000, 1_580_742_672_000


def database(path: Path) -> Path:
    with closing(sqlite3.connect(path)) as made:
        made.executescript(SCHEMA)
        podcasts = [
            (1, "Rain", 1, "https://example.org/rain.xml", "My rain", "me", "secret"),
            (2, "Wind", 0, "https://example.org/wind.xml", None, "", ""),
            (3, "Files", 1, "/storage/emulated/0/audio", None, "", ""),
        ]
        made.executemany(
            "INSERT INTO podcasts (_id, name, team_id, type, subscribed_status, version, latest_publication_date,"
            " feed_url, rating, update_status, last_modified, etag, custom_name, login, password)"
            " VALUES (?, ?, 1, 'AUDIO', ?, 1, 0, ?, 0, 0, 0, '', ?, ?, ?)",
            podcasts,
        )
        episodes = [
            (1, "Rain 1", "rain-1", 1, 0, 0, HEARD),
            (1, "Rain 2", "rain-2", 0, 61_000, 0, HEARD),
            (1, "Rain 3", "rain-3", 0, 0, 1, -1),
            (1, "Rain 4", "rain-4", 0, 0, 0, -1),
            (2, "Wind 1", "wind-1", 1, 5_000, 0, -1),
        ]
        made.executemany(
            "INSERT INTO episodes (podcast_id, name, guid, seen_status, position_to_resume, favorite, playbackDate,"
            f" publication_date, download_url, size, new_status, deleted_status, duration_ms) VALUES (?, ?, ?, ?, ?, ?,"
            f" ?, {PUBLISHED}, 'https://cdn.example.org/' || ?3 || '.mp3', 1, 0, 0, 1800000)",
            episodes,
        )
        made.execute("INSERT INTO tags VALUES (7, 'weather')")
        made.execute("INSERT INTO tag_relation (tag_id, podcast_id) VALUES (7, 1)")
        made.execute("INSERT INTO ordered_list VALUES (0, 2, 1, -1)")
        made.execute(
            "INSERT INTO chapters (podcastId, episodeId, start, name, customBookmark) VALUES (1, 1, 5, 'x', 1)"
        )
        made.commit()
    return path


def backup(folder: Path, **members: bytes) -> Path:
    path = folder / "PodcastAddict_2026.backup"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        made.write(database(folder / "made.db"), "podcastAddict.db")
        made.writestr("com.bambuna.podcastaddict_preferences.xml", PREFERENCES)
        for name, data in members.items():
            made.writestr(name, data)
    return path


def test_a_backup_is_read(tmp_path: Path) -> None:
    found = load(backup(tmp_path))
    assert found.app == "Podcast Addict"
    rain, wind = found.podcasts
    assert (rain.url, rain.title, rain.own_title, rain.tags) == (
        "https://example.org/rain.xml",
        "Rain",
        "My rain",
        ("weather",),
    )
    assert (rain.settings.speed, rain.login, rain.subscribed) == (1.4, ("me", "secret"), True)
    assert (wind.settings.speed, wind.subscribed) == (None, False)
    published, heard = (datetime.fromtimestamp(ms / 1000, UTC) for ms in (PUBLISHED, HEARD))
    plain = ForeignEpisode(published=published, duration_ms=1_800_000)
    assert [one.guid for one in rain.episodes] == ["rain-1", "rain-2", "rain-3"]
    first, second, third = rain.episodes
    assert (first.played, first.changed_at, first.published, first.url) == (
        True,
        heard,
        plain.published,
        "https://cdn.example.org/rain-1.mp3",
    )
    assert (second.position, second.played, second.duration_ms) == (SavedAt(61_000), False, 1_800_000)
    assert (third.starred, third.changed_at) == (True, None)
    assert found.left_out == ("Podcast Addict's playlist can't be imported.", "1 bookmark can't be imported.")


def test_the_database_alone_is_read_too(tmp_path: Path) -> None:
    assert len(load(database(tmp_path / "any name")).podcasts) == 2


def test_a_database_that_was_packed_to_fill_a_disk_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "bomb.backup"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made, made.open("podcastAddict.db", "w") as member:
        member.write(b"SQLite format 3\0")
        for _piece in range(40):
            member.write(bytes(1 << 20))
    with pytest.raises(TransferError, match="holds far too much"):
        load(path)
    monkeypatch.setattr(foreign, "_LARGEST_UNPACKED", 10_000)
    with pytest.raises(TransferError, match="holds far too much"):
        load(backup(tmp_path))


def test_a_size_that_lies_is_no_way_around_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "bomb.backup"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("podcastAddict.db", b"SQLite format 3\0" + bytes(30_000_000))
    body = path.read_bytes().replace((30_000_016).to_bytes(4, "little"), (100).to_bytes(4, "little"))
    path.write_bytes(body)
    with pytest.raises(TransferError):
        load(path)


@pytest.mark.parametrize("part", [0.01, 0.3, 0.9, 0.999])
def test_half_a_backup_is_told(tmp_path: Path, part: float) -> None:
    whole = backup(tmp_path).read_bytes()
    (tmp_path / "half").write_bytes(whole[: int(len(whole) * part)])
    with pytest.raises(TransferError):
        load(tmp_path / "half")


def test_names_in_the_zip_lead_nowhere(tmp_path: Path) -> None:
    path = tmp_path / "x.backup"
    with zipfile.ZipFile(path, "w") as made:
        made.write(database(tmp_path / "made.db"), "../../../podcastAddict.db")
    assert len(load(path).podcasts) == 2
    assert not (tmp_path.parent / "podcastAddict.db").exists()


def test_other_zip_files_are_told(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x", "w") as made:
        made.writestr("novel.txt", "It was a dark night")
    with pytest.raises(TransferError):
        load(tmp_path / "x")


def test_values_of_other_types_cost_only_themselves(tmp_path: Path) -> None:
    path = database(tmp_path / "x.db")
    with closing(sqlite3.connect(path)) as made:
        made.execute(
            "UPDATE episodes SET position_to_resume = 'x', playbackDate = 9e300, favorite = x'00' WHERE _id = 2"
        )
        made.execute("UPDATE episodes SET name = char(27) || '[31m', guid = 5 WHERE _id = 1")
        made.commit()
    rain = load(path).podcasts[0]
    assert [one.guid for one in rain.episodes] == ["5", "rain-3"]
    assert "\x1b" not in rain.episodes[0].title


def test_pocket_casts_database_says_what_can_be_imported(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "podcast_newDB.sqlite3")) as made:
        made.execute("CREATE TABLE SJEpisode (id INTEGER PRIMARY KEY, uuid TEXT NOT NULL, playedUpTo REAL)")
        made.commit()
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as packed:
        packed.write(tmp_path / "podcast_newDB.sqlite3", "podcast_newDB.sqlite3")
    for name in ("podcast_newDB.sqlite3", "export.zip"):
        with pytest.raises(TransferError, match=r"doesn't name the feeds.*export your podcasts as OPML"):
            load(tmp_path / name)
