"""A program that transcribes audio whose pitch tells its place (`pitch.py`): `python tells_seconds.py AUDIO OUT` writes
OUT.json, in which each second is a word, with the moment at which it begins, and five of them are a line."""

import json
import sys
import wave
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np

_BASE, _SLOPE, _BELOW_HZ = 300.0, 20.0, 2_500.0
_WINDOW_S = 0.2


def said(path: Path) -> list[tuple[int, float]]:
    """The seconds, each with where it begins in the file."""
    with wave.open(str(path)) as file:
        rate, samples = file.getframerate(), np.frombuffer(file.readframes(file.getnframes()), np.int16)
    count = int(_WINDOW_S * rate)
    found = []
    for start in range(0, len(samples) - count, rate):
        power = np.abs(np.fft.rfft(samples[start : start + count] * np.hanning(count), 1 << 17))
        hertz = int(power[: int(_BELOW_HZ * (1 << 17) / rate)].argmax()) * rate / (1 << 17)
        place, at = (hertz - _BASE) / _SLOPE, start / rate + _WINDOW_S / 2
        found.append((ceil(place), at + ceil(place) - place))
    return found


def line(words: list[tuple[int, float]]) -> dict[str, Any]:
    text = " ".join(f"second{number}" for number, _at in words)
    timed = [{"word": f"second{number}", "start": at} for number, at in words]
    return {"start": words[0][1], "end": words[-1][1] + 1, "text": text, "words": timed}


if __name__ == "__main__":
    seconds = said(Path(sys.argv[1]))
    lines = [line(seconds[first : first + 5]) for first in range(0, len(seconds), 5)]
    Path(f"{sys.argv[2]}.json").write_text(json.dumps({"language": "en", "segments": lines}))
