"""The engine for devices and a Chromecast that is made up, in real time, over TLS and HTTP on loopback."""

import base64
import socket
import struct
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from player.errors import MediaError, NoSoundDevice, PlaybackError
from player.media import MediaStore
from player.media.local_file import OwnFile
from player.model.episode import Episode, EpisodeId
from player.model.podcast import PodcastId
from player.paths import Paths
from player.playback.casting.cast_engine import CastEngine
from player.playback.engine import (
    EngineFailed,
    EngineReport,
    Finished,
    JumpedThere,
    Playing,
    PlaysElsewhere,
    Starving,
    SwitchedThere,
)
from player.playback.outputs import OutputChoice
from tests.loopback import LoopbackServer, Request
from tests.player.playback.casting.fake_cast import NONSENSE, OUTPUT, FakeCast
from tests.player.playback.support import HeldMedia, silence, wait_until

LENGTH_S = 120
ODD: tuple[object, ...] = (None, 7, "PLAYING", [7], [{}], [{"media": 3}])
"""What is no status of the media."""


class Stage:
    """An engine whose output is that device, and its reports."""

    def __init__(self, cast: FakeCast) -> None:
        self.cast = cast
        self.reports: list[EngineReport] = []
        self.output = OutputChoice(OUTPUT)
        self.engine = CastEngine(self.reports.append, self.output)
        self.media = HeldMedia(silence(LENGTH_S), duration_ms=LENGTH_S * 1000)

    def load(self, start_ms: int = 50_000, *, speed: float = 1.0, volume: int = 100) -> None:
        self.engine.load(1, self.media, start_ms, speed=speed, volume=volume, title="An episode")

    def play(self, start_ms: int = 50_000, *, speed: float = 1.0, volume: int = 100) -> None:
        self.load(start_ms, speed=speed, volume=volume)
        self.await_report(Playing)

    def of(self, kind: type[EngineReport]) -> list[EngineReport]:
        return [one for one in self.reports if isinstance(one, kind)]

    def await_report(self, kind: type[EngineReport]) -> EngineReport:
        wait_until(lambda: self.of(kind), f"{kind.__name__} of {self.reports}")
        return self.of(kind)[-1]

    def error(self) -> PlaybackError:
        failed = self.await_report(EngineFailed)
        assert isinstance(failed, EngineFailed)
        return failed.error

    @property
    def position_s(self) -> float:
        position = self.engine.position()
        assert position is not None
        return position / 1000

    def agrees(self, within_s: float = 0.5) -> bool:
        """Whether the position is the device's."""
        return abs(self.position_s - self.cast.position) <= within_s


@pytest.fixture
def stage(cast: FakeCast) -> Iterator[Stage]:
    made = Stage(cast)
    yield made
    made.engine.close()


def port_of(stage: Stage) -> int:
    there = stage.await_report(PlaysElsewhere)
    assert isinstance(there, PlaysElsewhere)
    return int(there.address.rpartition(":")[2])


def is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_it_plays_from_the_second_that_it_is_told(stage: Stage) -> None:
    stage.play(50_000)
    assert stage.cast.heard == [50.0]
    wait_until(lambda: stage.cast.position > 51)
    assert stage.agrees()
    there = stage.of(PlaysElsewhere)[0]
    assert isinstance(there, PlaysElsewhere)
    assert (there.device, there.slowest, there.fastest) == ("Kitchen", 0.5, 2.0)


def test_pause_and_resume(stage: Stage) -> None:
    stage.play()
    stage.engine.pause()
    wait_until(lambda: stage.cast.state == "PAUSED")
    wait_until(stage.agrees)
    assert not stage.of(SwitchedThere)
    stage.engine.resume()
    wait_until(lambda: stage.cast.state == "PLAYING")
    wait_until(lambda: stage.cast.position > 51)
    wait_until(stage.agrees)


def test_the_last_of_many_jumps_counts(stage: Stage) -> None:
    stage.play()
    for second in range(60, 100):
        stage.engine.seek(second * 1000)
    assert stage.position_s == 99
    wait_until(lambda: stage.cast.position >= 99)
    wait_until(stage.agrees)
    assert stage.cast.log.count("SEEK") < 10


