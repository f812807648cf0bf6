"""Opening files by a given name, and creating Earmark's own folders.

A FIFO, a device or a folder in place of a file is refused, never waited for; an endless or growing file is read within
bounds."""

import errno
import os
import stat
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:  # importing it takes 5 ms
    from pathlib import Path

Name = str | os.PathLike[str]

_PIECE = 1 << 20


def descriptor(name: Name, flags: int = os.O_RDONLY, mode: int = 0o600, *, dir_fd: int | None = None) -> int:
    """The file descriptor of a regular file, which the caller closes. `flags` as for os.open.

    Raises OSError, also if it isn't a regular file, and for a name with a null character.
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
    """Checks a file that other code opens by its name. Raises OSError if it is missing or isn't a regular file."""
    _check(os.stat(name).st_mode, name)  # noqa: PTH116 - of a str or a Path


def opened(name: Name, *, through_link: bool = True) -> BinaryIO:
    """A regular file to read. Raises OSError like `descriptor`, and for a symbolic link unless `through_link`."""
    return os.fdopen(descriptor(name, os.O_RDONLY if through_link else os.O_RDONLY | os.O_NOFOLLOW), "rb")


def read(name: Name, most: int, *, through_link: bool = True) -> bytes:
    """All of a file of at most `most` bytes. Raises OSError like `opened`, and for a larger file."""
    with opened(name, through_link=through_link) as file:
        found = file.read(most + 1) if os.fstat(file.fileno()).st_size <= most else None
    if found is None or len(found) > most:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), os.fspath(name))
    return found


def read_text(name: Name, most: int) -> str:
    """Like `read`, with line ends as in Python. Also raises UnicodeDecodeError for a file that isn't UTF-8."""
    return read(name, most).decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


def pieces(name: Name, most: int = 1 << 62) -> Iterator[bytes]:
    """The bytes of a file, a megabyte at a time, at most `most`. Raises OSError like `read`."""
    with opened(name) as file:
        while piece := file.read(_PIECE):
            most -= len(piece)
            if most < 0:
                raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), os.fspath(name))
            yield piece


def private_folder(folder: "Path") -> None:
    """Creates the folder, and missing folders above it, for this user only. An existing folder stays as it is. Raises
    OSError."""
    if not folder.parent.exists():
        private_folder(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)


def _check(mode: int, name: Name) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(name))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "Not a regular file", os.fspath(name))
