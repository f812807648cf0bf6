"""What is heard again and again in a podcast's episodes, and was never marked."""

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import median

from msgspec import Struct

from player.library import Library
from player.measuring.sound import HEARD_MS, VALUE_MS, Sound
from player.model.episode import Episode, EpisodeId
from player.model.podcast import PodcastId
from player.model.segments import LONGEST_MS
from player.sounds.matching import LEAST_MS, Keys, Run, edges_of, keys_of, occurrences, shared

MOST_EPISODES = 12
_LEAST_EPISODES = 3
_LEAST = round((LEAST_MS - HEARD_MS) / VALUE_MS)
_MOST_SAME = 3
"""If there are so many values for each that differs, it is silence, or a tone."""

Span = tuple[int, int]
"""From when to when, in ms."""


class Repeat(Struct, frozen=True):
    """A sound that is in so many `episodes`: where it is in the newest of them, and, if known, what is said there."""

    episode_id: EpisodeId
    start_ms: int
    end_ms: int
    episodes: int
    words: str = ""

    @property
    def length_ms(self) -> int:
        return self.end_ms - self.start_ms


class _Piece(Struct, frozen=True):
    """The values from `first` to before `last` of an episode are those of a sound that these `others` have as well."""

    first: int
    last: int
    others: frozenset[int]

    @property
    def length(self) -> int:
        return self.last - self.first


_Shared = tuple[int, Run]
"""What an episode shares with another one, by the number of that."""


def repeats_in(
    library: Library,
    podcast_id: PodcastId,
    sound: Callable[[Episode], Sound | None],
    goes_on: Callable[[], bool] = lambda: True,
) -> list[Repeat]:
    """Those of a podcast, as far as its newest episodes are on this disk and measured. Reads the disk and computes for
    a second or two, as long as it `goes_on`. `sound` is that of the bytes on this disk. Raises LibraryError."""
    rows = library.episodes.rows([one.id for one in library.episodes.with_audio()])
    mine = [row for row in rows if row.podcast_id == podcast_id]
    mine.sort(key=lambda row: row.published.timestamp() if row.published else 0.0, reverse=True)
    sounds: list[tuple[EpisodeId, Sound]] = []
    for row in mine:
        if len(sounds) == MOST_EPISODES or not goes_on():
            break
        if (found := sound(row)) is not None:
            sounds.append((row.id, found))
    segments = {one: library.segments.of_episode(one) for one, _sound in sounds}
    spans = {one: [(segment.start_ms, segment.end_ms) for segment in some] for one, some in segments.items()}
    return repeats(sounds, spans, goes_on)


def repeats(
    sounds: Sequence[tuple[EpisodeId, Sound]],
    segments: Mapping[EpisodeId, Iterable[Span]],
    goes_on: Callable[[], bool] = lambda: True,
) -> list[Repeat]:
    """What is heard in at least three of these episodes, of which the newest is first, and isn't a segment: what is in
    the most of them first. Each sound is returned once, however often it is heard. Only the first MOST_EPISODES are
    compared, and nothing is returned if it doesn't go on."""
    sounds = sounds[:MOST_EPISODES]
    known = [bytearray(len(sound.values)) for _id, sound in sounds]
    """For each value, whether it belongs to a segment, or to a repeat that was found in a newer episode."""
    told: list[tuple[array[int], Keys]] = []
    for number, (episode_id, sound) in enumerate(sounds):
        for start_ms, end_ms in segments.get(episode_id, ()):
            first, last = _value_at(start_ms), _value_at(end_ms)
            _note(known[number], first, last)
            told.append(_with_keys(sound.values[first:last]))
    found: list[Repeat] = []
    for number, (episode_id, sound) in enumerate(sounds[: 1 - _LEAST_EPISODES]):
        runs: list[_Shared] = []
        keys = _unknown(keys_of(sound.values), known[number])
        for other in range(number + 1, len(sounds) if keys else 0):
            if not goes_on():
                return []
            runs += [(other, run) for run in shared(sound.values, sounds[other][1].values, keys)]
        for piece in _pieces(runs, bytes(known[number])):
            values = sound.values[piece.first : piece.last]
            for other, run in runs:
                first, last = max(piece.first, run.first), min(piece.last, run.last)
                _note(known[other], first + run.offset, last + run.offset)
            if _MOST_SAME * len(set(values)) <= len(values) or any(_is_same(values, *one) for one in told):
                continue
            told.append(_with_keys(values))
            start_ms, end_ms = _edges(sounds, number, piece, runs)
            if LEAST_MS <= end_ms - start_ms <= LONGEST_MS:
                found.append(Repeat(episode_id, start_ms, end_ms, 1 + len(piece.others)))
    return sorted(found, key=lambda one: (-one.episodes, -one.length_ms))


