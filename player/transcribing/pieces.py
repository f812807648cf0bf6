"""The pieces in which an episode is transcribed: which one is next, and its audio, cut out where nobody speaks."""

import os
import wave
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from player.measuring.decoding import AvailableFile, decoded, opened
from player.measuring.measurement import Audio

if TYPE_CHECKING:
    from av import AudioFrame

FIRST_MS = 20_000
"""The length of a piece that the listener waits for."""
SOON_MS = 60_000
"""The most of a piece that will be heard soon."""
LEAD_MS = 3_000
"""A piece in the middle of what is missing begins up to this much earlier, where nobody speaks."""
AHEAD_MS = 180_000
"""Words that are to be heard within this time are needed soon."""
RATE = 16_000
"""Samples a second, of one channel: what all engines take."""

_PER_MS = RATE // 1000
_SEARCHED_MS = 12_000
"""The most of a piece in which a place for its end is looked for; never more than half of it."""
_LEVEL = RATE // 50
_SMOOTHED = 15
"""Levels of 20 ms; a silence is 0.3 s of them."""
_GAP_MS = 50
_PREPARES_MS = 200
"""Decoding begins this much earlier: the first frames of MP3 and AAC need the frames before them."""
_LONGEST_GAP = 2 * 600_000 * _PER_MS
LEAST_MS = 100
"""A rest that is shorter has no words."""

Span = tuple[int, int]


class Wanted(Struct, frozen=True):
    """The next piece: from where, and at most how long, in ms. It may begin anywhere in its first `lead_ms`, and end
    anywhere in its last `tail_ms`."""

    from_ms: int
    at_most_ms: int
    lead_ms: int = 0
    tail_ms: int = 0


def next_piece(
    done: Sequence[Span], end_ms: int | None, heard_ms: int | None, longest_ms: int = SOON_MS
) -> Wanted | None:
    """The piece to be transcribed after the `done` spans, which are in order and apart: the first that is missing from
    `heard_ms` on (None: the episode isn't being heard), then from the beginning. None if nothing is missing up to
    `end_ms`, where the audio ends as far as that is known."""
    gaps = _gaps(done, end_ms)
    start = heard_ms or 0
    ahead = [(begin, max(begin, start), end) for begin, end in gaps if end is None or end > start]
    for gap, begin, end in (*ahead, *((begin, begin, end) for begin, end in gaps)):
        if end is not None and end - begin < LEAST_MS:
            continue
        most = longest_ms
        if heard_ms is not None and heard_ms <= begin < heard_ms + AHEAD_MS:
            most = FIRST_MS if begin == heard_ms else SOON_MS
        length = min(most, max(SOON_MS, sum(last - first for first, last in done)))
        early = min(LEAD_MS, begin - gap)
        lead = early if begin - gap > LEAD_MS else 0
        to_end = end is not None and end - begin <= length
        length = end - begin if to_end and end is not None else length
        return Wanted(begin - early, early + length, lead, 0 if to_end else min(_SEARCHED_MS, length // 2))
    return None


def first_missing(done: Sequence[Span], end_ms: int | None, at_ms: int) -> int | None:
    """The first moment from `at_ms` on that isn't done; None if all is."""
    return next((max(begin, at_ms) for begin, end in _gaps(done, end_ms) if end is None or end > at_ms), None)


def joined(done: Sequence[Span], new: Span) -> tuple[Span, ...]:
    """The spans together with one more."""
    spans: list[Span] = []
    for first, last in sorted((*done, new)):
        if spans and first - spans[-1][1] < LEAST_MS:
            spans[-1] = (spans[-1][0], max(last, spans[-1][1]))
        else:
            spans.append((first, last))
    return tuple(spans)


def _gaps(done: Sequence[Span], end_ms: int | None) -> list[tuple[int, int | None]]:
    starts = [0, *(last for _first, last in done)]
    ends = [*(first for first, _last in done), end_ms]
    return [(start, end) for start, end in zip(starts, ends, strict=True) if end is None or end > start]


class Cut(Struct, frozen=True):
    """A piece that was written to a file: its start and its end in the episode. `ended`: the audio ends there, too.
    `duration_ms`: how long the audio says it is, None if it doesn't."""

    start_ms: int
    end_ms: int
    ended: bool
    duration_ms: int | None = None


def prepare() -> None:
    import av  # noqa: F401


def cut(audio: Audio, wanted: Wanted, path: bytes) -> Cut:
    """Writes a piece to `path`: a WAV file with one channel, 16 bits and RATE. It ends in a silence, or where the audio
    does. It is shorter where bytes are missing. Raises OSError."""
    import av

    samples = bytearray()
    from_ms, most = wanted.from_ms, 2 * wanted.at_most_ms * _PER_MS
    duration_ms, ended = None, False
    with AvailableFile(audio) as file:
        try:
            with opened(file) as container:
                duration_ms = None if container.duration is None else container.duration // 1000
                resampler = av.AudioResampler("s16", "mono", RATE)
                for frame, at_ms in decoded(container, max(0, from_ms - _PREPARES_MS)):
                    _take(samples, resampler.resample(frame), frame, round(at_ms) - from_ms)
                    if len(samples) > most:
                        break
                else:
                    ended = True
        except (av.FFmpegError, ValueError, EOFError):
            ended = True
    ended = ended and audio.is_whole
    if not ended:
        count = min(len(samples), most) // 2
        tail_ms = wanted.tail_ms if len(samples) >= most else min(_SEARCHED_MS, count // (2 * _PER_MS))
        del samples[2 * _quiet(samples, count - tail_ms * _PER_MS, count) :]
    lead = _quiet(samples, 0, wanted.lead_ms * _PER_MS) if wanted.lead_ms else 0
    del samples[: 2 * lead]
    start_ms = from_ms + lead // _PER_MS
    with Path(os.fsdecode(path)).open("wb") as out, wave.open(out) as file_out:
        file_out.setnchannels(1)
        file_out.setsampwidth(2)
        file_out.setframerate(RATE)
        file_out.writeframes(bytes(samples))
    return Cut(start_ms, start_ms + len(samples) // (2 * _PER_MS), ended, duration_ms)


def _take(samples: bytearray, made: "Sequence[AudioFrame]", frame: "AudioFrame", at_ms: int) -> None:
    """Adds what was resampled of a frame that begins at `at_ms` of the piece. What is missing before it is silence;
    what is before the piece is left out."""
    missing = 2 * at_ms * _PER_MS - len(samples)
    if missing > 2 * _GAP_MS * _PER_MS:
        samples += bytes(min(missing, _LONGEST_GAP))
    data = b"".join(bytes(one.planes[0])[: 2 * one.samples] for one in made)
    length_ms = frame.samples * 1000 / (frame.sample_rate or 1)
    early = round(min(-at_ms, length_ms) * _PER_MS) if at_ms < 0 else 0
    samples += data[2 * early :]


def _quiet(data: bytearray, first: int, last: int) -> int:
    """The quietest place between two numbers of samples; `last` if there is too little between them."""
    samples = memoryview(data).cast("h")[first:last]
    starts = range(0, len(samples) - _LEVEL + 1, _LEVEL)
    levels = [sum(map(abs, samples[at : at + _LEVEL : 4])) for at in starts]
    if len(levels) < _SMOOTHED:
        return min(last, first + len(samples))
    sums = [sum(levels[at : at + _SMOOTHED]) for at in range(len(levels) - _SMOOTHED + 1)]
    best = min(range(len(sums)), key=lambda at: (sums[at], -at))
    return first + (best + _SMOOTHED // 2) * _LEVEL
