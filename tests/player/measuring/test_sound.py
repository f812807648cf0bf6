"""The sound of an episode is what was measured of its pieces, as if it had been measured in one go."""

import os
from array import array
from pathlib import Path

import numpy as np
import pytest

from player.measuring.decoding import AvailableFile, _Seconds, decoded, measure, opened, together
from player.measuring.kinds import fingerprint, waveform
from player.measuring.kinds.fingerprint import _Meter
from player.measuring.measurement import Audio, Parts, Record
from player.measuring.sound import LEVEL_MS, VALUE_MS, Sound, sound_of
from tests.player.measuring.audio import make, mp3, packed, wav
from tests.quick import mostly_long

RATE = 16_000


def notes(seconds: int) -> "array[int]":
    """A melody that never repeats, with noise under it."""
    chance = np.random.default_rng(1)
    sound = chance.normal(0, 300, seconds * RATE)
    for start in range(0, len(sound), RATE // 4):
        t = np.arange(min(RATE // 4, len(sound) - start)) / RATE
        sound[start : start + len(t)] += (
            6_000 * np.exp(-3 * t) * np.sin(2 * np.pi * 110 * 2 ** chance.uniform(0, 4) * t)
        )
    return array("h", sound.astype("<i2").tobytes())


def audio_of(path: Path) -> Audio:
    size = path.stat().st_size
    return Audio(os.fsencode(path), ((0, size),), size)


def record_of(path: Path, passes: list[tuple[int, int]]) -> Record:
    """Measured in these passes, each from a piece on and so many of them."""
    found: dict[int, Parts] = {}
    for first, count in passes:
        pieces, _ended = measure(audio_of(path), [fingerprint.MEASUREMENT, waveform.MEASUREMENT], first, count)
        found |= {first + at: packed(**piece) for at, piece in enumerate(pieces)}
    return Record("v", found, ended=True)


def in_one_go(path: Path) -> list[int]:
    meter, seconds = _Meter(0), _Seconds(0)
    with AvailableFile(audio_of(path)) as file, opened(file) as container:
        for frame, at_ms in together(decoded(container, 0), 0.25):
            for second in seconds.take(frame, at_ms):
                meter.hear_second(second)
    for second in seconds.rest():
        meter.hear_second(second)
    return list(memoryview(meter.result() or b"").cast("I"))


@pytest.fixture(autouse=True)
def _library() -> None:
    if not fingerprint.is_installed():
        pytest.skip("Chromaprint isn't installed")


@pytest.mark.parametrize("suffix", mostly_long(["wav", "mp3"], quick=1))
def test_the_pieces_have_the_values_that_the_whole_has(tmp_path: Path, suffix: str) -> None:
    samples = notes(640)
    path = tmp_path / f"a.{suffix}"
    if suffix == "wav":
        wav(path, samples, RATE, 1)
    else:
        mp3(path, samples, RATE, 48_000)
    sound, whole = sound_of(record_of(path, [(1, 2), (0, 1)])), in_one_go(path)
    assert sound
    assert len(sound.values) == len(whole)
    assert sum(a == b for a, b in zip(sound.values, whole, strict=True)) >= 0.97 * len(whole)


def test_a_value_and_a_level_stand_for_the_sound_where_they_are(tmp_path: Path) -> None:
    """20 s of silence, 20 s of a tone, and silence."""
    sound = sound_of(record_of(make(tmp_path / "a.wav", 60), [(0, 1)]))
    assert sound
    assert sound.duration_ms == 60_000
    loud = [at * LEVEL_MS for at, level in enumerate(sound.levels) if level > 100]
    assert (loud[0], loud[-1]) == pytest.approx((20_000, 40_000 - LEVEL_MS), abs=LEVEL_MS)
    silent = sound.values[0]
    other = [at * VALUE_MS for at, value in enumerate(sound.values) if value != silent]
    assert (other[0], other[-1]) == pytest.approx((20_000 - 2_700, 40_000), abs=1_000)


def test_there_is_none_until_all_of_it_is_measured_or_without_a_fingerprint(tmp_path: Path) -> None:
    whole = record_of(make(tmp_path / "a.wav", 9), [(0, 1)])
    assert isinstance(sound_of(whole), Sound)
    assert sound_of(Record("v", whole.pieces)) is None
    assert sound_of(Record("v", {})) is None
    assert sound_of(Record("v", {1: whole.pieces[0]}, ended=True)) is None
    no_print = {0: whole.pieces[0] | packed(**{fingerprint.MEASUREMENT.name: None})}
    assert sound_of(Record("v", no_print, ended=True)) is None


def test_what_could_not_be_measured_moves_nothing_behind_it(tmp_path: Path) -> None:
    whole = record_of(wav(tmp_path / "a.wav", notes(640), RATE, 1), [(0, 3)])
    nothing = packed(**dict.fromkeys(whole.pieces[1], None))
    gap, sound = sound_of(Record("v", whole.pieces | {1: nothing}, ended=True)), sound_of(whole)
    assert gap
    assert sound
    assert gap.duration_ms == sound.duration_ms
    behind = round(600_000 / VALUE_MS) + 1
    assert gap.values[behind:] == sound.values[behind:]
    assert set(gap.values[round(310_000 / VALUE_MS) : round(590_000 / VALUE_MS)]) == {0}
    assert gap.levels[600_000 // LEVEL_MS :] == sound.levels[600_000 // LEVEL_MS :]
