"""What every engine does: the same tests for the one that sounds and the silent one."""

import time
from collections.abc import Callable, Iterator

import pytest

from player.errors import MediaError
from player.playback.engine import Engine, EngineFailed, EngineReport, Finished, Measured, Playing, Starving
from player.playback.silent_engine import SilentEngine
from player.playback.vlc.engine import VlcEngine
from tests.player.playback.support import BYTES_A_SECOND, HeldMedia, ReportLog, silence, wait_until
from tests.quick import mostly_long


@pytest.fixture
def ear() -> ReportLog:
    return ReportLog()


@pytest.fixture(params=["silent", pytest.param("vlc", marks=pytest.mark.sound)])
def engine(request: pytest.FixtureRequest, ear: ReportLog) -> Iterator[Engine]:
    made: Engine
    if request.param == "silent":
        made = SilentEngine(ear)
    else:
        request.getfixturevalue("sound")
        made = VlcEngine(ear)
    yield made
    made.close()


def play(engine: Engine, media: HeldMedia, start_ms: int = 0, *, generation: int = 1, speed: float = 1.0) -> None:
    engine.load(generation, media, start_ms, speed=speed, volume=100)


def pump(engine: Engine, ear: ReportLog, kind: type[EngineReport], count: int = 1) -> EngineReport:
    """Polls as a session does, until `count` reports of a kind have come; the last of them."""

    poll_until(engine, lambda: len(ear.of(kind)) >= count, kind.__name__)
    return ear.of(kind)[-1]


def poll_until(engine: Engine, true: Callable[[], object], what: str = "it") -> None:
    def polled() -> object:
        engine.poll()
        return true()

    wait_until(polled, what)


def pump_sound(engine: Engine, ear: ReportLog, generation: int = 1) -> int:
    """Polls until that load has sounded for a moment; where it says that it began, in ms."""
    poll_until(engine, lambda: ear.of(Playing, generation), "the sound")
    began = position(engine)
    poll_until(engine, lambda: position(engine) > began + 20, "the position to run on")
    return began


def poll_for(engine: Engine, seconds: float) -> None:
    end = time.monotonic() + seconds
    poll_until(engine, lambda: time.monotonic() >= end)


def position(engine: Engine) -> int:
    now = engine.position()
    assert now is not None
    return now


def test_plays_from_the_place_it_is_given(engine: Engine, ear: ReportLog) -> None:
    play(engine, HeldMedia(silence(60)), 40_000, generation=7)
    assert 40_000 <= pump_sound(engine, ear, 7) < 40_600
    assert {report.generation for report in ear.reports} == {7}


def test_tells_the_duration(engine: Engine, ear: ReportLog) -> None:
    play(engine, HeldMedia(silence(60)))
    measured = pump(engine, ear, Measured)
    assert isinstance(measured, Measured)
    assert measured.duration_ms == pytest.approx(60_000, abs=50)


@pytest.mark.parametrize("speed", mostly_long([3.0, 0.5, 1.0]))
def test_moves_at_its_speed(engine: Engine, ear: ReportLog, speed: float) -> None:
    play(engine, HeldMedia(silence(60)), speed=speed)
    pump(engine, ear, Playing)
    before, began, start = time.monotonic(), position(engine), time.monotonic()
    poll_for(engine, 0.8)
    soonest = time.monotonic() - start
    played = (position(engine) - began) / speed
    latest = time.monotonic() - before
    assert soonest * 1000 - 150 <= played <= latest * 1000 + 150


def test_stands_while_paused_and_goes_on_from_there(engine: Engine, ear: ReportLog) -> None:
    play(engine, HeldMedia(silence(60)), 10_000)
    pump_sound(engine, ear)
    engine.pause()
    paused = position(engine)
    reports = len(ear.reports)
    poll_for(engine, 0.5)
    assert position(engine) == paused
    assert len(ear.reports) == reports
    engine.resume()
    poll_until(engine, lambda: position(engine) > paused, "the position to run on")
    assert paused <= position(engine) < paused + 800


def test_seeks_while_playing(engine: Engine, ear: ReportLog) -> None:
    play(engine, HeldMedia(silence(60)))
    pump_sound(engine, ear)
    engine.seek(50_000)
    assert position(engine) == pytest.approx(50_000, abs=50)
    poll_until(engine, lambda: position(engine) > 50_100, "the position to run on")
    assert position(engine) < 51_000


def test_seeks_while_paused_without_going_on(engine: Engine, ear: ReportLog) -> None:
    play(engine, HeldMedia(silence(60)))
    pump_sound(engine, ear)
    engine.pause()
    engine.seek(30_000)
    poll_for(engine, 0.4)
    assert position(engine) == 30_000
    engine.resume()
    poll_until(engine, lambda: position(engine) > 30_050, "the position to run on")


