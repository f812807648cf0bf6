"""What libvlc gets of an episode with effects: as loud as it should be, no sample too loud, every word whole."""

import math
from array import array
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from player.errors import MediaError
from player.model.effects import Boost, Effects, Trim
from player.playback.effects.processed import ProcessedAudio
from tests.player.measuring.audio import make, speech, wav
from tests.player.playback.effects.rendering import Bytes, Rendered, loudness, processed
from tests.quick import mostly_long

RATE = 16_000
LEVEL = -16.0


def scaled(samples: "array[int]", lufs: float, rate: int = RATE) -> "array[int]":
    """The same as loud as that; what becomes too loud is clipped, as in the loudest podcasts."""
    floats = array("f", (one / 32_768 for one in samples))
    for _ in range(6):  # clipping makes it softer again
        now = loudness(array("f", (max(-1.0, min(1.0, one)) for one in floats)), rate, 1).lufs
        assert now is not None
        factor = 10 ** ((lufs - now) / 20)
        floats = array("f", (one * factor for one in floats))
    return array("h", (max(-32_767, min(32_767, round(one * 32_768))) for one in floats))


def test_the_chain_does_nothing_to_a_sample_that_no_effect_concerns(tmp_path: Path) -> None:
    samples, _pauses = speech(5, RATE)
    out = Rendered(processed(wav(tmp_path / "a.wav", samples, RATE, 1).read_bytes(), "wav", Effects(trim=Trim.GENTLE)))
    assert [round(one * 32_768) for one in out.first] == list(samples)


@pytest.mark.parametrize("lufs", mostly_long([-31.0, -7.0, -28.0, -24.0, -20.0, -16.0, -12.0, -9.0], quick=2))
def test_soft_and_loud_speech_become_equally_loud_and_no_peak_is_too_high(tmp_path: Path, lufs: float) -> None:
    samples = scaled(speech(25, RATE)[0], lufs)
    data = wav(tmp_path / "a.wav", samples, RATE, 1).read_bytes()
    before = loudness(array("f", (one / 32_768 for one in samples)), RATE, 1).lufs
    assert before == pytest.approx(lufs, abs=0.3)
    out = Rendered(processed(data, "wav", Effects(gain_db=LEVEL - lufs, lufs=lufs)))
    found = out.loudness()
    assert found.lufs == pytest.approx(LEVEL, abs=1.0)
    assert out.loudness(to_s=10).lufs == pytest.approx(LEVEL, abs=1.5)
    assert found.peak_db <= -1.0


def test_claps_far_above_the_speech_are_limited_and_the_speech_around_them_stays(tmp_path: Path) -> None:
    samples = scaled(speech(20, RATE)[0], -31.0)
    chance = Random(2)
    clean = array("h", samples)
    for second in range(1, 19, 3):
        for n in range(600):
            at = second * RATE + n
            samples[at] = max(-32_767, min(32_767, samples[at] + int(chance.gauss(0, 12_000) * math.exp(-n / 100))))
    effects = Effects(gain_db=15.0, lufs=-31.0)
    out = Rendered(processed(wav(tmp_path / "a.wav", samples, RATE, 1).read_bytes(), "wav", effects))
    assert out.loudness().peak_db <= -1.0
    plain = Rendered(processed(wav(tmp_path / "b.wav", clean, RATE, 1).read_bytes(), "wav", effects))
    for second in range(1, 18, 3):  # half a second after a clap nothing is left of it
        there = slice(round((second + 0.5) * RATE), (second + 2) * RATE)
        assert list(out.first[there]) == pytest.approx(list(plain.first[there]), abs=0.003)


def test_the_gain_moves_by_a_decibel_a_second_and_never_jumps(tmp_path: Path) -> None:
    tone = array("h", (round(3_000 * math.sin(2 * math.pi * 440 * n / RATE)) for n in range(12 * RATE)))
    audio = processed(wav(tmp_path / "a.wav", tone, RATE, 1).read_bytes(), "wav", Effects(gain_db=0.0))

    def change(made: int) -> None:
        if made > 2 * RATE * 4:
            audio.effects = Effects(gain_db=-6.0)

    out = Rendered(audio, change)
    step = RATE // 10
    levels = [20 * math.log10(max(out.first[at : at + step])) for at in range(0, len(out.first) - step, step)]
    steps = [after - before for before, after in pairwise(levels)]
    assert min(steps) > -0.35
    assert max(steps) < 0.05
    assert levels[-1] - levels[0] == pytest.approx(-6.0, abs=0.1)
    assert sum(step < -0.02 for step in steps) >= 40  # it took six seconds


