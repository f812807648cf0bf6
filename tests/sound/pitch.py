"""Audio whose pitch tells its place: at second s it sounds at 300 + 20 s Hz. An FFT of what is heard reads it back.

libvlc bends the pitch by some percent while it makes up for lost time; a soft tone of 5 kHz tells by how much.
"""

import math
import tempfile
from dataclasses import dataclass
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

import av
import numpy as np
import numpy.typing as npt

from tests.sound.sound_server import RATE, Recording

_BASE, _SLOPE = 300.0, 20.0
_PILOT, _MOST_BENT, _PILOT_PART = 5_000.0, 0.12, 0.05
_SOURCE_RATE = 24_000
HOP_S = 0.02
"""From one reading to the next."""
_WINDOW, _HOP, _FFT = int(0.1 * RATE), int(HOP_S * RATE), 1 << 15
_SILENCE = 1e-3

_ENCODERS: dict[str, tuple[str, str, dict[str, str], dict[str, str]]] = {
    "mp3": ("mp3", "libmp3lame", {"b": "64000"}, {}),
    "mp3 vbr": ("mp3", "libmp3lame", {"flags": "+qscale", "global_quality": str(4 * 118)}, {}),
    "mp3 vbr without xing": (
        "mp3", "libmp3lame", {"flags": "+qscale", "global_quality": str(4 * 118)}, {"write_xing": "0"},
    ),
    "m4a": ("mp4", "aac", {"b": "64000"}, {}),
    "m4a index in front": ("mp4", "aac", {"b": "64000"}, {"movflags": "faststart"}),
    "aac": ("adts", "aac", {"b": "64000"}, {}),
    "opus": ("ogg", "libopus", {"b": "32000"}, {}),
    "vorbis": ("ogg", "vorbis", {"strict": "experimental"}, {}),
    "flac": ("flac", "flac", {}, {}),
    "wav": ("wav", "pcm_s16le", {}, {}),
    "ogg flac": ("ogg", "flac", {}, {}),
    "webm": ("webm", "libopus", {"b": "64000"}, {"cues_to_front": "1"}),
    "m4a in fragments": ("mp4", "aac", {"b": "64000"}, {"movflags": "dash+delay_moov", "frag_duration": "5000000"}),
}  # fmt: skip
OF_VIDEOS = ("webm", "m4a in fragments")
"""What the sound of videos is in."""
FORMATS = tuple(kind for kind in _ENCODERS if kind not in ("m4a index in front", "vorbis", "ogg flac", *OF_VIDEOS))
_STEREO_ONLY = ("vorbis",)


@cache
def pitch_coded(kind: str, seconds: int = 60) -> bytes:
    """A whole file of a kind in FORMATS. Its first half carries noise, so that variable bit rates do vary."""
    return _encoded(_samples(seconds), *_ENCODERS[kind])


@cache
def chained(kind: str, *lengths: int) -> bytes:
    """The same sound in a file of several streams of those lengths in seconds, one after another."""
    samples, ends = _samples(sum(lengths)), np.cumsum(lengths) * _SOURCE_RATE
    return b"".join(_encoded(part, *_ENCODERS[kind]) for part in np.split(samples, ends[:-1]))


@cache
def _samples(seconds: int) -> npt.NDArray[np.int16]:
    at = np.arange(seconds * _SOURCE_RATE) / _SOURCE_RATE
    wave = 0.5 * np.sin(2 * np.pi * (_BASE * at + _SLOPE * at * at / 2))
    wave += 0.1 * np.sin(2 * np.pi * _PILOT * at)
    half = len(wave) // 2
    wave[:half] += 0.03 * np.random.default_rng(1).standard_normal(half)
    return (wave * 32767).astype(np.int16)


@cache
def tone(kind: str, hertz: float, seconds: int = 14) -> bytes:
    """A whole file of a kind in FORMATS: one soft tone, in a little noise."""
    container, codec, options, container_options = _ENCODERS[kind]
    count = seconds * _SOURCE_RATE
    wave = 0.1 * np.sin(2 * np.pi * hertz * np.arange(count) / _SOURCE_RATE)
    wave += 0.003 * np.random.default_rng(1).standard_normal(count)
    return _encoded((wave * 32767).astype(np.int16), container, codec, options, container_options)


