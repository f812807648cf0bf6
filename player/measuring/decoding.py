"""Decodes an episode's audio once for all meters, in a process that is made for it."""

import io
import os
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from math import ceil
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from player import regular_file
from player.measuring.kinds import measurements
from player.measuring.measurement import (
    LEVEL_SAMPLES,
    PIECE_MS,
    SPEECH_RATE,
    Audio,
    Measurement,
    Meter,
    Parts,
    Second,
)

if TYPE_CHECKING:
    import av
    from av import AudioFrame

_FORMATS = "mp3,mov,ogg,flac,wav,aac,matroska,w64,aiff"
"""No other formats are opened: a playlist, for example, would name further files."""
_HALF = (LEVEL_SAMPLES + 1) // 2
"""Every other sample is enough for a level."""
_GAP_MS = 50
"""Times in a file differ by less than this from the count of its samples, unless some are missing."""
_LONGEST_GAP_S = 600
_JOINED_S = 0.25
_LONGEST_MS = 100 * 3600_000


class AvailableFile(io.RawIOBase):
    """The bytes of an episode that are on this disk, as a file for a demuxer: where a byte is missing, the file
    ends."""

    def __init__(self, audio: Audio) -> None:
        """Raises OSError."""
        self._data = memoryview(audio.data)
        self._spans = ((0, len(audio.data)),) if audio.data else audio.spans
        self._starts = [start for start, _ in self._spans]
        self._size = len(audio.data) or audio.size or max((end for _, end in audio.spans), default=0)
        self._at = 0
        self._fd = -1 if audio.data else regular_file.descriptor(os.fsdecode(audio.path))

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, count: int = -1) -> bytes:
        found = bisect_right(self._starts, self._at) - 1
        end = self._spans[found][1] if found >= 0 else 0
        if self._at >= end:
            return b""
        count = end - self._at if count < 0 else min(count, end - self._at)
        here = self._data[self._at : self._at + count]
        data = bytes(here) if self._fd < 0 else os.pread(self._fd, count, self._at)
        self._at += len(data)
        return data

    def close(self) -> None:
        if self._fd >= 0 and not self.closed:
            os.close(self._fd)
        super().close()


class Answer(Struct, frozen=True):
    """`pieces` has the results for the pieces from the first that was asked for on. `ended`: no audio follows, neither
    in the last of them nor behind it, as far as the bytes are there. `impossible`: the names of the measurements that
    can't be made on this computer."""

    pieces: list[Parts]
    ended: bool
    impossible: tuple[str, ...] = ()


def prepare() -> None:
    import av  # noqa: F401


def measured(audio: Audio, places: list[str], first: int, count: int) -> Answer:
    """The results of all measurements in these folders for `count` pieces from number `first` on, or fewer where the
    bytes end. Raises OSError if the file can't be opened."""
    kinds = measurements(places)
    wanted = [one for one in kinds if one.is_possible()]
    results, ended = measure(audio, wanted, first, count)
    pieces = [{name: msgspec.Raw(msgspec.msgpack.encode(part)) for name, part in piece.items()} for piece in results]
    return Answer(pieces, ended, tuple(one.name for one in kinds if one not in wanted))


def measure(
    audio: Audio, wanted: Iterable[Measurement[Any, Any]], first: int = 0, count: int = 1
) -> tuple[list[dict[str, object]], bool]:
    """The results by name for each piece, None where nothing can be decoded, and whether the audio ends there. A fault
    in the file ends the measurement, and the audio before it counts. Raises OSError if the file can't be opened."""
    import av

    pieces = _Pieces(tuple(wanted), first, count)
    with AvailableFile(audio) as file:
        try:
            with opened(file) as container:
                for frame, at_ms in together(decoded(container, first * PIECE_MS), _JOINED_S):
                    if not pieces.hear(frame, at_ms):
                        break
                else:
                    pieces.ended = True
        except (av.FFmpegError, OSError, ValueError, EOFError):
            pieces.ended = True
    return pieces.results(), pieces.ended


def opened(file: AvailableFile) -> "av.container.InputContainer":
    """The file's audio, to be closed by the caller. Raises av.FFmpegError, OSError or ValueError."""
    import av

    options = {"format_whitelist": _FORMATS, "protocol_whitelist": ""}
    return av.open(file, "r", options=options, metadata_errors="ignore")


