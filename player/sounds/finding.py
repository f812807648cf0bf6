"""Finds the sound of marked segments in other episodes of the same podcast, in the background, once these are on this
disk and measured.
"""

import logging
import threading
from array import array
from collections.abc import Callable, Iterable
from math import ceil

import msgspec
from msgspec import Struct

from player.errors import LibraryError
from player.events import Bus, Cause, SegmentsChanged, SoundMeasured, SoundMoved
from player.library import Library
from player.measuring.sound import HEARD_MS, LEVEL_MS, VALUE_MS, Sound, in_file_order
from player.model.episode import Episode, EpisodeId
from player.model.podcast import PodcastId
from player.model.segments import Segment, SegmentId
from player.processes.scheduler import SHARED
from player.sounds.matching import LEAST_MS, Keys, keys_of, occurrences

log = logging.getLogger(__name__)

_LEAST_SHARE = 0.5
"""At least so much of a segment has to be found."""
_SAME_MS = 500
"""A find that begins or ends so close to an edge of the segment begins or ends there."""


class SegmentSound(Struct, frozen=True):
    """The sound of a segment of `length_ms`, as it is stored. Its first value, and its first level, begin `early_ms`
    before the segment. The values have 32 bits and are little-endian."""

    length_ms: int
    early_ms: int
    values: bytes
    levels: bytes


def cut_out(sound: Sound, start_ms: int, end_ms: int) -> SegmentSound | None:
    """The sound of a segment; None if it is too short to be found again."""
    first, last = int(start_ms / VALUE_MS), ceil((end_ms - HEARD_MS) / VALUE_MS)
    values = sound.values[first:last]
    if end_ms - start_ms < LEAST_MS or not values:
        return None
    begin = int(first * VALUE_MS / LEVEL_MS)
    levels = sound.levels[begin : ceil(end_ms / LEVEL_MS)]
    return SegmentSound(end_ms - start_ms, start_ms - round(first * VALUE_MS), in_file_order(values).tobytes(), levels)


def found_in(sound: Sound, segment: SegmentSound, keys: Keys | None = None) -> list[tuple[int, int]]:
    """From when to when the segment is heard in another episode, in ms. `keys` are those of the segment's values, if
    they are known."""
    from player.sounds.alignment import refined  # needed after most of a start

    values = _values(segment)
    whole = Sound("", segment.length_ms, values, segment.levels)
    finds = []
    for run in occurrences(values, sound.values, keys or keys_of(values)):
        for part in refined(whole, sound, [run]):
            first, last = part.first_ms - segment.early_ms, part.last_ms - segment.early_ms
            first = 0 if first < _SAME_MS else first
            last = segment.length_ms if last > segment.length_ms - _SAME_MS else last
            begins = part.shift_ms + segment.early_ms
            if last - first >= max(LEAST_MS, segment.length_ms * _LEAST_SHARE):
                finds.append((max(0, begins + first), min(sound.duration_ms, begins + last)))
    return finds


