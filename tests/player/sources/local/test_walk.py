"""The audio files of a folder are found, whatever else is there."""

import os
from pathlib import Path

import pytest

from player.sources.local.walk import Found, find_audio


def names(found: Found) -> list[str]:
    return sorted("/".join(file.parts) for file in found.files)


def find(root: Path) -> Found:
    return find_audio(str(root), lambda: None)


def test_audio_of_all_subfolders_and_nothing_else(tmp_path: Path) -> None:
    for name in ("1.mp3", "two.M4B", "sub/3.opus", "notes.txt", ".hidden.mp3", ".trash/4.mp3", "._5.mp3", "noending"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "folder.mp3").mkdir()
    os.mkfifo(tmp_path / "pipe.mp3")
    assert names(find(tmp_path)) == ["1.mp3", "sub/3.opus", "two.M4B"]
    assert find(tmp_path).whole


def test_loops_of_links_end_and_links_to_audio_elsewhere_are_followed(tmp_path: Path) -> None:
    root, elsewhere = tmp_path / "root", tmp_path / "elsewhere"
    (root / "a").mkdir(parents=True)
    elsewhere.mkdir()
    (elsewhere / "1.mp3").write_bytes(b"x")
    (root / "a" / "up").symlink_to(root)
    (root / "self").symlink_to("self")
    (root / "there").symlink_to(elsewhere)
    (root / "there again").symlink_to(elsewhere)
    (root / "gone.mp3").symlink_to(tmp_path / "nothing")
    found = find(root)
    assert len(found.files) == 1
    assert found.files[0].parts[-1] == "1.mp3"
    assert found.whole


def test_a_single_file_is_itself_and_one_of_another_kind_is_nothing(tmp_path: Path) -> None:
    (tmp_path / "book.m4b").write_bytes(b"x")
    (tmp_path / "list.txt").write_bytes(b"x")
    assert names(find(tmp_path / "book.m4b")) == ["book.m4b"]
    assert find(tmp_path / "list.txt").files == ()
    with pytest.raises(FileNotFoundError):
        find(tmp_path / "missing")


def test_a_name_that_is_not_utf_8_stays_what_it_is(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/caf\xe9.mp3"
    Path(os.fsdecode(path)).write_bytes(b"x")
    (found,) = find(tmp_path).files
    assert os.fsencode(found.path) == path


def test_a_folder_that_cannot_be_read_makes_the_rest_no_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "closed").mkdir()
    (tmp_path / "1.mp3").write_bytes(b"x")
    scandir = os.scandir

    def refusing(path: str) -> object:
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr("os.scandir", refusing)
    found = find(tmp_path)
    assert names(found) == ["1.mp3"]
    assert not found.whole


def texts(found: Found) -> dict[str, list[str]]:
    """The transcripts of each file, with their languages."""
    return {
        "/".join(file.parts): [" ".join(filter(None, (Path(one.path).name, one.language))) for one in file.transcripts]
        for file in found.files
    }


def test_transcripts_belong_to_the_audio_beside_them_that_they_are_named_after(tmp_path: Path) -> None:
    names = ("talk.mp3", "talk.ogg", "sub/talk.mp3", "other.mp3", "Talk.flac")
    beside = (
        "talk.srt", "talk.mp3.VTT", "talk.ogg.json", "talk.en.txt", "talk.pt_BR.vtt", "talk.html", "talks.srt",
        "other.notes.txt", "sub/other.srt", ".talk.vtt",
    )  # fmt: skip
    for name in (*names, *beside):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    shared = ["talk.en.txt en", "talk.pt_BR.vtt pt-BR", "talk.srt"]
    assert texts(find(tmp_path)) == {
        "talk.mp3": [*shared, "talk.mp3.VTT"],
        "talk.ogg": [*shared, "talk.ogg.json"],
        "sub/talk.mp3": [],
        "other.mp3": [],
        "Talk.flac": [],
    }


def test_a_single_file_has_the_transcripts_beside_it(tmp_path: Path) -> None:
    for name in ("book.m4b", "book.srt", "book.de.vtt", "bookish.srt", "2.mp3"):
        (tmp_path / name).write_bytes(b"x")
    assert texts(find(tmp_path / "book.m4b")) == {"book.m4b": ["book.de.vtt de", "book.srt"]}


def test_what_is_no_file_and_links_are_no_transcripts(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "secret").write_bytes(b"x")
    (root / "1.mp3").write_bytes(b"x")
    (root / "1.txt").symlink_to(tmp_path / "secret")
    (root / "1.srt").symlink_to("/etc/shadow")
    (root / "1.vtt").mkdir()
    os.mkfifo(root / "1.json")
    assert texts(find(root)) == {"1.mp3": []}


def test_a_transcript_that_changes_has_another_version(tmp_path: Path) -> None:
    (tmp_path / "1.mp3").write_bytes(b"x")
    (tmp_path / "1.srt").write_bytes(b"x")
    before = find(tmp_path)
    assert find(tmp_path) == before
    os.utime(tmp_path / "1.srt", (1, 1))
    assert find(tmp_path).files[0].transcripts[0].version > before.files[0].transcripts[0].version


def test_too_much_is_cut_and_said_to_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("player.sources.local.walk._MOST_ENTRIES", 5)
    for number in range(9):
        (tmp_path / f"{number}.mp3").write_bytes(b"x")
    found = find(tmp_path)
    assert len(found.files) < 9
    assert not found.whole


def test_the_cover_is_that_of_the_topmost_folder(tmp_path: Path) -> None:
    for name in ("sub/cover.jpg", "Folder.PNG", "other.jpg"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    assert find(tmp_path).cover == str(tmp_path / "Folder.PNG")
