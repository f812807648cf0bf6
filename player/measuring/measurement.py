"""The definition of a kind of measurement, the audio that is measured, and the results on the disk, for each version
of an episode's bytes. They may be deleted any time.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import msgspec
from msgspec import Struct

from player import regular_file
from player.model.moments import used_at

if TYPE_CHECKING:
    from av import AudioFrame


T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Audio(Struct, frozen=True):
    """The bytes of an episode: `data`, or the `spans` of the file at `path` that are available, as (from, to) in bytes.

    `size` is the size of the whole file, None if it isn't known; `duration_ms` is the stated duration of the episode.
    The path is in the encoding of the file system.
    """

    path: bytes
    spans: tuple[tuple[int, int], ...]
    size: int | None
    duration_ms: int | None
    data: bytes = b""

    @property
    def reach(self) -> int:
        """The number of bytes that are available from the start on."""
        return len(self.data) or next((end for start, end in self.spans if start <= 0 < end), 0)


class Meter(Protocol[T_co]):
    """Hears an episode once, from its start to the end of its available bytes, in the process that decodes."""

    def hear(self, frame: AudioFrame, at_ms: float) -> None:
        """Takes the next piece of audio, which begins at `at_ms`. Its samples are as the decoder made them."""
        ...

    def result(self) -> T_co | None:
        """None if too little was heard."""
        ...


class Measurement(Struct, Generic[T], frozen=True):
    """`result` is the class of the result, which msgpack can encode. `name` identifies the measurement on the disk: it
    changes when the same audio would be measured differently. `meter` gets the duration of the episode, in ms, or None.
    `all_of_it`: whether the meter hears every piece; three in sixteen of a long episode take a third of the time."""

    name: str
    result: type[T]
    meter: Callable[[int | None], Meter[T]]
    all_of_it: bool = False


log = logging.getLogger(__name__)


_FORMAT = 2
_SUFFIX = ".waveform"
_LARGEST = 8_000_000
_MOST = 300
"""The most files; a file with a waveform has 2 KB."""
NOTHING = msgspec.Raw(msgspec.msgpack.encode(None))


class Record(Struct, frozen=True):
    """`version` identifies the episode's bytes, of which the first `measured` were available. `results` has the results
    by the names of their measurements, as msgpack; None for a measurement that failed, so that it isn't tried again."""

    version: str
    measured: int
    results: dict[str, msgspec.Raw]
    format: int = _FORMAT

    def result(self, measurement: Measurement[T]) -> T | None:
        """The result of a measurement; None also if it is missing or invalid."""
        try:
            kind: Any = measurement.result | None
            found: T | None = msgspec.msgpack.decode(self.results.get(measurement.name, NOTHING), type=kind)
        except msgspec.MsgspecError as error:
            log.info("a measurement makes no sense: %s", error)
            return None
        return found


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
        """Failures are logged: it will be measured again. Deletes the oldest files beyond the limit."""
        path = self._folder / f"{key}{_SUFFIX}"
        new = path.with_suffix(".new")
        try:
            regular_file.private_folder(self._folder)
            new.touch(0o600)
            new.write_bytes(msgspec.msgpack.encode(record))
            new.replace(path)
            self._shrink()
        except OSError as error:
            log.warning("a measurement can't be written: %s", error)
            with contextlib.suppress(OSError):
                new.unlink(missing_ok=True)

    def _shrink(self) -> None:
        files = list(self._folder.glob(f"*{_SUFFIX}"))
        if len(files) > _MOST:
            now = time.time()
            for old in sorted(files, key=lambda path: used_at(path.stat().st_mtime, now))[:-_MOST]:
                old.unlink(missing_ok=True)