def test_a_jump_while_paused_stays_paused(stage: Stage) -> None:
    stage.play()
    stage.engine.pause()
    wait_until(lambda: stage.cast.state == "PAUSED")
    stage.engine.seek(90_000)
    wait_until(lambda: stage.cast.position == 90.0)
    assert stage.cast.state == "PAUSED"
    assert stage.position_s == 90


def test_the_speed_is_the_device_s_as_far_as_it_can(stage: Stage) -> None:
    stage.play(speed=1.5)
    assert stage.cast.rate == 1.5
    stage.engine.set_speed(3.0)
    wait_until(lambda: stage.cast.rate == 2.0)
    wait_until(lambda: stage.cast.position > 54)
    wait_until(stage.agrees)


def test_the_volume_goes_up_and_down_from_where_the_device_is(stage: Stage) -> None:
    stage.play(volume=100)
    assert stage.cast.level == 0.4
    stage.engine.set_volume(50)
    wait_until(lambda: stage.cast.level == pytest.approx(0.2))
    stage.engine.set_volume(150)
    wait_until(lambda: stage.cast.level == pytest.approx(0.6))


def test_a_device_that_was_muted_is_not_left_so(stage: Stage) -> None:
    stage.play(volume=100)
    wait_until(lambda: stage.cast.log.count("GET_STATUS") > 2)
    stage.engine.set_volume(0)
    wait_until(lambda: stage.cast.level == 0.0)
    stage.engine.stop()
    wait_until(lambda: stage.cast.level == pytest.approx(0.4))


def test_somebody_pauses_and_resumes_at_the_device(stage: Stage) -> None:
    stage.play()
    stage.cast.pause()
    assert stage.await_report(SwitchedThere) == SwitchedThere(1, playing=False)
    stage.cast.play()
    wait_until(lambda: len(stage.of(SwitchedThere)) == 2)
    assert stage.reports[-1] == SwitchedThere(1, playing=True)


def test_somebody_jumps_at_the_device(stage: Stage) -> None:
    stage.play()
    stage.cast.at(30.0)
    moved = stage.await_report(JumpedThere)
    assert isinstance(moved, JumpedThere)
    assert abs(moved.position_ms / 1000 - stage.cast.position) < 1
    assert abs(stage.position_s - 50) < 6  # until the session knows
    jumps = stage.cast.log.count("SEEK")
    stage.engine.seek(moved.position_ms)
    wait_until(stage.agrees)
    assert stage.cast.log.count("SEEK") == jumps


def test_the_end_is_reported_once_it_is_reached(stage: Stage) -> None:
    stage.play((LENGTH_S - 1) * 1000)
    stage.cast.fetch_end()
    wait_until(lambda: stage.cast.position >= LENGTH_S)
    stage.cast.end()
    stage.await_report(Finished)
    assert stage.media.reached_end
    assert stage.engine.position() == LENGTH_S * 1000


def test_an_end_before_the_end_is_none(stage: Stage) -> None:
    stage.play(50_000)
    stage.cast.end()
    assert str(stage.error()).startswith("“Kitchen” has stopped playing.")
    assert abs(stage.position_s - 50) < 3


def test_a_port_is_open_only_while_it_plays(stage: Stage) -> None:
    stage.play()
    port = port_of(stage)
    assert is_open(port)
    stage.engine.stop()
    assert not is_open(port)
    assert stage.cast.state == "IDLE"


def test_the_next_episode_needs_no_new_connection_and_the_device_is_left_clean(stage: Stage) -> None:
    stage.play()
    stage.engine.load(2, HeldMedia(silence(LENGTH_S)), 70_000, speed=1.0, volume=100)
    wait_until(lambda: Playing(2) in stage.reports)
    assert stage.cast.log.count("LAUNCH") == 1
    stage.engine.close()
    wait_until(lambda: stage.cast.app is None)


@pytest.mark.parametrize("ends", ["app", "connection"])
def test_a_device_that_ends_during_a_pause_is_found_again_when_it_is_resumed(stage: Stage, ends: str) -> None:
    stage.play(50_000)
    wait_until(lambda: stage.cast.position > 51)
    port = port_of(stage)
    stage.engine.pause()
    wait_until(lambda: stage.cast.state == "PAUSED")
    paused_s = stage.position_s
    if ends == "app":
        stage.cast.end("CANCELLED")
    else:
        stage.cast.vanish()
    wait_until(lambda: not is_open(port))
    wait_until(lambda: len(stage.of(PlaysElsewhere)) == 2)
    assert stage.of(PlaysElsewhere)[1] == PlaysElsewhere(1, "Kitchen", "", 0.5, 2.0)
    assert not stage.of(EngineFailed)
    assert stage.position_s == pytest.approx(paused_s, abs=0.5)
    stage.engine.resume()
    wait_until(lambda: stage.reports[-1] == Starving(1, False), "sound again")
    assert stage.cast.heard[-1] == pytest.approx(paused_s, abs=0.5)
    assert Starving(1, True) in stage.reports
    wait_until(stage.agrees)


