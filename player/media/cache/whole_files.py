"""Which episodes are cached from their first byte to their last: known without touching the disk."""

import threading
from collections.abc import Callable
from pathlib import Path

from player.media.cache.byte_ranges import Ranges
from player.media.cache.cache_file import RECORD, read_record


class WholeFiles:
    """The keys of the cached files that are complete. Any thread; only `scan` reads the disk.

    `changed` is called when there are others than before, on the thread that noticed.
    """

    def __init__(self, folder: Path, changed: Callable[[], None] = lambda: None) -> None:
        self._folder = folder
        self._changed = changed
        self._lock = threading.Lock()
        self._keys: frozenset[str] = frozenset()
        self._noted: dict[str, bool] | None = None
        """What was noted while the disk is being read, which is newer."""

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
