"""Measures the current episode, from the bytes that are on this disk. Nothing is fetched, and nothing waits for the
results.

This happens in a process of the lowest priority, a moment after the episode became current, from the piece that plays
on, then what is before it; and again when more of it is cached. On a battery that is nearly empty it waits.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeVar, cast

from msgspec import Struct

from player.events import Bus, EpisodeMeasured, PlaybackChanged
from player.measuring.decoding import Answer, measured, prepare
from player.measuring.kinds import folders, measurements
from player.measuring.measurement import NOTHING, PIECE_MS, Audio, Measurement, Record, StoredMeasurements
from player.media.available import AvailableBytes, key_of
from player.model.effects import Trim
from player.model.episode import Episode, EpisodeId
from player.processes import power
from player.processes.sandbox import Sandbox, SandboxError, Trouble
from player.processes.scheduler import SHARED

log = logging.getLogger(__name__)

P = TypeVar("P")
T = TypeVar("T")

FIRST_S = 3.0
"""Seconds until the first measurement, so that playback starts first."""
AGAIN_S = 30.0
"""Seconds until a piece is measured again of which only a part was cached."""
_PARTS = 100
"""An episode has this many parts: another has to arrive before it is looked at again."""
_AT_ONCE = 4
"""So many pieces are measured in one pass; the first is measured alone, so that it is known soon."""

_LONGEST_S = 300.0
"""Seconds that a pass may take, at the lowest priority, on a busy computer."""
_CPU_S = 120
"""The most seconds of CPU time of one process: an hour of audio takes eight."""
_IDLE_S = 2.0
MEMORY = 1 << 30
"""The most bytes of address space for the process; the libraries alone take 300 MB of it."""
_POWER_S = 60.0

Available = Callable[[Episode], AbstractContextManager[AvailableBytes | None]]


class Wanted(Struct, frozen=True):
    """The episode that plays, the piece of it that is heard, and how many of its `_PARTS` parts are cached from its
    start on."""

    episode: Episode | None = None
    duration_ms: int | None = None
    piece: int = 0
    parts: int = 0

    @property
    def reach_ms(self) -> int:
        return (self.duration_ms or 0) * self.parts // _PARTS


class Measuring:
    """`known` may be called from any thread. Follows the bus from `start` until `close`."""

    def __init__(
        self,
        available: Available,
        folder: Path,
        bus: Bus,
        draws: Callable[[], bool],
        *,
        first_s: float = FIRST_S,
        again_s: float = AGAIN_S,
    ) -> None:
        """`available` opens the bytes of an episode that are on this disk; it may raise OSError. `draws`: whether
        waveforms are drawn; else only an episode that is levelled or trimmed is measured. `first_s`: seconds until an
        episode is measured, `again_s`: seconds until it is measured again."""
        self._available = available
        self._stored = StoredMeasurements(folder)
        self._bus = bus
        self._draws = draws
        self._first_s, self._again_s = first_s, again_s
        self._lock = threading.Lock()
        self._wanted = Wanted()
        self._known: tuple[EpisodeId, dict[str, object]] | None = None
        self._measurements = measurements(folders())
        self._sandbox = Sandbox(
            measured, memory=MEMORY, seconds=_LONGEST_S, cpu_s=_CPU_S, nice=19, idle_s=_IDLE_S, prepare=prepare
        )
        self._end: Callable[[], None] = lambda: None
        self._task = SHARED.task(self._look, "measuring")
        self._done: Wanted | None = Wanted()
        """What was wanted when nothing more was to be done."""
        self._shown: EpisodeId | None = None
        self._due = self._again_at = 0.0

    def start(self) -> None:
        self._end = self._bus.subscribe(PlaybackChanged, self._follow)

    def close(self) -> None:
        self._end()
        self._task.close(timeout_s=0)
        self._sandbox.close()

    def known(self, episode_id: EpisodeId, measurement: Measurement[P, T]) -> T | None:
        """The result as far as the episode has been measured; None if it isn't the episode that plays."""
        known = self._known
        found = known[1].get(measurement.name) if known and known[0] == episode_id else None
        return cast("T | None", found)

    def stored(self, episode: Episode, measurement: Measurement[P, T]) -> T | None:
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
        needed = self._draws() or status.gain_db is not None or status.trim is not Trim.OFF
        start = next((end for first, end in status.cached if first <= 0), 0.0)
        wanted = Wanted(
            status.episode if needed and not status.live else None,
            status.duration_ms,
            status.position_ms // PIECE_MS,
            int(start * _PARTS),
        )
        with self._lock:
            before, self._wanted = self._wanted, wanted
        if wanted != before:
            self._task.soon()
        if _id(wanted.episode) != _id(before.episode):
            self._sandbox.cancel()

    # -- its thread -------------------------------------------------------------------------------------------

    def _look(self) -> None:
        wanted = self._wanted
        episode = wanted.episode
        if _id(episode) != self._shown:
            self._shown, self._due = _id(episode), time.monotonic() + self._first_s
            self._known, self._again_at = None, 0.0
            self._done = None if episode else wanted
            if episode:
                self._show_stored(episode)
        elif episode is None or wanted.duration_ms is None:
            self._done = wanted
        elif self._done != wanted and time.monotonic() >= self._due:
            if power.is_low():
                self._due = time.monotonic() + _POWER_S
            elif not self._measured(episode, wanted):
                self._done = wanted
        if self._done != self._wanted:
            self._task.soon(max(0.0, self._due - time.monotonic()))

    def _show_stored(self, episode: Episode) -> None:
        try:
            with self._available(episode) as bytes_here:
                version = bytes_here.version if bytes_here else ""
        except OSError as error:
            log.info("no earlier measurement can be found: %s", error)
            return
        if record := self._stored.read(key_of(episode), version):
            self._show(episode.id, record)

    def _measured(self, episode: Episode, wanted: Wanted) -> bool:
        """Measures the next pieces. Whether there may be more to do now."""
        try:
            with self._available(episode) as bytes_here:
                if bytes_here is None or not bytes_here.version:
                    return False
                audio = Audio.of(bytes_here)
        except OSError as error:
            log.info("nothing to measure: %s", error)
            return False
        key, version = key_of(episode), bytes_here.version
        record = self._stored.read(key, version) or Record(version, {})
        if record.pieces and self._known is None:  # another process has measured it meanwhile
            self._show(episode.id, record)
        waits = max(0.0, self._again_at - time.monotonic())
        first, count = next_pieces(record, audio, wanted, self._names, again=not waits)
        if not count:
            self._due = self._again_at
            return bool(waits) and record.reach < audio.reach
        try:
            answer = self._sandbox.call(audio, folders(), first, count)
        except SandboxError as error:
            if error.trouble is Trouble.STOPPED:
                return False
            log.info("an episode can't be measured: %s", error)
            answer = Answer([dict.fromkeys(self._names, NOTHING)] * count, ended=True)
        if _id(self._wanted.episode) != episode.id:
            return False
        before, record = record, grown(record, audio, range(first, first + count), answer, self._names)
        if record == before:
            return False
        self._stored.write(key, record)
        self._show(episode.id, record)
        if record.begun:
            self._again_at = time.monotonic() + self._again_s
        return True

    @property
    def _names(self) -> list[str]:
        return [one.name for one in self._measurements]

    def _show(self, episode_id: EpisodeId, record: Record) -> None:
        """Publishes the results, unless nothing could be measured."""
        results: Mapping[str, object] = {one.name: record.result(one) for one in self._measurements}
        if any(result is not None for result in results.values()):
            self._known = episode_id, dict(results)
            self._bus.publish(EpisodeMeasured(episode_id, record.is_whole))


