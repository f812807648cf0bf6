"""Connections to library.db: one for writing, a few for reading, shared by any number of threads."""

import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from player.errors import DamagedLibrary, LibraryError
from player.library.database.connect import connect, files_of
from player.library.database.sqlite_errors import as_library_errors, damaged, has_room
from player.text.sentences import _

_NONSENSE = (ValueError, TypeError, ArithmeticError, LookupError, AttributeError, zlib.error)
"""Raised when a stored value doesn't have the type that was written."""
_LOOK_S = 3.0
_IDLE_READERS = 4
_STEPS_BETWEEN_LOOKS = 5000
_PAGES, _PAGES_OF_BULK = 1_000, 16_000
"""Pages in the log before they are moved to the library: 4 MB; 64 MB for writes that needn't be durable, which makes
them a sixth faster."""
_WAL_BYTES_KEPT = 16 * 1024 * 1024


class Connections:
    """Hands out connections. Readers see what is committed and never wait for the writer; a process's writers queue.

    Within `writing`, a thread reads what it has written so far; within `snapshot`, the state at the snapshot's start.

    The number of open files stays at the most connections that were needed at once: SQLite closes no file while another
    connection of the process holds a lock, and reuses it for the next connection.

    `exclusive` is the context that has locked other processes out, on a full disk. They are let in again once there is
    room.
    """

    def __init__(
        self,
        path: Path,
        patience_ms: int,
        on_damage: Callable[[], None],
        exclusive: sqlite3.Connection | None = None,
    ) -> None:
        self._path = path
        self._patience_ms = patience_ms
        self._on_damage = on_damage
        self._turn = threading.RLock()
        self._depth = 0
        self._writing_thread: int | None = None
        self._held = threading.local()
        self._idle: list[sqlite3.Connection] = []
        self._idle_lock = threading.Lock()
        self._lent = 0
        self._exclusive = exclusive
        self._closed = False
        self._seen_version = 0
        self._looked = False
        with self.watched():
            self._writer = self._open_writer()

    @contextmanager
    def reading(self, cancelled: Callable[[], bool] | None = None) -> Iterator[sqlite3.Connection]:
        """A read-only connection. Raises LibraryError for environmental errors, and Interrupted when `cancelled`."""
        with self.watched():
            if self._writing_thread == threading.get_ident():
                yield self._writer
                return
            held: sqlite3.Connection | None = getattr(self._held, "connection", None)
            connection = held or self._borrow()
            connection.set_progress_handler(cancelled, _STEPS_BETWEEN_LOOKS)
            try:
                yield connection
            finally:
                connection.set_progress_handler(None, 0)
                if held is None:
                    self._give_back(connection)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Everything that this thread reads inside shows the library at the same moment, whatever is written meanwhile.

        It can't be nested.
        """
        with self.reading() as connection:
            if connection is self._writer:
                yield
                return
            connection.execute("BEGIN")
            self._held.connection = connection
            try:
                yield
            finally:
                self._held.connection = None
                connection.execute("ROLLBACK")

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[sqlite3.Connection]:
        """A transaction: durable once it ends, undone if an exception leaves it; inside another transaction, a part of
        that.

        If it isn't `durable`, it doesn't wait for the disk, and a power cut may lose all of it until a later durable
        transaction. Raises LibraryError for environmental errors; LibraryBusy after waiting too long for another
        process.
        """
        with self.watched(), self._turn:
            if self._depth:
                yield self._writer
                return
            self._check_open()
            self._let_others_in()
            if not durable:
                self._writer.execute("PRAGMA synchronous = NORMAL")
                self._writer.execute(f"PRAGMA wal_autocheckpoint = {_PAGES_OF_BULK}")
            self._writer.execute("BEGIN IMMEDIATE")
            self._depth, self._writing_thread = 1, threading.get_ident()
            try:
                yield self._writer
                self._writer.execute("COMMIT")
            except BaseException:
                # On a full disk SQLite rolls back on its own.
                if self._writer.in_transaction:
                    self._writer.execute("ROLLBACK")
                raise
            finally:
                self._depth, self._writing_thread = 0, None
                if not durable:
                    self._writer.execute("PRAGMA synchronous = FULL")
                    self._writer.execute(f"PRAGMA wal_autocheckpoint = {_PAGES}")

    def migrate(self, steps: Callable[[sqlite3.Connection, Path], bool]) -> bool:
        """Lets `steps` change the schema through the connection that writes."""
        with self.watched(), self._turn:
            return steps(self._writer, self._path)

    def version(self) -> int:
        """Changes when another process has committed.

        While this process is in the middle of a write: the last known value.
        """
        if self._turn.acquire(blocking=False):
            try:
                if not self._depth and not self._closed:
                    with self.watched():
                        self._let_others_in()
                        (self._seen_version,) = self._writer.execute("PRAGMA data_version").fetchone()
            finally:
                self._turn.release()
        return self._seen_version

    def close(self) -> None:
        """Waits for the current write to end; later calls raise LibraryError."""
        with self._turn:
            if self._closed:
                return
            with self._idle_lock:
                self._closed = True
                idle, self._idle = self._idle, []
            for connection in idle:
                connection.close()
            self._writer.close()
            if self._exclusive is not None:
                self._exclusive.close()

    def _let_others_in(self) -> None:
        """Lets other processes in again, if they are locked out and there is room for the files that SQLite shares with
        them. Only possible if this process has no other connection: the lock is released with the last one."""
        if self._exclusive is None or not has_room(self._path):
            return
        with self._idle_lock:
            if self._lent:
                return
            for connection in (*self._idle, self._writer, self._exclusive):
                connection.close()
            self._idle.clear()
            self._writer = self._open_writer()
            index = files_of(self._path)[2]
            if index.exists() and index.stat().st_size:
                self._exclusive = None

    def _open_writer(self) -> sqlite3.Connection:
        connection = connect(self._path, self._patience_ms)
        try:
            if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
                connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(f"PRAGMA journal_size_limit = {_WAL_BYTES_KEPT}")
            # A position must survive a power cut: NORMAL would lose what was committed since the last checkpoint.
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA fullfsync = ON")
            connection.execute("PRAGMA foreign_keys = ON")
        except BaseException:
            connection.close()
            raise
        return connection

    def _borrow(self) -> sqlite3.Connection:
        with self._idle_lock:
            self._check_open()
            self._lent += 1
            if self._idle:
                return self._idle.pop()
        try:
            connection = connect(self._path, self._patience_ms, mode="rw")
            connection.execute("PRAGMA query_only = ON")
        except BaseException:
            with self._idle_lock:
                self._lent -= 1
            raise
        return connection

    def _give_back(self, connection: sqlite3.Connection) -> None:
        with self._idle_lock:
            self._lent -= 1
            if not self._closed and len(self._idle) < _IDLE_READERS:
                self._idle.append(connection)
                return
        connection.close()

    def _check_open(self) -> None:
        if self._closed:
            raise LibraryError(_("The library is closed"), _("Earmark is quitting."))

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Raises errors of the disk or the file as LibraryError; also for code that has its own connection."""
        try:
            with as_library_errors(self._path):
                yield
        except DamagedLibrary:
            self._on_damage()
            raise
        except (sqlite3.Error, *_NONSENSE) as error:
            if not self._is_damaged():
                raise
            self._on_damage()
            raise damaged(self._path) from error

    def _is_damaged(self) -> bool:
        """Checks for damage before an unexpected error is called a bug; only once, and not for long."""
        from player.library.database.integrity import check_all

        if self._looked:
            return False
        self._looked = True
        end = time.monotonic() + _LOOK_S
        try:
            check_all(self._path, self._patience_ms, enough=lambda: time.monotonic() > end)
        except DamagedLibrary:
            self._looked = False
            return True
        except LibraryError:
            return False
        return False