@pytest.mark.parametrize("trim", [Trim.GENTLE, Trim.STRONG])
def test_every_word_is_whole_and_the_time_saved_is_what_the_pauses_allow(tmp_path: Path, trim: Trim) -> None:
    samples, said = speech(60, RATE)
    pauses = tuple((round(begin * 1000), round(end * 1000)) for begin, end in said)
    audio = processed(wav(tmp_path / "a.wav", samples, RATE, 1).read_bytes(), "wav", Effects(trim=trim, pauses=pauses))
    out = Rendered(audio)
    over, stays = (900, 400) if trim is Trim.GENTLE else (500, 200)
    allowed_s = sum(end - begin - stays for begin, end in pauses if end - begin > over) / 1000
    saved_s = len(samples) / RATE - out.seconds
    assert allowed_s > 4
    assert saved_s == pytest.approx(allowed_s, rel=0.1)
    heard = [round(one * 32_768) for one in out.first]
    edges = [0.0, *(moment for pause in said for moment in pause), len(samples) / RATE]
    for begin, end in zip(edges[::2], edges[1::2], strict=True):  # from one pause to the next, and 0.1 s around it
        first, last = max(0, round((begin - 0.09) * RATE)), round(min(end + 0.09, len(samples) / RATE) * RATE)
        at_ms = next(ms for ms in range(round(out.seconds * 1000)) if audio.position_after(ms) >= first * 1000 / RATE)
        at = round((at_ms - (audio.position_after(at_ms) - first * 1000 / RATE)) * RATE / 1000)
        assert heard[at : at + last - first] == list(samples[first:last])
    steps = [abs(after - before) for before, after in pairwise(heard)]
    assert max(steps) <= max(abs(after - before) for before, after in pairwise(samples))  # no clicks


def test_pauses_that_become_known_while_it_plays_are_trimmed_from_there_on(tmp_path: Path) -> None:
    samples = array("h", bytes(2 * RATE * 30))
    audio = processed(wav(tmp_path / "a.wav", samples, RATE, 1).read_bytes(), "wav", Effects(trim=Trim.STRONG))

    def learn(made: int) -> None:
        if made > 10 * RATE * 4:
            audio.effects = Effects(trim=Trim.STRONG, pauses=((2_000, 4_000), (9_000, 15_000), (20_000, 22_000)))

    out = Rendered(audio, learn)
    assert out.seconds == pytest.approx(30 - 1.8 - 4.5, abs=0.7)  # what is left of the second pause, and the third
    assert audio.position_after(out.seconds * 1000) == pytest.approx(30_000, abs=20)


@pytest.mark.parametrize(("boost", "left"), [(Boost.GENTLE, 0.75), (Boost.STRONG, 0.5)])
def test_a_boost_brings_a_soft_voice_closer_to_a_loud_one_and_stays_as_loud(
    tmp_path: Path, boost: Boost, left: float
) -> None:
    words = scaled(speech(10, RATE)[0], -28.0)
    soft, loud = words, array("h", (max(-32_767, min(32_767, 5 * one)) for one in words))
    data = wav(tmp_path / "a.wav", soft + loud, RATE, 1).read_bytes()
    both = loudness(array("f", (one / 32_768 for one in soft + loud)), RATE, 1).lufs
    assert both is not None
    plain = Rendered(processed(data, "wav", Effects(gain_db=LEVEL - both, lufs=both)))
    boosted = Rendered(processed(data, "wav", Effects(gain_db=LEVEL - both, lufs=both, boost=boost)))
    assert boosted.loudness().lufs == pytest.approx(plain.loudness().lufs, abs=2.0)
    assert apart(boosted) < left * apart(plain)
    assert boosted.loudness().peak_db <= -1.0


def apart(out: Rendered) -> float:
    """By how many LU the second half is louder than the first."""
    soft, loud = out.loudness(to_s=out.seconds / 2).lufs, out.loudness(from_s=out.seconds / 2).lufs
    assert soft is not None
    assert loud is not None
    return loud - soft


def test_a_loudness_that_becomes_known_while_it_plays_moves_a_boosted_episode_to_the_level(tmp_path: Path) -> None:
    """First as loud as it is, then known and moved, without being louder than the level in between."""
    phrase = speech(4, RATE)[0][: 4 * RATE]
    data = wav(tmp_path / "a.wav", scaled(phrase * 15, -30.0), RATE, 1).read_bytes()
    audio = processed(data, "wav", Effects(gain_db=0.0, boost=Boost.STRONG))

    def learn(made: int) -> None:
        if made > 8 * RATE * 4:
            audio.effects = Effects(gain_db=14.0, boost=Boost.STRONG, lufs=-30.0)

    out = Rendered(audio, learn)
    known = Rendered(processed(data, "wav", Effects(gain_db=14.0, boost=Boost.STRONG, lufs=-30.0))).loudness().lufs
    assert known is not None
    levels = [found for at in range(0, 56, 4) if (found := out.loudness(at, at + 4).lufs) is not None]
    assert levels[-1] == pytest.approx(known, abs=0.5)
    assert max(levels) < known + 1.0
    assert max(abs(after - before) for before, after in pairwise(levels)) < 4.5