# -- devices that aren't good ------------------------------------------------------------------------------------


def test_a_device_that_goes_away_is_said_to_be_gone(stage: Stage) -> None:
    stage.play()
    wait_until(lambda: stage.cast.position > 51)
    stage.cast.close()
    error = stage.error()
    assert isinstance(error, NoSoundDevice)
    assert str(error).startswith("“Kitchen” is gone.")
    assert abs(stage.position_s - 51) < 3


@pytest.mark.usefixtures("impatient")
def test_a_device_that_hangs_holds_nobody_up_and_its_position_stands(stage: Stage) -> None:
    stage.play()
    wait_until(lambda: stage.cast.position > 51)
    stage.cast.hangs = True
    assert stage.await_report(Starving) == Starving(1, True)
    began = time.monotonic()
    for command in (stage.engine.pause, stage.engine.resume, lambda: stage.engine.set_volume(30)):
        command()
    assert time.monotonic() - began < 0.1
    assert isinstance(stage.error(), NoSoundDevice)
    assert stage.position_s < 55
    began = time.monotonic()
    stage.engine.stop()
    assert time.monotonic() - began < 2


def test_a_device_that_hangs_when_it_is_connected_is_given_up(stage: Stage) -> None:
    stage.cast.hangs = True
    began = time.monotonic()
    stage.load()
    assert time.monotonic() - began < 0.1
    assert str(stage.error()).startswith("“Kitchen” doesn't respond.")
    assert stage.engine.position() == 50_000


@pytest.mark.parametrize("lie", [*NONSENSE[:3], *(pytest.param(one, marks=pytest.mark.long) for one in NONSENSE[3:])])
def test_a_position_that_cannot_be_is_not_taken_over(stage: Stage, lie: object) -> None:
    stage.play()
    stage.cast.says = lambda _seconds: lie
    asked = len(stage.cast.log)
    wait_until(lambda: len(stage.cast.log) > asked + 2)
    assert abs(stage.position_s - 51) < 3
    stage.cast.says = lambda seconds: seconds
    wait_until(lambda: stage.agrees() and stage.cast.position > 53)


def test_a_device_that_starts_over_is_sent_back_to_where_it_was(stage: Stage) -> None:
    stage.play()
    stage.cast.at(0.0)
    wait_until(lambda: stage.cast.position > 50, seconds=20)
    wait_until(stage.agrees)
    assert not stage.of(EngineFailed)
    assert not stage.of(JumpedThere)


@pytest.mark.usefixtures("impatient")
def test_a_device_that_does_not_jump_is_given_up_where_it_should_be(stage: Stage) -> None:
    stage.cast.ignores_start = stage.cast.ignores_jumps = True
    stage.load(50_000)
    assert str(stage.error()).startswith("“Kitchen” doesn't play from 0:50.")
    assert stage.engine.position() == 50_000
    assert not stage.of(Playing)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(struct.pack(">I", 2**31) + b"x" * 100, id="a message of 2 GB"),
        pytest.param(struct.pack(">I", 5) + b"\xff" * 5, id="no protobuf"),
        pytest.param(b"HTTP/1.1 400 Bad Request\r\n\r\n", id="another protocol"),
    ],
)
def test_a_device_that_talks_nonsense_is_given_up(stage: Stage, raw: bytes) -> None:
    stage.play()
    stage.cast.raw = raw
    assert isinstance(stage.error(), NoSoundDevice)
    assert abs(stage.position_s - 50) < 5


@pytest.mark.parametrize(
    "status",
    [
        [],
        [{"playerState": []}],
        *(pytest.param(one, marks=pytest.mark.long) for one in ODD),
    ],
)
def test_a_status_of_any_type_is_lived_with(stage: Stage, status: object) -> None:
    stage.play()
    stage.cast.status = {} if status is None else status
    asked = len(stage.cast.log)
    wait_until(lambda: len(stage.cast.log) > asked + 2)
    assert abs(stage.position_s - 50) < 4
    stage.cast.status = None
    wait_until(lambda: stage.agrees() and stage.cast.position > 52)


