"""SQLite's errors as Earmark's, each with its sentence. No other module catches the errors of sqlite3."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from player.errors import DamagedLibrary, DiskFull, LibraryBusy, LibraryError, ReadOnlyLibrary
from player.text.sentences import _

_LITTLE_SPACE = 1_000_000
_UNREADABLE = ("Could not decode", "malformed JSON")
"""SQLite's messages about values that Earmark can't have written."""


class Interrupted(Exception):
    """A long read was cancelled."""


@contextmanager
def as_library_errors(path: Path) -> Iterator[None]:
    """Raises environmental errors of the database at `path` as LibraryError; bugs pass unchanged.

    A read that was cancelled raises Interrupted. Text that isn't UTF-8 is damage, even in SQLite's own messages.
    """
    try:
        yield
    except UnicodeDecodeError as error:
        raise damaged(path) from error
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT:
            raise Interrupted from None
        if found := library_error(error, path):
            raise found from error
        raise


def library_error(error: sqlite3.Error, path: Path) -> LibraryError | None:
    """Earmark's error for `error`; None if it is a bug."""
    detail = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    if detail == sqlite3.SQLITE_ERROR and str(error).startswith(_UNREADABLE):
        return damaged(path)
    code = detail & 0xFF
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return damaged(path)
    if code == sqlite3.SQLITE_FULL:
        return disk_full(path)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        if not has_room(path):  # On a full disk another Earmark may have locked this one out.
            return disk_full(path)
        return LibraryBusy(
            _("The library {file} is busy: another program is writing to it", file=path), _("Try again in a moment.")
        )
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
        return read_only(path)
    if code == sqlite3.SQLITE_CANTOPEN:
        if isinstance(error.__cause__, OSError):
            return os_error(error.__cause__, Path(str(error.__cause__.filename or path)))
        return LibraryError(
            _("Can't open the library {file}", file=path), _("Check that you have permission to read and write it.")
        )
    if code == sqlite3.SQLITE_IOERR:
        if not has_room(path):
            return disk_full(path)
        return LibraryError(_("Disk error in the library {file}", file=path), _("Check the disk and try again."))
    return None


def os_error(error: OSError, path: Path) -> LibraryError:
    """The sentence for an error of the file system that concerns `path`."""
    import errno

    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return disk_full(path)
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return read_only(path)
    return LibraryError(
        _("Can't use {file} ({reason})", file=path, reason=error.strerror),
        _("Earmark keeps its library there."),
    )


def damaged(path: Path, what: str = "") -> DamagedLibrary:
    """`what` is the finding, if there is more to say than that the library is damaged."""
    finding = what or _("The library {file} is damaged", file=path)
    return DamagedLibrary(finding, _("Nothing was changed in it. Earmark can restore a backup."))


def disk_full(path: Path) -> DiskFull:
    return DiskFull(
        _("No space left for the library {file}", file=path), _("Free some space on that disk, then try again.")
    )


def read_only(path: Path) -> ReadOnlyLibrary:
    return ReadOnlyLibrary(
        _("The library {file} can't be written to", file=path),
        _("Give yourself write permission for it and its folder."),
    )


def has_room(path: Path) -> bool:
    """Whether the disk has room for the files that SQLite puts beside a database."""
    try:
        return shutil.disk_usage(path.parent).free >= _LITTLE_SPACE
    except OSError:
        return True
