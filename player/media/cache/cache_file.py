"""The cached bytes of an episode: a sparse data file, and a record of which bytes it has.

The record is written after its bytes are safely on disk, and replaced atomically: after a crash it may list too few
bytes, never too many. Each version of a remote file has a data file of its own, so that two can't be mixed.
"""

import contextlib
import fcntl
import json
import logging
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec.structs import asdict

from player import regular_file
from player.media.cache.byte_ranges import Ranges
from player.media.cache.remote_version import RemoteVersion

log = logging.getLogger(__name__)
_LARGEST_RECORD = 16_000_000

_FORMAT = 1
RECORD = ".json"
DATA = ".bytes"


class Differs(Exception):
    """Bytes that were written again differ from the cached ones: the remote file has changed."""


class CacheFile:
    """One version of one file. All methods may be called from any thread; OSError is raised as it comes."""

    def __init__(self, folder: Path, key: str) -> None:
        """Opens what is cached under `key`, or an empty file. Raises OSError when the folder can't be written to."""
        self._folder = folder
        self.key = key
        self._lock = threading.Lock()
        self._saving = threading.Lock()
        self._users = 1
        self._discarded = False
        self._fetching = 0
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        record = read_record(folder, key)
        self.name = record.get("data") or f"{key}.{os.urandom(4).hex()}{DATA}"
        self.origin: RemoteVersion | None = RemoteVersion(**record["origin"]) if record else None
        self.ranges = Ranges.of((start, end) for start, end in record.get("ranges", ()))
        self.duration_ms: int | None = record.get("duration_ms")
        self._saved = self.ranges
        self._fd = os.open(folder / self.name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        # Files that somebody holds, in this or another process, are never deleted to make room.
        fcntl.flock(self._fd, fcntl.LOCK_SH)
        if record:
            os.utime(folder / f"{key}{RECORD}")

    @property
    def path(self) -> Path:
        return self._folder / self.name

    @property
    def complete(self) -> bool:
        length = self.origin.length if self.origin else None
        return length is not None and self.ranges.covers(0, length)

    def read(self, offset: int, count: int) -> bytes:
        """Up to `count` of the bytes cached at `offset`; b"" where there are none."""
        count = min(count, self.ranges.reach(offset) - offset)
        with self.used():
            return os.pread(self._fd, count, offset) if count > 0 else b""

    def write(self, offset: int, data: bytes) -> int:
        """Writes `data`; returns how many bytes are new. Raises Differs when other bytes are cached at that offset."""
        end = offset + len(data)
        with self.used():
            known = self.ranges.overlap(offset, end)
            for start, stop in known:
                if os.pread(self._fd, stop - start, start) != data[start - offset : stop - offset]:
                    raise Differs
            at, rest = offset, memoryview(data)
            while rest:
                written = os.pwrite(self._fd, rest, at)
                at, rest = at + written, rest[written:]
            with self._lock:
                self.ranges = self.ranges.add(offset, end)
        return len(data) - sum(stop - start for start, stop in known)

    def save(self) -> None:
        """Flushes the bytes to disk, then records them."""
        with self._saving, self.used():
            with self._lock:
                ranges, origin = self.ranges, self.origin
            if self._discarded or origin is None:
                return
            if ranges != self._saved:
                os.fsync(self._fd)
            record = {
                "format": _FORMAT,
                "data": self.name,
                "origin": asdict(origin),
                "ranges": ranges.spans,
                "duration_ms": self.duration_ms,
            }
            _replace(self._folder / f"{self.key}{RECORD}", json.dumps(record).encode())
            self._saved = ranges

    def discard(self) -> None:
        """Deletes the file; those who hold it can still read it."""
        with self._saving:
            if not self._discarded:
                self._discarded = True
                (self._folder / f"{self.key}{RECORD}").unlink(missing_ok=True)
                (self._folder / self.name).unlink(missing_ok=True)

    @property
    def fetched_to_be_played(self) -> bool:
        """Whether what is missing is being fetched for a listener: others needn't fetch it as well."""
        return self._fetching > 0

    def begin_fetching(self) -> None:
        with self._lock:
            self._fetching += 1

    def end_fetching(self) -> None:
        with self._lock:
            self._fetching -= 1

    @property
    def discarded(self) -> bool:
        return self._discarded

    @property
    def closed(self) -> bool:
        return not self._users

    # -- holds: the descriptor is closed with the last one -------------------------------------------------------

    def acquire(self) -> None:
        with self._lock:
            if not self._users:
                raise OSError("the cached file is closed")
            self._users += 1

    def release(self) -> bool:
        """Ends one hold; True when it was the last one and the file is closed."""
        with self._lock:
            self._users -= 1
            if self._users:
                return False
            os.close(self._fd)
            return True

    @contextlib.contextmanager
    def used(self) -> Iterator[None]:
        self.acquire()
        try:
            yield
        finally:
            self.release()


def is_held(path: Path) -> bool:
    """Whether anybody, in any process, has this data file open."""
    try:
        fd = regular_file.descriptor(path)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(fd)
    return False


def key_in(name: str) -> str:
    """The key in the name of a data file."""
    return name.partition(".")[0]


def data_of(record: Path) -> str:
    """The name of a record's data file; "" when the record can't be read."""
    try:
        return str(json.loads(regular_file.read(record, _LARGEST_RECORD))["data"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def read_record(folder: Path, key: str) -> dict[str, Any]:
    """The record if it is valid; else {}."""
    try:
        record = json.loads(regular_file.read(folder / f"{key}{RECORD}", _LARGEST_RECORD))
        data: str = record["data"]
        end = max((int(end) for _, end in record["ranges"]), default=0)
        RemoteVersion(**record["origin"])
        sound = record["format"] == _FORMAT and data.startswith(f"{key}.") and data.endswith(DATA) and "/" not in data
        if sound and (folder / data).stat().st_size >= end:
            return dict(record)
    except FileNotFoundError:
        pass
    except (OSError, ValueError, KeyError, TypeError) as error:
        log.warning("the cache record of %s can't be read, its episode is fetched again: %s", key, error)
    return {}


def _replace(path: Path, data: bytes) -> None:
    new = path.with_suffix(".new")
    with new.open("wb") as out:
        out.write(data)
        out.flush()
        os.fsync(out.fileno())
    new.replace(path)