class _Pieces:
    """The meters of the pieces; those of a piece may hear the beginning of the next."""

    def __init__(self, wanted: tuple[Measurement[Any, Any], ...], first: int, count: int) -> None:
        self._wanted = wanted
        self._first, self._count = first, count
        self._meters: list[list[Meter[Any]]] = []
        self._seconds = _Seconds(first * PIECE_MS)
        self._beyond_ms = max((one.beyond_s for one in wanted), default=0) * 1000
        self.ended = False

    def hear(self, frame: "AudioFrame", at_ms: float) -> bool:
        """False once all pieces have been heard."""
        for second in self._seconds.take(frame, at_ms):
            self._hear_second(second)
        number = int(at_ms // PIECE_MS) - self._first
        if 0 <= number < self._count:
            for meter in self._of_piece(number):
                meter.hear_frame(frame)
        return at_ms < (self._first + self._count) * PIECE_MS + self._beyond_ms + 1000

    def results(self) -> list[dict[str, object]]:
        for second in self._seconds.rest():
            self._hear_second(second)
        return [
            {one.name: meter.result() for one, meter in zip(self._wanted, meters, strict=True)}
            for meters in self._meters
        ]

    def _of_piece(self, number: int) -> "list[Meter[Any]]":
        while len(self._meters) <= number:
            begins_ms = (self._first + len(self._meters)) * PIECE_MS
            self._meters.append([one.meter(begins_ms) for one in self._wanted])
        return self._meters[number]

    def _hear_second(self, second: Second) -> None:
        number = second.at_ms // PIECE_MS - self._first
        if 0 <= number < self._count:
            for meter in self._of_piece(number):
                meter.hear_second(second)
        if 0 < number <= self._count:
            for one, meter in zip(self._wanted, self._of_piece(number - 1), strict=True):
                if second.at_ms % PIECE_MS < one.beyond_s * 1000:
                    meter.hear_second(second)


class _Seconds:
    """Makes whole seconds of the episode out of what is decoded. What is missing between is silence."""

    def __init__(self, from_ms: int) -> None:
        self._number = from_ms // 1000
        """The next second."""
        self._resampler: Any = None
        self._form: tuple[object, ...] = ()
        self._samples = bytearray()
        self._end_ms: float | None = None

    def take(self, frame: "AudioFrame", at_ms: float) -> Iterator[Second]:
        import av

        form = form_of(frame)
        if form != self._form:  # the first frame, or one of another stream in the same file
            self._resampler, self._form = av.AudioResampler("s16", "mono", SPEECH_RATE), form
        if self._end_ms is None or at_ms - self._end_ms > _GAP_MS:
            self._align(at_ms)
            self._end_ms = at_ms
        self._end_ms += frame.samples * 1000 / (frame.sample_rate or 1)
        for made in self._resampler.resample(frame):
            self._samples += memoryview(made.planes[0])[: 2 * made.samples]
        while len(self._samples) >= 2 * SPEECH_RATE:
            if self._number >= 0:
                yield self._second(bytes(self._samples[: 2 * SPEECH_RATE]))
            del self._samples[: 2 * SPEECH_RATE]
            self._number += 1

    def rest(self) -> Iterator[Second]:
        """The samples of a second that isn't whole."""
        if self._number >= 0 and len(self._samples) >= 2 * LEVEL_SAMPLES:
            yield self._second(bytes(self._samples))

    def _align(self, at_ms: float) -> None:
        """Silence up to `at_ms`, where the next samples begin; those before the second in which they do are dropped."""
        ahead = round((at_ms - 1000 * self._number) * SPEECH_RATE / 1000) - len(self._samples) // 2
        if ahead >= 0:
            self._samples += bytes(2 * min(ahead, _LONGEST_GAP_S * SPEECH_RATE))
        else:
            seconds = ceil(-ahead / SPEECH_RATE)
            self._number -= seconds
            self._samples[:0] = bytes(2 * (seconds * SPEECH_RATE + ahead))

    def _second(self, data: bytes) -> Second:
        samples = memoryview(data).cast("h")
        starts = range(0, len(samples) - LEVEL_SAMPLES + 1, LEVEL_SAMPLES)
        levels = [sum(map(abs, samples[at : at + LEVEL_SAMPLES : 2])) / _HALF for at in starts]
        return Second(1000 * self._number, samples, levels)


def together(frames: Iterator[tuple["AudioFrame", float]], seconds: float) -> Iterator[tuple["AudioFrame", float]]:
    """Joins frames that follow each other until they have so many seconds: for filters each frame costs as much as its
    sound."""
    import av

    fifo = av.AudioFifo()
    form: tuple[object, ...] = ()
    begins_ms = ends_ms = 0.0
    for frame, at_ms in frames:
        rate, now = frame.sample_rate or 1, form_of(frame)
        if fifo.samples and (now != form or at_ms - ends_ms > _GAP_MS or fifo.samples >= seconds * rate):
            if (joined := fifo.read()) is not None:
                yield joined, begins_ms
            fifo = av.AudioFifo() if now != form else fifo
        if not fifo.samples:
            begins_ms, form = at_ms, now
        frame.pts = None
        fifo.write(frame)
        ends_ms = at_ms + frame.samples * 1000 / rate
    if fifo.samples and (joined := fifo.read()) is not None:
        yield joined, begins_ms


def form_of(frame: "AudioFrame") -> tuple[object, ...]:
    """What filters are made for."""
    return frame.format.name, frame.layout.name, frame.sample_rate


def decoded(container: "av.container.InputContainer", from_ms: int) -> Iterator[tuple["AudioFrame", float]]:
    """The frames from there on, or a little before, and the moment at which each begins, in ms. Where the times in the
    file go back, as from one song of a recorded stream to the next, time goes on."""
    import av

    if not container.streams.audio:
        return
    stream = container.streams.audio[0]
    if from_ms:
        container.seek(from_ms * 1000 + (container.start_time or 0))
    at_ms = 0.0
    for packet in container.demux(stream):
        try:
            frames = packet.decode()
        except av.FFmpegError:
            continue
        for frame in frames:
            if frame.time is not None and frame.time * 1000 > at_ms - _GAP_MS:
                at_ms = max(0.0, float(frame.time) * 1000)
            if at_ms > _LONGEST_MS:
                return
            yield frame, at_ms
            at_ms += frame.samples * 1000 / (frame.sample_rate or 1)
