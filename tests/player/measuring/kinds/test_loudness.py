"""Loudness and true peak, against what EBU Tech 3341 says of its test signals."""

import math
import os
from array import array
from collections.abc import Callable
from pathlib import Path

import pytest

from player.measuring.decoding import measure
from player.measuring.kinds.loudness import MEASUREMENT, Loudness, Part
from player.measuring.measurement import Audio
from tests.player.measuring.audio import wav

RATE = 48_000


def tone(path: Path, levels: list[tuple[float, int]], channels: int = 2, frequency: float = 1_000) -> Path:
    """Sine tones: each of them of so many dBFS and seconds."""
    samples = array("h")
    for level_db, seconds in levels:
        amplitude = 32_767 * 10 ** (level_db / 20)
        for n in range(seconds * RATE):
            samples.extend([round(amplitude * math.sin(2 * math.pi * frequency * n / RATE))] * channels)
    return wav(path, samples, RATE, channels)


def loudness(path: Path) -> Loudness:
    pieces, _ended = measure(Audio(os.fsencode(path), ((0, path.stat().st_size),), None), [MEASUREMENT], 0, 4)
    parts = {number: part for number, piece in enumerate(pieces) if isinstance(part := piece["loudness"], Part)}
    return MEASUREMENT.joined(parts)


@pytest.mark.parametrize(
    ("levels", "lufs"),
    [
        ([(-23.0, 20)], -23.0),
        ([(-33.0, 20)], -33.0),
        ([(-36.0, 10), (-23.0, 60), (-36.0, 10)], -23.0),
        ([(-72.0, 10), (-36.0, 10), (-23.0, 60), (-36.0, 10), (-72.0, 10)], -23.0),
        ([(-26.0, 20), (-20.0, 20), (-26.0, 20)], -23.0),
    ],
    ids=["1", "2", "3", "4", "5"],
)
def test_the_test_signals_of_the_ebu_have_the_loudness_they_should(
    tmp_path: Path, levels: list[tuple[float, int]], lufs: float
) -> None:
    assert loudness(tone(tmp_path / "a.wav", levels)).lufs == pytest.approx(lufs, abs=0.1)


def test_one_channel_is_as_loud_as_the_same_on_two(tmp_path: Path) -> None:
    """Both loudspeakers play it."""
    two = loudness(tone(tmp_path / "2.wav", [(-23.0, 6)]))
    assert loudness(tone(tmp_path / "1.wav", [(-23.0, 6)], channels=1)).lufs == pytest.approx(two.lufs, abs=0.1)


@pytest.mark.parametrize(
    ("shape", "peak_db"),
    [
        (lambda n: 0.5 * math.sin(math.pi * n / 2), -6.0),
        (lambda n: 0.5 * math.sin(math.pi * n / 2 + math.pi / 4), -6.0),  # no sample is higher than -9 dBFS
        (lambda n: 0.5 * math.sin(math.pi * n / 3 + math.pi / 3), -6.0),
    ],
    ids=["15", "16", "17"],
)
def test_the_true_peak_is_found_between_samples(tmp_path: Path, shape: Callable[[int], float], peak_db: float) -> None:
    samples = array("h")
    for n in range(3 * RATE):
        samples.extend([round(32_767 * min(1, n / RATE) * shape(n))] * 2)
    assert loudness(wav(tmp_path / "a.wav", samples, RATE, 2)).peak_db == pytest.approx(peak_db, abs=0.4)


def test_silence_has_no_loudness(tmp_path: Path) -> None:
    found = loudness(wav(tmp_path / "a.wav", array("h", bytes(2 * RATE * 2 * 3)), RATE, 2))
    assert found.lufs is None
    assert found.heard_ms == pytest.approx(3_000, abs=200)


def test_pieces_are_joined_as_if_they_had_been_measured_at_once() -> None:
    loud, soft = Part({-200: 300}, -19.0, -3.0, 30_000), Part({-500: 300}, -49.0, -20.0, 30_000)
    joined = MEASUREMENT.joined({0: soft, 1: loud})
    assert joined.lufs == pytest.approx(-20.0, abs=0.01)  # the soft piece is gated
    assert joined == Loudness(joined.lufs, -19.0, -3.0, 60_000)
    assert MEASUREMENT.joined({0: soft}).lufs == pytest.approx(-50.0)
