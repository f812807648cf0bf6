"""The bytes of an episode that are on this disk, for code that only looks: nothing is fetched, nothing waits."""

import contextlib
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from player import regular_file
from player.media.cache import Ranges, RemoteVersion, read_record
from player.media.formats.mpeg import Read
from player.model.episode import Episode
from player.model.podcast import WELCOME_URL
from player.welcome import resource

_BUILT_IN = f"{WELCOME_URL}/"


class AvailableBytes(NamedTuple):
    """`size` is the whole file's, if it is known. `spans` are the bytes of the file at `path` that are present, as
    (from, to); `version` identifies them: different bytes have a different version."""

    read: Read
    size: int | None
    path: Path | None = None
    spans: tuple[tuple[int, int], ...] = ()
    version: str = ""


def version_of_file(path: Path, fd: int) -> str:
    """What identifies the bytes of a file that is open. Raises OSError."""
    status = os.fstat(fd)
    return f"{path}\0{status.st_size}\0{status.st_mtime_ns}"


def version_of_data(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def key_of(episode: Episode) -> str:
    """The name under which an episode's bytes are cached: nothing that a feed can choose."""
    return key_for(episode.guid, episode.url)


def key_for(guid: str, url: str) -> str:
    """The same, computed from its parts."""
    return hashlib.sha256(f"{guid}\0{url}".encode(errors="surrogatepass")).hexdigest()[:40]


@contextlib.contextmanager
def on_disk(folder: Path, episode: Episode, download: Path | None) -> Iterator[AvailableBytes | None]:
    """The bytes of the built-in podcast, of a download, or of the cache in `folder`; None if there are none. Raises
    OSError."""
    if episode.url.startswith(_BUILT_IN):
        data = resource(episode.url.removeprefix(_BUILT_IN))
        version = version_of_data(data)
        yield AvailableBytes(lambda offset, count: data[offset : offset + count], len(data), version=version)
    else:
        with in_file(download) if download else in_cache(folder, key_of(episode)) as some:
            yield some


@contextlib.contextmanager
def in_file(path: Path) -> Iterator[AvailableBytes]:
    """All of a file. Raises OSError."""
    fd = regular_file.descriptor(path)
    try:
        size = os.fstat(fd).st_size
        version = version_of_file(path, fd)
        yield AvailableBytes(lambda offset, count: os.pread(fd, count, offset), size, path, ((0, size),), version)
    finally:
        os.close(fd)


@contextlib.contextmanager
def in_cache(folder: Path, key: str) -> Iterator[AvailableBytes | None]:
    """The bytes cached under `key`, according to the last record; None if there are none. A look doesn't count as use.

    Raises OSError.
    """
    record = read_record(folder, key)
    if not record or record["origin"].get("slot"):
        yield None
        return
    ranges = Ranges.of((start, end) for start, end in record["ranges"])
    with in_file(folder / record["data"]) as data:

        def read(offset: int, count: int) -> bytes:
            return data.read(offset, max(0, min(count, ranges.reach(offset) - offset)))

        name = record["data"]
        yield AvailableBytes(read, RemoteVersion(**record["origin"]).length, folder / name, ranges.spans, name)
