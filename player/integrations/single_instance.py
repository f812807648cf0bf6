"""One Earmark plays from a library at a time: a lock on a file that holds the process's id.

The kernel lets go of the lock when its process ends, however it ends, so a file that is left behind means nothing.
"""

import errno
import fcntl
import os
from contextlib import suppress
from pathlib import Path

from player.errors import AlreadyRunning, DiskFull, LibraryError, ReadOnlyLibrary
from player.text.sentences import _

_READ_ONLY = {errno.EACCES, errno.EPERM, errno.EROFS}
_FULL = {errno.ENOSPC, errno.EDQUOT}


class InstanceLock:
    """`take` and `release`; one object is good for any number of rounds."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held: int | None = None

    def take(self) -> None:
        """Raises AlreadyRunning (naming the process) or LibraryError (it can't be made); then nothing is held."""
        if self._held is not None:
            return
        handle = self._open()
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            owner = _process(os.pread(handle, 32, 0))
            os.close(handle)
            raise AlreadyRunning(
                _("Earmark is already running (PID {pid})", pid=owner) if owner else _("Earmark is already running"),
                _("Control it with: earmark toggle, earmark seek +30, earmark stop"),
            ) from error
        except OSError as error:
            os.close(handle)
            raise LibraryError(_("Can't lock {file} ({reason})", file=self._path, reason=error.strerror)) from error
        with suppress(OSError):  # A full disk: the lock holds all the same, it only can't tell whose it is.
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        self._held = handle

    def release(self) -> None:
        """Lets go; harmless when nothing is held. The file stays: removing it would race with the next to take it."""
        if self._held is not None:
            with suppress(OSError):
                os.ftruncate(self._held, 0)
                fcntl.flock(self._held, fcntl.LOCK_UN)  # A child between fork and exec may hold the file open still.
            os.close(self._held)
            self._held = None

    def _open(self) -> int:
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            return os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise _unwritable(self._path, error) from error


def _unwritable(path: Path, error: OSError) -> LibraryError:
    if error.errno in _FULL:
        return DiskFull(
            _("No space left to write {file}", file=path), _("Free some space on that disk, then start again.")
        )
    if error.errno in _READ_ONLY:
        return ReadOnlyLibrary(
            _("{folder} can't be written to", folder=path.parent), _("Earmark saves your positions there.")
        )
    return LibraryError(_("Can't open {file} ({reason})", file=path, reason=error.strerror))


def _process(written: bytes) -> int | None:
    text = written.strip()
    return int(text) if text.isdigit() else None
