"""Files opened by a name that was given, and folders for Earmark's own.

A FIFO, a device or a folder in a file's place is refused, never waited for; an endless or growing file is read within
bounds."""

import errno
import os
import stat
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:  # loading it takes 5 ms
    from pathlib import Path

Name = str | os.PathLike[str]

_PIECE = 1 << 20


def descriptor(name: Name, flags: int = os.O_RDONLY, mode: int = 0o600, *, dir_fd: int | None = None) -> int:
    """The file descriptor of a regular file, which the caller closes. `flags` as for os.open.

    Raises OSError: also for what isn't a regular file, and for a name with a null character.
    """
    if "\0" in os.fspath(name):
        raise OSError(errno.EINVAL, "The name contains a null character", os.fspath(name))
    handle = os.open(name, flags | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY, mode, dir_fd=dir_fd)
    try:
        _check(os.fstat(handle).st_mode, name)
    except BaseException:
        os.close(handle)
        raise
    return handle


def check(name: Name) -> None:
    """For a file that something else opens by its name. Raises OSError for what isn't there or no regular file."""
    _check(os.stat(name).st_mode, name)  # noqa: PTH116 - of a str or a Path


def opened(name: Name) -> BinaryIO:
    """A regular file to read. Raises OSError as `descriptor`."""
    return os.fdopen(descriptor(name), "rb")


def read(name: Name, most: int) -> bytes:
    """All of a file of at most `most` bytes. Raises OSError as `descriptor`, and for a file that is larger."""
    with opened(name) as file:
        found = file.read(most + 1) if os.fstat(file.fileno()).st_size <= most else None
    if found is None or len(found) > most:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), os.fspath(name))
    return found


def read_text(name: Name, most: int) -> str:
    """As `read`, with line ends as Python has them. Raises UnicodeDecodeError for what isn't UTF-8, too."""
    return read(name, most).decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


def pieces(name: Name, most: int = 1 << 62) -> Iterator[bytes]:
    """The bytes of a file, a megabyte at a time, at most `most`. Raises OSError as `read`."""
    with opened(name) as file:
        while piece := file.read(_PIECE):
            most -= len(piece)
            if most < 0:
                raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), os.fspath(name))
            yield piece


def private_folder(folder: "Path") -> None:
    """Makes the folder, and those above it that are missing, for this user alone. One that exists stays as it is.
    Raises OSError."""
    if not folder.parent.exists():
        private_folder(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)


def _check(mode: int, name: Name) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(name))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "Not a regular file", os.fspath(name))
