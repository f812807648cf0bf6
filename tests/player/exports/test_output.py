"""A good file is never replaced by half of another."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from player.exports.archive import ExportError, write_whole


def ours(start: bytes) -> bool:
    return start.startswith(b"ours")


def test_a_file_is_written_for_the_listener_alone(tmp_path: Path) -> None:
    write_whole(tmp_path / "x", [b"ours ", b"all"], replaces=ours)
    assert (tmp_path / "x").read_bytes() == b"ours all"
    assert (tmp_path / "x").stat().st_mode & 0o777 == 0o600
    assert [one.name for one in tmp_path.iterdir() if one.is_file()] == ["x"]


def test_what_fails_leaves_the_good_file(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"ours, good")

    def pieces() -> Iterator[bytes]:
        yield b"ours, new"
        raise OSError(28, "No space left on device")

    with pytest.raises(ExportError, match=r"Can't write .*x \(No space left on device\)\. Choose a file"):
        write_whole(tmp_path / "x", pieces(), replaces=ours)
    assert (tmp_path / "x").read_bytes() == b"ours, good"
    assert [one.name for one in tmp_path.iterdir() if one.is_file()] == ["x"]


def test_a_file_of_others_is_kept_and_an_empty_one_is_not(tmp_path: Path) -> None:
    (tmp_path / "novel").write_text("It was a dark night")
    with pytest.raises(ExportError, match="already exists and isn't such an export"):
        write_whole(tmp_path / "novel", [b"ours"], replaces=ours)
    assert (tmp_path / "novel").read_text() == "It was a dark night"
    (tmp_path / "empty").touch()
    write_whole(tmp_path / "empty", [b"ours"], replaces=ours)
    assert (tmp_path / "empty").read_bytes() == b"ours"


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "x").symlink_to(tmp_path / "far" / "real")
    write_whole(tmp_path / "x", [b"ours"], replaces=ours)
    assert (tmp_path / "x").is_symlink()
    assert (tmp_path / "far" / "real").read_bytes() == b"ours"


@pytest.mark.parametrize("where", ["folder", "folder/none/x"])
def test_what_is_no_file_is_told(tmp_path: Path, where: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(ExportError, match=r"isn't a file|Can't write .* \(No such file or directory\)"):
        write_whole(tmp_path / where, [b"ours"], replaces=ours)
