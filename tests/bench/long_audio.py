"""Hours of audio that tell their place: a tone for the second within its block, one for the block, and a pilot.

At second s it sounds at 300 + 20 (s mod 200) Hz and, softer, at 5200 + 80 (s // 200) Hz and 4850 Hz. libvlc bends the
pitch by up to some percent while it makes up for lost time: the pilot tells by how much.
"""

from pathlib import Path
from typing import Any

import av
import numpy as np
import numpy.typing as npt

from tests.sound.sound_server import RATE, Recording

_BASE, _SLOPE, _BLOCK_S = 300.0, 20.0, 200
_BLOCK_BASE, _BLOCK_STEP = 5_200.0, 80.0
_PILOT, _MOST_BENT = 4_850.0, 0.03
_SOURCE_RATE = 24_000
_CHUNK_S = 10
_FFT = 1 << 15
_SILENCE = 0.01
_ONSET_S, _LASTING_S = 0.005, 0.1
_EDGE_S = 0.3
_NOISY_PART = 0.4
"""So much of the episode is noisy: variable bit rates give it half again as many bytes as the rest."""


def write_long_mp3(path: Path, seconds: int) -> None:
    """A VBR MP3 with a Xing header, unless it is there already."""
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    noise = 0.05 * np.random.default_rng(1).standard_normal(_CHUNK_S * _SOURCE_RATE)
    options = {"flags": "+qscale", "global_quality": str(4 * 118)}
    with av.open(str(unfinished), "w", format="mp3") as output:
        stream: Any = output.add_stream("libmp3lame", rate=_SOURCE_RATE, layout="mono", options=options)
        for start in range(0, seconds, _CHUNK_S):
            wave = _tones(start)
            if start < seconds * _NOISY_PART:
                wave += noise
            frame = av.AudioFrame.from_ndarray((wave * 32767).astype(np.int16).reshape(1, -1), "s16", "mono")
            frame.sample_rate, frame.pts = _SOURCE_RATE, start * _SOURCE_RATE
            output.mux(stream.encode(frame))
        output.mux(stream.encode(None))
    unfinished.rename(path)


def onset_after(recording: Recording, moment: float) -> float | None:
    """When sound that lasts began after `moment` (time.monotonic); None: not so far."""
    samples, first = recording.samples()
    step = int(_ONSET_S * RATE)
    start = max(0, int((moment - first) * RATE))
    pieces = samples[start : start + (len(samples) - start) // step * step].reshape(-1, step)
    loud = np.sqrt(np.mean(pieces**2, axis=1)) > _SILENCE
    lasting = round(_LASTING_S / _ONSET_S)
    if len(loud) < lasting:
        return None
    runs = np.flatnonzero(np.convolve(loud, np.ones(lasting), "valid") >= lasting)
    return first + (start + int(runs[0]) * step) / RATE if len(runs) else None


def position_at(recording: Recording, moment: float, window_s: float = 0.1) -> float | None:
    """The second of the episode that was heard in the window around `moment`; None in silence."""
    samples, first = recording.samples()
    # Where one block ends and the next begins, the window holds some of each: a little later it tells.
    for later_s in (0.0, 0.7):
        second = _second(samples, int((moment + later_s - first - window_s / 2) * RATE), int(window_s * RATE))
        if second is not None and _EDGE_S < second % _BLOCK_S < _BLOCK_S - _EDGE_S:
            return second - later_s
    return second


def first_place_beyond(
    recording: Recording, moment: float, least_s: float, most_s: float, window_s: float = 0.04
) -> tuple[float, float] | None:
    """The first (moment, second of the episode) after `moment` whose place lies between the two."""
    samples, first = recording.samples()
    window, step = int(window_s * RATE), int(0.005 * RATE)
    for start in range(max(0, int((moment - first) * RATE)), len(samples) - window, step):
        second = _second(samples, start, window)
        if second is not None and least_s <= second <= most_s:
            return first + (start + window / 2) / RATE, second
    return None


def _tones(start: int) -> npt.NDArray[np.float64]:
    at = start % _BLOCK_S + np.arange(_CHUNK_S * _SOURCE_RATE) / _SOURCE_RATE
    block = _BLOCK_BASE + _BLOCK_STEP * (start // _BLOCK_S)
    fine: npt.NDArray[np.float64] = 0.4 * np.sin(2 * np.pi * (_BASE * at + _SLOPE * at * at / 2))
    return fine + 0.15 * np.sin(2 * np.pi * block * at) + 0.15 * np.sin(2 * np.pi * _PILOT * at)


def _second(samples: npt.NDArray[np.float64], start: int, window: int) -> float | None:
    piece = samples[max(0, start) : max(0, start) + window]
    if len(piece) < window or float(np.sqrt(np.mean(piece**2))) < _SILENCE:
        return None
    spectrum = np.abs(np.fft.rfft(piece * np.hanning(window), _FFT))
    bent = _peak(spectrum, _PILOT * (1 - _MOST_BENT), _PILOT * (1 + _MOST_BENT)) / _PILOT
    if not 1 - _MOST_BENT < bent < 1 + _MOST_BENT:
        return None
    fine = (_peak(spectrum, 250, 4_600) / bent - _BASE) / _SLOPE
    block = max(0, round((_peak(spectrum, 5_100 * bent, 8_500) / bent - _BLOCK_BASE) / _BLOCK_STEP))
    return block * _BLOCK_S + fine


def _peak(spectrum: npt.NDArray[np.float64], low: float, high: float) -> float:
    first, last = max(1, int(low * _FFT / RATE)), int(high * _FFT / RATE)
    peak = int(np.argmax(spectrum[first:last])) + first
    left, middle, right = np.log(spectrum[peak - 1 : peak + 2] + 1e-12)
    bend = left - 2 * middle + right
    return float((peak + (0.5 * (left - right) / bend if bend else 0.0)) * RATE / _FFT)
