"""A full disk ends no download: it says so, leaves nothing half written, and resumes when there is room."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from player.downloads import attempt
from player.events import Notice
from player.model.downloads import DownloadState
from player.model.playback import Severity
from player.paths import Paths
from player.player import Player
from player.settings import Downloads, Media, Playback, Settings
from tests.loopback import LoopbackServer
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.media.conftest import eventually, fetchers
from tests.player.media.sounds import mp3

BODY = mp3(1500)
LEFT = 300_000
"""Bytes that are left on the disk: less than the file has."""


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of four megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "earmark-test", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(disk: Path) -> Path:
    ballast = disk / "ballast"
    ballast.write_bytes(bytes(os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize - LEFT))
    return ballast


@pytest.mark.parametrize("full", ["cache", "downloads"])
def test_a_full_disk_is_waited_for(
    paths: Paths, small_disk: Path, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch, full: str
) -> None:
    monkeypatch.setattr(attempt, "ROOM_S", 0.2)
    folder = small_disk / "episodes" if full == "downloads" else paths.data / "episodes"
    paths = replace(paths, cache=small_disk / "cache") if full == "cache" else paths
    settings = Settings(playback=Playback(engine="silent"), media=Media(downloads=str(folder)), downloads=Downloads())
    player = Player(paths, settings)
    player.open()
    notices: list[Notice] = []
    player.bus.subscribe(Notice, notices.append)
    ballast = fill(small_disk)
    podcast = player.library.podcasts.add(URL, "A show")
    (wanted,) = apply_feed(player.library, podcast, episode(1, url=server.audio("/a", BODY))).new
    player.downloads.download(wanted).result(5)

    def waits() -> bool:
        (entry,) = player.downloads.snapshot().entries
        return entry.state is DownloadState.WAITING and bool(entry.problem)

    def warned() -> list[str]:
        return [one.text for one in notices if one.severity is Severity.WARNING]

    eventually(waits)
    eventually(lambda: not fetchers())
    eventually(lambda: bool(warned()))
    (entry,) = player.downloads.snapshot().entries
    assert entry.problem == "There is no space left on the disk for the episode. Free some space."
    assert entry.attempts == 0
    assert [path for path in folder.rglob("*") if path.is_file()] == []
    assert warned() == [f"The download of “Episode 1” waits. {entry.problem}"]
    asked = len(server.seen)
    ballast.unlink()
    eventually(lambda: player.library.episodes.get(wanted).downloaded)
    path = player.library.downloads.path(wanted)
    assert path is not None
    assert path.read_bytes().endswith(BODY)
    assert [one for one in folder.rglob("*") if one.is_file()] == [path]
    assert len(server.seen) - asked <= (2 if full == "cache" else 0)
    player.close()
