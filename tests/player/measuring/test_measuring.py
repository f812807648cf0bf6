"""What plays is measured once for each version of its bytes, in one pass for all measurements; then the disk has it."""

import os
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from player.events import Bus, EpisodeMeasured, PlaybackChanged
from player.measuring import kinds, measurement
from player.measuring.decoding import Answer, measure, measured
from player.measuring.kept_sounds import KeptSounds
from player.measuring.kinds import folders
from player.measuring.kinds.fingerprint import MEASUREMENT as FINGERPRINT
from player.measuring.kinds.waveform import MEASUREMENT, Waveform
from player.measuring.measurement import NOTHING, PIECE_MS, Audio, Measurement, Meter, Record, StoredMeasurements
from player.measuring.measuring import MEMORY, Measuring, Wanted, grown, next_pieces
from player.measuring.others import Other, Others
from player.media.available import AvailableBytes, key_of
from player.model.effects import Trim
from player.model.episode import Episode, EpisodeId
from player.model.playback import PlaybackState, PlaybackStatus
from player.model.podcast import PodcastId
from player.processes.sandbox import Sandbox, SandboxError
from tests.player.measuring.audio import make, packed
from tests.player.playback.support import wait_until

LEVELS = bytes(range(10))
WAVE = Waveform(40, LEVELS)
SIZE = 1_000
NAMES = [one.name for one in kinds.measurements(folders())]


class NoOthers(Others):
    """Nothing but the current episode."""

    def __init__(self) -> None:
        self.new = set()

    def wanted(self, without: Collection[tuple[EpisodeId, bool]]) -> list[Other]:
        return []

    def gone(self, keys: Collection[str]) -> set[str]:
        return set()

    def existing(self, ids: Iterable[EpisodeId]) -> set[EpisodeId]:
        return set(ids)


