"""`export`, in its three kinds."""

import json
from pathlib import Path

import pytest

from player.library import Library
from tests.tui.cli.conftest import Earmark

pytestmark = pytest.mark.usefixtures("library")


def test_everything_is_written_to_a_file(earmark: Earmark, library: Library, tmp_path: Path) -> None:
    library.podcasts.add("https://me:secret@127.0.0.1:9/feed", "Rain")
    path = tmp_path / "earmark.json"
    ended = earmark("export", "--all", str(path))
    assert (ended.code, ended.out) == (0, f"2 podcasts and 3 episodes written to {path}.\n")
    assert "Names and passwords of private feeds" in ended.err
    assert path.stat().st_mode & 0o777 == 0o600
    found = json.loads(path.read_text())
    assert (found["format"], found["version"]) == ("earmark-export", 1)
    assert [one["url"] for one in found["podcasts"]] == ["earmark:welcome", "https://127.0.0.1:9/feed"]
    assert "secret" not in path.read_text()
    assert earmark("export", "--all", str(path)).code == 0, "an older export may be replaced"
    assert json.loads(earmark("export", "--all").out)["podcasts"] == found["podcasts"]


def test_a_document_is_written(earmark: Earmark, library: Library, tmp_path: Path) -> None:
    path = tmp_path / "podcasts.md"
    library.podcasts.add("https://127.0.0.1:9/feed", "Rain")
    assert earmark("export", "--markdown", str(path)).out == f"Document written to {path}.\n"
    assert "- Rain ([feed](<https://127.0.0.1:9/feed>))" in path.read_text()
    assert earmark("export", "--markdown").out == path.read_text()


def test_other_files_are_kept(earmark: Earmark, tmp_path: Path) -> None:
    path = tmp_path / "novel.txt"
    path.write_text("It was a dark night")
    for kind in ("--all", "--markdown", "--opml"):
        ended = earmark("export", kind, str(path))
        assert (ended.code, ended.out) == (1, "")
        assert "already exists and isn't" in ended.err
    assert path.read_text() == "It was a dark night"
    assert earmark("export", "--all", "--opml").code == 2
