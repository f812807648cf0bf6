"""Audio that says a number every second, as a tone between silences, and an engine that understands it."""

import math
import tempfile
import threading
import wave
from array import array
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path

import av

from player.model.episode import SpokenWord, Transcript, TranscriptLine
from player.processes.threads import CancelToken

CODECS = {
    "mp3": ("libmp3lame", 44_100),
    "m4a": ("aac", 44_100),
    "opus": ("libopus", 48_000),
    "wav": ("pcm_s16le", 16_000),
}
_FIRST_HZ, _STEP_HZ = 400, 8
_TONE_S = 0.7
_BLOCK = 160
_LOUD = 2_000


def make(path: Path, seconds: int) -> Path:
    """The format is that of the suffix. A number is said from the start of its second on."""
    codec, rate = CODECS[path.suffix[1:]]
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=rate, layout="mono")
        assert isinstance(stream, av.AudioStream)
        for second in range(seconds):
            step = 2 * math.pi * (_FIRST_HZ + _STEP_HZ * second) / rate
            tone = array("h", (int(14_000 * math.sin(step * n)) for n in range(int(_TONE_S * rate))))
            frame = av.AudioFrame(format="s16", layout="mono", samples=rate)
            frame.planes[0].update(tone.tobytes() + bytes(2 * (rate - len(tone))))
            frame.sample_rate, frame.pts, frame.time_base = rate, second * rate, Fraction(1, rate)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


@cache
def talk(form: str, seconds: int) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return make(Path(folder) / f"talk.{form}", seconds).read_bytes()


def heard(path: Path) -> list[tuple[int, float, float]]:
    """The numbers that a WAV file says, each with its beginning and its end in seconds."""
    with wave.open(str(path)) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 16_000)
        samples = array("h", file.readframes(file.getnframes()))
    loud = [max(map(abs, samples[at : at + _BLOCK])) > _LOUD for at in range(0, len(samples), _BLOCK)]
    found: list[tuple[int, float, float]] = []
    begin = 0
    for at in range(1, len(loud) + 1):
        now, before = at < len(loud) and loud[at], loud[at - 1]
        if now and not before:
            begin = at
        elif before and not now and at - begin > 10:
            part = samples[(begin + 3) * _BLOCK : (at - 3) * _BLOCK]
            rises = [n for n in range(1, len(part)) if part[n - 1] < 0 <= part[n]]
            hz = 16_000 * (len(rises) - 1) / (rises[-1] - rises[0])
            found.append((round((hz - _FIRST_HZ) / _STEP_HZ), begin / 100, at / 100))
    return found


class Listener:
    """An engine that understands such audio. `pieces` are the numbers in each piece that it was given; `before` is
    called with the token of each piece before it is understood."""

    name = "listener"
    longest_ms = 600_000

    def __init__(self, before: Callable[[CancelToken], None] = lambda _cancel: None) -> None:
        self.pieces: list[list[int]] = []
        self.lengths_ms: list[int] = []
        self.before = before
        self.closed = threading.Event()

    def transcribe(self, audio: Path, length_ms: int, cancel: CancelToken) -> Transcript:
        words = heard(audio)
        self.pieces.append([number for number, _start, _end in words])
        self.lengths_ms.append(length_ms)
        self.before(cancel)
        return Transcript(tuple(_line(*word) for word in words), "en")

    def close(self) -> None:
        self.closed.set()


def _line(number: int, start_s: float, end_s: float) -> TranscriptLine:
    start_ms = round(1000 * start_s)
    return TranscriptLine(f"Number {number}.", start_ms, round(1000 * end_s), "", (SpokenWord(0, start_ms),))
