"""Measurements on the disk: the results for each version of an episode's bytes. They may be deleted any time."""

import contextlib
import logging
import time
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from player import regular_file
from player.measuring.measurement import Measurement
from player.model.moments import used_at

log = logging.getLogger(__name__)

T = TypeVar("T")

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
