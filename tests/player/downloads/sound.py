"""Audio whose every second sounds different, in all formats that are tagged; and what a decoder makes of a file."""

import tempfile
from functools import cache
from pathlib import Path

import av
import numpy as np

SECONDS = 6
RATE = 48_000
KINDS = {
    "mp3": ("mp3", "libmp3lame", {"write_id3v1": "0", "id3v2_version": "0"}),
    "mp3 id3v2.3": ("mp3", "libmp3lame", {"id3v2_version": "3"}),
    "mp3 id3v2.4 id3v1": ("mp3", "libmp3lame", {"id3v2_version": "4", "write_id3v1": "1"}),
    "m4a": ("ipod", "aac", {}),
    "m4a index first": ("ipod", "aac", {"movflags": "faststart"}),
    "opus": ("ogg", "libopus", {}),
    "vorbis": ("ogg", "vorbis", {}),
    "flac": ("flac", "flac", {}),
}


@cache
def recorded(kind: str, title: str = "", seconds: int = SECONDS) -> bytes:
    """A tone that climbs; `title` is in the file where it is given, and the encoder's name perhaps."""
    with tempfile.NamedTemporaryFile() as out:
        _record(out.name, kind, title, seconds)
        return Path(out.name).read_bytes()


def _record(path: str, kind: str, title: str, seconds: int) -> None:
    container, codec, options = KINDS[kind]
    with av.open(path, "w", format=container, options=options) as file:
        if title:
            file.metadata["title"] = title
        stream = file.add_stream(codec, rate=RATE)
        assert isinstance(stream, av.AudioStream)
        stream.layout = "stereo" if codec == "vorbis" else "mono"
        stream.options = {"strict": "experimental"}
        moments = np.arange(RATE * seconds) / RATE
        tone = (0.3 * np.sin(2 * np.pi * (300 * moments + 40 * moments**2))).astype("float32")
        frame = av.AudioFrame.from_ndarray(tone.reshape(1, -1), format="fltp", layout="mono")
        frame.sample_rate = RATE
        resampler = av.AudioResampler(stream.format, stream.layout, RATE)
        queue = av.AudioFifo()
        for one in (*resampler.resample(frame), *resampler.resample(None)):
            queue.write(one)
        while (part := queue.read(stream.frame_size or 1024, partial=True)) is not None:
            file.mux(stream.encode(part))
        file.mux(stream.encode(None))


def samples(path: Path) -> bytes:
    """All samples, as a decoder that knows nothing of Earmark hears them."""
    with av.open(str(path)) as file:
        return b"".join(frame.to_ndarray().tobytes() for frame in file.decode(audio=0))


def packets(path: Path) -> list[tuple[int | None, bytes]]:
    """The encoded audio, each packet with its time."""
    with av.open(str(path)) as file:
        return [(packet.pts, bytes(packet)) for packet in file.demux(audio=0) if packet.size]
