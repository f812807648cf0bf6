"""A listener's own file is read where it is, by its own podcast alone, and nobody waits for its disk for ever."""

import os
import threading
import time
from pathlib import Path

import pytest

from player.errors import MediaError
from player.links.addresses import file_address
from player.media import EpisodeMedia, MediaStore
from player.media.local_file import OwnFile
from player.model.episode import Episode
from player.paths import Paths
from tests.player.media.conftest import episode, eventually, whole
from tests.player.media.sounds import mp3, wav

FOLDER = "Books"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / FOLDER
    made.mkdir()
    return made


def opened(paths: Paths, wanted: Episode, podcast: str) -> EpisodeMedia:
    return MediaStore(paths, feed=lambda _: podcast).open(wanted, lambda: None)


def test_the_bytes_come_from_the_file_and_nothing_is_cached(paths: Paths, folder: Path) -> None:
    data = mp3(400)
    (folder / "1.mp3").write_bytes(data)
    media = opened(paths, episode(file_address(folder / "1.mp3")), file_address(folder))
    assert (media.size, media.seekable, media.format, media.complete) == (len(data), True, "mp3", True)
    assert whole(media) == data
    assert media.reached_end
    assert media.available(100, 50) == data[100:150]
    eventually(lambda: media.duration_ms is not None)
    assert media.duration_ms == pytest.approx(400 * 1152 / 44.1, abs=1)
    media.close()
    assert not list(paths.media.glob("*")) if paths.media.exists() else True
    assert (folder / "1.mp3").read_bytes() == data


def test_what_is_on_this_disk_is_there_for_chapters(paths: Paths, folder: Path) -> None:
    (folder / "1.wav").write_bytes(wav(1))
    store = MediaStore(paths, feed=lambda _: file_address(folder))
    with store.available(episode(file_address(folder / "1.wav"))) as some:
        assert some is not None
        assert some.read(0, 4) == b"RIFF"


@pytest.mark.parametrize("podcast", ["https://example.com/feed.xml", "", "earmark:welcome", "file:///elsewhere"])
def test_a_feed_that_names_a_local_file_gets_nothing_of_it(paths: Paths, folder: Path, podcast: str) -> None:
    (folder / "secret.mp3").write_bytes(mp3(10))
    named = episode(file_address(folder / "secret.mp3"))
    media = opened(paths, named, podcast)
    assert media.error is not None
    with pytest.raises(MediaError, match="The URL of the episode isn't valid"):
        media.read(0, 10)
    with MediaStore(paths, feed=lambda _: podcast).available(named) as some:
        assert some is None


def test_a_file_outside_its_podcast_s_folder_is_not_read(paths: Paths, folder: Path) -> None:
    (folder.parent / "secret.mp3").write_bytes(mp3(10))
    for address in (file_address(folder.parent / "secret.mp3"), f"{file_address(folder)}/../secret.mp3"):
        assert opened(paths, episode(address), file_address(folder)).error is not None


def test_a_missing_file_is_named_with_what_to_do(paths: Paths, folder: Path) -> None:
    media = opened(paths, episode(file_address(folder / "gone.mp3")), file_address(folder))
    assert media.size is None
    with pytest.raises(MediaError) as raised:
        media.read(0, 10)
    assert str(raised.value) == (
        f"“{folder}/gone.mp3” isn't there. Connect the disk it is on; if it has another name now, refresh the podcast."
    )
    assert media.error is not None
    media.close()


def test_what_is_no_file_is_not_waited_for(paths: Paths, folder: Path) -> None:
    os.mkfifo(folder / "pipe.mp3")
    media = opened(paths, episode(file_address(folder / "pipe.mp3")), file_address(folder))
    with pytest.raises(MediaError, match="can't be read"):
        media.read(0, 10)
    media.close()


def test_it_needs_no_download(paths: Paths, folder: Path) -> None:
    (folder / "1.mp3").write_bytes(mp3(10))
    store = MediaStore(paths, feed=lambda _: file_address(folder))
    with pytest.raises(MediaError, match=r"needs no download\. It is already on this computer"):
        store.fetch(episode(file_address(folder / "1.mp3")))
    assert [path.name for path in folder.iterdir()] == ["1.mp3"]


class HangingDisk:
    """os.open waits until it is let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.let_go = threading.Event()
        opens = os.open

        def hanging(path: object, *more: int) -> int:
            if str(path).endswith("slow.mp3"):
                self.let_go.wait(20)
            return opens(path, *more)  # type: ignore[arg-type]

        monkeypatch.setattr("os.open", hanging)


def test_a_disk_that_hangs_is_given_up_with_a_sentence(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "slow.mp3").write_bytes(mp3(10))
    disk = HangingDisk(monkeypatch)
    monkeypatch.setattr("player.media.local_file._SLOW_S", 0.05)
    began = time.monotonic()
    media = OwnFile(folder / "slow.mp3", lambda: None, patience_s=0.1)
    assert media.available(0, 10) == b""
    with pytest.raises(MediaError, match=r"The disk with “.*slow\.mp3” doesn't respond"):
        media.read(0, 10)
    media.close()
    assert time.monotonic() - began < 15
    disk.let_go.set()


def test_a_read_that_waits_for_a_disk_ends_when_it_is_cancelled(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "slow.mp3").write_bytes(mp3(10))
    disk = HangingDisk(monkeypatch)
    media = OwnFile(folder / "slow.mp3", lambda: None)
    ended = threading.Event()

    def reading() -> None:
        with pytest.raises(MediaError):
            media.read(0, 10)
        ended.set()

    threading.Thread(target=reading, daemon=True).start()
    media.cancel()
    assert ended.wait(5)
    media.close()
    disk.let_go.set()


def test_a_file_is_let_go_of_when_it_is_closed(folder: Path) -> None:
    (folder / "1.mp3").write_bytes(mp3(10))
    media = OwnFile(folder / "1.mp3", lambda: None)
    assert media.size

    def held() -> bool:
        return any(os.path.realpath(link) == str(folder / "1.mp3") for link in Path("/proc/self/fd").iterdir())

    if Path("/proc/self/fd").is_dir():
        assert held()
    media.close()
    media.close()
    eventually(lambda: not Path("/proc/self/fd").is_dir() or not held())
    with pytest.raises(MediaError):
        media.read(0, 1)
