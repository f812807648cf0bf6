"""Covers cached on this disk, a file for each, with a limit on their total size: the least recently shown covers are
deleted first."""

import hashlib
import logging
import os
import threading
import time
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from player import regular_file
from player.model.moments import used_at

log = logging.getLogger(__name__)

LIMIT = 64 * 1024 * 1024
"""Most bytes of all covers together: some 900 covers."""
_LARGEST = 2 * 1024 * 1024
_SHRUNK_TO = 0.9
_SUFFIX = ".cover"


class CachedCover(Struct, frozen=True, array_like=True):
    """`image` is a small JPEG. `tag` is the server's ETag, `modified` its Last-Modified; "" for none. `checked` is the
    time when the image was last known to be up to date, in seconds since 1970."""

    url: str
    image: bytes
    tag: str = ""
    modified: str = ""
    checked: float = 0.0


class CoverCache:
    """Any thread. If the disk can't be read or written, the cache is empty."""

    def __init__(self, folder: Path, limit: int = LIMIT) -> None:
        self._folder = folder
        self._limit = limit
        self._lock = threading.Lock()
        self._size: int | None = None

    def get(self, url: str) -> CachedCover | None:
        path = self._path(url)
        try:
            if path.stat().st_size > _LARGEST:
                return None
            found = msgspec.msgpack.decode(regular_file.read(path, _LARGEST), type=CachedCover)
            os.utime(path)
        except (OSError, msgspec.MsgspecError):
            return None
        return found if found.url == url else None

    def put(self, cover: CachedCover) -> None:
        data, path = msgspec.msgpack.encode(cover), self._path(cover.url)
        if len(data) > _LARGEST:
            return
        with self._lock:
            try:
                regular_file.private_folder(self._folder)
                new = path.with_name(f"{path.name}.new")
                before = self._file_size(path)
                new.touch(mode=0o600)
                new.write_bytes(data)
                new.replace(path)
            except OSError as error:
                log.info("a cover can't be cached: %s", error)
                return
            self._size = None if self._size is None else self._size + len(data) - before
            self._make_room()

    def drop(self, url: str) -> None:
        with self._lock, suppress(OSError):
            self._size = None
            self._path(url).unlink(missing_ok=True)

    def _make_room(self) -> None:
        """Deletes the least recently shown covers if there are too many. Reads the folder at first use, and when it may
        have grown beyond the limit. The caller holds the lock."""
        if self._size is not None and self._size <= self._limit:
            return
        files, now = [], time.time()
        for path in self._folder.glob(f"*{_SUFFIX}*"):
            with suppress(OSError):
                state = path.stat()
                files.append((used_at(state.st_mtime, now), state.st_size, path))
        self._size = sum(size for _, size, _ in files)
        if self._size <= self._limit:
            return
        for _, size, path in sorted(files):
            if self._size <= self._limit * _SHRUNK_TO:
                break
            with suppress(OSError):
                path.unlink()
                self._size -= size

    def _path(self, url: str) -> Path:
        return self._folder / (hashlib.blake2b(url.encode("utf-8", "replace"), digest_size=16).hexdigest() + _SUFFIX)

    @staticmethod
    def _file_size(path: Path) -> int:
        try:
            return path.stat().st_size
        except OSError:
            return 0
