"""A DLNA renderer that is made up, over real SOAP and SSDP on loopback."""

import time
from collections.abc import Iterator

import pytest

from player.errors import NoSoundDevice
from player.playback.casting import finding
from player.playback.casting.cast_engine import CastEngine
from player.playback.casting.kinds.dlna import _seconds, _written
from player.playback.engine import EngineFailed, EngineReport, Finished, Playing, PlaysElsewhere
from player.playback.outputs import FoundOutput, OutputChoice
from tests.loopback import LoopbackServer
from tests.player.playback.casting.fake_renderer import OUTPUT, FakeRenderer, answering
from tests.player.playback.support import HeldMedia, silence, wait_until

LENGTH_S = 120


class Stage:
    def __init__(self, renderer: FakeRenderer) -> None:
        self.renderer = renderer
        self.reports: list[EngineReport] = []
        self.engine = CastEngine(self.reports.append, OutputChoice(OUTPUT))
        self.media = HeldMedia(silence(LENGTH_S), duration_ms=LENGTH_S * 1000)

    def play(self, start_ms: int = 50_000, title: str = "An episode") -> None:
        self.engine.load(1, self.media, start_ms, speed=1.0, volume=100, title=title)
        self.wait_for(Playing)

    def wait_for(self, kind: type[EngineReport]) -> EngineReport:
        wait_until(lambda: any(isinstance(one, kind) for one in self.reports), f"{kind.__name__} of {self.reports}")
        return next(one for one in self.reports if isinstance(one, kind))

    @property
    def position_s(self) -> float:
        position = self.engine.position()
        assert position is not None
        return position / 1000

    def agrees(self) -> bool:
        return abs(self.position_s - self.renderer.position) < 0.6


@pytest.fixture
def renderer(server: LoopbackServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeRenderer]:
    made = FakeRenderer(server)
    monkeypatch.setattr("player.playback.casting.cast_engine.find_device", lambda *_asked: made.found)
    yield made
    made.free.set()


@pytest.fixture
def stage(renderer: FakeRenderer) -> Iterator[Stage]:
    made = Stage(renderer)
    yield made
    made.engine.close()


def test_it_plays_from_the_second_that_it_is_told(stage: Stage) -> None:
    stage.play(50_000, title="Tea & <Biscuits>")
    assert stage.renderer.heard == [0.0, 50.0]
    assert "Tea &amp; &lt;Biscuits&gt;" in stage.renderer.title
    wait_until(lambda: stage.renderer.position > 52)
    wait_until(stage.agrees)
    there = stage.wait_for(PlaysElsewhere)
    assert isinstance(there, PlaysElsewhere)
    assert (there.device, there.slowest, there.fastest) == ("Living room", 1.0, 1.0)


def test_pause_jump_resume_and_stop(stage: Stage) -> None:
    stage.play()
    stage.engine.pause()
    wait_until(lambda: stage.renderer.state == "PAUSED_PLAYBACK")
    stage.engine.seek(90_000)
    wait_until(lambda: stage.renderer.position == 90)
    stage.engine.resume()
    wait_until(lambda: stage.renderer.state == "PLAYING")
    wait_until(lambda: stage.renderer.position > 91)
    wait_until(stage.agrees)
    stage.engine.stop()
    assert stage.renderer.state == "STOPPED"


def test_the_volume_is_a_number_of_the_device_s_own(stage: Stage) -> None:
    stage.play()
    wait_until(lambda: "GetVolume" in stage.renderer.log)
    stage.engine.set_volume(50)
    wait_until(lambda: stage.renderer.volume == 10)


def test_a_stop_at_the_end_is_the_end(stage: Stage) -> None:
    stage.play((LENGTH_S - 3) * 1000)
    wait_until(lambda: stage.renderer.position > LENGTH_S - 1)
    stage.renderer.at(0.0, "STOPPED")
    stage.wait_for(Finished)


def test_a_stop_in_the_middle_keeps_the_position(stage: Stage) -> None:
    stage.play()
    stage.renderer.at(0.0, "STOPPED")
    failed = stage.wait_for(EngineFailed)
    assert isinstance(failed, EngineFailed)
    assert isinstance(failed.error, NoSoundDevice)
    assert 49 < stage.position_s < 54


@pytest.mark.parametrize("said", ["NOT_IMPLEMENTED", "", "0:00:00", "9:00:00", "50", "-1:00:00", "0:01:99:00"])
def test_a_position_that_cannot_be_is_not_taken_over(stage: Stage, said: str) -> None:
    stage.play()
    stage.renderer.says = lambda _seconds: said
    asked = len(stage.renderer.log)
    wait_until(lambda: len(stage.renderer.log) > asked + 5)
    assert 49 < stage.position_s < 54


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("raw", [b"", b"\xff" * 100, b"<a/>", b"{}", b"<" * 600_000])
def test_a_device_that_talks_nonsense_is_given_up(stage: Stage, raw: bytes) -> None:
    stage.play()
    stage.renderer.raw = raw
    failed = stage.wait_for(EngineFailed)
    assert isinstance(failed, EngineFailed)
    assert isinstance(failed.error, NoSoundDevice)
    assert 49 < stage.position_s < 56


@pytest.mark.usefixtures("impatient")
def test_a_device_that_hangs_is_given_up_and_holds_nobody_up(stage: Stage) -> None:
    stage.play()
    stage.renderer.hangs.set()
    failed = stage.wait_for(EngineFailed)
    assert isinstance(failed, EngineFailed)
    assert str(failed.error).startswith("“Living room” is gone.")
    assert stage.position_s < 56
    began = time.monotonic()
    stage.engine.stop()
    assert time.monotonic() - began < 2


@pytest.mark.parametrize(
    "body", [b"", b"<root/>", b"\xff" * 100, b"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", b"<" * 900_000]
)
def test_a_description_that_makes_no_sense_is_a_device_that_does_not_respond(
    stage: Stage, server: LoopbackServer, body: bytes
) -> None:
    server.page("/description.xml", body, "text/xml")
    stage.engine.load(1, stage.media, 50_000, speed=1.0, volume=100)
    failed = stage.wait_for(EngineFailed)
    assert isinstance(failed, EngineFailed)
    assert str(failed.error).startswith("“Living room” doesn't respond.")
    assert stage.engine.position() == 50_000


def test_it_is_found_on_the_network(renderer: FakeRenderer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "addresses", lambda: ("127.0.0.1",))
    with answering(renderer):
        assert finding.find_device(OUTPUT, "", lambda: False) == renderer.found


def test_an_address_that_isn_t_the_device_s_own_is_not_asked(
    renderer: FakeRenderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding, "addresses", lambda: ("127.0.0.1",))
    monkeypatch.setattr(finding, "SEARCH_S", 1.0)
    with answering(renderer, "http://localhost:1/description.xml"), pytest.raises(NoSoundDevice):
        finding.find_device(OUTPUT, "Living room", lambda: False)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0:00:05", 5.0), ("1:02:03.500", 3723.5), ("00:01:00", 60.0), ("NOT_IMPLEMENTED", None), (7, None), ("", None)],
)
def test_times(text: object, seconds: float | None) -> None:
    assert _seconds(text) == seconds


def test_times_are_written_in_whole_seconds() -> None:
    assert _written(3723.9) == "1:02:03"


def test_all_that_is_found_is_listed_by_name(renderer: FakeRenderer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "addresses", lambda: ("127.0.0.1",))
    monkeypatch.setattr(finding, "SEARCH_S", 1.5)
    with answering(renderer):
        assert finding.find_devices() == (FoundOutput(OUTPUT, "Living room (DLNA)"),)
