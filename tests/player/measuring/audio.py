"""Audio files of silence, a tone and silence, each a third of them."""

import math
import struct
from array import array
from fractions import Fraction
from pathlib import Path
from random import Random

import av
import msgspec

CODECS = {
    "mp3": ("libmp3lame", 44_100),
    "m4a": ("aac", 44_100),
    "opus": ("libopus", 48_000),
    "wav": ("pcm_s16le", 8_000),
}


def make(path: Path, seconds: int) -> Path:
    """The format is that of the suffix."""
    codec, rate = CODECS[path.suffix[1:]]
    silence = bytes(2 * rate)
    sound = array("h", (int(20_000 * math.sin(2 * math.pi * 440 * n / rate)) for n in range(rate))).tobytes()
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=rate, layout="mono")
        assert isinstance(stream, av.AudioStream)
        for second in range(seconds):
            frame = av.AudioFrame(format="s16", layout="mono", samples=rate)
            loud = seconds // 3 <= second < 2 * seconds // 3
            frame.planes[0].update(sound if loud else silence)
            frame.sample_rate, frame.pts, frame.time_base = rate, second * rate, Fraction(1, rate)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def wav(path: Path, samples: "array[int]", rate: int, channels: int) -> Path:
    """16 bits."""
    data = samples.tobytes()
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, channels, rate, 2 * channels * rate, 2 * channels, 16)
    head = b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVE" + form + b"data" + struct.pack("<I", len(data))
    path.write_bytes(head + data)
    return path


def speech(
    seconds: float, rate: int, noise: float = 0.0005, seed: int = 1
) -> "tuple[array[int], list[tuple[float, float]]]":
    """Something like speech, and its pauses from 0.6 s on as (from, to) in seconds: words of a voice with overtones
    and of hissing, soft and loud, between which it isn't quite silent."""
    chance = Random(seed)
    samples, pauses = array("h"), []
    while len(samples) < seconds * rate:
        for _ in range(chance.randint(3, 9)):
            loud, pitch, hisses = chance.choice((0.04, 0.15, 0.3)), chance.uniform(90, 220), chance.random() < 0.3
            count = int(chance.uniform(0.15, 0.4) * rate)
            for n in range(count):
                shape = math.sin(math.pi * n / count) ** 0.5
                voice = sum(math.sin(2 * math.pi * pitch * k * n / rate) / k for k in (1, 2, 3, 5, 8)) / 2
                wave = chance.gauss(0, 0.4) if hisses else voice
                samples.append(max(-32_767, min(32_767, int(32_767 * (loud * shape * wave + chance.gauss(0, noise))))))
            end = len(samples) / rate
            samples.extend(int(32_767 * chance.gauss(0, noise)) for _ in range(int(chance.uniform(0.02, 0.1) * rate)))
        length = chance.choice((0.2, 0.35, 0.7, 1.2, 2.5))
        samples.extend(int(32_767 * chance.gauss(0, noise)) for _ in range(int(length * rate)))
        if length >= 0.6:
            pauses.append((end, len(samples) / rate))
    return samples, pauses


def mp3(path: Path, samples: "array[int]", rate: int, bit_rate: int) -> Path:
    """One channel."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libmp3lame", rate=rate, layout="mono")
        assert isinstance(stream, av.AudioStream)
        stream.bit_rate = bit_rate
        frame = av.AudioFrame(format="s16", layout="mono", samples=len(samples))
        frame.planes[0].update(samples.tobytes())
        frame.sample_rate, frame.pts, frame.time_base = rate, 0, Fraction(1, rate)
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def packed(**results: object) -> dict[str, msgspec.Raw]:
    """The results for a piece by the names of their measurements, as they are kept."""
    return {name: msgspec.Raw(msgspec.msgpack.encode(result)) for name, result in results.items()}
