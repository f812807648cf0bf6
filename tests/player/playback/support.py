"""Bytes, engines and clocks that a test holds in its hands."""

import io
import threading
import time
import wave
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache

from player.errors import MediaError
from player.media.formats.sniff import sniff
from player.media.protocol import Media, never
from player.model.effects import Effects
from player.model.episode import BytePosition, Episode, SavedPosition
from player.playback.engine import EngineReport
from player.playback.up_next import Ended, Left, Nothing, Play

DEADLINE_S = 30.0


def wait_until(true: Callable[[], object], what: str = "it", seconds: float = DEADLINE_S) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, f"waited {seconds} s in vain for {what}"
        time.sleep(0.005)


BYTES_A_SECOND = 96_000


@cache
def silence(seconds: float) -> bytes:
    """A WAV file: 48 kHz, 16 bits, one channel."""
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(BYTES_A_SECOND // 2)
        file.writeframes(bytes(int(seconds * BYTES_A_SECOND)))
    return buffer.getvalue()


class HeldMedia:
    """An episode's bytes, the first `available` and the last `tail` of which are there.

    `give` brings more, `break_off` an error.
    """

    def __init__(
        self,
        data: bytes,
        available: int | None = None,
        *,
        size_known: bool = True,
        seekable: bool = True,
        duration_ms: int | None = None,
    ) -> None:
        self.size = len(data) if size_known else None
        self.seekable = seekable
        self.tail = 0
        self.duration_ms = duration_ms
        self.complete = available is None
        self.error: MediaError | None = None
        self.trouble: MediaError | None = None
        self.stream = self.version = ""
        self.reached_end = False
        self.closed = False
        self.cancelled = False
        self.reading = threading.Event()
        self._data = data
        self._available = len(data) if available is None else available
        self._changed = threading.Condition()

    @property
    def cached(self) -> tuple[tuple[float, float], ...]:
        return ((0.0, self._available / len(self._data)),) if self._data else ()

    @property
    def format(self) -> str:
        self._wait_for(min(4096, len(self._data)))
        return sniff(self._data[:65536])

    def available(self, offset: int, count: int) -> bytes:
        return self._data[offset : min(offset + count, self._available)]

    def wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def read(self, offset: int, count: int, given_up: Callable[[], bool] = never) -> bytes:
        if offset >= len(self._data) - self.tail:
            data = self._data[offset : offset + count]
        else:
            self._wait_for(min(offset + 1, len(self._data)), given_up)
            data = self._data[offset : min(offset + count, self._available)]
        self.reached_end = offset + len(data) >= len(self._data)
        return data

    def cancel(self) -> None:
        with self._changed:
            self.cancelled = True
            self._changed.notify_all()

    def close(self) -> None:
        self.closed = True
        self.cancel()

    def give(self, available: int | None = None) -> None:
        with self._changed:
            self._available = len(self._data) if available is None else available
            self._changed.notify_all()

    def break_off(self, sentence: str) -> None:
        with self._changed:
            self.error = MediaError(sentence)
            self._changed.notify_all()

    def _wait_for(self, count: int, given_up: Callable[[], bool] = never) -> None:
        with self._changed:
            if self._available < count:
                self.reading.set()
            self._changed.wait_for(lambda: self._available >= count or self.error or self.cancelled or given_up())
            if self.cancelled or given_up():
                raise MediaError("Reading was stopped")
            if self._available < count and self.error:
                raise self.error


class Store:
    """A media store: hands out what `media` makes, and keeps it for the test to look at."""

    def __init__(self, media: Callable[[Episode], HeldMedia] | None = None) -> None:
        self.media = media or (lambda _episode: HeldMedia(silence(120)))
        self.opened: list[HeldMedia] = []
        self.changed: list[Callable[[], None]] = []

    def open(self, episode: Episode, changed: Callable[[], None]) -> HeldMedia:
        self.opened.append(self.media(episode))
        self.changed.append(changed)
        return self.opened[-1]

    def why_not(self, episode: Episode) -> MediaError | None:
        return None


class Time:
    """A clock that stands still until the test moves it."""

    def __init__(self) -> None:
        self.seconds = 1000.0
        self.day = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def clock(self) -> float:
        return self.seconds

    def now(self) -> datetime:
        return self.day

    def pass_(self, seconds: float) -> None:
        self.seconds += seconds
        self.day += timedelta(seconds=seconds)


class NoQueue:
    """Nothing follows."""

    def up_next(self, ended: Ended, error: str | None = None) -> Nothing | Play:
        return Nothing()

    def leave(self, left: Left) -> None: ...

    def retried(self) -> None: ...

    def begins_again(self, episode: Episode, saved: SavedPosition) -> bool:
        return False


class ScriptedEngine:
    """Does what the session says and nothing else: the test tells what is heard, in whatever order it likes."""

    def __init__(self) -> None:
        self.calls: list[tuple[object, ...]] = []
        self.generation = 0
        self.position_ms: int | None = None
        self.media: Media | None = None
        self.refusal: Exception | None = None
        self.loaded_with: BytePosition | None = None
        self.heard: BytePosition | None = None

    def warm_up(self) -> None: ...

    def load(
        self,
        generation: int,
        media: Media,
        start_ms: int,
        *,
        speed: float,
        volume: int,
        nearby: BytePosition | None = None,
        claimed_ms: int | None = None,
        title: str = "",
    ) -> None:
        self.calls.append(("load", start_ms, speed, volume))
        self.loaded_with = nearby
        if self.refusal:
            raise self.refusal
        self.generation, self.media, self.position_ms = generation, media, start_ms

    def pause(self) -> None:
        self.calls.append(("pause",))

    def resume(self) -> None:
        self.calls.append(("resume",))

    def stop(self) -> None:
        self.calls.append(("stop",))
        self.position_ms = None

    def seek(self, position_ms: int) -> None:
        self.calls.append(("seek", position_ms))
        self.position_ms = position_ms

    def set_speed(self, speed: float) -> None:
        self.calls.append(("speed", speed))

    def set_effects(self, effects: Effects) -> Effects:
        self.effects = effects
        return effects

    def set_volume(self, volume: int) -> None:
        self.calls.append(("volume", volume))

    def position(self) -> int | None:
        return self.position_ms

    def byte_position(self) -> BytePosition | None:
        return self.heard

    def poll(self) -> None:
        self.calls.append(("poll",))

    def close(self) -> None:
        self.calls.append(("close",))


class ReportLog:
    """A listener that keeps what it is told."""

    def __init__(self) -> None:
        self.reports: list[EngineReport] = []

    def __call__(self, report: EngineReport) -> None:
        self.reports.append(report)

    def of(self, kind: type[EngineReport], generation: int | None = None) -> list[EngineReport]:
        return [
            report
            for report in list(self.reports)
            if isinstance(report, kind) and generation in (None, report.generation)
        ]
