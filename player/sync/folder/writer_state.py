"""What this Earmark stores about its own journal, in a file beside the library: which folder it is in, and how far it
is written."""

import contextlib
import errno
import fcntl
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from player import regular_file
from player.sync.folder.disk_failures import is_busy, is_stopped, state_error

_SIZE = 4096
"""The file always has that size, so that it is written in one piece."""
_PATIENCE_S = 10.0
_PAUSE_S = 0.05

_Count = Annotated[int, Meta(ge=0, le=1 << 53)]
_Name = Annotated[str, Meta(pattern="^[0-9a-f]{0,16}$")]


class WriterState(Struct, frozen=True, omit_defaults=True):
    """`markers` are the folder's markers. `writer` identifies the journal that `device` writes, "" before the first;
    `part` is the file that is being written, `size` its bytes so far, and `tail` the hash of the last of them. `next`
    is the next record's number. `writing`: how many more bytes are being written, which may be there in part after a
    kill. `obsolete`: journals of ours that are to be deleted.

    A copied library brings this file along, and then two Earmarks have the same journal: the first to find records
    there that it didn't write begins another journal.
    """

    markers: frozenset[_Name] = frozenset()
    device: str = ""
    writer: _Name = ""
    part: _Count = 0
    size: _Count = 0
    tail: str = ""
    next: _Count = 0
    writing: _Count = 0
    obsolete: tuple[_Name, ...] = ()


_decoder = msgspec.json.Decoder(WriterState)


class HeldState:
    """The file, locked: no other process of this library writes meanwhile."""

    def __init__(self, path: Path, handle: int) -> None:
        self._path = path
        self._handle = handle
        self.state = _parsed(os.pread(handle, _SIZE, 0))

    def save(self, state: WriterState) -> None:
        """On the disk when it returns. Raises SyncError."""
        self.note(state)
        try:
            os.fsync(self._handle)
        except OSError as error:
            raise state_error(error, self._path) from error

    def note(self, state: WriterState) -> None:
        """Survives a kill, but perhaps not a power cut. Raises SyncError."""
        try:
            if os.pwrite(self._handle, msgspec.json.encode(state).ljust(_SIZE), 0) < _SIZE:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            raise state_error(error, self._path) from error
        self.state = state


def read_state(path: Path) -> WriterState:
    """Reads the state without a lock. An empty state if it can't be read: then everything begins again, which loses
    nothing."""
    try:
        with regular_file.opened(path) as file:
            return _parsed(file.read(_SIZE))
    except OSError:
        return WriterState()


@contextlib.contextmanager
def held(path: Path, stopped: threading.Event) -> Iterator[HeldState]:
    """Waits while another process holds the state. Raises SyncError."""
    try:
        regular_file.private_folder(path.parent)
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise state_error(error, path) from error
    try:
        _lock(handle, path, stopped)
        yield HeldState(path, handle)
    finally:
        os.close(handle)


def _lock(handle: int, path: Path, stopped: threading.Event) -> None:
    until = time.monotonic() + _PATIENCE_S
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > until:
                raise is_busy() from None
        except OSError as error:
            raise state_error(error, path) from error
        if stopped.wait(_PAUSE_S):
            raise is_stopped()


def _parsed(text: bytes) -> WriterState:
    try:
        return _decoder.decode(text)
    except (msgspec.MsgspecError, UnicodeError):
        return WriterState()
