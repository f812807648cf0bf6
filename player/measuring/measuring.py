"""Measures the current episode, from the bytes that are on this disk, and then the others that are whole there. Nothing
is fetched, and nothing waits for the results.

This happens in a process of the lowest priority, a moment after the episode became current, from the piece that plays
on, then what is before it; and again when more of it is cached. On a battery that is nearly empty it waits; the others
wait on any battery, and take at most a quarter of a core.
"""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TypeVar, cast

from msgspec import Struct

from player.errors import LibraryError
from player.events import (
    Bookmarked,
    Bus,
    CachedChanged,
    EpisodeMeasured,
    EpisodesChanged,
    LibraryChanged,
    PlaybackChanged,
    QueueChanged,
    SegmentsChanged,
    SoundMeasured,
)
from player.measuring.decoding import Answer, measured, prepare
from player.measuring.kept_sounds import KeptSounds
from player.measuring.kinds import folders, measurements
from player.measuring.kinds.fingerprint import MEASUREMENT as FINGERPRINT
from player.measuring.measurement import NOTHING, PIECE_MS, Audio, Measurement, Record, StoredMeasurements
from player.measuring.others import Other, Others
from player.measuring.sound import Sound, has_sound, sound_of
from player.media.available import AvailableBytes, key_of
from player.model.downloads import DownloadDeleted, DownloadFinished
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
"""The most seconds of CPU time of one process: an hour of audio takes eight. A pass for which too little of them is
left is made again in a new process."""
_IDLE_S = 2.0
MEMORY = 1 << 30
"""The most bytes of address space for the process; the libraries alone take 300 MB of it."""
_POWER_S = 60.0
OTHERS_S = 30.0
"""Seconds for which nothing has happened before another episode is looked at."""
_RESTED = 3
"""After each other episode comes a rest that is so many times as long as the work."""
_LONG_S = 0.2
"""After less work there is no rest."""
_BATTERY_S = 300.0
_USUAL_MS = 3600_000

Available = Callable[[Episode], AbstractContextManager[AvailableBytes | None]]


