"""The folder that devices share: opening it, recognising it, and opening its files without following links.

Files are in `earmark-sync` below the folder that the listener chose. Markers there (`folder-ID.json`, ID random) tell
whether it is the same folder as before, or only the mount point of a stick that isn't plugged in. Two devices that were
set up before their copies of the folder met leave two markers; either will do.
"""

import contextlib
import errno
import itertools
import os
import re
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path

from player.sync.folder.disk_failures import is_another, is_away, sync_error

SUBFOLDER = "earmark-sync"
MOST_NAMES = 20_000
"""The most names that are looked at in the folder."""

_MARKER = re.compile(r"folder-([0-9a-f]{16})\.json")
_MARKER_TEXT = (
    b'{"format":"earmark-sync","note":"Tells Earmark that this is the folder it syncs through. Please keep it."}\n'
)
_NO_FILES = {errno.ELOOP, errno.EISDIR, errno.ENXIO}
_FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


class NotAFile(OSError):
    """A folder, a link or a pipe, which is neither read nor written."""


class SharedFolder:
    """`earmark-sync`, held open: even if its path changes, files are written into it. Methods raise OSError."""

    def __init__(self, path: Path, handle: int) -> None:
        self.path = path
        self._handle = handle
        self.markers = frozenset(found[1] for name in self.names() if (found := _MARKER.fullmatch(name)))

    def names(self) -> list[str]:
        """The names in the folder, sorted, no more than MOST_NAMES."""
        with os.scandir(self._handle) as entries:
            return sorted(entry.name for entry in itertools.islice(entries, MOST_NAMES))

    def size(self, name: str) -> int | None:
        """None if there is no such name."""
        with contextlib.suppress(FileNotFoundError):
            return os.stat(name, dir_fd=self._handle, follow_symlinks=False).st_size
        return None

    def open(self, name: str) -> int:
        """For reading. Raises NotAFile, OSError."""
        return self._open(name, os.O_RDONLY)

    def open_to_append(self, name: str) -> int:
        return self._open(name, os.O_RDWR | os.O_APPEND)

    def create(self, name: str) -> int:
        """Readable for those who may read the folder. Raises FileExistsError, OSError."""
        mode = os.fstat(self._handle).st_mode & 0o666
        handle = os.open(name, _FLAGS | os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=self._handle)
        with contextlib.suppress(OSError):  # some disks have no permissions
            os.fchmod(handle, mode)
        return handle

    def delete(self, name: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name, dir_fd=self._handle)

    def flush(self) -> None:
        """Names that were created or deleted survive a power cut."""
        with contextlib.suppress(OSError):  # some disks can't do this, and the files themselves are written
            os.fsync(self._handle)

    def _open(self, name: str, flags: int) -> int:
        try:
            handle = os.open(name, _FLAGS | flags, dir_fd=self._handle)
        except OSError as error:
            if error.errno in _NO_FILES:
                raise NotAFile(name) from error
            raise
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise NotAFile(name)
        return handle


@contextlib.contextmanager
def opened(path: Path, expected: frozenset[str]) -> Iterator[SharedFolder]:
    """The folder at `path`, if it has one of the `expected` markers, or with any marker if none is expected.

    Creates nothing. Raises SyncError; errors of the folder inside the context are raised as SyncError, too.
    """
    try:
        with _held(path) as folder:
            if not folder.markers:
                raise is_away(path)
            if expected and not expected & folder.markers:
                raise is_another(path)
            yield folder
    except OSError as error:
        raise sync_error(error, path) from error


def join(path: Path) -> frozenset[str]:
    """The markers of a folder that exists; `earmark-sync` and a marker are created if they are missing.

    Raises SyncError.
    """
    try:
        with contextlib.suppress(FileExistsError):
            if path.name != SUBFOLDER:
                (path / SUBFOLDER).mkdir(mode=0o700)
        with _held(path) as folder:
            if folder.markers:
                return folder.markers
            marker = secrets.token_hex(8)
            handle = folder.create(f"folder-{marker}.json")
            try:
                os.write(handle, _MARKER_TEXT)
                os.fsync(handle)
            finally:
                os.close(handle)
            folder.flush()
            return frozenset({marker})
    except OSError as error:
        raise sync_error(error, path) from error


def is_joined(path: Path) -> bool:
    """Whether any device has joined the folder. Raises SyncError."""
    try:
        with _held(path) as folder:
            return bool(folder.markers)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise sync_error(error, path) from error


@contextlib.contextmanager
def _held(path: Path) -> Iterator[SharedFolder]:
    """A person who chooses `earmark-sync` itself means the folder around it."""
    outer = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY)
    try:
        name = "." if path.name == SUBFOLDER else SUBFOLDER
        handle = os.open(name, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=outer)
    finally:
        os.close(outer)
    try:
        yield SharedFolder(path, handle)
    finally:
        os.close(handle)
