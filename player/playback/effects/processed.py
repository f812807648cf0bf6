"""An episode as it is to be heard with its effects: a WAV stream, made as it is read."""

from __future__ import annotations

import logging
import struct
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from player.errors import MediaError
from player.measuring.decoding import form_of, together
from player.model.effects import Effects, Span, left_out
from player.playback.effects.chain import Chain
from player.text.sentences import _

if TYPE_CHECKING:
    from av import AudioFrame

log = logging.getLogger(__name__)

_HEAD = 64 * 1024
"""A demuxer may go back within so many bytes of the beginning."""
_SAMPLE = 4
_NEVER = 1 << 62, 1 << 62
_GAP_MS = 50
FADE_MS = 10
"""What is before a part that is left out fades into what follows for so long."""
_JOINED_S = 0.1
_PRIMING = 2
"""A new chain first gets as many frames that have been heard, so that its filters are in the midst of the sound."""

Decode = Callable[[Callable[[int, int], bytes]], Iterator[tuple["AudioFrame", float]]]
"""Decodes from the start on what it reads."""


class Source(Protocol):
    """The bytes of an episode, which wait as those of a Media do."""

    def read(self, offset: int, count: int, given_up: Callable[[], bool]) -> bytes: ...

    def wake(self) -> None: ...


class ProcessedAudio:
    """One thread reads, from the beginning on; any thread may set `effects` and ask for a position."""

    def __init__(self, source: Source, first: int, decode: Decode, from_ms: float, effects: Effects) -> None:
        """`source` has the episode's bytes, of which `decode` gets those from number `first` on; what is before
        `from_ms` isn't heard."""
        self._source = source
        self._first = first
        self._frames: Iterator[tuple[AudioFrame, float]] | None = None
        self._decode = decode
        self._from_ms = from_ms
        self.effects = effects
        self._given_up: Callable[[], bool] = lambda: False
        self._head = b""
        self._ready = bytearray()
        self._made = 0
        """The number of bytes that have been read."""
        self._over = False
        self._chain: Chain | None = None
        self._trimmed_by: Effects | None = None
        self._last: list[AudioFrame] = []
        self._rate = self._channels = 0
        self._expected_ms = 0.0
        self._cutter: _Cutter | None = None
        self._lock = Lock()
        self._map: list[tuple[float, float]] = [(0.0, from_ms)]
        """Pairs of a moment in the stream and one in the episode, in ms: from each on, both run alike."""

    # -- as bytes -----------------------------------------------------------------------------------------------

    @property
    def size(self) -> None:
        """It isn't known."""
        return

    @property
    def seekable(self) -> bool:
        return False

    def reaches(self, offset: int) -> bool:
        """Whether the bytes from there on can be read."""
        return offset <= len(self._head) or offset == self._made

    def read(self, offset: int, count: int, given_up: Callable[[], bool]) -> bytes:
        """Raises MediaError."""
        if offset < self._made:
            return self._head[offset : offset + count]
        self._given_up = given_up
        import av

        try:
            while not self._ready and not self._over:
                self._make()
        except av.FFmpegError as error:
            if not self._made:
                log.info("an episode can't be decoded: %s", error)
                raise MediaError(_("The sound of this file can't be decoded")) from error
            log.warning("an episode can't be decoded any further: %s", error)
            self._end()
        data = bytes(self._ready[:count])
        del self._ready[: len(data)]
        if len(self._head) < _HEAD:
            self._head += data
        self._made += len(data)
        return data

    def wake(self) -> None:
        self._source.wake()

    # -- where it is --------------------------------------------------------------------------------------------

    def position_after(self, ms: float) -> float:
        """The moment in the episode that is heard `ms` after the beginning of the stream."""
        with self._lock:
            stream_ms, episode_ms = self._map[max(0, bisect_right(self._map, (ms, float("inf"))) - 1)]
        return episode_ms + ms - stream_ms

    # -- inside -------------------------------------------------------------------------------------------------

    def _bytes(self, offset: int, count: int) -> bytes:
        return self._source.read(self._first + offset, count, self._given_up)

    def _make(self) -> None:
        """Decodes, filters and trims one more frame."""
        if self._frames is None:
            self._frames = together(self._decode(self._bytes), _JOINED_S)
        found = next(self._frames, None)
        if found is None:
            self._end()
            return
        frame, at_ms = found
        if self._cutter is None:
            self._begin(frame, at_ms)
        assert self._cutter
        effects = self.effects
        if self._chain is None or self._chain.form != form_of(frame) or self._differs(self._chain, effects):
            self._renew(frame, effects)
        assert self._chain
        if effects is not self._trimmed_by:
            self._trimmed_by = effects
            self._cutter.leave_out(left_out(effects.pauses, effects.trim))
        self._chain.effects = effects
        if at_ms - self._expected_ms > _GAP_MS:
            self._cutter.gap(at_ms - self._expected_ms)
        self._expected_ms = at_ms + frame.samples * 1000 / (frame.sample_rate or 1)
        self._last = [*self._last[1 - _PRIMING :], frame]
        for samples in self._chain.push(frame):
            self._ready += self._cutter.take(samples)

    def _differs(self, chain: Chain, effects: Effects) -> bool:
        """Whether other filters are needed, rather than another gain."""
        before = chain.effects
        leveled = (before.gain_db is None, effects.gain_db is None)
        return (before.boost, before.mono) != (effects.boost, effects.mono) or leveled[0] != leveled[1]

    def _begin(self, frame: AudioFrame, at_ms: float) -> None:
        self._rate = frame.sample_rate or 44_100
        self._channels = min(2, frame.layout.nb_channels)
        self._expected_ms = at_ms
        self._cutter = _Cutter(self._rate, self._channels, max(self._from_ms, at_ms), self._learn)
        self._cutter.begin(at_ms)
        size = _SAMPLE * self._channels
        form = struct.pack(
            "<4sIHHIIHH", b"fmt ", 16, 3, self._channels, self._rate, self._rate * size, size, 8 * _SAMPLE
        )
        # A length of 0 stands for one that isn't known.
        self._ready += b"RIFF" + struct.pack("<I", 0) + b"WAVE" + form + b"data" + struct.pack("<I", 0)

    def _renew(self, frame: AudioFrame, effects: Effects) -> None:
        assert self._cutter
        old = self._chain
        if old is not None:
            for samples in old.flush():
                self._ready += self._cutter.take(samples)
        self._chain = Chain(frame, effects, self._rate, self._channels, old)
        heard = [one for one in self._last if form_of(one) == self._chain.form]
        unheard = sum(len(samples) for one in heard for samples in self._chain.push(one))
        self._cutter.heard_twice(sum(one.samples for one in heard) * self._channels * _SAMPLE - unheard)

    def _end(self) -> None:
        self._over = True
        if self._chain and self._cutter:
            for samples in self._chain.flush():
                self._ready += self._cutter.take(samples)
            self._chain = None

    def _learn(self, stream_ms: float, episode_ms: float) -> None:
        with self._lock:
            if self._map[-1][0] == stream_ms:
                self._map.pop()
            self._map.append((stream_ms, episode_ms))


