"""How loud an episode is, measured from whatever bytes there are."""

import os
from pathlib import Path

import pytest

from player.measuring import decoding
from player.measuring.kinds.waveform import MEASUREMENT, MOST_LEVELS, Waveform
from player.measuring.measurement import Audio
from tests.player.measuring.audio import make
from tests.quick import mostly_long

SECONDS = 30


def audio_of(path: Path, reach: int | None = None) -> Audio:
    size = path.stat().st_size
    return Audio(os.fsencode(path), ((0, reach or size),), size)


def measure(audio: Audio) -> Waveform | None:
    pieces, _ended = decoding.measure(audio, [MEASUREMENT])
    parts = {number: part for number, piece in enumerate(pieces) if isinstance(part := piece["waveform"], bytes)}
    return MEASUREMENT.joined(parts) if parts else None


def loud(wave: Waveform) -> tuple[float, float]:
    """Where the tone begins and ends, in seconds."""
    steps = [at for at, level in enumerate(wave.levels) if level > 100]
    assert all(wave.levels[at] > 100 for at in range(steps[0], steps[-1] + 1))
    return steps[0] * wave.step_ms / 1000, (steps[-1] + 1) * wave.step_ms / 1000


@pytest.mark.parametrize("suffix", mostly_long(["mp3", "wav", "m4a", "opus"], quick=2))
def test_the_tone_is_where_it_sounds_within_a_hundredth(tmp_path: Path, suffix: str) -> None:
    wave = measure(audio_of(make(tmp_path / f"a.{suffix}", SECONDS)))
    assert wave
    start, end = loud(wave)
    assert start == pytest.approx(10, abs=SECONDS / 300)
    assert end == pytest.approx(20, abs=SECONDS / 300)
    assert wave.known_ms == pytest.approx(SECONDS * 1000, abs=SECONDS * 20)
    assert max(wave.levels[: int(9_000 / wave.step_ms)]) == 0


def test_of_a_part_of_the_file_a_part_is_measured(tmp_path: Path) -> None:
    path = make(tmp_path / "a.mp3", SECONDS)
    wave = measure(audio_of(path, reach=path.stat().st_size // 2))
    assert wave
    assert wave.known_ms == pytest.approx(15_000, abs=500)
    assert loud(wave)[0] == pytest.approx(10, abs=0.3)


def test_a_part_without_the_table_of_its_frames_waits_for_more(tmp_path: Path) -> None:
    path = make(tmp_path / "a.m4a", 6)  # the table is at the end of the file
    assert measure(audio_of(path, reach=path.stat().st_size // 2)) is None


def test_a_long_episode_has_longer_steps() -> None:
    parts = {number: bytes([100] * 7_500) for number in (0, 1, 3)}
    wave = MEASUREMENT.joined(parts)
    assert len(wave.levels) <= MOST_LEVELS
    assert wave.known_ms == pytest.approx(4 * 300_000, abs=wave.step_ms)
    middle = [wave.levels[round(at * 300_000 / wave.step_ms)] for at in (0.5, 1.5, 2.5, 3.5)]
    assert middle == [100, 100, 0, 100]


PLAYLIST = b"#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n/etc/passwd\n#EXT-X-ENDLIST\n"


@pytest.mark.parametrize(
    "data",
    [b"", b"<html>", b"\0" * 5_000, PLAYLIST, b"ID3\x04\0\0\x7f\x7f\x7f\x7f" * 50, b"RIFF\xff\xff\xff\xffWAVEfmt "],
)
def test_what_is_no_audio_has_no_waveform(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.mp3"
    path.write_bytes(data)
    assert measure(audio_of(path)) is None


def test_a_damaged_file_is_measured_as_far_as_it_can_be_decoded(tmp_path: Path) -> None:
    path = make(tmp_path / "a.mp3", SECONDS)
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 2_000] = b"\xff" * 2_000
    path.write_bytes(data)
    wave = measure(audio_of(path))
    assert wave
    assert wave.levels[9_900 // wave.step_ms] == 0
    assert wave.levels[10_100 // wave.step_ms] > 100
    assert wave.levels[17_000 // wave.step_ms] > 100
