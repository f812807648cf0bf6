"""Audio cached on disk: a sparse file for each episode, and a record of which bytes of which version it has."""

import contextlib
import fcntl
import json
import logging
import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from player import regular_file

Span = tuple[int, int]


class Ranges(Struct, frozen=True):
    spans: tuple[Span, ...] = ()

    @classmethod
    def of(cls, spans: Iterable[Span]) -> "Ranges":
        ranges = cls()
        for start, end in spans:
            ranges = ranges.add(start, end)
        return ranges

    def add(self, start: int, end: int) -> "Ranges":
        if start >= end:
            return self
        before = [span for span in self.spans if span[1] < start]
        after = [span for span in self.spans if span[0] > end]
        touched = self.spans[len(before) : len(self.spans) - len(after)]
        first, last = (touched[0][0], touched[-1][1]) if touched else (start, end)
        return Ranges((*before, (min(start, first), max(end, last)), *after))

    def reach(self, offset: int) -> int:
        """The end of the contiguous bytes from `offset` on; `offset` itself when it isn't cached."""
        for start, end in self.spans:
            if start <= offset < end:
                return end
        return offset

    def covers(self, start: int, end: int) -> bool:
        return start >= end or self.reach(start) >= end

    def gap(self, offset: int, size: int | None) -> tuple[int, int | None] | None:
        """The first missing span at or after `offset`; its end is None if nothing bounds it (`size` unknown)."""
        start = self.reach(offset)
        if size is not None and start >= size:
            return None
        following = (span[0] for span in self.spans if span[0] > start and (size is None or span[0] < size))
        return start, next(following, size)

    def overlap(self, start: int, end: int) -> tuple[Span, ...]:
        """The spans within `start` to `end`."""
        cut = ((max(start, a), min(end, b)) for a, b in self.spans)
        return tuple((a, b) for a, b in cut if a < b)


_CONTENT_RANGE = re.compile(r"bytes\s+(?:(\d+)-(\d+)|\*)/(\d+|\*)", re.IGNORECASE)


class RemoteVersion(Struct, frozen=True):
    """`length` (bytes) is None while unknown. `ranged`: the server accepts ranges. `resolved`: where redirects led.

    `slot`: the bytes set apart for each segment of a recording in HLS (`etag` names its playlist); 0 for a file.
    """

    etag: str = ""
    last_modified: str = ""
    length: int | None = None
    ranged: bool = False
    resolved: str = ""
    slot: int = 0

    @property
    def condition(self) -> str:
        """For `If-Range` (RFC 9110, 13.1.5), which takes no weak ETag."""
        return self.etag if self.etag and not self.etag.startswith("W/") else self.last_modified

    def same_file(self, other: "RemoteVersion") -> bool:
        """Whether bytes of both may be combined. A property that only one of them has counts as no difference."""
        if self.length is not None and other.length is not None and self.length != other.length:
            return False
        if self.etag and other.etag:
            return self.etag == other.etag
        return not (self.last_modified and other.last_modified) or self.last_modified == other.last_modified

    def updated(self, newer: "RemoteVersion") -> "RemoteVersion":
        """The same file, with the newer description."""
        return RemoteVersion(
            newer.etag or self.etag,
            newer.last_modified or self.last_modified,
            self.length if newer.length is None else newer.length,
            newer.ranged,
            newer.resolved,
        )


class ContentRange(Struct, frozen=True):
    """`Content-Range` (RFC 9110, 14.4). `start` is None for a 416 response."""

    start: int | None
    length: int | None

    @classmethod
    def parse(cls, text: str) -> "ContentRange | None":
        found = _CONTENT_RANGE.fullmatch(text.strip())
        if not found:
            return None
        start, _, length = found.groups()
        return cls(int(start) if start else None, None if length == "*" else int(length))


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
        regular_file.private_folder(folder)
        record = read_record(folder, key)
        self.name = record.get("data") or f"{key}.{os.urandom(4).hex()}{DATA}"
        self.origin: RemoteVersion | None = RemoteVersion(**record["origin"]) if record else None
        self.ranges = Ranges.of((start, end) for start, end in record.get("ranges", ()))
        self.duration_ms: int | None = record.get("duration_ms")
        self._saved = self.ranges
        self._fd = os.open(folder / self.name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        # Files that any process holds, this one included, are never deleted to make room.
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
        """Up to `count` of the bytes cached at `offset`; b"" if there are none."""
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
        """Deletes the file; its present holders can still read it."""
        with self._saving:
            if not self._discarded:
                self._discarded = True
                (self._folder / f"{self.key}{RECORD}").unlink(missing_ok=True)
                (self._folder / self.name).unlink(missing_ok=True)

    @property
    def fetched_to_be_played(self) -> bool:
        """Whether the missing bytes are being fetched to be played: then they needn't be fetched a second time."""
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
    """Whether any process has this data file open."""
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
    new.touch(0o600)
    with new.open("wb") as out:
        out.write(data)
        out.flush()
        os.fsync(out.fileno())
    new.replace(path)


class WholeFiles:
    """The keys of the completely cached files. Any thread; only `scan` reads the disk.

    `changed` is called when the set of keys has changed, on the thread that noticed.
    """

    def __init__(self, folder: Path, changed: Callable[[], None] = lambda: None) -> None:
        self._folder = folder
        self._changed = changed
        self._lock = threading.Lock()
        self._keys: frozenset[str] = frozenset()
        self._noted: dict[str, bool] | None = None
        """Changes noted while the disk is being read, which are newer."""

    @property
    def keys(self) -> frozenset[str]:
        return self._keys

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def note(self, key: str, whole: bool) -> None:
        with self._lock:
            before = self._keys
            self._keys = before | {key} if whole else before - {key}
            if self._noted is not None:
                self._noted[key] = whole
            changed = self._keys != before
        if changed:
            self._changed()

    def scan(self) -> None:
        """Reads all records of the cache."""
        with self._lock:
            if self._noted is None:
                self._noted = {}
        found = {path.name.removesuffix(RECORD) for path in self._folder.glob(f"*{RECORD}")}
        whole = {key for key in found if _is_whole(self._folder, key)}
        with self._lock:
            before, noted = self._keys, self._noted or {}
            self._noted = None
            gone = {key for key, is_whole in noted.items() if not is_whole}
            self._keys = frozenset((whole | {key for key, is_whole in noted.items() if is_whole}) - gone)
            changed = self._keys != before
        if changed:
            self._changed()


def _is_whole(folder: Path, key: str) -> bool:
    record = read_record(folder, key)
    length = record["origin"].get("length") if record else None
    return isinstance(length, int) and Ranges.of((start, end) for start, end in record["ranges"]).covers(0, length)
