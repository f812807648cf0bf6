"""Which processes have the library open: tells a crash from another running Earmark, and prevents two processes from
creating the library at once."""

import fcntl
import os
from contextlib import suppress
from pathlib import Path

_SUSPECT = b"damage was met: check everything at the next start\n"


class LockFile:
    """A lock file beside the library. Each process that has the library open shares the lock."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None

    def enter(self) -> bool:
        """True when no other process has the library open; then no other process enters before `share`. Raises OSError.

        Waits while another process creates or migrates the library. If the disk doesn't support locks, the library is
        assumed to be open in this process only.
        """
        self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            fcntl.flock(self._handle, fcntl.LOCK_SH)
            return False
        except OSError:
            return True

    def share(self) -> None:
        if self._handle is not None:
            with suppress(OSError):
                fcntl.flock(self._handle, fcntl.LOCK_SH)

    def leave(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    @property
    def suspect(self) -> bool:
        """Whether damage was found while the library was in use."""
        return self._handle is not None and bool(os.pread(self._handle, 1, 0))

    @suspect.setter
    def suspect(self, suspect: bool) -> None:
        if self._handle is not None:
            if suspect:
                os.pwrite(self._handle, _SUSPECT, 0)
            else:
                os.truncate(self._handle, 0)
