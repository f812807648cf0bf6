"""Episodes made by code: speech over music and noise, with insertions at known places, in any format and quality."""

import os
import shutil
import subprocess
from array import array
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import av
import numpy as np
from numpy.typing import NDArray

from player.measuring.decoding import measure
from player.measuring.kinds import fingerprint, waveform
from player.measuring.measurement import Audio, Record, StoredMeasurements
from player.measuring.sound import LEVEL_MS, VALUE_MS, Sound, in_file_order, sound_of
from player.media.available import key_of, version_of_data
from player.model.episode import Episode
from player.model.podcast import WELCOME_URL
from player.welcome import resource
from tests.player.measuring.audio import packed

RATE = 22_050
CODECS = {".mp3": "libmp3lame", ".m4a": "aac", ".opus": "libopus", ".wav": "pcm_s16le"}
FORMS = ((".mp3", 48), (".mp3", 128), (".m4a", 64), (".opus", 48), (".mp3", 192), (".m4a", 128), (".opus", 96))
_WORDS = Path(__file__).read_text(encoding="utf-8").split() + Path(av.__file__).read_text(encoding="utf-8").split()

Wave = NDArray[np.float32]


class Kept(NamedTuple):
    """From `first` to `last` of the old version, `by` later in the new one; in seconds."""

    first: float
    last: float
    by: float


def talk(seed: str, seconds: float) -> Wave:
    """Speech, if it can be had real speech, mostly with music or noise under it."""
    chance = _chance(seed)
    count = int(seconds * RATE)
    said = _said(seed, count) if shutil.which("espeak-ng") else _voice(chance, count)
    loud = float(np.sqrt(np.mean(said**2)))
    if chance.random() < 0.5:
        said = said + _at(_music(chance, count), loud * 10 ** (-chance.uniform(8, 22) / 20))
    if chance.random() < 0.7:
        hiss = np.convolve(chance.standard_normal(count), np.ones(8) / 8, "same")
        said = said + _at(hiss, loud * 10 ** (-chance.uniform(18, 40) / 20))
    return np.asarray(said, np.float32)


