"""Pauses are where nobody speaks: in a noisy room, too, and never a soft word; music has none."""

import math
import os
from array import array
from pathlib import Path

import pytest

from player.measuring.decoding import measure
from player.measuring.kinds.pauses import MEASUREMENT, Pauses
from player.measuring.measurement import Audio
from tests.player.measuring.audio import speech, wav

RATE = 16_000


def pauses(path: Path) -> Pauses:
    pieces, _ended = measure(Audio(os.fsencode(path), ((0, path.stat().st_size),), None), [MEASUREMENT], 0, 4)
    return MEASUREMENT.joined(
        {number: part for number, piece in enumerate(pieces) if isinstance(part := piece["pauses"], list)}
    )


@pytest.mark.parametrize("noise", [0.0, 0.0005, 0.003], ids=["studio", "room", "noisy room"])
def test_pauses_are_found_and_no_word_is_one(tmp_path: Path, noise: float) -> None:
    samples, told = speech(60, RATE, noise)
    found = [(begin / 1000, end / 1000) for begin, end in pauses(wav(tmp_path / "a.wav", samples, RATE, 1)).spans]
    long = [span for span in found if span[1] - span[0] >= 0.6]
    assert len(long) == len(told)
    for (begin, end), (said_begin, said_end) in zip(long, told, strict=True):
        assert begin == pytest.approx(said_begin, abs=0.03)
        assert end == pytest.approx(said_end, abs=0.03)


def test_music_has_no_pauses(tmp_path: Path) -> None:
    """A melody whose notes fade, over a chord that stays."""
    samples = array("h")
    for n in range(30 * RATE):
        t = n / RATE
        chord = sum(math.sin(2 * math.pi * f * t) for f in (220, 277, 330)) / 40
        note = math.exp(-3 * (t % 0.8)) * math.sin(2 * math.pi * (440 + 55 * int(t / 0.8 % 5)) * t) / 3
        samples.append(int(32_767 * (chord + note)))
    assert pauses(wav(tmp_path / "a.wav", samples, RATE, 1)).spans == ()


def test_silence_and_what_is_too_short_to_tell_have_none(tmp_path: Path) -> None:
    assert pauses(wav(tmp_path / "a.wav", array("h", bytes(2 * 20 * RATE)), RATE, 1)).spans == ()
    assert pauses(wav(tmp_path / "b.wav", speech(3, RATE)[0], RATE, 1)).spans == ()


def test_a_pause_across_the_edge_of_two_pieces_is_one() -> None:
    found = MEASUREMENT.joined({0: [1_000, 1_500, 299_800, 300_000], 1: [300_000, 300_300, 300_600, 300_700]})
    assert found == Pauses(((1_000, 1_500), (299_800, 300_300)), (0, 1))
