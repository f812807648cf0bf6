"""A sound server with two outputs, a stream on one of them, and that one is gone."""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from player.events import Bus, Notice
from player.integrations.desktop import headphones
from player.integrations.desktop.headphones import Headphones
from player.model.playback import PlaybackState
from tests.player.integrations.desktop.session import DesktopSession
from tests.player.playback.support import wait_until
from tests.sound.sound_server import SINK, SoundServer, running_sound_server

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="PulseAudio is for Linux")

SPEAKERS = "speakers"


class Desk:
    """`earmark_test` is the headphones; a stream that is said to be Earmark's plays there."""

    def __init__(self, server: SoundServer) -> None:
        self.server = server
        self.module = {SINK: "0"}
        self.add(SPEAKERS)
        self.do("load-module", "module-rescue-streams")
        self.stream = subprocess.Popen(
            ["pacat", "--playback", f"--device={SINK}", "/dev/zero"],
            env=server.environment(),
            stderr=subprocess.DEVNULL,
        )
        wait_until(lambda: self.number(), "the stream")

    def close(self) -> None:
        self.stream.kill()
        self.stream.wait()

    def do(self, *command: str) -> str:
        done = subprocess.run(
            ["pactl", *command], env=self.server.environment(), check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def add(self, sink: str) -> None:
        self.module[sink] = self.do("load-module", "module-null-sink", f"sink_name={sink}")

    def unplug(self, sink: str) -> None:
        self.do("unload-module", self.module[sink])

    def number(self) -> str:
        return self.do("list", "short", "sink-inputs").partition("\t")[0]

    def move(self, sink: str) -> None:
        self.do("move-sink-input", self.number(), sink)


@pytest.fixture
def desk(tmp_path: Path, own_home: Path) -> Iterator[Desk]:
    with running_sound_server(tmp_path) as server:
        made = Desk(server)
        yield made
        made.close()


@pytest.fixture
def events() -> Bus:
    return Bus()


@pytest.fixture
def session(events: Bus) -> DesktopSession:
    return DesktopSession(events)


@pytest.fixture
def notices(events: Bus) -> list[str]:
    texts: list[str] = []
    events.subscribe(Notice, lambda notice: texts.append(notice.text))
    return texts


@pytest.fixture
def watch(
    desk: Desk, events: Bus, session: DesktopSession, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[], Headphones]]:
    monkeypatch.setattr(headphones, "_RETRY_S", 0.05)
    made = Headphones(events, session, server=desk.server.address, pid=desk.stream.pid)

    def begin() -> Headphones:
        made.start()
        session.resume()
        wait_until(lambda: made.route.sink == SINK, "what the sound server says")
        return made

    yield begin
    made.close()
    assert not [one for one in threading.enumerate() if one.name == "earmark-headphones"]


def test_unplugged_headphones_pause_and_say_why(
    watch: Callable[[], Headphones], desk: Desk, session: DesktopSession, notices: list[str]
) -> None:
    watching = watch()
    desk.unplug(SINK)
    wait_until(lambda: session.status.state is PlaybackState.PAUSED, "the pause")
    wait_until(lambda: notices, "the sentence")
    assert notices == ["Paused: your headphones were unplugged."]
    wait_until(lambda: watching.route.sink == SPEAKERS, "the sound server to move the stream")
    session.resume()
    desk.add(SINK)
    wait_until(lambda: SINK in watching.route.sinks, "the headphones")
    assert session.status.state is PlaybackState.PLAYING, "plugging in again changes nothing"


def test_who_sends_the_sound_elsewhere_hears_it_there(
    watch: Callable[[], Headphones], desk: Desk, session: DesktopSession, notices: list[str]
) -> None:
    watching = watch()
    desk.move(SPEAKERS)
    wait_until(lambda: watching.route.sink == SPEAKERS, "the stream elsewhere")
    desk.unplug(SINK)
    wait_until(lambda: SINK not in watching.route.sinks, "the headphones to go")
    assert session.status.state is PlaybackState.PLAYING
    assert notices == []


def test_a_sound_server_that_ends_is_waited_for_and_nothing_is_paused(
    watch: Callable[[], Headphones], desk: Desk, session: DesktopSession, notices: list[str]
) -> None:
    watching = watch()
    desk.server.die()
    wait_until(lambda: not watching.route.sink, "the end of the connection")
    assert (session.status.state, notices) == (PlaybackState.PLAYING, [])


def test_without_a_sound_server_nothing_is_started(
    events: Bus, session: DesktopSession, tmp_path: Path, own_home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", headphones.__name__)
    watching = Headphones(events, session, server=f"unix:{tmp_path}/none")
    watching.start()
    session.resume()
    wait_until(lambda: "doesn't tell" in caplog.text, "the attempt")
    watching.close()
    assert not (tmp_path / "none").exists()
    assert session.status.state is PlaybackState.PLAYING
