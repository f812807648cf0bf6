"""The waveforms on disk: what was measured of which version of an episode's bytes. They may be deleted any time."""

import contextlib
import logging
import time
from pathlib import Path

import msgspec
from msgspec import Struct

from player import regular_file
from player.model.moments import used_at
from player.waveform.waveform import Waveform

log = logging.getLogger(__name__)

_FORMAT = 1
_SUFFIX = ".waveform"
_LARGEST = 8_000_000
_MOST = 300
"""Files of 2 KB."""


class Record(Struct, frozen=True):
    """`version` names the bytes, of which the first `measured` were there; `wave` is None if they couldn't be decoded.

    So a file that can't be decoded isn't tried again.
    """

    version: str
    measured: int
    wave: Waveform | None
    format: int = _FORMAT


class WaveformFiles:
    """One file for each episode, by the name under which its bytes are cached. For one thread."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, key: str, version: str) -> Record | None:
        """None for nothing, or what was measured of other bytes."""
        try:
            record = msgspec.msgpack.decode(regular_file.read(self._folder / f"{key}{_SUFFIX}", _LARGEST), type=Record)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.MsgspecError, ValueError) as error:
            log.info("a waveform can't be read, it is measured again: %s", error)
            return None
        valid = record.wave is None or record.wave.step_ms > 0
        return record if valid and (record.format, record.version) == (_FORMAT, version) else None

    def write(self, key: str, record: Record) -> None:
        """Failures are logged: it will be measured again. Deletes the oldest files beyond the limit."""
        path = self._folder / f"{key}{_SUFFIX}"
        new = path.with_suffix(".new")
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            new.write_bytes(msgspec.msgpack.encode(record))
            new.replace(path)
            self._shrink()
        except OSError as error:
            log.warning("a waveform can't be written: %s", error)
            with contextlib.suppress(OSError):
                new.unlink(missing_ok=True)

    def _shrink(self) -> None:
        files = list(self._folder.glob(f"*{_SUFFIX}"))
        if len(files) > _MOST:
            now = time.time()
            for old in sorted(files, key=lambda path: used_at(path.stat().st_mtime, now))[:-_MOST]:
                old.unlink(missing_ok=True)
