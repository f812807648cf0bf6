"""The same sound has the same fingerprint in another file, and other sound another."""

import os
from pathlib import Path

import pytest

from player.measuring.decoding import measure, measured
from player.measuring.kinds import fingerprint, folders
from player.measuring.kinds.fingerprint import MEASUREMENT
from player.measuring.measurement import Audio
from tests.player.measuring.audio import mp3, speech

RATE = 22_050


def values(path: Path) -> list[int]:
    pieces, _ended = measure(Audio(os.fsencode(path), ((0, path.stat().st_size),), None), [MEASUREMENT])
    data = pieces[0][MEASUREMENT.name]
    assert isinstance(data, bytes)
    return list(memoryview(data).cast("I"))


def apart(one: list[int], other: list[int]) -> float:
    """The mean number of bits that differ, of 32."""
    return sum((a ^ b).bit_count() for a, b in zip(one, other, strict=False)) / min(len(one), len(other))


def test_another_bit_rate_has_the_same_fingerprint_and_other_words_another(tmp_path: Path) -> None:
    if not fingerprint.is_installed():
        pytest.skip("Chromaprint isn't installed")
    words, others = speech(20, RATE)[0], speech(20, RATE, seed=2)[0]
    one = values(mp3(tmp_path / "a.mp3", words, RATE, 64_000))
    assert len(one) == pytest.approx(8.08 * len(words) / RATE, rel=0.15)
    assert apart(one, values(mp3(tmp_path / "b.mp3", words, RATE, 32_000))) < 6
    assert apart(one, values(mp3(tmp_path / "c.mp3", others, RATE, 64_000))) > 10


def test_without_the_library_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fingerprint, "_LIBRARIES", ("libnothing.so.9",))
    path = mp3(tmp_path / "a.mp3", speech(3, RATE)[0], RATE, 64_000)
    pieces, _ended = measure(Audio(os.fsencode(path), ((0, path.stat().st_size),), None), [MEASUREMENT])
    assert pieces == [{MEASUREMENT.name: None}]
    answer = measured(Audio(os.fsencode(path), ((0, path.stat().st_size),), None), folders(), 0, 1)
    assert answer.impossible == (MEASUREMENT.name,)
    assert MEASUREMENT.name not in answer.pieces[0]
    assert {"loudness", "pauses", "waveform"} <= set(answer.pieces[0])
