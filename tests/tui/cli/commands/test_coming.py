"""`import` of another app's database."""

import errno
import os
from pathlib import Path

import pytest

from player.library import Library
from tests.loopback import LoopbackServer
from tests.player.library.foreign import files
from tests.tui.cli.conftest import Earmark, feed

pytestmark = pytest.mark.usefixtures("library")


@pytest.fixture
def castero(server: LoopbackServer, tmp_path: Path) -> Path:
    """One podcast, of which two episodes were played, one begun, one queued, and one isn't in its feed."""
    url = server.page("/rain", feed("Rain", "Four", "Three", "Two", "One", audio="http://127.0.0.1:9/a.mp3"))
    audio = {title: f"http://127.0.0.1:9/a.mp3?{place}" for place, title in enumerate(("Four", "Three", "Two", "One"))}
    audio["Gone"] = "http://127.0.0.1:9/gone.mp3"
    rows: files.Rows = {
        "feed": [{"key": url, "title": "Rain"}],
        "episode": [
            {
                "id": number,
                "feed_key": url,
                "title": title,
                "enclosure": address,
                "played": int(title in ("One", "Gone")),
            }
            for number, (title, address) in enumerate(audio.items())
        ],
        "progress": [{"ep_id": 2, "time": 61_000}],
        "queue": [{"id": 1, "ep_id": 1}],
    }
    return files.write(tmp_path / "castero.db", files.CASTERO, rows, 99)


def test_a_dry_run_shows_what_would_come_and_changes_nothing(earmark: Earmark, library: Library, castero: Path) -> None:
    before = [one.id for one in library.podcasts.all()]
    ended = earmark("import", str(castero), "--dry-run")
    assert ended.code == 0
    assert ended.out == (
        "castero: 1 podcast; 2 played, 1 position, queue of 1.\n"
        "This castero is newer than Earmark knows: something may be missing.\n"
    )
    found = earmark("import", str(castero), "--dry-run", "--json").json
    assert (found["app"], found["version"], found["podcasts"], found["known"]) == ("castero", "99", 1, 0)
    assert (found["played"], found["positions"], found["starred"], found["queued"], found["heard"]) == (2, 1, 0, 1, 0)
    assert found["left_out"] == ["This castero is newer than Earmark knows: something may be missing."]
    assert [one.id for one in library.podcasts.all()] == before


def test_a_database_is_imported_with_all_that_it_knows(earmark: Earmark, library: Library, castero: Path) -> None:
    ended = earmark("import", str(castero))
    assert ended.code == 0, ended.err
    assert ended.out == (
        "1 podcast added. 4 episodes. Imported what castero knew of 3 episodes."
        " 1 episode isn't in its feed (yet).\n"
        "This castero is newer than Earmark knows: something may be missing.\n"
    )
    rows = {row["title"]: row for row in earmark("episodes", "Rain", "--json").json}
    assert [title for title, row in rows.items() if row["played"]] == ["One"]
    assert rows["Two"]["position_ms"] == 61_000
    assert [row["title"] for row in earmark("queue", "--json").json] == ["Three"]


def test_a_list_with_a_former_address_says_that_its_podcast_was_there(
    earmark: Earmark, server: LoopbackServer, tmp_path: Path
) -> None:
    assert earmark("add", server.page("/new", feed("Rain", "One"))).code == 0
    path = tmp_path / "list.txt"
    path.write_text(server.page("/old", b"", status=301, headers={"Location": "/new"}))
    assert earmark("import", str(path)).out == "0 podcasts added. 1 was already there.\n"
    again = earmark("import", str(path), "--json").json
    assert (again["added"], again["known"]) == (0, 1)
    assert [one["title"] for one in earmark("podcasts", "--json").json].count("Rain") == 1


