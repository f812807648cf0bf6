"""What of an episode's bytes is on this disk, for those who only look: nothing is fetched, nothing waits."""

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
    """`size` is that of the whole file, where it is known. `spans` are the bytes of the file at `path` that are here,
    as (from, to); `version` names them: other bytes have another one."""

    read: Read
    size: int | None
    path: Path | None = None
    spans: tuple[tuple[int, int], ...] = ()
    version: str = ""


def key_of(episode: Episode) -> str:
    """The name under which an episode's bytes are kept: nothing that a feed can choose."""
    return key_for(episode.guid, episode.url)


def key_for(guid: str, url: str) -> str:
    """The same, of what it is made from."""
    return hashlib.sha256(f"{guid}\0{url}".encode(errors="surrogatepass")).hexdigest()[:40]


@contextlib.contextmanager
def on_disk(folder: Path, episode: Episode, download: Path | None) -> Iterator[AvailableBytes | None]:
    """Of the built-in podcast, of a download, or of what is kept in `folder`; None for nothing. Raises OSError."""
    if episode.url.startswith(_BUILT_IN):
        data = resource(episode.url.removeprefix(_BUILT_IN))
        version = hashlib.sha256(data).hexdigest()
        yield AvailableBytes(lambda offset, count: data[offset : offset + count], len(data), version=version)
    else:
        with in_file(download) if download else in_cache(folder, key_of(episode)) as some:
            yield some


@contextlib.contextmanager
def in_file(path: Path) -> Iterator[AvailableBytes]:
    """All of a file. Raises OSError."""
    fd = regular_file.descriptor(path)
    try:
        status = os.fstat(fd)
        version = f"{path}\0{status.st_size}\0{status.st_mtime_ns}"
        spans = ((0, status.st_size),)
        yield AvailableBytes(lambda offset, count: os.pread(fd, count, offset), status.st_size, path, spans, version)
    finally:
        os.close(fd)


@contextlib.contextmanager
def in_cache(folder: Path, key: str) -> Iterator[AvailableBytes | None]:
    """What is kept under `key`, as it was recorded last; None for nothing. To be looked at keeps it no longer.

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
