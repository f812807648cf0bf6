"""The sound of what was heard is kept for good, in little space, and goes a month after its episode."""

import os
import time
from array import array
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from player.measuring.decoding import measure
from player.measuring.kept_sounds import KeptSounds, _restored, _sorted
from player.measuring.kinds import fingerprint, waveform
from player.measuring.measurement import Audio, Record
from player.measuring.sound import Sound, sound_of
from player.model.episode import EpisodeId
from tests.player.measuring.audio import packed, speech, wav
from tests.quick import examples

DAY_S = 86_400
ONE, TWO = EpisodeId(1), EpisodeId(2)


def sound(version: str = "one", count: int = 500, seed: int = 1) -> Sound:
    chance = Random(seed)
    values = array("I", (chance.getrandbits(32) for _ in range(count)))
    return Sound(version, count * 124, values, bytes(chance.randrange(0, 255, 2) for _ in range(count)))


@pytest.fixture
def kept(tmp_path: Path) -> KeptSounds:
    return KeptSounds(tmp_path / "sounds")


def only_file(tmp_path: Path) -> Path:
    (found,) = (tmp_path / "sounds").iterdir()
    return found


def test_what_is_kept_is_read_again_by_another_and_is_for_nobody_else(kept: KeptSounds, tmp_path: Path) -> None:
    assert kept.read(ONE) is None
    kept.write(ONE, sound())
    assert KeptSounds(tmp_path / "sounds").read(ONE) == sound()
    assert only_file(tmp_path).stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "sounds").stat().st_mode & 0o777 == 0o700
    kept.forget([ONE, TWO])
    assert kept.read(ONE) is None


@given(st.lists(st.integers(0, 2**32 - 1)))
@settings(max_examples=examples(60), deadline=None)
def test_any_values_come_back(values: list[int]) -> None:
    assert _restored(_sorted(array("I", values))) == array("I", values)


def test_of_other_bytes_the_first_stays(kept: KeptSounds) -> None:
    """The listener's marks belong to it."""
    assert kept.keep_if_first(ONE, sound("one")) is None
    assert kept.keep_if_first(ONE, sound("one", seed=2)) is None
    assert kept.keep_if_first(ONE, sound("two")) == sound("one")
    assert kept.read(ONE) == sound("one")
    assert kept.read(TWO) is None


@pytest.mark.parametrize("damage", ["cut", "bit", "empty", "text", "bomb"])
def test_a_damaged_file_counts_as_missing(kept: KeptSounds, tmp_path: Path, damage: str) -> None:
    import lzma

    kept.write(ONE, sound())
    path = only_file(tmp_path)
    data = bytearray(path.read_bytes())
    if damage == "cut":
        data = data[: len(data) // 2]
    elif damage == "bit":
        data[len(data) // 2] ^= 4
    elif damage == "bomb":
        data = bytearray(lzma.compress(bytes(30_000_000)))
    else:
        data = bytearray(b"" if damage == "empty" else b"no sound")
    path.write_bytes(data)
    assert kept.read(ONE) is None
    assert kept.keep_if_first(ONE, sound("two")) is None
    assert kept.read(ONE) == sound("two")


def test_on_a_full_disk_what_was_kept_stays(kept: KeptSounds, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    kept.write(ONE, sound("one"))
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            kept.write(ONE, sound("two"))
    assert kept.read(ONE) == sound("one")
    assert len(list((tmp_path / "sounds").iterdir())) == 1


def test_a_sound_outlives_its_episode_by_a_month(kept: KeptSounds, tmp_path: Path) -> None:
    """However long ago it was heard: unsubscribing can be undone."""
    for one in (ONE, TWO):
        kept.write(one, sound())
    long_ago = time.time() - 400 * DAY_S
    for path in (tmp_path / "sounds").iterdir():
        os.utime(path, (long_ago, long_ago))
    kept.tidy({ONE, TWO})
    kept.tidy({ONE})
    assert sorted(kept.ids()) == [ONE, TWO]
    month_ago = time.time() - 32 * DAY_S
    os.utime(tmp_path / "sounds" / f"{TWO}.sound", (month_ago, month_ago))
    kept.tidy({ONE})
    assert kept.ids() == [ONE]


def test_a_clock_that_was_ahead_keeps_nothing_for_ever(kept: KeptSounds, tmp_path: Path) -> None:
    kept.write(ONE, sound())
    ahead = time.time() + 400 * DAY_S
    os.utime(only_file(tmp_path), (ahead, ahead))
    kept.tidy({ONE})
    assert only_file(tmp_path).stat().st_mtime < time.time() + DAY_S
    os.utime(only_file(tmp_path), (ahead, ahead))
    kept.tidy(set())
    assert kept.ids() == []


def test_speech_takes_three_quarters_of_the_space(kept: KeptSounds, tmp_path: Path) -> None:
    if not fingerprint.is_installed():
        pytest.skip("Chromaprint isn't installed")
    path = wav(tmp_path / "a.wav", speech(60, 11_025)[0], 11_025, 1)
    audio = Audio(os.fsencode(path), ((0, path.stat().st_size),), path.stat().st_size)
    (piece,), _ended = measure(audio, [fingerprint.MEASUREMENT, waveform.MEASUREMENT])
    one = sound_of(Record("v", {0: packed(**piece)}, ended=True))
    assert one
    kept.write(ONE, one)
    assert only_file(tmp_path).stat().st_size < 0.75 * (4 * len(one.values) + len(one.levels))