@pytest.fixture
def overcast(server: LoopbackServer, tmp_path: Path) -> Path:
    """A podcast whose feed has moved, a smart playlist, and one of three episodes, of which one isn't in the feed."""
    server.page("/new", feed("Rain", "Four", "Three", "Two", "One", audio="http://127.0.0.1:9/a.mp3"))
    url = server.page("/old", b"", status=301, headers={"Location": "/new"})
    episodes = "".join(
        f'<outline type="podcast-episode" overcastId="{number}" title="E" enclosureUrl="http://127.0.0.1:9/{file}"/>'
        for number, file in ((1, "a.mp3?2"), (2, "a.mp3?0"), (3, "gone.mp3"))
    )
    path = tmp_path / "overcast.opml"
    path.write_text(
        '<opml version="1.0"><body><outline text="playlists">'
        '<outline type="podcast-playlist" title="Rainy" smart="1" sorting="chronological" includePodcastIds="7"/>'
        '<outline type="podcast-playlist" title="Later" smart="0" sorting="manual" sortedEpisodeIds="1,3,2"/>'
        '<outline type="podcast-playlist" title="Lost" smart="1" sorting="chronological" includePodcastIds="8"/>'
        f'</outline><outline text="feeds"><outline type="rss" overcastId="7" title="Rain" xmlUrl="{url}">'
        f"{episodes}</outline></outline></body></opml>"
    )
    return path


def test_playlists_of_overcast_are_previewed_and_filled_when_the_feeds_are_read(
    earmark: Earmark, overcast: Path
) -> None:
    assert earmark("import", str(overcast), "--dry-run").out == (
        "Overcast: 1 podcast; 2 lists.\n1 smart playlist without a podcast that you subscribed to isn't imported.\n"
    )
    assert earmark("import", str(overcast), "--dry-run", "--json").json["lists"] == 2
    ended = earmark("import", str(overcast))
    assert ended.code == 0, ended.err
    assert ended.out == (
        "1 podcast added. 4 episodes. 2 lists added."
        " 1 episode of a playlist isn't in its feed: import the file again later.\n"
        "1 smart playlist without a podcast that you subscribed to isn't imported.\n"
    )
    assert [row["title"] for row in earmark("episodes", "--list", "Later", "--json").json] == ["Two", "Four"]
    in_rain = [row["title"] for row in earmark("episodes", "--list", "Rainy", "--json").json]
    assert in_rain == ["One", "Two", "Three", "Four"]
    earmark("mark", "played", "Three")
    assert len(earmark("episodes", "--list", "Rainy", "--json").json) == 3
    assert [one["name"] for one in earmark("lists", "--json").json][-2:] == ["Rainy", "Later"]


def test_a_second_import_changes_nothing(earmark: Earmark, castero: Path) -> None:
    earmark("import", str(castero))
    before = earmark("episodes", "Rain", "--json").json
    found = earmark("import", str(castero), "--json").json
    assert (found["added"], found["known"], found["episodes"], found["imported_before"]) == (0, 1, 0, 3)
    assert (found["app"], found["waiting"]) == ("castero", 0)
    assert earmark("episodes", "Rain", "--json").json == before


def test_a_file_that_cannot_be_read_is_one_sentence(earmark: Earmark, tmp_path: Path) -> None:
    (tmp_path / "x.db").write_bytes(b"SQLite format 3\0" + bytes(3000))
    ended = earmark("import", str(tmp_path / "x.db"))
    assert (ended.code, ended.out) == (1, "")
    assert "is damaged, or no database. Export it again" in ended.err


@pytest.mark.parametrize("options", [[], ["--dry-run"]])
def test_a_path_that_cannot_be_read_is_one_sentence(earmark: Earmark, tmp_path: Path, options: list[str]) -> None:
    os.mkfifo(tmp_path / "pipe")
    for typed, words in (
        ("x" * 300, "File name too long"),
        ("~nobody-here/x", "No such file"),
        (str(tmp_path), "Is a directory"),
        (str(tmp_path / "pipe"), "isn't a file"),
        ("/dev/zero", "isn't a file"),
    ):
        ended = earmark("import", typed, *options)
        assert (ended.code, ended.out) == (1, "")
        assert words in ended.err
        assert "Enter the path of a file" in ended.err


@pytest.mark.parametrize("options", [[], ["--dry-run"]])
def test_a_folder_without_rights_is_one_sentence(
    earmark: Earmark, tmp_path: Path, options: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        if path.is_relative_to(tmp_path / "locked"):
            raise PermissionError(errno.EACCES, "Permission denied")
        return os.stat(path, follow_symlinks=follow_symlinks)  # noqa: PTH116 - Path.stat is this function

    monkeypatch.setattr(Path, "stat", forbidden)
    ended = earmark("import", str(tmp_path / "locked" / "x"), *options)
    assert (ended.code, ended.out) == (1, "")
    assert "(Permission denied). Enter the path of a file" in ended.err
