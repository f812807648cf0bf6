"""The Markdown file: appended to, never damaged, and a sentence where that isn't possible."""

import os
from pathlib import Path

import pytest

from player import bookmarks
from player.bookmarks import CannotWrite, append, path_of


def test_entries_follow_each_other(tmp_path: Path) -> None:
    file = tmp_path / "notes.md"
    append(file, "- one\n")
    append(file, "- two\n")
    assert file.read_text() == "- one\n- two\n"


def test_a_last_line_without_an_end_gets_one(tmp_path: Path) -> None:
    file = tmp_path / "notes.md"
    file.write_text("# Mine")
    append(file, "- one\n")
    assert file.read_text() == "# Mine\n- one\n"


def test_the_last_entry_is_replaced_and_no_other(tmp_path: Path) -> None:
    file = tmp_path / "notes.md"
    file.write_text("# Mine\n- one\n")
    append(file, "- one, with a note\n", instead_of="- one\n")
    assert file.read_text() == "# Mine\n- one, with a note\n"
    append(file, "- two\n", instead_of="- one\n")
    append(file, "x\n", instead_of="- two\n")
    assert file.read_text() == "# Mine\n- one, with a note\nx\n"


@pytest.mark.parametrize("kind", ["folder", "pipe", "missing folder"])
def test_what_cannot_be_written_is_a_sentence(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "notes.md"
    if kind == "folder":
        file.mkdir()
    elif kind == "pipe":
        os.mkfifo(file)
    else:
        file = file / "deeper.md"
    with pytest.raises(CannotWrite, match=r"notes\.md.*It's kept in Earmark\."):
        append(file, "- one\n")


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "notes.md"
    file.write_text("# Mine\n- one\n")
    real = bookmarks._write_at

    def full(descriptor: int, data: bytes, offset: int) -> None:
        real(descriptor, data[:3], offset)
        if data.startswith(b"- one, "):
            raise OSError(28, "No space left on device")
        real(descriptor, data[3:], offset + 3)

    monkeypatch.setattr(bookmarks, "_write_at", full)
    with pytest.raises(CannotWrite, match="No space left"):
        append(file, "- one, and much more\n", instead_of="- one\n")
    assert file.read_text() == "# Mine\n- one\n"


def test_where_the_file_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    assert path_of("~/notes/podcasts.md") == path_of("notes/podcasts.md") == Path("/home/ada/notes/podcasts.md")
    assert path_of("/srv/notes.md") == Path("/srv/notes.md")