class _Cutter:
    """Leaves out the beginning up to a moment, and parts of pauses: the sound before such a part fades into the sound
    after it. It knows which sample of the episode comes in and which of the stream goes out."""

    def __init__(self, rate: int, channels: int, from_ms: float, learn: Callable[[float, float], None]) -> None:
        """`learn` gets a moment in what comes out and one in the episode, in ms, whenever they run apart."""
        self._rate, self._width = rate, channels * _SAMPLE
        self._learn = learn
        self._parts: tuple[Span, ...] = ()
        self._fade = rate * FADE_MS // 1000
        self._in = self._skip_to = round(from_ms * rate / 1000)
        self._out = 0
        self._heard_twice = 0
        self._fading = b""
        learn(0.0, from_ms)

    def leave_out(self, parts: tuple[Span, ...]) -> None:
        self._parts = parts

    def begin(self, at_ms: float) -> None:
        """The first samples that come in begin there."""
        self._in = round(at_ms * self._rate / 1000)

    def gap(self, ms: float) -> None:
        """So much is missing before the next samples."""
        self._in += round(ms * self._rate / 1000)
        self._learn(self._out * 1000 / self._rate, self._in * 1000 / self._rate)

    def heard_twice(self, size: int) -> None:
        """The next so many bytes that come in have been heard."""
        self._heard_twice += size

    def take(self, samples: bytes) -> bytes:
        """What is heard of these samples."""
        known = min(self._heard_twice, len(samples))
        self._heard_twice -= known
        samples = samples[known:]
        made = bytearray()
        while samples:
            if self._in < self._skip_to:
                samples = samples[self._skipped(len(samples) // self._width) * self._width :]
            elif self._fading:
                samples = self._faded(samples, made)
            else:
                samples = self._taken(samples, made)
        return bytes(made)

    def _skipped(self, count: int) -> int:
        """How many samples are left out, of `count`."""
        gone = min(count, self._skip_to - self._in)
        self._in += gone
        return gone

    def _taken(self, samples: bytes, made: bytearray) -> bytes:
        """Takes what is before the next part that is left out; returns the rest."""
        count = len(samples) // self._width
        begin, end = self._next_part()
        before = max(0, begin - self._in)
        if before + self._fade <= count:
            at = before * self._width
            self._fading = samples[at : at + self._fade * self._width]
            self._skip_to = end - self._fade
            count = before
        made += samples[: count * self._width]
        self._in += count
        self._out += count
        return samples[count * self._width :]

    def _next_part(self) -> Span:
        """The part that is left out next, in samples; what has been heard of it can't be."""
        now_ms = self._in * 1000 / self._rate
        at = bisect_right(self._parts, now_ms + 3 * FADE_MS, key=lambda part: part[1])
        if at == len(self._parts):
            return _NEVER
        begin, end = self._parts[at]
        return max(self._in, round(begin * self._rate / 1000)), round(end * self._rate / 1000)

    def _faded(self, samples: bytes, made: bytearray) -> bytes:
        """Mixes the sound before the part that was left out with the sound after it."""
        size = min(len(self._fading), len(samples))
        out, into = array("f", self._fading[:size]), array("f", samples[:size])
        channels = self._width // _SAMPLE
        begun = self._fade - len(self._fading) // self._width
        for at in range(len(into)):
            share = (begun + at // channels + 1) / (self._fade + 1)
            into[at] = out[at] * (1 - share) + into[at] * share
        made += into.tobytes()
        self._fading = self._fading[size:]
        self._in += size // self._width
        self._out += size // self._width
        if not self._fading:
            self._learn(self._out * 1000 / self._rate, self._in * 1000 / self._rate)
        return samples[size:]