def _value_at(ms: int) -> int:
    """The value in the middle of whose sound that moment is."""
    return max(0, round((ms - HEARD_MS / 2) / VALUE_MS))


def _note(known: bytearray, first: int, last: int) -> None:
    first, last = max(0, first), min(last, len(known))
    if last > first:
        known[first:last] = b"\x01" * (last - first)


def _with_keys(values: "array[int]") -> tuple["array[int]", Keys]:
    return values, keys_of(values)


def _unknown(keys: Keys, known: bytearray) -> Keys:
    """Where the keys are in sound that isn't known."""
    left = {key: [place for place in places if not known[place]] for key, places in keys.items()}
    return {key: places for key, places in left.items() if places}


def _is_same(values: "array[int]", other: "array[int]", keys: Keys) -> bool:
    """Whether most of these values are heard in the other ones, whose keys these are."""
    return 2 * sum(run.length for run in occurrences(other, values, keys)) > len(values)


def _pieces(runs: Sequence[_Shared], known: bytes) -> list[_Piece]:
    """What enough others share, without what is known, divided where it is shared with different ones. Edges differ by
    some values: what is too short to be told belongs to what it adjoins."""
    joined: list[_Piece] = []
    for piece in _shared_by_enough(runs, known):
        before = joined[-1] if joined else piece
        if before.last != piece.first:
            joined.append(piece)
        elif before.others == piece.others or min(before.length, piece.length) < _LEAST:
            longer = max(before, piece, key=lambda one: one.length)
            joined[-1] = _Piece(before.first, piece.last, longer.others)
        else:
            joined.append(piece)
    return [piece for piece in joined if piece.length >= _LEAST]


def _shared_by_enough(runs: Sequence[_Shared], known: bytes) -> Iterator[_Piece]:
    edges = sorted({edge for _other, run in runs for edge in (run.first, run.last)})
    for first, last in pairwise(edges):
        others = frozenset(other for other, run in runs if run.first <= first and last <= run.last)
        if len(others) + 1 >= _LEAST_EPISODES:
            for new in re.finditer(rb"\x00+", known[first:last]):
                yield _Piece(first + new.start(), first + new.end(), others)


def _edges(
    sounds: Sequence[tuple[EpisodeId, Sound]], number: int, piece: _Piece, runs: Sequence[_Shared]
) -> tuple[int, int]:
    """When the sound of a piece begins and ends: where what it shares with others does, or else where what adjoins it
    ends and begins. The median of what the other episodes say."""
    sound = sounds[number][1]
    starts, ends, ends_before, starts_after = [list[float]() for _each in range(4)]
    for other, run in runs:
        there, is_its = sounds[other][1], other in piece.others
        start, end = edges_of(sound.values, there.values, run)
        start = max(0, -run.offset) * VALUE_MS if start is None else start
        end = min(sound.duration_ms, there.duration_ms - run.offset * VALUE_MS) if end is None else end
        for edge, here, moment, found in (
            (run.first, piece.first, start, starts if is_its else None),
            (run.last, piece.last, end, ends if is_its else None),
            (run.last, piece.first, end, ends_before),
            (run.first, piece.last, start, starts_after),
        ):
            if found is not None and abs(edge - here) <= _LEAST:
                found.append(moment)
    start_ms = median(starts or ends_before or [piece.first * VALUE_MS + HEARD_MS / 2])
    end_ms = median(ends or starts_after or [piece.last * VALUE_MS + HEARD_MS / 2])
    return round(start_ms), min(sound.duration_ms, round(end_ms))