class SegmentFinder:
    """Follows the bus from `start` until `close`."""

    def __init__(self, library: Library, bus: Bus, sound: Callable[[Episode], Sound | None]) -> None:
        """`sound` is that of the bytes on this disk."""
        self._library = library
        self._bus = bus
        self._sound = sound
        self._lock = threading.Lock()
        self._measured: dict[EpisodeId, None] = {}
        self._marked: set[EpisodeId] = set()
        self._searched: dict[PodcastId, list[tuple[SegmentId, SegmentSound]]] = {}
        """What was looked for in all episodes of a podcast the last time."""
        self._fresh: set[PodcastId] = set()
        """Podcasts of which a segment's sound has just become known."""
        self._task = SHARED.task(self._work, "segments")
        self._ends: list[Callable[[], None]] = []

    def start(self) -> None:
        self._ends = [
            self._bus.subscribe(SoundMeasured, lambda event: self._look_at(measured=[event.episode_id])),
            self._bus.subscribe(SoundMoved, lambda event: self._look_at(measured=[event.episode_id])),
            self._bus.subscribe(SegmentsChanged, self._follow),
        ]

    def close(self) -> None:
        for end in self._ends:
            end()
        self._task.close(timeout_s=0)

    def _follow(self, event: SegmentsChanged) -> None:
        if event.cause is not Cause.RULE:
            self._look_at(marked=event.episode_ids)

    def _look_at(self, measured: Iterable[EpisodeId] = (), marked: Iterable[EpisodeId] = ()) -> None:
        with self._lock:
            self._measured |= dict.fromkeys(measured)
            self._marked |= set(marked)
        self._task.soon()

    # -- its thread -------------------------------------------------------------------------------------------

    def _work(self) -> None:
        with self._lock:
            measured, self._measured = self._measured, {}
            marked, self._marked = self._marked, set()
        try:
            rows = self._library.episodes.rows([*measured, *(one for one in marked if one not in measured)])
            of_podcasts = {row.podcast_id: self._known_sounds(row.podcast_id) for row in rows}
            changed = {row.podcast_id for row in rows if row.id in marked} | self._fresh
            sounds = {one: [known[:2] for known in of_podcasts.get(one, [])] for one in changed}
            changed = {one for one in changed if self._searched.get(one) != sounds[one]}
            self._searched |= sounds
            self._fresh = set()
            wanted = {row.id: row for row in rows if of_podcasts[row.podcast_id]}
            if changed:
                others = self._library.episodes.with_audio()
                for row in self._library.episodes.rows([one.id for one in others]):
                    if row.podcast_id in changed:
                        wanted[row.id] = row
            found = [row.id for row in wanted.values() if self._find(row, of_podcasts[row.podcast_id])]
        except LibraryError as error:
            log.info("segments can't be looked for: %s", error)
            return
        if found:
            self._bus.publish(SegmentsChanged(tuple(found), Cause.RULE))

    def _known_sounds(self, podcast_id: PodcastId) -> list[tuple[SegmentId, SegmentSound, Keys]]:
        """The sounds of the podcast's segments. Those of new segments are stored. Raises LibraryError."""
        known = []
        for segment in self._library.segments.of_podcast(podcast_id):
            if (sound := self._sound_of(segment)) is not None:
                known.append((segment.id, sound, keys_of(_values(sound))))
        return known

    def _sound_of(self, segment: Segment) -> SegmentSound | None:
        stored = self._library.segments.sound(segment.id)
        if stored is not None:
            try:
                sound = msgspec.msgpack.decode(stored, type=SegmentSound)
            except msgspec.MsgspecError as error:
                log.warning("the sound of a segment makes no sense: %s", error)
            else:
                if sound.length_ms == segment.length_ms:
                    return sound
        for episode in self._library.episodes.rows([segment.episode_id] if segment.episode_id else []):
            whole = self._sound(episode)
            cut = cut_out(whole, segment.start_ms, segment.end_ms) if whole is not None else None
            if cut is not None:
                self._library.segments.set_sound(segment.id, msgspec.msgpack.encode(cut))
                self._fresh.add(segment.podcast_id)
            return cut
        return None

    def _find(self, episode: Episode, segments: list[tuple[SegmentId, SegmentSound, Keys]]) -> bool:
        """Whether other finds are stored than before. Raises LibraryError."""
        sound = self._sound(episode)
        if sound is None:
            return False
        before = self._library.segments.of_episode(episode.id)
        finds = [(one, *find) for one, segment, keys in segments for find in found_in(sound, segment, keys)]
        self._library.segments.put_found(episode.id, finds)
        return self._library.segments.of_episode(episode.id) != before


def _values(segment: SegmentSound) -> "array[int]":
    return in_file_order(array("I", segment.values[: len(segment.values) // 4 * 4]))
