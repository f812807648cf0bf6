"""Audio files of silence, a tone and silence, each a third of them."""

import math
from array import array
from fractions import Fraction
from pathlib import Path

import av

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
