"""What plays is measured once for each version of its bytes, in one pass for all measurements; then the disk has it."""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from player.events import Bus, EpisodeMeasured, PlaybackChanged
from player.measuring import kinds, measurement
from player.measuring.decoding import measure, measured
from player.measuring.kinds import folders
from player.measuring.kinds.waveform import MEASUREMENT, Waveform
from player.measuring.measurement import Audio, Measurement, Record, StoredMeasurements
from player.measuring.measuring import MEMORY, Measuring
from player.media.available import AvailableBytes
from player.model.episode import Episode, EpisodeId
from player.model.playback import PlaybackState, PlaybackStatus
from player.model.podcast import PodcastId
from player.processes.sandbox import Sandbox, SandboxError
from tests.player.measuring.audio import make
from tests.player.playback.support import wait_until

WAVE = Waveform(1_000, bytes(range(10)))
SIZE = 1_000


def raw(**results: object) -> dict[str, msgspec.Raw]:
    return {name: msgspec.Raw(msgspec.msgpack.encode(result)) for name, result in results.items()}


class Stage:
    def __init__(self, folder: Path) -> None:
        self.reach, self.version = SIZE, "one"
        self.orders: list[Audio] = []
        self.answer: Waveform | None = WAVE
        self.came = threading.Semaphore(0)
        self.measured = threading.Semaphore(0)
        self.bus = Bus()
        self.maker = Measuring(self.available, folder, self.bus, first_s=0.0, again_s=0.0)
        self.maker._sandbox.call = self.run  # type: ignore[method-assign]
        self.bus.subscribe(EpisodeMeasured, lambda _event: self.came.release())
        self.maker.start()

    def run(self, audio: Audio, _folders: list[str]) -> dict[str, msgspec.Raw]:
        self.orders.append(audio)
        self.measured.release()
        return raw(waveform=self.answer)

    @contextmanager
    def available(self, episode: Episode) -> Iterator[AvailableBytes | None]:
        here = Path("a.mp3")
        yield AvailableBytes(lambda _at, _count: b"", SIZE, here, ((0, self.reach),), self.version)

    def play(self, number: int = 1, cached: float = 1.0) -> None:
        episode = Episode(EpisodeId(number), PodcastId(1), "P", "T", f"g{number}", "u")
        self.bus.publish(
            PlaybackChanged(PlaybackStatus(PlaybackState.PAUSED, episode, 0, 60_000, cached=((0, cached),)))
        )

    def wait(self) -> None:
        assert self.came.acquire(timeout=20)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Callable[[], Stage]]:
    made: list[Stage] = []

    def make() -> Stage:
        made.append(Stage(tmp_path / "waveforms"))
        return made[-1]

    yield make
    for one in made:
        one.maker.close()
        one.bus.close(1.0)


def test_it_is_measured_once_and_then_read_from_the_disk(stage: Callable[[], Stage]) -> None:
    first = stage()
    first.play()
    first.wait()
    assert first.maker.known(EpisodeId(1), MEASUREMENT) == WAVE
    assert first.maker.known(EpisodeId(2), MEASUREMENT) is None
    second = stage()
    second.play()
    second.wait()
    assert second.maker.known(EpisodeId(1), MEASUREMENT) == WAVE
    assert second.orders == []


def test_where_nothing_plays_nothing_is_done_again(tmp_path: Path) -> None:
    """A thread that runs without end keeps the interpreter from the keys."""
    looked = threading.Semaphore(0)

    class Counted(Measuring):
        def _look(self) -> None:
            super()._look()
            looked.release()

    bus = Bus()
    maker = Counted(Stage.available, tmp_path, bus)  # type: ignore[arg-type]
    maker.start()
    try:
        for duration_ms in (60_000, None):
            bus.publish(PlaybackChanged(PlaybackStatus(PlaybackState.STOPPED, duration_ms=duration_ms)))
            assert looked.acquire(timeout=20)
            wait_until(lambda: not maker._task.is_waited_for, "the end of the work")
            assert not looked.acquire(blocking=False)
    finally:
        maker.close()
        bus.close(1.0)


def test_other_bytes_are_measured_anew(stage: Callable[[], Stage]) -> None:
    stage().play()
    first = stage()
    first.play()
    first.wait()
    other = stage()
    other.version = "two"
    other.play()
    other.wait()
    assert len(other.orders) == 1


def test_it_is_extended_when_a_good_deal_more_is_cached(stage: Callable[[], Stage]) -> None:
    one = stage()
    one.reach = 300
    one.play(cached=0.3)
    one.wait()
    one.reach = 350
    one.play(cached=0.35)
    one.reach = 500
    one.play(cached=0.5)
    one.wait()
    assert [order.reach for order in one.orders] == [300, 500]


def test_what_cannot_be_decoded_is_not_tried_again(stage: Callable[[], Stage]) -> None:
    one = stage()
    one.answer = None
    one.play()
    assert one.measured.acquire(timeout=20)
    one.answer = WAVE
    one.play(2)
    one.wait()
    again = stage()
    again.play()
    again.play(2)
    again.wait()
    assert again.maker.known(EpisodeId(1), MEASUREMENT) is None
    assert again.orders == []


def test_a_damaged_record_and_too_many_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measurement, "_MOST", 3)
    folder = tmp_path / "waveforms"
    kept = StoredMeasurements(folder)
    record = Record("v", 10, raw(waveform=WAVE))
    for key in "abcde":
        kept.write(key, record)
    assert len(list(folder.iterdir())) == 3
    assert kept.read("e", "v") == record
    assert kept.read("e", "w") is None
    kept.write("x", replace(record, results=raw(waveform={"step_ms": 0, "levels": b"1"})))
    odd = kept.read("x", "v")
    assert odd
    assert odd.result(MEASUREMENT) is None
    (folder / "e.waveform").write_bytes(b"\x93")
    assert kept.read("e", "v") is None


