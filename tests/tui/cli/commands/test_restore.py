"""`import` of what `export --all` has written."""

import io
import json
import sys
from pathlib import Path

import pytest

from player.library import Library
from player.model.listening import Moment
from player.paths import Paths
from tests.loopback import LoopbackServer
from tests.tui.cli.conftest import Earmark, feed

pytestmark = pytest.mark.usefixtures("library")


@pytest.fixture
def export(earmark: Earmark, library: Library, server: LoopbackServer, tmp_path: Path) -> Path:
    """Of a library with one feed, a star, a queue and a bookmark; the library is then emptied."""
    url = server.page("/rain", feed("Rain", "One", "Two", "Three"))
    earmark("add", url)
    (rain,) = (one for one in library.podcasts.all() if one.title == "Rain")
    ids = [row.id for row in library.episodes.rows(range(1, 50))]  # type: ignore[arg-type]
    ours = [row.id for row in library.episodes.rows(ids) if row.podcast_id == rain.id]
    library.episodes.set_starred(ours[:1], True)
    library.queue.add_last(ours[1:])
    library.bookmarks.put(ours[0], Moment(5_000, note="here"))
    path = tmp_path / "earmark.json"
    earmark("export", "--all", str(path))
    for podcast in library.podcasts.all():
        library.podcasts.remove(podcast.id)
    library.bookmarks.delete([one.id for one in library.bookmarks.all()])
    return path


def test_an_export_is_put_back_and_its_feeds_are_read(earmark: Earmark, library: Library, export: Path) -> None:
    ended = earmark("import", str(export))
    assert ended.code == 0
    assert ended.out.startswith(
        "2 podcasts added. 6 episodes added. 1 starred. 2 added to the queue. 1 bookmark added."
    )
    assert {one.title: one.episode_count for one in library.podcasts.all()} == {"Rain": 3, "Welcome to Earmark": 3}
    rows = library.episodes.rows(list(library.queue.ids()))  # type: ignore[arg-type]
    assert {row.title for row in rows} <= {"One", "Two", "Three"}
    assert all(one.last_refreshed for one in library.podcasts.all())
    assert library.search.left() == 0
    again = earmark("import", str(export))
    assert (again.code, again.out) == (0, "0 podcasts added. 2 were already there.\n")


def test_a_dry_run_says_what_would_change(earmark: Earmark, library: Library, export: Path) -> None:
    ended = earmark("import", "--dry-run", str(export))
    assert ended.out.startswith("This is what would change: 2 podcasts added.")
    assert "Rain" not in {one.title for one in library.podcasts.all()}
    found = earmark("import", "--dry-run", "--json", str(export)).json
    assert (found["app"], found["added"], found["episodes"], found["bookmarks"]) == ("Earmark", 2, 6, 1)


def test_a_pipe_is_told_by_its_contents_too(
    earmark: Earmark, library: Library, export: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(export.read_bytes())))
    ended = earmark("import", "-", "--json")
    assert (ended.code, ended.json["added"], ended.json["starred"]) == (0, 2, 1)


def test_half_a_file_and_a_later_one_are_told(earmark: Earmark, export: Path, paths: Paths) -> None:
    whole = export.read_text()
    export.write_text(whole[: whole.index('"lists"')])
    ended = earmark("import", str(export))
    assert ended.code == 1
    assert "The file isn't whole" in ended.out
    export.write_text(json.dumps(json.loads(whole) | {"version": 9}))
    assert "A later version of Earmark wrote this file" in earmark("import", str(export)).out


def test_what_is_not_recognised_names_what_is(earmark: Earmark, tmp_path: Path) -> None:
    (tmp_path / "novel.json").write_text('{"title": "It was a dark night"}')
    ended = earmark("import", str(tmp_path / "novel.json"))
    assert ended.code == 1
    assert "PortCast documents, and the files of AntennaPod, Apple Podcasts, Podcast Addict, Overcast" in ended.err