@pytest.mark.usefixtures("impatient")
def test_a_device_may_answer_only_once_it_plays(stage: Stage) -> None:
    stage.cast.answers_no_load = True
    stage.play()
    assert stage.cast.heard == [50.0]
    wait_until(stage.agrees)


def test_a_device_that_refuses_the_episode_says_so(stage: Stage) -> None:
    stage.cast.refuses = True
    stage.load()
    assert "can't" in str(stage.error())


@pytest.mark.usefixtures("impatient")
def test_a_firewall_is_named_where_the_device_never_asks_for_the_audio(stage: Stage) -> None:
    stage.cast.fetches_nothing = True
    stage.load()
    error = stage.error()
    assert isinstance(error, NoSoundDevice)
    assert str(error) == (
        "“Kitchen” can't fetch the audio from this computer. Check whether a firewall on this computer keeps it out."
    )


def test_what_somebody_else_plays_there_is_left_alone(stage: Stage) -> None:
    stage.play()
    stage.cast.take()
    assert str(stage.error()).startswith("“Kitchen” plays something else now.")
    before = list(stage.cast.log)
    stage.engine.stop()
    assert stage.cast.app == "YouTube"
    assert "STOP" not in stage.cast.log[len(before) :]


def test_bytes_that_cannot_be_had_are_the_reason(stage: Stage) -> None:
    stage.media = HeldMedia(silence(LENGTH_S), 100_000, duration_ms=LENGTH_S * 1000)
    stage.load(50_000)
    wait_until(stage.media.reading.is_set)
    stage.media.break_off("The server is gone")
    error = stage.error()
    assert isinstance(error, MediaError)
    assert str(error) == "The server is gone."


def test_a_stop_while_it_is_being_connected_ends_that(stage: Stage) -> None:
    stage.load()
    began = time.monotonic()
    stage.engine.stop()
    assert time.monotonic() - began < 1.5
    wait_until(lambda: stage.cast.app is None)
    assert not stage.of(EngineFailed)


# -- where the bytes come from -----------------------------------------------------------------------------------


def test_the_bytes_of_a_feed_with_a_login_reach_the_device_without_it_and_are_cached(
    cast: FakeCast, paths: Paths, server: LoopbackServer
) -> None:
    data, asked = silence(LENGTH_S), list[str]()

    def members_only(request: Request) -> None:
        asked.append(request.headers.get("Authorization", ""))
        if asked[-1] == f"Basic {base64.b64encode(b'me:secret').decode()}":
            request.reply_ranges(data, "audio/wav")
        else:
            request.reply(b"", "text/plain", status=401, headers={"WWW-Authenticate": 'Basic realm="members"'})

    address = server.answer("/members.wav", members_only)
    store = MediaStore(paths, login=lambda url: ("me", "secret") if url.startswith(address) else None)
    episode = Episode(EpisodeId(1), PodcastId(1), "A show", "An episode", "guid", address)
    media = store.open(episode, lambda: None)
    reports: list[EngineReport] = []
    engine = CastEngine(reports.append, OutputChoice(OUTPUT))
    try:
        engine.load(1, media, 50_000, speed=1.0, volume=100)
        wait_until(lambda: Playing(1) in reports, f"sound of {reports}")
        assert cast.heard == [50.0]
        assert "secret" not in cast.url
        assert asked[-1]
        assert media.available(44 + 50 * 96_000, 1024) == data[44 + 50 * 96_000 :][:1024]
    finally:
        engine.close()
        media.close()
        store.close()


def test_a_local_file_plays_there(cast: FakeCast, tmp_path: Path) -> None:
    file = tmp_path / "talk.wav"
    file.write_bytes(silence(LENGTH_S))
    media = OwnFile(file, lambda: None)
    reports: list[EngineReport] = []
    engine = CastEngine(reports.append, OutputChoice(OUTPUT))
    try:
        engine.load(1, media, 70_000, speed=1.0, volume=100)
        wait_until(lambda: Playing(1) in reports, f"sound of {reports}")
        assert cast.heard == [70.0]
        assert "talk" not in cast.url
    finally:
        engine.close()
        media.close()