def test_says_when_the_end_is_reached(engine: Engine, ear: ReportLog) -> None:
    media = HeldMedia(silence(3))
    play(engine, media, 2_300)
    pump(engine, ear, Finished)
    assert media.reached_end
    assert not ear.of(EngineFailed)


@pytest.mark.parametrize(
    "data", [b"<!DOCTYPE html><html><body>Please sign in</body></html>" * 200, b"\x89PNG\r\n\x1a\n" + bytes(5000), b""]
)
def test_bytes_that_are_no_audio_fail(engine: Engine, ear: ReportLog, data: bytes) -> None:
    play(engine, HeldMedia(data))
    failed = pump(engine, ear, EngineFailed)
    assert isinstance(failed, EngineFailed)
    assert isinstance(failed.error, MediaError)
    assert not ear.of(Playing)
    assert not ear.of(Finished)


def test_an_error_of_the_media_is_passed_on_as_it_is(engine: Engine, ear: ReportLog) -> None:
    media = HeldMedia(silence(60), 0)
    play(engine, media)
    poll_until(engine, media.reading.is_set, "a read")
    media.break_off("The server says 404")
    failed = pump(engine, ear, EngineFailed)
    assert isinstance(failed, EngineFailed)
    assert failed.error.what == "The server says 404"


def test_what_came_before_an_error_is_played_first(engine: Engine, ear: ReportLog) -> None:
    media = HeldMedia(silence(60), 3 * BYTES_A_SECOND)
    play(engine, media, speed=3.0)
    pump_sound(engine, ear)
    media.break_off("The host went away")
    pump(engine, ear, EngineFailed)
    assert position(engine) == pytest.approx(3_000, abs=400)


def test_waits_for_bytes_and_goes_on_by_itself(engine: Engine, ear: ReportLog) -> None:
    media = HeldMedia(silence(60), 3 * BYTES_A_SECOND)
    play(engine, media, speed=3.0)
    pump(engine, ear, Starving)
    assert ear.of(Starving)[-1] == Starving(1, True)
    stood = position(engine)
    assert 2_000 < stood <= 3_400  # how near to the sound, a sink tells: tests/sound/test_bad_network.py
    media.give()
    pump(engine, ear, Starving, 2)
    assert ear.of(Starving)[-1] == Starving(1, False)
    poll_until(engine, lambda: position(engine) > stood + 200, "the position to run on")
    assert not ear.of(EngineFailed)


@pytest.mark.parametrize("available", [0, 50_000, 2 * BYTES_A_SECOND])
def test_stops_at_once_while_it_waits_for_bytes(engine: Engine, ear: ReportLog, available: int) -> None:
    media = HeldMedia(silence(60), available)
    play(engine, media)
    poll_until(engine, media.reading.is_set, "a read")
    start = time.monotonic()
    engine.stop()
    assert time.monotonic() - start < 10
    assert engine.position() is None
    assert not ear.of(EngineFailed)


def test_the_next_load_ends_the_last_one(engine: Engine, ear: ReportLog) -> None:
    first = HeldMedia(silence(60))
    play(engine, first, generation=1)
    pump_sound(engine, ear)
    play(engine, HeldMedia(silence(60)), 20_000, generation=2)
    assert first.cancelled
    of_the_first = [report.generation for report in ear.reports].count(1)
    pump_sound(engine, ear, 2)
    assert [report.generation for report in ear.reports].count(1) == of_the_first


def test_a_stream_of_unknown_size_plays_from_its_start(engine: Engine, ear: ReportLog) -> None:
    play(engine, HeldMedia(silence(60), size_known=False, seekable=False))
    assert pump_sound(engine, ear) < 1_000
    assert not ear.of(EngineFailed)


def test_what_happens_after_stop_is_nothing(engine: Engine) -> None:
    play(engine, HeldMedia(silence(60)))
    engine.stop()
    engine.pause()
    engine.resume()
    engine.seek(5)
    engine.set_speed(2.0)
    engine.set_volume(50)
    engine.poll()
    engine.stop()
    assert engine.position() is None


def test_a_seek_before_the_first_bytes_counts(engine: Engine, ear: ReportLog) -> None:
    media = HeldMedia(silence(60), 0)
    play(engine, media)
    poll_until(engine, media.reading.is_set, "a read")
    engine.seek(30_000)
    assert position(engine) == 30_000
    media.give()
    assert 30_000 <= pump_sound(engine, ear) < 31_000
