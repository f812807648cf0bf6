"""The definition of a kind of measurement, the audio that is measured, and the results on the disk, for each version
of an episode's bytes. They may be deleted any time, and are once the bytes are gone.

An episode is measured in pieces of five minutes, so that what lies ahead of the listener is known first, and what has
just arrived doesn't have the rest measured again.
"""

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Self, TypeVar

import msgspec
from msgspec import Struct

from player import regular_file
from player.media.available import AvailableBytes
from player.model.moments import used_at

if TYPE_CHECKING:
    from av import AudioFrame


T = TypeVar("T")
P = TypeVar("P")

PIECE_MS = 300_000
SPEECH_RATE = 11_025
"""The rate of the samples in a `Second`: what fingerprints are made of, and enough to tell speech from silence."""
LEVEL_SAMPLES = 147
LEVELS = SPEECH_RATE // LEVEL_SAMPLES
"""The levels in a second: one for every 13.3 ms."""


class Audio(Struct, frozen=True):
    """The bytes of an episode: `data`, or the `spans` of the file at `path` that are available, as (from, to) in bytes.

    `size` is the size of the whole file, None if it isn't known. The path is in the encoding of the file system.
    """

    path: bytes
    spans: tuple[tuple[int, int], ...]
    size: int | None
    data: bytes = b""

    @classmethod
    def of(cls, some: AvailableBytes) -> Self:
        data = b"" if some.path else some.read(0, some.size or 0)
        return cls(os.fsencode(some.path or ""), some.spans, some.size, data)

    @property
    def reach(self) -> int:
        """The number of bytes that are available from the start on."""
        return len(self.data) or next((end for start, end in self.spans if start <= 0 < end), 0)

    @property
    def is_whole(self) -> bool:
        return bool(self.data) or (self.size is not None and self.reach >= self.size)


class Second(NamedTuple):
    """One second of an episode that begins at `at_ms`: its samples, with one channel, 16 bits and SPEECH_RATE, and for
    each LEVEL_SAMPLES of them the mean of their amplitudes, which is at most 32,768. The last second may be shorter."""

    at_ms: int
    samples: memoryview
    levels: list[float]


class Meter(Generic[P]):
    """Hears one piece of an episode, in the process that decodes."""

    def hear_frame(self, frame: AudioFrame) -> None:
        """Takes the next piece of audio, as the decoder made it."""

    def hear_second(self, second: Second) -> None:
        """Takes the next second: to the end of the piece, and for as long behind it as the measurement says."""

    def result(self) -> P | None:
        """None if too little was heard."""
        raise NotImplementedError


class Measurement(Struct, Generic[P, T], frozen=True):
    """`part` is the class of the result for a piece, which msgpack can encode; `joined` makes the whole of the results
    for the pieces that have been measured, by their numbers. `name` identifies the measurement on the disk: it changes
    when the same audio would be measured differently. `meter` gets the moment at which its piece begins, in ms.
    `beyond_s`: how many seconds of the next piece it hears as well. `is_possible`: whether this computer has what it
    needs; it is called in the process that decodes."""

    name: str
    part: type[P]
    meter: Callable[[int], Meter[P]]
    joined: Callable[[Mapping[int, P]], T]
    beyond_s: int = 0
    is_possible: Callable[[], bool] = lambda: True


log = logging.getLogger(__name__)


_FORMAT = 3
_SUFFIX = ".measured"
_LARGEST = 64_000_000
_YOUNG_S = 3_600
NOTHING = msgspec.Raw(msgspec.msgpack.encode(None))

Parts = dict[str, msgspec.Raw]
"""The results for a piece by the names of their measurements, as msgpack; None for a measurement that failed, so that
it isn't tried again."""


class Record(Struct, frozen=True):
    """`version` identifies the episode's bytes. `pieces` has the results by the numbers of the pieces; of those in
    `begun` only a part was available. `ended`: the last of them is the end of the episode. `reach`: the number of bytes
    from the start on that were available last."""

    version: str
    pieces: dict[int, Parts]
    begun: frozenset[int] = frozenset()
    ended: bool = False
    reach: int = 0
    format: int = _FORMAT

    def result(self, measurement: Measurement[P, T]) -> T | None:
        """The whole of a measurement as far as it was made; None also if it is missing or invalid."""
        heard = self.parts(measurement)
        return measurement.joined(heard) if heard else None

    def parts(self, measurement: Measurement[P, T]) -> dict[int, P]:
        """The results of a measurement by the numbers of the pieces; none also if one of them is invalid."""
        kind: Any = measurement.part | None
        try:
            found = {
                number: msgspec.msgpack.decode(parts.get(measurement.name, NOTHING), type=kind)
                for number, parts in sorted(self.pieces.items())
            }
        except msgspec.MsgspecError as error:
            log.info("a measurement makes no sense: %s", error)
            return {}
        return {number: part for number, part in found.items() if part is not None}

    @property
    def is_whole(self) -> bool:
        """Whether all of the episode has been measured."""
        return self.ended and len(self.pieces) == max(self.pieces) + 1

    def lacks(self, number: int, names: list[str]) -> bool:
        """Whether a piece hasn't been measured to its end, or not in all these ways."""
        parts = self.pieces.get(number)
        return parts is None or number in self.begun or any(name not in parts for name in names)


class StoredMeasurements:
    """One file for each episode, by the name under which its bytes are cached. For one thread."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, key: str, version: str) -> Record | None:
        """None if nothing is stored, or only results for other bytes."""
        try:
            record = msgspec.msgpack.decode(regular_file.read(self._folder / f"{key}{_SUFFIX}", _LARGEST), type=Record)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.MsgspecError, ValueError) as error:
            log.info("a measurement can't be read, it is made again: %s", error)
            return None
        return record if (record.format, record.version) == (_FORMAT, version) else None

    def write(self, key: str, record: Record) -> None:
        """Failures are logged: it will be measured again."""
        path = self._folder / f"{key}{_SUFFIX}"
        new = path.with_suffix(".new")
        try:
            regular_file.private_folder(self._folder)
            new.touch(0o600)
            new.write_bytes(msgspec.msgpack.encode(record))
            new.replace(path)
        except OSError as error:
            log.warning("a measurement can't be written: %s", error)
            with contextlib.suppress(OSError):
                new.unlink(missing_ok=True)

    def keys(self) -> set[str]:
        """Of the episodes that have been measured."""
        return {path.name.removesuffix(_SUFFIX) for path in self._folder.glob(f"*{_SUFFIX}")}

    def drop(self, keys: Iterable[str]) -> None:
        """Deletes these results, except those of the last hour: where their bytes are may not be on the disk yet."""
        now = time.time()
        for path in (self._folder / f"{key}{_SUFFIX}" for key in keys):
            with contextlib.suppress(OSError):
                if now - used_at(path.stat().st_mtime, now) > _YOUNG_S:
                    path.unlink()