def versions(seed: str, seconds: int, most: int = 6, longest: int = 120) -> tuple[Wave, Wave, list[Kept]]:
    """Two versions of an episode of so many seconds, with up to `most` insertions of 10 to `longest` s each, and what
    is kept between them."""
    chance = _chance(seed)
    told = talk(seed, seconds)
    used: list[float] = []
    old, old_cuts = _inserted(chance, told, "old", int(chance.integers(0, most // 2 + 1)), used, longest)
    new, new_cuts = _inserted(chance, told, "new", int(chance.integers(0, most + 1)), used, longest)
    edges = sorted({0.0, seconds, *(at for at, _ in old_cuts), *(at for at, _ in new_cuts)})
    kept: list[Kept] = []
    for first, last in pairwise(edges):
        before = sum(length for at, length in old_cuts if at <= first)
        by = sum(length for at, length in new_cuts if at <= first) - before
        if kept and kept[-1].by == by and kept[-1].last == first + before:
            kept[-1] = Kept(kept[-1].first, last + before, by)
        else:
            kept.append(Kept(first + before, last + before, by))
    return old, new, kept


def _inserted(
    chance: np.random.Generator, told: Wave, kind: str, number: int, used: list[float], longest: int
) -> tuple[Wave, list[tuple[float, float]]]:
    """With insertions, half of them in a pause; and where they are, with their lengths. Different places are 12 s apart
    at least."""
    seconds = len(told) / RATE
    places: list[float] = []
    for _ in range(number):
        for _try in range(50):
            at = float(chance.choice([0, seconds])) if chance.random() < 0.15 else chance.uniform(10, seconds - 10)
            if 0 < at < seconds and chance.random() < 0.5:
                near = np.abs(told[int((at - 0.5) * RATE) : int((at + 0.5) * RATE)])
                at += int(np.convolve(near, np.ones(RATE // 10), "same").argmin()) / RATE - 0.5
            if all(abs(at - other) > 12 or at == other for other in [*used, *places]):
                places.append(at)
                break
    used += places
    pieces: list[Wave] = []
    cuts, before = [], 0
    for at in sorted(places):
        advertisement = _advertisement(f"{kind} {chance.integers(0, 12)}", longest)
        pieces += [told[before : int(at * RATE)], advertisement]
        before = int(at * RATE)
        cuts.append((before / RATE, len(advertisement) / RATE))
    return np.concatenate([*pieces, told[before:]]), cuts


@cache
def _advertisement(seed: str, longest: int) -> Wave:
    chance = _chance(seed)
    return talk(seed, float(chance.uniform(10, longest)))


def encoded(path: Path, wave: Wave, bit_rate: int = 64, *, stereo: bool = False, rate: int = 44_100) -> Path:
    """The format is that of the suffix, the bit rate in kbit/s."""
    layout, rate = ("stereo" if stereo else "mono"), (48_000 if path.suffix == ".opus" else rate)
    data = np.clip(wave * (0.8 / max(0.3, float(np.abs(wave).max()))), -1, 1)
    with av.open(str(path), "w") as container:
        stream = container.add_stream(CODECS[path.suffix], rate=rate, layout=layout)
        assert isinstance(stream, av.AudioStream)
        stream.bit_rate = 1000 * bit_rate
        resampler = av.AudioResampler(stream.codec_context.format, layout, rate)
        for at in range(0, len(data), 10 * RATE):
            some = (data[at : at + 10 * RATE] * 32_767).astype("<i2")
            frame = av.AudioFrame(format="s16", layout="mono", samples=len(some))
            frame.planes[0].update(some.tobytes())
            frame.sample_rate, frame.pts, frame.time_base = RATE, at, Fraction(1, RATE)
            for made in resampler.resample(frame):
                container.mux(stream.encode(made))
        for made in resampler.resample(None):
            container.mux(stream.encode(made))
        container.mux(stream.encode(None))
    return path


def sound(path: Path, version: str = "") -> Sound:
    """As an episode of these bytes is measured."""
    size = path.stat().st_size
    audio, ended = Audio(os.fsencode(path), ((0, size),), size), False
    pieces: list[dict[str, object]] = []
    while not ended:
        some, ended = measure(audio, [fingerprint.MEASUREMENT, waveform.MEASUREMENT], len(pieces), 4)
        pieces += some
    found = sound_of(Record(version or path.name, {at: packed(**one) for at, one in enumerate(pieces)}, ended=True))
    assert found is not None
    return found


def both(seed: str, seconds: int, folder: Path, longest: int) -> tuple[Sound, Sound, list[Kept]]:
    """Two versions of an episode in formats of their own."""
    chance = _chance(seed)
    old, new, kept = versions(seed, seconds, longest=longest)
    sounds = []
    for name, wave in (("old", old), ("new", new)):
        suffix, bit_rate = FORMS[int(chance.integers(0, len(FORMS)))]
        path = encoded(folder / f"{name}{suffix}", wave, bit_rate, stereo=bool(chance.random() < 0.5))
        sounds.append(sound(path))
        path.unlink()
    return sounds[0], sounds[1], kept


def made_up(seed: int, count: int) -> Sound:
    """Values and levels that mean nothing, and are like no others."""
    chance = np.random.default_rng(seed)
    values = array("I", chance.integers(0, 2**32, count, np.uint32).tobytes())
    duration_ms = round(count * VALUE_MS)
    return Sound(str(seed), duration_ms, values, chance.integers(10, 250, duration_ms // LEVEL_MS, np.uint8).tobytes())


def _chance(seed: str) -> np.random.Generator:
    return np.random.default_rng(list(seed.encode()))


def _at(wave: NDArray[np.float64], loud: float) -> NDArray[np.float64]:
    return wave * (loud / float(np.sqrt(np.mean(wave**2)) + 1e-9))


def _said(seed: str, count: int) -> Wave:
    chance = _chance(seed)
    voice = str(chance.choice(["en", "en-us+f3", "en-gb+m3", "en+f4", "en-us+m7"]))
    words = " ".join(chance.choice(_WORDS, count * 4 // RATE + 20))
    command = ["espeak-ng", "-v", voice, "-s", str(chance.integers(140, 200)), "-p", str(chance.integers(35, 70)),
               "--stdout"]  # fmt: skip
    data = subprocess.run(command, input=words.encode(), capture_output=True, check=True).stdout
    wave = np.frombuffer(data[44 : 44 + (len(data) - 44) // 2 * 2], "<i2").astype(np.float32) / 32_768
    return (
        np.resize(wave, count) if len(wave) >= count else np.concatenate([wave, _said(f"{seed}.", count - len(wave))])
    )


def _voice(chance: np.random.Generator, count: int) -> NDArray[np.float64]:
    """Something like speech: syllables of a voice with changing overtones, and of hissing, and pauses."""
    wave = np.zeros(count)
    at = 0
    while at < count:
        length = min(int(chance.uniform(0.08, 0.35) * RATE), count - at)
        t = np.arange(length) / RATE
        pitch = chance.uniform(90, 220)
        tones = chance.uniform(0, 1, 24) * (1 / np.arange(1, 25)) ** chance.uniform(0.2, 1)
        voice = sum(tone * np.sin(2 * np.pi * pitch * (k + 1) * t) for k, tone in enumerate(tones))
        some = chance.standard_normal(length) if chance.random() < 0.25 else voice
        wave[at : at + length] = (
            some * np.sin(np.pi * np.arange(length) / length) ** 0.5 * chance.choice([0.1, 0.3, 0.5])
        )
        at += length + int(chance.choice([0.02, 0.05, 0.1, 0.4, 1.0], p=[0.3, 0.3, 0.25, 0.1, 0.05]) * RATE)
    return wave


def _music(chance: np.random.Generator, count: int) -> NDArray[np.float64]:
    wave = np.zeros(count)
    base, beat = 110 * 2 ** (chance.integers(0, 12) / 12), chance.uniform(0.18, 0.5)
    at = 0
    while at < count:
        length = min(int(RATE * beat * chance.choice([1, 1, 2, 4])), count - at)
        t = np.arange(length) / RATE
        for _ in range(chance.integers(1, 4)):
            tone = base * 2 ** (chance.choice([0, 2, 4, 5, 7, 9, 11, 12, 14]) / 12) * chance.choice([1, 2, 4])
            wave[at : at + length] += np.sin(2 * np.pi * tone * t) * np.exp(-3 * t)
        at += length
    return wave


def with_inserted(sound: Sound, at_ms: int, other: Sound, version: str) -> Sound:
    """The sound with another one inserted into it."""
    value, level = round(at_ms / VALUE_MS), round(at_ms / LEVEL_MS)
    values = sound.values[:value] + other.values + sound.values[value:]
    levels = sound.levels[:level] + other.levels + sound.levels[level:]
    return Sound(version, sound.duration_ms + other.duration_ms, values, levels)


def keep(folder: Path, episode: Episode, sound: Sound) -> None:
    """Keeps the sound of less than five minutes in `folder` as what was measured of an episode that came with
    Earmark."""
    levels = bytes(level for level in sound.levels for _step in range(LEVEL_MS // waveform.STEP_MS))
    piece = packed(
        **{fingerprint.MEASUREMENT.name: in_file_order(sound.values).tobytes(), waveform.MEASUREMENT.name: levels}
    )
    version = version_of_data(resource(episode.url.removeprefix(f"{WELCOME_URL}/")))
    StoredMeasurements(folder).write(key_of(episode), Record(version, {0: piece}, ended=True))