def test_what_was_measured_before_can_be_read_before_anything_plays(stage: Callable[[], Stage]) -> None:
    first = stage()
    first.play()
    first.wait()
    episode = Episode(EpisodeId(1), PodcastId(1), "P", "T", "g1", "u")
    second = stage()
    assert second.maker.stored(episode, MEASUREMENT) == WAVE
    second.version = "two"
    assert second.maker.stored(episode, MEASUREMENT) is None


# -- in the process -------------------------------------------------------------------------------------------


def playing(path: Path, folder: Path, bus: Bus) -> Measuring:
    """With nothing in place of the process."""

    @contextmanager
    def available(_episode: Episode) -> Iterator[AvailableBytes | None]:
        size = path.stat().st_size
        yield AvailableBytes(lambda _at, _count: b"", size, path, ((0, size),), "one")

    return Measuring(available, folder, bus, first_s=0.0, again_s=0.0)


def play(bus: Bus, duration_ms: int) -> Episode:
    episode = Episode(EpisodeId(1), PodcastId(1), "P", "T", "g1", "u")
    bus.publish(PlaybackChanged(PlaybackStatus(PlaybackState.PAUSED, episode, 0, duration_ms, cached=((0, 1.0),))))
    return episode


_MADE_UP = """
from msgspec import Struct
from player.measuring.measurement import Measurement

class Heard(Struct, frozen=True):
    samples: int
    last_ms: int

class Meter:
    def __init__(self, duration_ms):
        self.samples, self.last_ms = 0, 0

    def hear(self, frame, at_ms):
        self.samples += frame.samples
        self.last_ms = round(at_ms)

    def result(self):
        return Heard(self.samples, self.last_ms) if self.samples else None

MEASUREMENT = Measurement("made up", Heard, Meter, all_of_it=True)
"""


def test_a_measurement_that_is_put_beside_the_others_is_made_in_the_same_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a folder outside the tree, and for an episode that was measured before there was such a thing."""
    path, bus, came = make(tmp_path / "a.wav", 6), Bus(), threading.Semaphore(0)
    bus.subscribe(EpisodeMeasured, lambda _event: came.release())
    before = playing(path, tmp_path / "measured", bus)
    with closing(before):
        before.start()
        episode = play(bus, 6_000)
        assert came.acquire(timeout=20)
        wave = before.known(episode.id, MEASUREMENT)
        assert wave
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "made_up.py").write_text(_MADE_UP)
    monkeypatch.setattr(kinds, "__path__", [*kinds.__path__, str(tmp_path / "more")])
    passes: list[Audio] = []
    after = playing(path, tmp_path / "measured", bus)
    call = after._sandbox.call
    after._sandbox.call = lambda *what: (passes.append(what[0]), call(*what))[1]  # type: ignore[method-assign,func-returns-value]
    with closing(after):
        after.start()
        play(bus, 6_000)
        assert came.acquire(timeout=20)  # the waveform, which the disk has
        assert came.acquire(timeout=20)
        (found,) = (one for one in after._measurements if one.name == "made up")
        heard = after.known(episode.id, found)
        assert heard
        assert heard == found.result(6 * 8_000, heard.last_ms)
        assert heard.last_ms == pytest.approx(6_000, abs=1_100)
        assert after.known(episode.id, MEASUREMENT) == wave
        assert after.stored(episode, found) == heard
    assert len(passes) == 1
    bus.close(1.0)
    del sys.modules["player.measuring.kinds.made_up"]


def test_of_a_long_episode_those_that_want_all_of_it_hear_all_and_the_others_samples(tmp_path: Path) -> None:
    class Meter:
        def __init__(self, _duration_ms: int | None) -> None:
            self.frames = 0

        def hear(self, _frame: object, _at_ms: float) -> None:
            self.frames += 1

        def result(self) -> int:
            return self.frames

    path = make(tmp_path / "a.mp3", 30)
    audio = Audio(os.fsencode(path), ((0, path.stat().st_size),), path.stat().st_size, 60 * 60_000)
    samples, whole = Measurement("samples", int, Meter), Measurement("all", int, Meter, all_of_it=True)
    alone = measure(audio, [samples])["samples"]
    both = measure(audio, [samples, whole])
    assert both["samples"] == pytest.approx(alone, abs=2)
    assert both["all"] == pytest.approx(30 * 44_100 / 1_152, abs=3)
    assert both["samples"] == pytest.approx(int(str(both["all"])) * 3 / 16, abs=4)


def test_a_file_that_is_gone_fails_in_the_process_alone(tmp_path: Path) -> None:
    with (
        closing(Sandbox(measured, memory=MEMORY, seconds=30)) as work,
        pytest.raises(SandboxError, match="FileNotFound"),
    ):
        work.call(Audio(os.fsencode(tmp_path / "gone"), ((0, 10),), 10, 1), folders())


def test_a_name_that_is_no_text_is_measured_as_any_other(tmp_path: Path) -> None:
    path = make(tmp_path / "a.wav", 3).rename(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.wav"))
    with closing(Sandbox(measured, memory=MEMORY, seconds=30)) as work:
        audio = Audio(os.fsencode(path), ((0, path.stat().st_size),), None, 3_000)
        assert Record("", 0, work.call(audio, folders())).result(MEASUREMENT)
