"""Opens one SQLite connection to a library, and notes which processes have it open: that tells a crash from another
running Earmark, and prevents two processes from creating the library at once.
"""

import fcntl
import os
import sqlite3
import stat
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from player import regular_file
from player.text.cleaning import fold

JOURNAL = "-journal"
_MAGIC = bytes.fromhex("d9d505f920a163d7")
NO_SUPER_JOURNAL = bytes(8)
"""At the end of a rollback journal: then it names no super-journal, a file that SQLite deletes after it has rolled back
(“The Super-Journal Record” of SQLite's file format). Only the last 8 bytes count, so no other bytes can say the same.
"""


def connect(
    path: Path, patience_ms: int, *, mode: str = "rwc", immutable: bool = False, exclusive: bool = False
) -> sqlite3.Connection:
    """Opens a connection in autocommit mode that waits `patience_ms` for other processes. Raises sqlite3.Error.

    `exclusive`: no other process reads or writes the database while this one has any connection to it. Then the index
    of the write-ahead log is kept in memory, and reading takes no room on the disk.
    """
    check_files(path, immutable=immutable)
    if mode == "rwc":
        _make_private(path)
    uri = f"file:{quote(str(path))}?mode={mode}" + ("&immutable=1" if immutable else "")
    uri += "&vfs=unix-excl" if exclusive else ""
    connection = sqlite3.connect(
        uri, uri=True, isolation_level=None, check_same_thread=False, timeout=patience_ms / 1000, cached_statements=256
    )
    connection.create_function("fold", 1, fold, deterministic=True)
    return connection


def lock_out_others(path: Path, patience_ms: int) -> sqlite3.Connection:
    """While this is open, every connection of this process is `exclusive`. There must be none yet. Raises
    sqlite3.Error."""
    connection = connect(path, patience_ms, mode="rw", exclusive=True)
    try:
        connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def files_of(database: Path) -> tuple[Path, ...]:
    """A database, its write-ahead log and that log's index, and a rollback journal."""
    return database, *(database.with_name(database.name + suffix) for suffix in ("-wal", "-shm", JOURNAL))


def check_files(database: Path, *, immutable: bool = False) -> None:
    """Must be called before SQLite opens a database, because SQLite also uses the files beside it.

    Earmark's databases are in WAL mode: a rollback journal beside one was made by another program, or belongs to a
    database whose creation was interrupted and names no other file. Opening a FIFO would block. Raises
    sqlite3.OperationalError.
    """
    real = Path(os.path.realpath(database))
    try:
        for file in files_of(real)[: 1 if immutable else None]:
            with suppress(FileNotFoundError):
                regular_file.check(file)
                if file.name.endswith(JOURNAL):
                    _without_super_journal(file)
    except OSError as error:
        refused = sqlite3.OperationalError(f"{error.filename}: {error.strerror}")
        refused.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
        raise refused from error


def _make_private(database: Path) -> None:
    """Makes it readable for its owner only. The log and the journal follow, to which SQLite gives the same permissions.

    The file is never opened here: closing it would release the locks that this process holds on it (fcntl(2)).
    """
    real = Path(os.path.realpath(database))
    with suppress(OSError):
        real.touch(0o600, exist_ok=False)
    for file in files_of(real):
        with suppress(OSError):  # it isn't there, belongs to another user, or is on a disk without permissions
            if (mode := stat.S_IMODE(file.stat().st_mode)) & 0o077:
                file.chmod(mode & 0o700)


def _without_super_journal(journal: Path) -> None:
    handle = regular_file.descriptor(journal, os.O_RDWR | os.O_NOFOLLOW)
    try:
        size = os.lseek(handle, 0, os.SEEK_END)
        if os.pread(handle, len(_MAGIC), max(0, size - len(_MAGIC))) == _MAGIC:
            os.write(handle, NO_SUPER_JOURNAL)
    finally:
        os.close(handle)


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
