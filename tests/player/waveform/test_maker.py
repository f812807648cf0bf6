"""The waveform of what plays comes from the disk, or is measured, once for each version of the bytes."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest
from msgspec.structs import replace

from player.events import Bus, PlaybackChanged, WaveformChanged
from player.media.available import AvailableBytes
from player.model.episode import Episode, EpisodeId
from player.model.playback import PlaybackState, PlaybackStatus
from player.model.podcast import PodcastId
from player.waveform import files
from player.waveform.files import Record, WaveformFiles
from player.waveform.maker import WaveformMaker
from player.waveform.order import Order
from player.waveform.waveform import Waveform

WAVE = Waveform(1_000, bytes(range(10)))
SIZE = 1_000


class Stage:
    def __init__(self, folder: Path) -> None:
        self.reach, self.version = SIZE, "one"
        self.orders: list[Order] = []
        self.answer: Waveform | None = WAVE
        self.came = threading.Semaphore(0)
        self.measured = threading.Semaphore(0)
        self.bus = Bus()
        self.maker = WaveformMaker(self.available, folder, self.bus, first_s=0.0, again_s=0.0)
        self.maker._measuring.call = self.run  # type: ignore[method-assign]
        self.bus.subscribe(WaveformChanged, lambda _event: self.came.release())
        self.maker.start()

    def run(self, order: Order) -> Waveform | None:
        self.orders.append(order)
        self.measured.release()
        return self.answer

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


def test_while_nothing_is_loaded_the_thread_waits(tmp_path: Path) -> None:
    bus = Bus()
    maker = WaveformMaker(lambda _episode: nullcontext(None), tmp_path, bus)
    waits = threading.Semaphore(0)
    wait = maker._changed.wait
    maker._changed.wait = lambda timeout=None: (waits.release(), wait(timeout))[1]  # type: ignore[method-assign,func-returns-value]
    maker.start()
    try:
        assert waits.acquire(timeout=20)
        for duration_ms in (60_000, None):
            bus.publish(PlaybackChanged(PlaybackStatus(duration_ms=duration_ms)))
            assert waits.acquire(timeout=20)
    finally:
        maker.close()
        bus.close(1.0)


def test_it_is_measured_once_and_then_read_from_the_disk(stage: Callable[[], Stage]) -> None:
    first = stage()
    first.play()
    first.wait()
    assert first.maker.known(EpisodeId(1)) == WAVE
    assert first.maker.known(EpisodeId(2)) is None
    second = stage()
    second.play()
    second.wait()
    assert second.maker.known(EpisodeId(1)) == WAVE
    assert second.orders == []


def test_where_nothing_plays_its_thread_sleeps(tmp_path: Path) -> None:
    """A thread that runs without end keeps the interpreter from the keys."""
    slept = threading.Semaphore(0)

    class Changed(threading.Condition):
        def wait(self, timeout: float | None = None) -> bool:
            slept.release()
            assert timeout is None
            return super().wait(timeout)

    bus = Bus()
    maker = WaveformMaker(Stage.available, tmp_path, bus)  # type: ignore[arg-type]
    maker._changed = Changed()
    maker.start()
    try:
        assert slept.acquire(timeout=20)
        bus.publish(PlaybackChanged(PlaybackStatus(PlaybackState.STOPPED, duration_ms=60_000)))
        assert slept.acquire(timeout=20)
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
    assert again.maker.known(EpisodeId(1)) is None
    assert again.orders == []


def test_a_damaged_record_and_too_many_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_MOST", 3)
    folder = tmp_path / "waveforms"
    kept = WaveformFiles(folder)
    record = Record("v", 10, WAVE)
    for key in "abcde":
        kept.write(key, record)
    assert len(list(folder.iterdir())) == 3
    assert kept.read("e", "v") == record
    assert kept.read("e", "w") is None
    kept.write("x", replace(record, wave=Waveform(0, b"1")))
    assert kept.read("x", "v") is None
    (folder / "e.waveform").write_bytes(b"\x93")
    assert kept.read("e", "v") is None


def test_what_was_measured_before_can_be_read_before_anything_plays(stage: Callable[[], Stage]) -> None:
    first = stage()
    first.play()
    first.wait()
    episode = Episode(EpisodeId(1), PodcastId(1), "P", "T", "g1", "u")
    second = stage()
    assert second.maker.stored(episode) == WAVE
    second.version = "two"
    assert second.maker.stored(episode) is None
