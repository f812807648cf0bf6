"""What a decoder that knows nothing of Earmark makes of a clip, and where that is in the episode."""

import io
import math
import time
import wave
from functools import cache
from pathlib import Path
from typing import Any

import av
import numpy as np
import numpy.typing as npt

from player.clips.cutting import Cut, Wanted, cut
from player.measuring.measurement import Audio

RATE = 24_000
Samples = npt.NDArray[np.float64]


def clipped(data: bytes, wanted: Wanted, path: Path) -> Cut:
    return cut(Audio(b"", (), len(data), data), wanted, bytes(path))


def decoded(file: bytes | Path) -> Samples:
    """All of it, with one channel."""
    with av.open(str(file) if isinstance(file, Path) else io.BytesIO(file)) as container:
        assert isinstance(container, av.container.InputContainer)
        resampler = av.AudioResampler("flt", "mono", RATE)
        frames = [*container.decode(audio=0), None]
        made = [one.to_ndarray().reshape(-1) for frame in frames for one in resampler.resample(frame)]
    return np.concatenate(made).astype(np.float64)


def samples_of(path: Path) -> int:
    """At the file's own rate."""
    with av.open(str(path)) as container:
        return sum(frame.samples for frame in container.decode(audio=0))


def heard_by_libvlc(path: Path) -> tuple[int, Samples]:
    """The length in ms, and the sound, as libvlc writes it into a file."""
    import vlc

    out = path.with_suffix(".heard.wav")
    instance: Any = vlc.Instance("--quiet", "--no-video", "--aout=dummy")
    media = instance.media_new_path(str(path))
    media.add_option(
        f":sout=#transcode{{acodec=s16l,channels=1,samplerate={RATE}}}:std{{access=file,mux=wav,dst={out}}}"
    )
    player = instance.media_player_new()
    player.set_media(media)
    player.play()
    end = time.monotonic() + 30
    while player.get_state() not in (vlc.State.Ended, vlc.State.Error):
        assert time.monotonic() < end, "libvlc doesn't come to the end"
        time.sleep(0.005)
    length = player.get_length()
    player.stop()
    player.release()
    media.release()
    instance.release()
    with wave.open(str(out)) as file:
        return length, np.frombuffer(file.readframes(file.getnframes()), np.int16) / 32768


def place_ms(clip: Samples, episode: Samples, at_ms: float, from_ms: float = 0.0, length_ms: float = 200.0) -> float:
    """Where in the episode the sound is that begins at `from_ms` of a clip; looked for within 0.3 s of `at_ms`."""
    first = round(from_ms * RATE / 1000)
    piece = clip[first : first + round(length_ms * RATE / 1000)]
    margin = round(0.3 * RATE)
    begin = round(at_ms * RATE / 1000) - margin
    around = np.concatenate([np.zeros(max(0, -begin)), episode[max(0, begin) : begin + len(piece) + 2 * margin]])
    loudness = np.sqrt(np.convolve(around**2, np.ones(len(piece)), "valid") + 1e-9)
    likeness = np.correlate(around, piece, "valid") / loudness / (math.sqrt(float((piece**2).sum())) + 1e-9)
    best = int(likeness.argmax())
    assert likeness[best] > 0.9, "it is nothing that is in the episode there"
    return (begin + best) * 1000 / RATE


@cache
def encoded(container: str, codec: str, rate: int, layout: str, bits: int, seconds: int = 20) -> bytes:
    """A tone that climbs, in noise."""
    at = np.arange(seconds * rate) / rate
    wave_ = 0.4 * np.sin(2 * np.pi * (300 * at + 20 * at * at)) + 0.03 * np.random.default_rng(1).standard_normal(
        len(at)
    )
    data = io.BytesIO()
    with av.open(data, "w", format=container) as out:
        stream: Any = out.add_stream(codec, rate=rate, layout=layout, options={"b": str(bits)})
        for start in range(0, len(wave_), rate):
            piece = (wave_[start : start + rate] * 32767).astype(np.int16).reshape(1, -1)
            frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(piece), format="s16", layout="mono")
            frame.sample_rate, frame.pts = rate, start
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    return data.getvalue()