class Stage:
    def __init__(self, folder: Path) -> None:
        self.impossible: tuple[str, ...] = ()
        self.kept = KeptSounds(folder.parent / "sounds")
        self.reach, self.version = SIZE, "one"
        self.orders: list[Audio] = []
        self.passes: list[tuple[int, int]] = []
        self.answer: bytes | None = LEVELS
        self.came = threading.Semaphore(0)
        self.measured = threading.Semaphore(0)
        self.bus = Bus()
        self.draws = True
        self.maker = Measuring(
            self.available, folder, self.bus, lambda: self.draws, self.kept, NoOthers(),
            first_s=0.0, again_s=0.0, others_s=0.0,
        )  # fmt: skip
        self.maker._sandbox.call = self.run  # type: ignore[method-assign, assignment]
        self.bus.subscribe(EpisodeMeasured, lambda _event: self.came.release())
        self.maker.start()

    def run(self, audio: Audio, _folders: list[str], first: int, count: int) -> Answer:
        self.orders.append(audio)
        self.passes.append((first, count))
        self.measured.release()
        names = [name for name in NAMES if name not in self.impossible]
        piece = dict.fromkeys(names, NOTHING) | packed(waveform=self.answer)
        return Answer([piece] * count, ended=True, impossible=self.impossible)

    @contextmanager
    def available(self, episode: Episode) -> Iterator[AvailableBytes | None]:
        here = Path("a.mp3")
        yield AvailableBytes(lambda _at, _count: b"", SIZE, here, ((0, self.reach),), self.version)

    def play(self, number: int = 1, cached: float = 1.0, **status: Any) -> None:
        episode = Episode(EpisodeId(number), PodcastId(1), "P", "T", f"g{number}", "u")
        self.bus.publish(
            PlaybackChanged(
                replace(PlaybackStatus(PlaybackState.PAUSED, episode, 0, 60_000, cached=((0, cached),)), **status)
            )
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
    maker = Counted(
        Stage.available,  # type: ignore[arg-type]
        tmp_path,
        bus,
        lambda: True,
        KeptSounds(tmp_path / "sounds"),
        NoOthers(),
        others_s=0.0,
    )
    maker.start()
    try:
        assert looked.acquire(timeout=20)  # for others
        for duration_ms in (60_000, None):
            bus.publish(PlaybackChanged(PlaybackStatus(PlaybackState.STOPPED, duration_ms=duration_ms)))
            assert looked.acquire(timeout=20)
            wait_until(lambda: not maker._task.is_waited_for, "the end of the work")
            assert not looked.acquire(blocking=False)
    finally:
        maker.close()
        bus.close(1.0)


def test_what_another_process_has_measured_meanwhile_is_shown(stage: Callable[[], Stage], tmp_path: Path) -> None:
    one = stage()
    written = Record("one", {0: dict.fromkeys(NAMES, NOTHING) | packed(waveform=LEVELS)}, ended=True, reach=SIZE)
    read = one.maker._record

    def another_writes(episode: Episode) -> Record | None:
        found = read(episode)
        StoredMeasurements(tmp_path / "waveforms").write(key_of(episode), written)
        return found

    one.maker._record = another_writes  # type: ignore[method-assign]
    one.play()
    one.wait()
    assert one.orders == []
    assert one.maker.known(EpisodeId(1), MEASUREMENT) == WAVE


@pytest.mark.parametrize("status", [{"gain_db": 0.0}, {"trim": Trim.GENTLE}])
def test_where_no_waveform_is_drawn_an_episode_is_measured_once_its_sound_needs_it(
    stage: Callable[[], Stage], status: dict[str, Any]
) -> None:
    """And without Chromaprint, which is noticed at the first piece of the first episode."""
    one = stage()
    one.draws = False
    one.impossible = (FINGERPRINT.name,)
    one.play()
    one.wait()
    one.play(2)
    wait_until(lambda: not one.maker._task.is_waited_for, "the end of the work")
    assert len(one.orders) == 1
    one.play(2, **status)
    one.wait()
    assert len(one.orders) == 2


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
    one.answer = LEVELS
    one.play(2)
    one.wait()
    again = stage()
    again.play()
    again.play(2)
    again.wait()
    assert again.maker.known(EpisodeId(1), MEASUREMENT) is None
    assert again.orders == []


def test_a_damaged_record_counts_as_none(tmp_path: Path) -> None:
    folder = tmp_path / "waveforms"
    kept = StoredMeasurements(folder)
    record = Record("v", {0: packed(waveform=LEVELS)})
    kept.write("e", record)
    assert kept.read("e", "v") == record
    assert kept.read("e", "w") is None
    kept.write("x", replace(record, pieces={0: packed(waveform={"levels": b"1"})}))
    odd = kept.read("x", "v")
    assert odd
    assert odd.result(MEASUREMENT) is None
    (folder / "e.measured").write_bytes(b"\x93")
    assert kept.read("e", "v") is None


def test_results_are_dropped_but_not_those_just_made(tmp_path: Path) -> None:
    kept = StoredMeasurements(tmp_path)
    for key in "abc":
        kept.write(key, Record("v", {0: packed(waveform=LEVELS)}))
    hours_ago = time.time() - 2 * 3_600
    for key in "ab":
        os.utime(tmp_path / f"{key}.measured", (hours_ago, hours_ago))
    kept.drop(["a", "c", "d"])
    assert kept.keys() == {"b", "c"}


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

    kept = KeptSounds(folder.parent / "sounds")
    return Measuring(available, folder, bus, lambda: True, kept, NoOthers(), first_s=0.0, again_s=0.0)


def play(bus: Bus, duration_ms: int) -> Episode:
    episode = Episode(EpisodeId(1), PodcastId(1), "P", "T", "g1", "u")
    bus.publish(PlaybackChanged(PlaybackStatus(PlaybackState.PAUSED, episode, 0, duration_ms, cached=((0, 1.0),))))
    return episode


_MADE_UP = """
from msgspec import Struct
from player.measuring.measurement import Measurement, Meter

class Heard(Struct, frozen=True):
    samples: int
    seconds: int

class Counts(Meter):
    def __init__(self, begins_ms):
        self.samples = self.seconds = 0

    def hear_frame(self, frame):
        self.samples += frame.samples

    def hear_second(self, second):
        self.seconds += 1

    def result(self):
        return Heard(self.samples, self.seconds) if self.samples else None

MEASUREMENT = Measurement("made up", Heard, Counts, lambda parts: parts[0])
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
        assert heard == found.part(6 * 8_000, 6)
        assert after.known(episode.id, MEASUREMENT) == wave
        assert after.stored(episode, found) == heard
    assert len(passes) == 1
    bus.close(1.0)
    del sys.modules["player.measuring.kinds.made_up"]


def test_a_file_that_is_gone_fails_in_the_process_alone(tmp_path: Path) -> None:
    with (
        closing(Sandbox(measured, memory=MEMORY, seconds=30)) as work,
        pytest.raises(SandboxError, match="FileNotFound"),
    ):
        work.call(Audio(os.fsencode(tmp_path / "gone"), ((0, 10),), 10), folders(), 0, 1)


def test_a_name_that_is_no_text_is_measured_as_any_other(tmp_path: Path) -> None:
    path = make(tmp_path / "a.wav", 3).rename(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.wav"))
    with closing(Sandbox(measured, memory=MEMORY, seconds=30)) as work:
        audio = Audio(os.fsencode(path), ((0, path.stat().st_size),), None)
        answer = work.call(audio, folders(), 0, 1)
        assert answer.ended
        assert Record("", dict(enumerate(answer.pieces))).result(MEASUREMENT)


# -- pieces ---------------------------------------------------------------------------------------------------


def wanted(minutes: float, heard: int = 0, cached: float = 1.0) -> Wanted:
    return Wanted(None, round(minutes * 60_000), heard, int(cached * 100))


def audio(reach: int, size: int = SIZE) -> Audio:
    return Audio(b"a", ((0, reach),), size)


def all_passes(whole: Audio, want: Wanted, ends_in: int) -> list[tuple[int, int]]:
    """Until nothing more is to be done; the audio ends in the piece with that number."""
    record = Record("v", {})
    passes: list[tuple[int, int]] = []
    while True:
        first, count = next_pieces(record, whole, want, ["a"], again=True)
        if not count:
            return passes
        passes.append((first, count))
        pieces = [packed(a=1)] * max(0, min(count, ends_in + 1 - first))
        record = grown(record, whole, range(first, first + count), Answer(pieces, first + count > ends_in), ["a"])


def test_what_lies_ahead_is_measured_first_and_nothing_twice() -> None:
    assert all_passes(audio(SIZE), wanted(58, heard=3), ends_in=11) == [(3, 1), (4, 4), (8, 4), (0, 3)]
    assert all_passes(audio(SIZE), wanted(1), ends_in=0) == [(0, 1)]


@pytest.mark.parametrize(("said", "ends_in"), [(4, 5), (33, 1), (10, 2)])
def test_an_episode_that_is_longer_or_shorter_than_is_said_is_measured_to_its_end(said: float, ends_in: int) -> None:
    passes = all_passes(audio(SIZE), wanted(said), ends_in)
    covered = [number for first, count in passes for number in range(first, first + count)]
    assert set(range(ends_in + 1)) <= set(covered)
    assert len(covered) == len(set(covered))


def test_of_what_is_cached_in_part_the_last_piece_is_measured_again_once_there_is_more() -> None:
    half, want = audio(500), wanted(30, cached=0.5)
    record = Record("v", {})
    for _ in range(2):
        first, count = next_pieces(record, half, want, ["a"], again=True)
        ended = first + count > 3
        pieces = [packed(a=1)] * min(count, 4 - first)
        record = grown(record, half, range(first, first + count), Answer(pieces, ended), ["a"])
    assert (sorted(record.pieces), record.begun, record.ended) == ([0, 1, 2, 3], frozenset({3}), False)
    assert next_pieces(record, half, want, ["a"], again=True) == (0, 0)
    assert next_pieces(record, audio(600), wanted(30, cached=0.6), ["a"], again=False) == (0, 0)
    assert next_pieces(record, audio(600), wanted(30, cached=0.6), ["a"], again=True) == (3, 1)


def test_bytes_that_crash_the_process_are_tried_once() -> None:
    failed = Answer([dict.fromkeys(["a"], NOTHING)], ended=True)
    record = grown(Record("v", {}), audio(SIZE), range(1), failed, ["a"])
    assert next_pieces(record, audio(SIZE), wanted(30), ["a"], again=True) == (0, 0)


@pytest.mark.parametrize("suffix", ["mp3", "m4a", "opus", "wav"])
def test_a_piece_by_itself_is_measured_as_with_those_before_it(tmp_path: Path, suffix: str) -> None:
    """Its place is found exactly, whatever the format."""

    class Places(Meter[list[tuple[int, float]]]):
        def __init__(self, _begins_ms: int) -> None:
            self.heard: list[tuple[int, float]] = []

        def hear_second(self, second: measurement.Second) -> None:
            self.heard.append((second.at_ms, max(second.levels)))

        def result(self) -> list[tuple[int, float]]:
            return self.heard

    path = make(tmp_path / f"a.{suffix}", 660)  # the tone begins at 220 s and ends at 440 s, within the second piece
    size = path.stat().st_size
    kind = Measurement("places", list[tuple[int, float]], Places, dict, beyond_s=2)
    there = Audio(os.fsencode(path), ((0, size),), size)
    together, ended = measure(there, [kind], 0, 4)
    alone, ended_too = measure(there, [kind], 1, 1)
    assert ended
    assert not ended_too
    heard = [piece["places"] for piece in together]
    assert all(isinstance(piece, list) for piece in heard)
    whole = [second for piece in heard for second in piece]  # type: ignore[attr-defined]
    assert [at for at, _ in heard[0]] == list(range(0, PIECE_MS + 2_000, 1_000))  # type: ignore[attr-defined]
    (piece,) = alone
    assert [at for at, _ in piece["places"]] == list(range(PIECE_MS, 2 * PIECE_MS + 2_000, 1_000))  # type: ignore[attr-defined]
    assert next(at for at, level in whole if level > 1_000) == 220_000
    for part in (heard[1], piece["places"]):
        assert [at for at, level in part if level > 1_000][-1] in (439_000, 440_000)  # type: ignore[attr-defined]
    assert [level for _, level in piece["places"]] == pytest.approx(  # type: ignore[attr-defined]
        [level for _, level in heard[1]],  # type: ignore[attr-defined]
        abs=1_500,
    )


def test_on_a_battery_that_is_nearly_empty_nothing_is_measured(
    stage: Callable[[], Stage], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = threading.Semaphore(0)

    def low() -> bool:
        asked.release()
        return True

    monkeypatch.setattr("player.processes.power.is_low", low)
    one = stage()
    one.play()
    assert asked.acquire(timeout=20)
    wait_until(lambda: one.maker._due > 0.0, "the next look")
    assert one.orders == []