def next_pieces(record: Record, audio: Audio, wanted: Wanted, names: list[str], *, again: bool) -> tuple[int, int]:
    """The number of the first piece to be measured, and how many from there on: those that are cached, from the one
    that is heard on, then those before it. No pieces if nothing is to be done. `again`: also a piece that has been
    measured in part, if more of it is here."""
    last = max(record.pieces, default=0)
    if not record.ended:
        last = max(last, -(-(wanted.duration_ms or 0) // PIECE_MS) - 1)
        if not audio.is_whole:
            last = min(last, wanted.reach_ms // PIECE_MS)
        elif not record.lacks(last, names):
            last += 1
    begun = () if again and record.reach < audio.reach else record.begun
    missing = [number for number in range(last + 1) if record.lacks(number, names) and number not in begun]
    if not audio.reach or not missing:
        return 0, 0
    first = next((number for number in missing if number >= wanted.piece), missing[0])
    most = _AT_ONCE if record.pieces else 1
    return first, next(count for count in range(1, most + 1) if count == most or first + count not in missing)


def grown(record: Record, audio: Audio, numbers: range, answer: Answer, names: list[str]) -> Record:
    """The record with the results for the pieces with these numbers. A piece without any is left as it was, unless all
    bytes of it are here."""
    pieces, begun = dict(record.pieces), set(record.begun)
    found = dict(zip(numbers, answer.pieces, strict=False))
    for number in numbers if audio.is_whole else found:
        new = found.get(number, dict.fromkeys(names, NOTHING))
        kept = {name: raw for name, raw in pieces.get(number, {}).items() if new.get(name, NOTHING) == NOTHING}
        pieces[number] = new | kept
        begun.discard(number)
    if answer.ended and found and not audio.is_whole:
        begun.add(max(found))
    ended = record.ended or (answer.ended and audio.is_whole)
    return Record(record.version, pieces, frozenset(begun), ended, audio.reach)


def _id(episode: Episode | None) -> EpisodeId | None:
    return episode.id if episode else None