def detuned(recording: Recording, hertz: float, since: float, until: float) -> list[float]:
    """By what part a `tone` of so many hertz was off, for each half second; others may sound beside it."""
    samples, first = recording.samples()
    samples = samples[max(0, int((since - first) * RATE)) : int((until - first) * RATE)]
    turned = samples * np.exp(-2j * np.pi * hertz * np.arange(len(samples)) / RATE)
    # Each point stands for 10 ms and is 5 ms after the last: how far the tone turns between them tells its pitch.
    step = RATE // 200
    points = np.lib.stride_tricks.sliding_window_view(turned, 2 * step)[::step] @ np.hanning(2 * step) / step
    assert np.median(np.abs(points)) > _SILENCE, "the tone isn't heard"
    off = np.angle(points[1:] * np.conj(points[:-1])) / (2 * np.pi * 0.005 * hertz)
    return [float(np.median(off[start : start + 100])) for start in range(0, len(off) - 99, 100)]


def _encoded(
    samples: npt.NDArray[np.int16], container: str, codec: str, options: dict[str, str], more: dict[str, str]
) -> bytes:
    # A file with a name: an index is put in front by reading the finished file anew.
    with tempfile.NamedTemporaryFile() as file:
        _write(file.name, samples, container, codec, options, more)
        return file.read()


def _write(
    path: str,
    samples: npt.NDArray[np.int16],
    container: str,
    codec: str,
    options: dict[str, str],
    more: dict[str, str],
) -> None:
    with av.open(path, "w", format=container, options=more) as output:
        layout = "stereo" if codec in _STEREO_ONLY else "mono"
        stream: Any = output.add_stream(codec, rate=_SOURCE_RATE, layout=layout, options=options)
        for start in range(0, len(samples), _SOURCE_RATE):
            piece = np.ascontiguousarray(samples[start : start + _SOURCE_RATE].reshape(1, -1))
            frame = av.AudioFrame.from_ndarray(piece, format="s16", layout="mono")
            frame.sample_rate, frame.pts = _SOURCE_RATE, start
            output.mux(stream.encode(frame))
        output.mux(stream.encode(None))


@dataclass(frozen=True)
class Heard:
    """A tenth of a second around `at` (time.monotonic). `position_s` is in seconds of the episode, None in silence."""

    at: float
    position_s: float | None
    loudness: float


def heard(recording: Recording, since: float = 0.0) -> list[Heard]:
    """What the sink gave after the moment `since`, fifty times a second. What was read before isn't read again."""
    samples, first = recording.samples()
    known = _READ.setdefault(recording, {})
    skipped = max(0, math.ceil((since - first) * RATE / _HOP)) * _HOP
    found = []
    for start in range(skipped, len(samples) - _WINDOW, _HOP):
        if start not in known:
            known[start] = _position_and_loudness(samples[start : start + _WINDOW])
        found.append(Heard(first + (start + _WINDOW / 2) / RATE, *known[start]))
    return found


_READ: WeakKeyDictionary[Recording, dict[int, tuple[float | None, float]]] = WeakKeyDictionary()
"""By the number of the first sample."""
_SHAPE = np.hanning(_WINDOW)


def _position_and_loudness(piece: npt.NDArray[np.float64]) -> tuple[float | None, float]:
    loudness = float(np.sqrt(np.mean(piece**2)))
    return (_position_s(piece * _SHAPE) if loudness > _SILENCE else None), loudness


def heard_at(all_heard: list[Heard], moment: float) -> Heard:
    return min(all_heard, key=lambda one: abs(one.at - moment))


def steady(all_heard: list[Heard]) -> list[Heard]:
    """Without silence, and without the windows where sound begins or ends, whose pitch can't be read."""
    return [
        one
        for before, one, after in zip(all_heard[4:], all_heard[8:], all_heard[12:], strict=False)
        if None not in (before.position_s, one.position_s, after.position_s)
        and min(before.loudness, one.loudness, after.loudness) > 0.7 * max(before.loudness, after.loudness)
    ]


def _position_s(piece: npt.NDArray[np.float64]) -> float:
    spectrum = np.abs(np.fft.rfft(piece, _FFT))
    tone, strength = _peak(spectrum, 30, _PILOT * (1 - _MOST_BENT))
    pilot, pilot_strength = _peak(spectrum, _PILOT * (1 - _MOST_BENT), _PILOT * (1 + _MOST_BENT))
    bent = pilot / _PILOT if pilot_strength > _PILOT_PART * strength else 1.0
    return (tone / bent - _BASE) / _SLOPE


def _peak(spectrum: npt.NDArray[np.float64], low: float, high: float) -> tuple[float, float]:
    """The frequency of the strongest tone between the two, and its strength."""
    first, last = (int(edge * _FFT / RATE) for edge in (low, high))
    peak = int(np.argmax(spectrum[first:last])) + first
    left, middle, right = np.log(spectrum[peak - 1 : peak + 2] + 1e-12)
    bend = left - 2 * middle + right
    shift = 0.5 * (left - right) / bend if bend else 0.0
    return float((peak + shift) * RATE / _FFT), float(spectrum[peak])
