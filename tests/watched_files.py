"""What happens to the files of folders, as the kernel tells it (inotify): whoever does it, SQLite as well."""

import ctypes
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

_HEAD = struct.Struct("iIII")
_KINDS = {
    0x002: "changed",
    0x004: "attributes",
    0x020: "opened",
    0x040: "moved away",
    0x080: "moved here",
    0x100: "made",
    0x200: "deleted",
}
_QUEUE_OVERFLOWED = 0x4000


class Act(NamedTuple):
    what: str
    path: Path


@contextmanager
def watched(*folders: Path) -> Iterator[list[Act]]:
    """All that happens in these folders (not in folders within them), complete once the context ends."""
    libc = ctypes.CDLL(None, use_errno=True)
    handle = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
    assert handle >= 0, os.strerror(ctypes.get_errno())
    acts: list[Act] = []
    try:
        there = {libc.inotify_add_watch(handle, os.fsencode(one), sum(_KINDS)): one for one in folders}
        assert min(there) > 0, os.strerror(ctypes.get_errno())
        yield acts
        while data := _read(handle):
            at = 0
            while at < len(data):
                folder, kinds, _cookie, length = _HEAD.unpack_from(data, at)
                assert not kinds & _QUEUE_OVERFLOWED
                at += _HEAD.size + length
                name = os.fsdecode(data[at - length : at].rstrip(b"\0"))
                acts.extend(Act(word, there[folder] / name) for bit, word in _KINDS.items() if kinds & bit)
    finally:
        os.close(handle)


def _read(handle: int) -> bytes:
    try:
        return os.read(handle, 1 << 16)
    except BlockingIOError:
        return b""