class Wanted(Struct, frozen=True):
    """The episode that plays, the piece of it that is heard, and how many of its `_PARTS` parts are cached from its
    start on. `is_needed`: the results are needed now, if only a waveform."""

    episode: Episode | None = None
    duration_ms: int | None = None
    piece: int = 0
    parts: int = 0
    is_needed: bool = True

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
        kept: KeptSounds,
        others: Others,
        *,
        first_s: float = FIRST_S,
        again_s: float = AGAIN_S,
        others_s: float = OTHERS_S,
    ) -> None:
        """`available` opens the bytes of an episode that are on this disk; it may raise OSError. `draws`: whether
        waveforms are drawn; else, where there are no fingerprints, only an episode that is levelled or trimmed is
        measured. `first_s`: seconds until an episode is measured, `again_s`: seconds until it is measured again."""
        self._available = available
        self._stored = StoredMeasurements(folder)
        self._bus = bus
        self._draws = draws
        self._kept = kept
        self._others = others
        self._first_s, self._again_s, self._others_s = first_s, again_s, others_s
        self._lock = threading.Lock()
        self._wanted = Wanted()
        self._known: tuple[EpisodeId, dict[str, object]] | None = None
        self._known_other: tuple[EpisodeId, dict[str, object]] | None = None
        self._measurements = measurements(folders())
        self._impossible: tuple[str, ...] = ()
        """The measurements that this computer lacks something for, once that is known."""
        self._sandbox = Sandbox(
            measured, memory=MEMORY, seconds=_LONGEST_S, cpu_s=_CPU_S, nice=19, idle_s=_IDLE_S, prepare=prepare
        )
        self._ends: list[Callable[[], None]] = []
        self._task = SHARED.task(self._look, "measuring")
        self._later = SHARED.task(self._task.soon, "measuring others")
        """For the others: a call that is due late mustn't postpone one that is due soon."""
        self._done: Wanted | None = Wanted()
        """What was wanted when nothing more was to be done."""
        self._shown: EpisodeId | None = None
        self._due = self._again_at = 0.0
        self._late: tuple[str, int] | None = None
        """The bytes and the piece for which a process took too long, and which get one more."""
        self._measured_last: tuple[str, Record] | None = None
        """The key and the record of the last pass, which a full disk may not have taken."""
        self._waiting: list[Other] = []
        self._seen: set[tuple[EpisodeId, bool]] = set()
        """The others that were measured, or tried, in this run, and whether they were marked then."""
        self._changed = True
        """Whether others may wait that didn't, or bytes may be gone."""
        self._others_due = self._worked_s = 0.0
        self._busy_with: EpisodeId | None = None
        """The other episode that is being measured now."""

    def start(self) -> None:
        self._others_due = time.monotonic() + self._others_s
        subscribe = self._bus.subscribe
        self._ends = [subscribe(PlaybackChanged, self._follow), subscribe(DownloadFinished, self._downloaded)]
        for kind in (
            DownloadDeleted,
            CachedChanged,
            QueueChanged,
            Bookmarked,
            SegmentsChanged,
            LibraryChanged,
        ):
            self._ends.append(subscribe(kind, lambda _event: self._look_for_others()))
        self._ends.append(subscribe(EpisodesChanged, self._episodes_changed))
        self._later.soon(self._others_s)

    def close(self) -> None:
        for end in self._ends:
            end()
        self._later.close(timeout_s=0)
        self._task.close(timeout_s=0)
        self._sandbox.close()

    def known(self, episode_id: EpisodeId, measurement: Measurement[P, T]) -> T | None:
        """The result as far as the episode has been measured; None if it is neither the episode that plays nor the one
        that was measured last."""
        for known in (self._known, self._known_other):
            if known and known[0] == episode_id:
                return cast("T | None", known[1].get(measurement.name))
        return None

    def stored(self, episode: Episode, measurement: Measurement[P, T]) -> T | None:
        """The stored result of an earlier measurement of the episode's bytes. For any thread that may block on the
        disk."""
        record = self._record(episode)
        return record.result(measurement) if record else None

    def sound(self, episode: Episode) -> Sound | None:
        """The sound of the bytes that are on this disk; None unless all of them have been measured. For any thread that
        may block on the disk."""
        record = self._record(episode)
        return sound_of(record) if record else None

    def _record(self, episode: Episode) -> Record | None:
        return _record(episode, self._available, self._stored)

    def _follow(self, event: PlaybackChanged) -> None:
        status = event.status
        start = next((end for first, end in status.cached if first <= 0), 0.0)
        wanted = Wanted(
            None if status.live else status.episode,
            status.duration_ms,
            status.position_ms // PIECE_MS,
            int(start * _PARTS),
            self._draws() or status.gain_db is not None or status.trim is not Trim.OFF,
        )
        with self._lock:
            before, self._wanted = self._wanted, wanted
        if wanted == before:
            return
        self._others_due = max(self._others_due, time.monotonic() + self._others_s)
        self._task.soon()
        if _id(wanted.episode) != _id(before.episode) or self._busy_with is not None:
            self._sandbox.cancel()

    def _downloaded(self, event: DownloadFinished) -> None:
        self._others.new.add(event.episode_id)
        with self._lock:
            self._seen -= {(event.episode_id, False), (event.episode_id, True)}
        self._look_for_others()

    def _episodes_changed(self, event: EpisodesChanged) -> None:
        """The position of the current episode is announced again and again, which would keep the others waiting."""
        if event.episode_ids != (_id(self._wanted.episode),):
            self._look_for_others()

    def _look_for_others(self) -> None:
        self._changed = True
        self._others_due = max(self._others_due, time.monotonic() + self._others_s)
        self._later.soon(self._others_s)

    # -- its thread -------------------------------------------------------------------------------------------

    def _look(self) -> None:
        wanted = self._wanted
        episode = wanted.episode
        if _id(episode) != self._shown:
            self._shown, self._due = _id(episode), time.monotonic() + self._first_s
            self._known, self._again_at = None, 0.0
            self._done = None if episode else wanted
            if episode and (record := self._record(episode)):
                self._show(episode.id, record)
        elif episode is None or wanted.duration_ms is None or not (wanted.is_needed or self._recognises):
            self._done = wanted
        elif self._done != wanted and time.monotonic() >= self._due:
            if power.is_low():
                self._due = time.monotonic() + _POWER_S
            elif not self._measured(episode, wanted):
                self._done = wanted
        if self._done != self._wanted:
            self._task.soon(max(0.0, self._due - time.monotonic()))
        elif self._changed or self._waiting:
            if time.monotonic() >= self._others_due:
                self._measure_others()
            if self._changed or self._waiting:
                self._later.soon(max(0.0, self._others_due - time.monotonic()))

    def _measured(self, episode: Episode, wanted: Wanted) -> bool:
        """Measures the next pieces. Whether there may be more to do now."""
        audio, version = self._audio(episode)
        if audio is None:
            return False
        record = self._begun(key_of(episode), version)
        if record.pieces and self._known is None:  # another process has measured it meanwhile
            self._show(episode.id, record)
        waits = max(0.0, self._again_at - time.monotonic())
        first, count = next_pieces(record, audio, wanted, self._names, again=not waits)
        if not count:
            self._due = self._again_at
            return bool(waits) and record.reach < audio.reach
        new = self._pass(episode, record, audio, first, count)
        if _id(self._wanted.episode) != episode.id or new == record:
            return False
        if new is not None:
            self._show(episode.id, new)
            if new.begun:
                self._again_at = time.monotonic() + self._again_s
        return True

    def _audio(self, episode: Episode) -> tuple[Audio | None, str]:
        """The bytes that are on this disk, and what identifies them."""
        try:
            with self._available(episode) as bytes_here:
                if bytes_here is None or not bytes_here.version:
                    return None, ""
                return Audio.of(bytes_here), bytes_here.version
        except OSError as error:
            log.info("nothing to measure: %s", error)
            return None, ""

    def _pass(self, episode: Episode, record: Record, audio: Audio, first: int, count: int) -> Record | None:
        """The record with these pieces measured, which is stored; None if they have to be measured again."""
        try:
            answer = self._sandbox.call(audio, folders(), first, count)
        except SandboxError as error:
            if error.trouble is Trouble.STOPPED:
                return None
            log.info("an episode can't be measured: %s", error)
            if error.trouble is Trouble.UNSTARTED:
                return record
            late, self._late = self._late, (record.version, first)
            if error.trouble is Trouble.LATE and late != self._late:
                return None
            answer = Answer([dict.fromkeys(self._names, NOTHING)] * count, ended=True)
        self._impossible = answer.impossible or self._impossible
        new = grown(record, audio, range(first, first + count), answer, self._names)
        if new != record:
            self._stored.write(key_of(episode), new)
            self._measured_last = key_of(episode), new
        return new

    def _begun(self, key: str, version: str) -> Record:
        """What has been measured of these bytes."""
        last = self._measured_last
        if last is not None and (last[0], last[1].version) == (key, version):
            return last[1]
        return self._stored.read(key, version) or Record(version, {})

    # -- the others -------------------------------------------------------------------------------------------

    def _measure_others(self) -> None:
        """Until one of them takes time."""
        if self._changed:
            self._changed = False
            self._find_others()
        while self._waiting and self._recognises:
            if power.is_battery():
                self._others_due = time.monotonic() + _BATTERY_S
                return
            began = time.monotonic()
            has_more = self._measured_other(self._waiting[0])
            self._worked_s += time.monotonic() - began
            if has_more:
                return
            del self._waiting[:1]
            if self._worked_s > _LONG_S:
                self._others_due = max(self._others_due, time.monotonic() + _RESTED * self._worked_s)
                self._worked_s = 0.0
                return
        self._waiting = []

    def _find_others(self) -> None:
        """What waits, without what has been measured in this run. Results whose bytes are gone are dropped."""
        try:
            self._stored.drop(self._others.gone(self._stored.keys()))
            self._kept.tidy(self._others.existing(self._kept.ids()))
            self._waiting = self._others.wanted(self._seen)
        except (LibraryError, OSError) as error:
            log.info("which episodes are to be measured can't be read: %s", error)

    def _measured_other(self, other: Other) -> bool:
        """Measures its next pieces. Whether there may be more of it."""
        episode = other.episode
        audio, version = self._audio(episode)
        if audio is None or not audio.is_whole:
            return False
        record = self._begun(key_of(episode), version)
        wanted = Wanted(episode, episode.duration_ms or _USUAL_MS, parts=_PARTS)
        first, count = next_pieces(record, audio, wanted, self._names, again=True)
        is_new = bool(count)
        if is_new:
            self._busy_with = episode.id
            new = self._pass(episode, record, audio, first, count)
            self._busy_with = None
            if new is None or (new != record and next_pieces(new, audio, wanted, self._names, again=True)[1]):
                return True
            record = new
        with self._lock:
            self._seen.add((episode.id, other.is_marked))
        if is_new:
            self._known_other = self._results(episode.id, record)
            self._bus.publish(EpisodeMeasured(episode.id, is_whole=True))
        self._keep(episode.id, record, other.is_marked)
        return False

    @property
    def _names(self) -> list[str]:
        return [one.name for one in self._measurements if one.name not in self._impossible]

    @property
    def _recognises(self) -> bool:
        """Whether there are fingerprints on this computer, as far as is known."""
        return FINGERPRINT.name not in self._impossible

    def _show(self, episode_id: EpisodeId, record: Record) -> None:
        """Publishes the results, unless nothing could be measured."""
        known = self._results(episode_id, record)
        if known is not None:
            self._known = known
            self._bus.publish(EpisodeMeasured(episode_id, record.is_whole))
            self._keep(episode_id, record, is_marked=True)

    def _results(self, episode_id: EpisodeId, record: Record) -> tuple[EpisodeId, dict[str, object]] | None:
        results: dict[str, object] = {one.name: record.result(one) for one in self._measurements}
        return (episode_id, results) if any(result is not None for result in results.values()) else None

    def _keep(self, episode_id: EpisodeId, record: Record, is_marked: bool) -> None:
        """Keeps the sound that the listener's marks belong to, if all of it is known, and says so."""
        if not has_sound(record):
            return
        if is_marked and self._kept.read(episode_id) is None and (sound := sound_of(record)):
            try:
                self._kept.keep_if_first(episode_id, sound)
            except OSError as error:
                log.warning("the sound of an episode can't be kept: %s", error)
        self._bus.publish(SoundMeasured(episode_id, record.version))


def sound_on_disk(available: Available, folder: Path) -> Callable[[Episode], Sound | None]:
    """`Measuring.sound`, where nothing is measured."""

    def sound(episode: Episode) -> Sound | None:
        record = _record(episode, available, StoredMeasurements(folder))
        return sound_of(record) if record else None

    return sound


def _record(episode: Episode, available: Available, stored: StoredMeasurements) -> Record | None:
    try:
        with available(episode) as bytes_here:
            version = bytes_here.version if bytes_here else ""
    except OSError as error:
        log.info("no earlier measurement can be found: %s", error)
        return None
    return stored.read(key_of(episode), version) if version else None


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
