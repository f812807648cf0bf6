"""Measures the current episode, from the bytes that are on this disk. Nothing is fetched, and nothing waits for the
results.

This happens in a process of the lowest priority, a moment after the episode became current, and again when a good deal
more of it is cached.
"""

import logging
import os
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from player.events import Bus, EpisodeMeasured, PlaybackChanged
from player.measuring.decoding import measured, prepare
from player.measuring.kinds import folders, measurements
from player.measuring.measurement import NOTHING, Audio, Measurement, Record, StoredMeasurements
from player.media.available import AvailableBytes, key_of
from player.model.episode import Episode, EpisodeId
from player.processes.sandbox import Sandbox, SandboxError, Trouble
from player.processes.scheduler import SHARED

log = logging.getLogger(__name__)

T = TypeVar("T")

FIRST_S = 3.0
"""Seconds until the first measurement, so that playback starts first."""
AGAIN_S = 30.0
_PARTS = 10
"""An episode has this many parts: another part has to arrive before it is worth measuring again."""

_LONGEST_S = 300.0
"""Seconds that a measurement may take, at the lowest priority, on a busy computer."""
_CPU_S = 60
"""The most seconds of CPU time: samples of an hour of audio take two."""
MEMORY = 1 << 30
"""The most bytes of address space for the process; the libraries alone take 300 MB of it."""

Available = Callable[[Episode], AbstractContextManager[AvailableBytes | None]]


class _Wanted(Struct, frozen=True):
    """The episode that plays, and how many of its `_PARTS` parts are cached from its start on."""

    episode: Episode | None = None
    duration_ms: int | None = None
    parts: int = 0

    @property
    def key(self) -> tuple[object, ...]:
        return (self.episode and self.episode.id, self.duration_ms is None, self.parts)


class Measuring:
    """`known` may be called from any thread. Follows the bus from `start` until `close`."""

    def __init__(
        self, available: Available, folder: Path, bus: Bus, *, first_s: float = FIRST_S, again_s: float = AGAIN_S
    ) -> None:
        """`available` opens the bytes of an episode that are on this disk; it may raise OSError. `first_s`: seconds
        until an episode is measured, `again_s`: seconds until it is measured again."""
        self._available = available
        self._stored = StoredMeasurements(folder)
        self._bus = bus
        self._first_s, self._again_s = first_s, again_s
        self._lock = threading.Lock()
        self._wanted = _Wanted()
        self._known: tuple[EpisodeId, dict[str, object]] | None = None
        self._measurements = measurements(folders())
        self._sandbox = Sandbox(measured, memory=MEMORY, seconds=_LONGEST_S, cpu_s=_CPU_S, nice=19, prepare=prepare)
        self._end: Callable[[], None] = lambda: None
        self._task = SHARED.task(self._look, "measuring")
        self._done: tuple[object, ...] | None = _Wanted().key
        """The key of the wanted measurement for which nothing more is to be done."""
        self._shown: EpisodeId | None = None
        self._due = 0.0

    def start(self) -> None:
        self._end = self._bus.subscribe(PlaybackChanged, self._follow)

    def close(self) -> None:
        self._end()
        self._task.close(timeout_s=0)
        self._sandbox.close()

    def known(self, episode_id: EpisodeId, measurement: Measurement[T]) -> T | None:
        """The result as far as the episode has been measured; None if it isn't the episode that plays."""
        known = self._known
        found = known[1].get(measurement.name) if known and known[0] == episode_id else None
        return found if isinstance(found, measurement.result) else None

    def stored(self, episode: Episode, measurement: Measurement[T]) -> T | None:
        """The stored result of an earlier measurement of the episode's bytes. For any thread that may block on the
        disk."""
        try:
            with self._available(episode) as bytes_here:
                version = bytes_here.version if bytes_here else ""
        except OSError:
            return None
        record = self._stored.read(key_of(episode), version) if version else None
        return record.result(measurement) if record else None

    def _follow(self, event: PlaybackChanged) -> None:
        status = event.status
        start = next((end for first, end in status.cached if first <= 0), 0.0)
        wanted = _Wanted(None if status.live else status.episode, status.duration_ms, int(start * _PARTS))
        with self._lock:
            before, self._wanted = self._wanted, wanted
        if wanted.key != before.key:
            self._task.soon()
        if _id(wanted.episode) != _id(before.episode):
            self._sandbox.cancel()

    # -- its thread -------------------------------------------------------------------------------------------

    def _look(self) -> None:
        wanted = self._wanted
        episode = wanted.episode
        if _id(episode) != self._shown:
            self._shown, self._due = _id(episode), time.monotonic() + self._first_s
            self._known = None
            self._done = None if episode else wanted.key
            if episode:
                self._tried(episode, wanted, measure=False)
        elif episode is None or wanted.duration_ms is None:
            self._done = wanted.key
        elif self._done != wanted.key and time.monotonic() >= self._due:
            if self._tried(episode, wanted, measure=True):
                self._due = time.monotonic() + self._again_s
            self._done = wanted.key
        if self._done != self._wanted.key:
            self._task.soon(max(0.0, self._due - time.monotonic()))

    def _tried(self, episode: Episode, wanted: _Wanted, *, measure: bool) -> bool:
        """Whether the episode was measured; without `measure` only stored results are shown."""
        try:
            with self._available(episode) as bytes_here:
                if bytes_here is None or not bytes_here.version:
                    return False
                audio = Audio(
                    os.fsencode(bytes_here.path or ""),
                    bytes_here.spans,
                    bytes_here.size,
                    wanted.duration_ms,
                    b"" if bytes_here.path else bytes_here.read(0, bytes_here.size or 0),
                )
        except OSError as error:
            log.info("nothing to measure: %s", error)
            return False
        key, version = key_of(episode), bytes_here.version
        record = self._stored.read(key, version)
        if record and self._known is None:
            self._show(episode.id, record)
        if not measure or not self._worth_it(record, audio):
            return False
        results = record.results if record else {}
        try:
            new = self._sandbox.call(audio, folders())
        except SandboxError as error:
            if error.trouble is Trouble.STOPPED:
                return False
            log.info("an episode can't be measured: %s", error)
            new = {one.name: NOTHING for one in self._measurements}
        if _id(self._wanted.episode) != episode.id:
            return False
        kept = {name: results[name] for name in results if new.get(name, NOTHING) == NOTHING}
        record = Record(version, audio.reach, new | kept)
        self._stored.write(key, record)
        self._show(episode.id, record)
        return True

    def _worth_it(self, record: Record | None, audio: Audio) -> bool:
        """Whether a good deal more of the episode is available than was measured, or the whole of it, or a measurement
        is missing."""
        if not audio.reach:
            return False
        if record is None or any(one.name not in record.results for one in self._measurements):
            return True
        whole = audio.size is not None and audio.reach >= audio.size
        more = audio.reach - record.measured
        return more > 0 and (whole or more * _PARTS >= (audio.size or audio.reach))

    def _show(self, episode_id: EpisodeId, record: Record) -> None:
        """Publishes the results, unless nothing could be measured."""
        results = {one.name: record.result(one) for one in self._measurements}
        if any(result is not None for result in results.values()):
            self._known = episode_id, results
            self._bus.publish(EpisodeMeasured(episode_id))


def _id(episode: Episode | None) -> EpisodeId | None:
    return episode.id if episode else None
