"""A download that is played: when its file is open."""

import os
import sys
import threading
from pathlib import Path

import pytest

from player.errors import MediaError
from player.media.local_file import LocalMedia
from tests.player.media.sounds import mp3

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for open files in /proc")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "episode.mp3"
    made.write_bytes(mp3(1000))
    return made


def is_open(file: Path) -> bool:
    return file in [one.readlink() for one in Path("/proc/self/fd").iterdir() if one.is_symlink()]


def test_a_closed_file_is_open_no_longer_though_something_keeps_the_media(file: Path) -> None:
    media = LocalMedia(file)
    assert is_open(file)
    assert media.read(0, 4) == file.read_bytes()[:4]
    media.close()
    assert not is_open(file)
    assert media.available(0, 4) == b""
    with pytest.raises(MediaError):
        media.read(0, 4)
    media.close()


def test_a_read_that_the_close_overtakes_ends_first_and_is_not_taken_for_the_end(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    media = LocalMedia(file)
    reads, goes_on = threading.Event(), threading.Event()
    pread = os.pread
    open_while_reading: list[bool] = []

    def slow(fd: int, count: int, offset: int) -> bytes:
        reads.set()
        goes_on.wait(10)
        open_while_reading.append(is_open(file))
        return pread(fd, count, offset)

    monkeypatch.setattr("player.media.local_file.os.pread", slow)
    outcome: list[object] = []

    def read() -> None:
        try:
            outcome.append(media.read(0, 4))
        except MediaError as error:
            outcome.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    assert reads.wait(10)
    media.close()
    goes_on.set()
    reader.join(10)
    assert open_while_reading == [True]
    assert isinstance(outcome[0], MediaError)
    assert not media.reached_end
    assert not is_open(file)