def test_an_effect_that_is_switched_while_it_plays_leaves_no_gap_and_no_click(tmp_path: Path) -> None:
    tone = array("h", (round(6_000 * math.sin(2 * math.pi * 300 * n / RATE)) for n in range(10 * RATE)))
    audio = processed(wav(tmp_path / "a.wav", tone, RATE, 1).read_bytes(), "wav", Effects(gain_db=0.0))

    def switch(made: int) -> None:
        second = made // (4 * RATE)
        audio.effects = Effects(gain_db=0.0, boost=Boost.STRONG if second % 2 else Boost.OFF)

    out = Rendered(audio, switch)
    assert len(out.first) == len(tone)
    steps = [abs(after - before) for before, after in pairwise(out.first)]
    assert max(steps) < 0.2  # a 300 Hz tone at the limit moves by 0.093 from a sample to the next
    loud = [max(map(abs, out.first[at : at + 160])) for at in range(0, len(out.first) - 160, 160)]
    assert min(loud) > 0.1


def test_mono_plays_both_channels_on_both_sides(tmp_path: Path) -> None:
    samples = array("h")
    for n in range(2 * RATE):
        samples.extend((round(9_000 * math.sin(n / 5)), round(9_000 * math.sin(n / 11))))
    data = wav(tmp_path / "a.wav", samples, RATE, 2).read_bytes()
    out = Rendered(processed(data, "wav", Effects(mono=True)))
    left, right = out.all[::2], out.all[1::2]
    assert left == right
    mixed = [(one + other) / 65_536 for one, other in zip(samples[::2], samples[1::2], strict=True)]
    assert list(left) == pytest.approx(mixed, abs=1e-4)


@pytest.mark.parametrize("suffix", ["m4a", "opus", "wav"])
def test_from_anywhere_the_position_is_that_of_what_comes_out(tmp_path: Path, suffix: str) -> None:
    """The tone begins at 10 s and ends at 20 s."""
    data = make(tmp_path / f"a.{suffix}", 30).read_bytes()
    form = {"m4a": "mp4", "opus": "ogg"}.get(suffix, suffix)
    for from_ms in (0, 8_000, 15_500):
        audio = processed(data, form, Effects(gain_db=0.0), from_ms)
        out = Rendered(audio)
        loud = [at for at, one in enumerate(out.first) if abs(one) > 0.3]
        begins, ends = (audio.position_after(at * 1000 / out.rate) for at in (loud[0], loud[-1]))
        assert begins == pytest.approx(max(10_000, from_ms), abs=60)
        assert ends == pytest.approx(20_000, abs=60)


def test_damage_costs_only_what_is_damaged(tmp_path: Path) -> None:
    data = bytearray(make(tmp_path / "a.mp3", 30).read_bytes())
    middle = len(data) // 2
    data[middle : middle + 3_000] = b"\xff" * 3_000
    out = Rendered(processed(bytes(data), "mp3", Effects(gain_db=0.0)))
    assert out.seconds == pytest.approx(30, abs=0.6)
    assert max(out.first[int(17 * out.rate) : int(18 * out.rate)]) > 0.3


@pytest.mark.parametrize("data", [b"", b"nothing that can be heard" * 1_000])
def test_what_is_no_audio_is_a_failure_with_a_sentence(data: bytes) -> None:
    with pytest.raises(MediaError, match="can't be decoded"):
        Rendered(processed(data, "mp3", Effects(gain_db=0.0)))


def test_what_reading_raises_is_raised(tmp_path: Path) -> None:
    class Lost(Bytes):
        def read(self, offset: int, count: int, given_up: object) -> bytes:
            if offset > 20_000:
                raise MediaError("The network is gone")
            return super().read(offset, count, lambda: bool(given_up))

    from functools import partial

    from player.playback.effects.decoder import decoded

    data = make(tmp_path / "a.mp3", 30).read_bytes()
    decode = partial(decoded, size=None, form="mp3", start_ms=0.0, counted=True)
    audio = ProcessedAudio(Lost(data), 0, decode, 0.0, Effects(gain_db=0.0))
    with pytest.raises(MediaError, match="network is gone"):
        Rendered(audio)
