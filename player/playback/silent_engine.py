"""An engine that keeps time but makes no sound: for tests, and for machines without sound."""

import logging
import struct
import time
from collections.abc import Callable
from threading import Lock, Thread

from player.errors import MediaError
from player.media.formats.sniff import HEAD, no_audio
from player.media.protocol import Media
from player.model.effects import Effects
from player.model.episode import BytePosition
from player.playback.engine import (
    EngineFailed,
    EngineReport,
    Finished,
    Listener,
    Measured,
    Playing,
    Starving,
    TrackEngine,
)

log = logging.getLogger(__name__)

_CHUNK = 256 * 1024
_BEFORE_END_MS = 500
_ENDLESS_MS = 10**12
_GUESSED_BYTES_PER_MS = 16
"""Assumes 128 kbit/s where the episode's length is unknown."""


class SilentEngine(TrackEngine["_SilentTrack"]):
    """`clock` is time.monotonic or a test's."""

    def __init__(self, listener: Listener, clock: Callable[[], float] = time.monotonic) -> None:
        self._listener = listener
        self._clock = clock
        self.volume = 0
        """A percentage."""

    def load(
        self,
        generation: int,
        media: Media,
        start_ms: int,
        *,
        speed: float,
        volume: int,
        nearby: BytePosition | None = None,  # noqa: ARG002
        claimed_ms: int | None = None,  # noqa: ARG002
        title: str = "",  # noqa: ARG002
    ) -> None:
        self.stop()
        self.volume = volume
        self._track = _SilentTrack(self._listener, self._clock, generation, media, start_ms, speed)
        self._track.start()

    def set_volume(self, volume: int) -> None:
        self.volume = volume


class _SilentTrack:
    """One episode. A thread of its own reads the bytes; the position never gets ahead of them."""

    def __init__(
        self,
        listener: Listener,
        clock: Callable[[], float],
        generation: int,
        media: Media,
        start_ms: int,
        speed: float,
    ) -> None:
        self._listener = listener
        self._now = clock
        self._generation = generation
        self._media = media
        self._lock = Lock()
        self._position_ms, self._since, self._speed, self._running = start_ms, clock(), speed, False
        self._paused = False
        self._opened = False
        self._over = False
        self._starving = False
        self._duration_ms = 0
        self._read = 0
        self._error: MediaError | None = None
        self._all_read = False
        self._reader = Thread(target=self._read_bytes, name="earmark-silent", daemon=True)

    def start(self) -> None:
        self._reader.start()

    def close(self) -> None:
        self._over = True
        self._media.cancel()
        self._reader.join()

    def pause(self) -> None:
        self._set_paused(True)

    def resume(self) -> None:
        self._set_paused(False)

    def _set_paused(self, paused: bool) -> None:
        with self._lock:
            position = self._position_now()
            self._paused = paused
            self._continue_from(position)

    def seek(self, position_ms: int) -> None:
        with self._lock:
            self._continue_from(position_ms)

    def set_speed(self, speed: float) -> None:
        with self._lock:
            self._continue_from(self._position_now())
            self._speed = speed

    def set_volume(self, volume: int) -> None:
        """There is nothing to hear."""

    def set_effects(self, effects: Effects) -> None:
        """Nor anything to change."""

    def byte_position(self) -> None:
        """The position is enough by itself."""

    def position(self) -> int:
        with self._lock:
            return self._position_now()

    def poll(self) -> None:
        with self._lock:
            if not self._opened or self._over or self._paused:
                return
            position, reach = self._position_now(), self._reach_ms()
            starving = position >= reach and not (self._all_read or self._error)
            reports: list[EngineReport] = []
            if starving is not self._starving:
                self._starving = starving
                self._continue_from(position)
                reports.append(Starving(self._generation, starving))
            if not starving and position >= reach:
                self._over = True
                reports.append(
                    EngineFailed(self._generation, self._error) if self._error else Finished(self._generation)
                )
        for report in reports:
            self._listener(report)

    # -- with the lock held -------------------------------------------------------------------------------------

    def _position_now(self) -> int:
        elapsed = self._now() - self._since if self._running else 0.0
        position = self._position_ms + int(elapsed * 1000 * self._speed)
        # It waits for bytes at the position it started from, not where they end.
        return min(position, max(self._position_ms, self._reach_ms())) if self._opened else position

    def _reach_ms(self) -> int:
        """The position up to which bytes are available."""
        size = self._media.size
        if self._all_read or not size:
            return self._duration_ms
        return min(self._duration_ms, self._duration_ms * self._read // size)

    def _continue_from(self, position_ms: int) -> None:
        self._position_ms, self._since = position_ms, self._now()
        self._running = self._opened and not self._paused and not self._starving

    # -- the reader's thread ------------------------------------------------------------------------------------

    def _read_bytes(self) -> None:
        try:
            if self._media.stream:
                self._read_live()
                return
            self._open()
            while data := self._media.read(self._read, _CHUNK):
                self._read += len(data)
            self._all_read = True
        except MediaError as error:
            self._error = error
            if not self._opened and not self._over:
                self._over = True
                self._listener(EngineFailed(self._generation, error))

    def _read_live(self) -> None:
        with self._lock:
            self._duration_ms = _ENDLESS_MS
            self._opened = self._all_read = True
            self._continue_from(self._position_ms)
        self._listener(Playing(self._generation))

    def _open(self) -> None:
        form = self._media.format
        if not form:
            raise no_audio(self._media.read(0, HEAD))
        duration = _wav_duration_ms(self._media) if form == "wav" else None
        duration = duration or self._media.duration_ms or (self._media.size or 0) // _GUESSED_BYTES_PER_MS
        with self._lock:
            self._duration_ms = duration
            self._opened = True
            self._continue_from(min(self._position_ms, max(0, duration - _BEFORE_END_MS)))
        if self._over:
            return
        self._listener(Measured(self._generation, duration, exact=form == "wav"))
        self._listener(Playing(self._generation))


def _wav_duration_ms(media: Media) -> int | None:
    """Read from the header: RIFF chunks, `fmt ` with the bytes per second at offset 8, `data` with its length."""
    head = media.read(0, 4096)
    at, rate = 12, 0
    while at + 8 <= len(head):
        kind, length = struct.unpack_from("<4sI", head, at)
        if kind == b"fmt " and at + 20 <= len(head):
            (rate,) = struct.unpack_from("<I", head, at + 16)
        if kind == b"data":
            return int(length * 1000 // rate) if rate else None
        at += 8 + length + length % 2
    return None
