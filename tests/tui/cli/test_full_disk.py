"""With nothing free on the disk, what only reads goes on, and what writes says why it can't."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tui.cli.conftest import Earmark

READING = (
    "episodes", "podcasts", "queue list", "search press", "show 1", "bookmarks", "history", "lists", "downloads",
    "stats", "chapters 1", "sync status",
)  # fmt: skip
WRITING = "mark played 1", "queue add 1", "config set playback.rewind 3"


@pytest.fixture
def small_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A disk of four megabytes, with all that is Earmark's on it."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "earmark-test", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount")
    monkeypatch.setenv("EARMARK_HOME", str(folder / "home"))
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_lists_are_read_and_writing_is_refused_in_a_sentence(small_disk: Path, earmark: Earmark) -> None:
    before = {command: earmark(*command.split()).out for command in READING}
    with (small_disk / "ballast").open("wb", buffering=0) as file:
        for size in (65536, 4096, 1):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue
    for command in READING:
        ended = earmark(*command.split())
        assert (ended.code, ended.err) == (0, ""), command
        assert ended.out == before[command] != "", command
    files = sorted(small_disk.rglob("*"))
    for command in WRITING:
        refused = subprocess.run([sys.executable, "-m", "tui", *command.split()], capture_output=True, text=True)
        assert (refused.returncode, refused.stdout) == (1, ""), command
        assert "o space left" in refused.stderr
        assert "Free some space on that disk, then try again." in refused.stderr
        assert refused.stderr.count("\n") == 1
    assert set(small_disk.rglob("*.toml")) <= set(files), "no half a config.toml is left"
