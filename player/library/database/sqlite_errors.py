"""What SQLite says, as the sentences of Earmark's errors. The one place where sqlite3's errors are caught."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from player.errors import DamagedLibrary, DiskFull, LibraryBusy, LibraryError, ReadOnlyLibrary

_LITTLE_SPACE = 1_000_000
_UNREADABLE = ("Could not decode", "malformed JSON")
"""What SQLite says of values that Earmark can't have written."""


class Interrupted(Exception):
    """The answer of a long reading wasn't wanted any more."""


@contextmanager
def as_library_errors(path: Path) -> Iterator[None]:
    """Raises what the world did to the database at `path` as LibraryError; a bug of ours passes as it is.

    A reading that was let go of raises Interrupted. What is no UTF-8 is damage, even in what SQLite says of it.
    """
    try:
        yield
    except UnicodeDecodeError as error:
        raise damaged(path, "is damaged") from error
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT:
            raise Interrupted from None
        if found := library_error(error, path):
            raise found from error
        raise


def library_error(error: sqlite3.Error, path: Path) -> LibraryError | None:
    """The sentence for `error`; None when it tells of a bug."""
    detail = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    if detail == sqlite3.SQLITE_ERROR and str(error).startswith(_UNREADABLE):
        return damaged(path, "is damaged")
    code = detail & 0xFF
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return damaged(path, "is damaged")
    if code == sqlite3.SQLITE_FULL:
        return disk_full(path)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return LibraryBusy(f"The library {path} is busy: another program is writing to it", "Try again in a moment.")
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
        return read_only(path)
    if code == sqlite3.SQLITE_CANTOPEN:
        return LibraryError(f"Can't open the library {path}", "Check that you may read and write it.")
    if code == sqlite3.SQLITE_IOERR:
        if _free_bytes(path) < _LITTLE_SPACE:
            return disk_full(path)
        return LibraryError(f"The disk failed with the library {path}", "Check the disk and try again.")
    return None


def os_error(error: OSError, path: Path) -> LibraryError:
    """The sentence for what happened to `path` outside of SQLite."""
    import errno

    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return disk_full(path)
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return read_only(path)
    return LibraryError(f"Can't use {path} ({os.strerror(error.errno or 0)})", "Earmark keeps its library there.")


def damaged(path: Path, how: str) -> DamagedLibrary:
    return DamagedLibrary(f"The library {path} {how}", "Nothing was changed in it. Earmark can go back to a backup.")


def disk_full(path: Path) -> DiskFull:
    return DiskFull(f"No space is left for the library {path}", "Make room on that disk, then try again.")


def read_only(path: Path) -> ReadOnlyLibrary:
    return ReadOnlyLibrary(
        f"The library {path} can't be written to", "Give yourself write permission for it and its folder."
    )


def _free_bytes(path: Path) -> int:
    try:
        return shutil.disk_usage(path.parent).free
    except OSError:
        return _LITTLE_SPACE
