"""What of an episode's bytes is on this disk, for those who only look: nothing is fetched, nothing waits."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from player.media.cache.byte_ranges import Ranges
from player.media.cache.cache_file import read_record
from player.media.cache.remote_version import RemoteVersion
from player.media.formats.frames import Read


class AvailableBytes(NamedTuple):
    """`size` is that of the whole file, where it is known."""

    read: Read
    size: int | None


@contextlib.contextmanager
def in_file(path: Path) -> Iterator[AvailableBytes]:
    """All of a file. Raises OSError."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield AvailableBytes(lambda offset, count: os.pread(fd, count, offset), os.fstat(fd).st_size)
    finally:
        os.close(fd)


@contextlib.contextmanager
def in_cache(folder: Path, key: str) -> Iterator[AvailableBytes | None]:
    """What is kept under `key`, as it was recorded last; None for nothing. To be looked at keeps it no longer.

    Raises OSError.
    """
    record = read_record(folder, key)
    if not record:
        yield None
        return
    ranges = Ranges.of((start, end) for start, end in record["ranges"])
    with in_file(folder / record["data"]) as data:

        def read(offset: int, count: int) -> bytes:
            return data.read(offset, max(0, min(count, ranges.reach(offset) - offset)))

        yield AvailableBytes(read, RemoteVersion(**record["origin"]).length)
