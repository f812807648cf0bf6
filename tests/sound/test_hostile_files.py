"""Whatever the bytes of an episode are, nothing but they is opened or connected to while it plays."""

import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from player.errors import NoFile
from player.media import EpisodeMedia, MediaStore
from player.media.local_file import LocalMedia
from player.paths import Paths
from player.playback.engine import EngineFailed, EngineReport, Finished, Playing
from player.playback.outputs import SoundOutput
from player.playback.vlc.engine import VlcEngine
from tests.loopback import LoopbackServer
from tests.player.media.conftest import episode
from tests.player.media.hostile import Hostile, collection
from tests.sound.canaries import Canaries

pytestmark = [
    pytest.mark.sound,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who opens a file"),
]

NAMES = [hostile.name for hostile in collection("/canary", "http://127.0.0.1:1/")]


@pytest.fixture(scope="module")
def canaries(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Canaries]:
    made = Canaries(tmp_path_factory.mktemp("canaries"))
    yield made
    made.close()


@pytest.fixture(scope="module")
def hostile_files(canaries: Canaries) -> dict[str, Hostile]:
    return {hostile.name: hostile for hostile in collection(str(canaries.file), canaries.address)}


class Listener:
    """Plays to a sound output that swallows all, at the pace of a real one."""

    def __init__(self) -> None:
        self.reports: list[EngineReport] = []
        self.engine = VlcEngine(self.reports.append, lambda: SoundOutput("adummy"))
        self._generation = 0

    def play(self, open_media: Callable[[], EpisodeMedia], position_ms: int) -> EngineReport:
        """Until it has sounded for a moment, or is over; the last report. A live stream is opened anew, as one."""
        last = self._play(open_media(), position_ms)
        if isinstance(last, EngineFailed) and isinstance(last.error, NoFile):
            last = self._play(open_media(), position_ms)
        return last

    def _play(self, media: EpisodeMedia, position_ms: int) -> EngineReport:
        self._generation += 1
        self.engine.load(self._generation, media, position_ms, speed=1.0, volume=100)
        deadline = time.monotonic() + 15
        began: int | None = None
        while True:
            self.engine.poll()
            mine = [report for report in tuple(self.reports) if report.generation == self._generation]
            playing = [report for report in mine if isinstance(report, Playing)]
            if over := [report for report in mine if isinstance(report, EngineFailed | Finished)]:
                break
            position_ms = self.engine.position() or 0
            if playing and began is None:
                began = position_ms
            if began is not None and position_ms > began + 100:
                break
            assert time.monotonic() < deadline, "it neither sounds nor fails"
            time.sleep(0.01)
        self.engine.stop()
        media.close()
        return over[0] if over else playing[-1]


@pytest.fixture(scope="module")
def listener() -> Iterator[Listener]:
    made = Listener()
    yield made
    made.engine.close()


@pytest.fixture
def store(paths: Paths) -> Iterator[MediaStore]:
    """Its feeds are on the web, so that nothing may lead from them to this computer."""
    made = MediaStore(paths, feed=lambda _: "https://8.8.8.8/feed.xml")
    yield made
    made.close()


@pytest.mark.parametrize(
    "name",
    [name if number % 3 == 0 else pytest.param(name, marks=pytest.mark.long) for number, name in enumerate(NAMES)],
)
def test_a_download_of_it_opens_and_connects_to_nothing_else(
    name: str, hostile_files: dict[str, Hostile], canaries: Canaries, listener: Listener, tmp_path: Path
) -> None:
    hostile = hostile_files[name]
    file = tmp_path / "episode"
    file.write_bytes(hostile.build())
    for position_ms in (0, 20_000):
        last = listener.play(lambda: LocalMedia(file), position_ms)
        assert canaries.touched == []
        assert isinstance(last, Playing) is hostile.sounds, last
        if isinstance(last, EngineFailed):
            assert str(last.error).endswith(".")


@pytest.mark.parametrize(
    "name",
    [name if number % 4 == 0 else pytest.param(name, marks=pytest.mark.long) for number, name in enumerate(NAMES)],
)
def test_an_episode_of_it_opens_and_connects_to_nothing_else(
    name: str,
    hostile_files: dict[str, Hostile],
    canaries: Canaries,
    listener: Listener,
    server: LoopbackServer,
    store: MediaStore,
) -> None:
    hostile = hostile_files[name]
    for number, (kind, position_ms) in enumerate(((hostile.kind, 0), ("audio/mpeg", 20_000))):
        item = episode(server.audio(f"/{number}", hostile.build(), kind), kind)
        last = listener.play(lambda item=item: store.open(item, lambda: None), position_ms)  # type: ignore[misc]
        assert canaries.touched == []
        # Where a playlist stands in front a server's word for it is not needed: it is one, whatever follows.
        assert isinstance(last, Playing) is (hostile.sounds and "hls before" not in name), last
        if isinstance(last, EngineFailed):
            assert str(last.error).endswith(".")


def test_the_canaries_tell_who_touches_them(canaries: Canaries) -> None:
    canaries.forget()
    canaries.file.read_bytes()
    host, port = canaries.address.removeprefix("http://").strip("/").split(":")
    with socket.create_connection((host, int(port))) as caller:
        caller.sendall(b"GET /canary.mp3 HTTP/1.0\r\n\r\n")
        caller.recv(100)
        assert canaries.touched == ["the address was asked for 'GET /canary.mp3 HTTP/1.0'", "the file was opened"]
    canaries.forget()
    assert canaries.touched == []
