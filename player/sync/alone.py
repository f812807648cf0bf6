"""Prevents two processes from syncing one library at once: a lock on a file, which the kernel releases when the process
ends."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from player.errors import LibraryBusy, LibraryError
from player.text.sentences import _

_PATIENCE_S, _LOOK_S = 15.0, 0.1


@contextmanager
def alone_in_time(path: Path) -> Iterator[None]:
    """Waits for a round of another thread or process to end. Raises LibraryError; LibraryBusy if that takes long."""
    end = time.monotonic() + _PATIENCE_S
    while True:
        with alone(path) as is_alone:
            if is_alone:
                yield
                return
        if time.monotonic() > end:
            raise LibraryBusy(_("Another Earmark is syncing just now"), _("Try again in a moment."))
        time.sleep(_LOOK_S)


@contextmanager
def alone(path: Path) -> Iterator[bool]:
    """Whether no other process syncs, and none will until the context ends. If the disk doesn't support locks, that is
    assumed. Raises LibraryError if the file can't be created."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise LibraryError(_("Can't open {file} ({reason})", file=path, reason=error.strerror)) from error
    try:
        yield _locked(handle)
    finally:
        os.close(handle)


def _locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True
