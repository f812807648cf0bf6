"""The sounds of the episodes that were heard, kept for good: one file for each, beside the library.

A file is LZMA over MessagePack. Each value of a fingerprint is exclusive-ored with the one before it, and the bytes of
all values are sorted by their place in a value: an hour of speech over music takes 87 KB instead of 146 (zlib: 92).
"""

import contextlib
import logging
import os
import threading
import time
from array import array
from collections.abc import Collection, Iterable
from pathlib import Path

import msgspec
from msgspec import Struct

from player import regular_file
from player.measuring.sound import Sound, in_file_order
from player.model.episode import EpisodeId
from player.model.moments import used_at

log = logging.getLogger(__name__)

_FORMAT = 1
_SUFFIX = ".sound"
_LARGEST = 20_000_000
_LARGEST_UNPACKED = 20_000_000
"""A hundred hours take 14.6 MB."""
_MEMORY = 32 << 20
_DICTIONARY = 1 << 20
"""Bytes: with the 8 MB of LZMA's default, packing takes 94 MB of memory and saves nothing."""
_KEPT_S = 31 * 86_400
"""Seconds for which a sound outlives its episode, so that unsubscribing can be undone."""
_SEEN_S = 86_400


class _File(Struct, frozen=True):
    version: str
    duration_ms: int
    values: bytes
    levels: bytes
    format: int = _FORMAT


class KeptSounds:
    """Sounds by the numbers of their episodes, which are never given to another. Any thread; reads and writes the
    disk."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.RLock()

    def read(self, episode_id: EpisodeId) -> Sound | None:
        """None if there is none, or if it can't be read."""
        try:
            packed = regular_file.read(self._path(episode_id), _LARGEST)
            found = msgspec.msgpack.decode(_unpacked(packed), type=_File)
            if found.format == _FORMAT and len(found.values) % 4 == 0:
                return Sound(found.version, found.duration_ms, _restored(found.values), found.levels)
        except FileNotFoundError:
            return None
        except (OSError, EOFError, ValueError, msgspec.MsgspecError) as error:
            log.warning("the sound of an episode can't be read: %s", error)
        return None

    def write(self, episode_id: EpisodeId, sound: Sound) -> None:
        """In place of what was kept. Raises OSError."""
        file = _File(sound.version, sound.duration_ms, _sorted(sound.values), sound.levels)
        path = self._path(episode_id)
        new = path.with_suffix(".new")
        with self._lock:
            regular_file.private_folder(self._folder)
            try:
                with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb") as out:
                    out.write(_packed(msgspec.msgpack.encode(file)))
                    out.flush()
                    os.fsync(out.fileno())
                new.replace(path)
            except OSError:
                with contextlib.suppress(OSError):
                    new.unlink(missing_ok=True)
                raise

    def keep_if_first(self, episode_id: EpisodeId, sound: Sound) -> Sound | None:
        """Keeps the sound unless that of other bytes is kept, which marks may belong to: that one is returned, and
        stays. Raises OSError."""
        with self._lock:
            kept = self.read(episode_id)
            if kept is None:
                self.write(episode_id, sound)
        return None if kept is None or kept.version == sound.version else kept

    def forget(self, ids: Iterable[EpisodeId]) -> None:
        for one in ids:
            with contextlib.suppress(OSError):
                self._path(one).unlink(missing_ok=True)

    def ids(self) -> list[EpisodeId]:
        """The episodes of which a sound is kept."""
        return [EpisodeId(int(path.stem)) for path in self._folder.glob(f"*{_SUFFIX}") if path.stem.isdecimal()]

    def tidy(self, there: Collection[EpisodeId]) -> None:
        """Forgets the sounds of episodes that haven't been in the library for a month; `there` are those in it. The
        time stamp of a file says when its episode was last seen there."""
        now = time.time()
        for one in self.ids():
            path = self._path(one)
            with contextlib.suppress(OSError):
                seen = path.stat().st_mtime
                if one in there:
                    if not now - _SEEN_S < seen <= now:
                        os.utime(path)
                elif now - used_at(seen, now) > _KEPT_S:
                    path.unlink(missing_ok=True)

    def _path(self, episode_id: EpisodeId) -> Path:
        return self._folder / f"{episode_id}{_SUFFIX}"


def _sorted(values: "array[int]") -> bytes:
    """The first bytes of all values, the second bytes, and so on, of each value's difference from the one before."""
    data = in_file_order(values).tobytes()
    apart = int.from_bytes(data, "little") ^ (int.from_bytes(data[:-4], "little") << 32)
    mixed = apart.to_bytes(len(data), "little")
    return b"".join(mixed[place::4] for place in range(4))


def _restored(planes: bytes) -> "array[int]":
    count = len(planes) // 4
    mixed = bytearray(len(planes))
    for place in range(4):
        mixed[place::4] = planes[place * count : (place + 1) * count]
    values = in_file_order(array("I", bytes(mixed)))
    before = 0
    for at, value in enumerate(values):
        before ^= value
        values[at] = before
    return values


def _packed(data: bytes) -> bytes:
    import lzma

    filters = [{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": _DICTIONARY}]
    return lzma.compress(data, format=lzma.FORMAT_XZ, check=lzma.CHECK_CRC32, filters=filters)


def _unpacked(data: bytes) -> bytes:
    """Raises ValueError or EOFError if it is damaged, or too long."""
    import lzma

    unpacker = lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=_MEMORY)
    try:
        found = unpacker.decompress(data, _LARGEST_UNPACKED)
    except lzma.LZMAError as error:
        raise ValueError(str(error)) from error
    if not unpacker.eof:
        raise EOFError("it is incomplete or too long")
    return found
