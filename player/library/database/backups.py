"""Copies of the library, made before its schema changes and once a day; the newest few are kept."""

import fcntl
import logging
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from msgspec import Struct

from player import regular_file
from player.errors import DamagedLibrary, DiskFull, LibraryError
from player.library.database.connect import connect, files_of
from player.library.database.integrity import check_contents, check_pages, inspect
from player.library.database.sqlite_errors import as_library_errors, damaged, disk_full, os_error
from player.model.moments import EARLIEST, within
from player.text.sentences import _, plural

log = logging.getLogger(__name__)

_NAME = "library-%Y%m%d-%H%M%S.db"
_KEEP = 3
_EVERY = timedelta(days=1)
_PAGES_AT_ONCE = 1024


class Cancelled(Exception):
    """Earmark quits before the copy is complete, or another process is making one."""


class Backup(Struct, frozen=True):
    path: Path
    made_at: datetime


class BackupContents(Struct, frozen=True):
    """How much of the listener's data a backup has."""

    podcasts: int
    episodes: int
    starred: int
    bookmarks: int
    positions: int

    @property
    def words(self) -> str:
        """`12 podcasts, 3,400 episodes, 14 stars, 1 bookmark, 120 positions`."""
        return ", ".join(
            (
                plural(self.podcasts, "{n:,} podcast", "{n:,} podcasts"),
                plural(self.episodes, "{n:,} episode", "{n:,} episodes"),
                plural(self.starred, "{n:,} star", "{n:,} stars"),
                plural(self.bookmarks, "{n:,} bookmark", "{n:,} bookmarks"),
                plural(self.positions, "{n:,} position", "{n:,} positions"),
            )
        )


FoundBackup = tuple[Backup, BackupContents]

_COUNTED = ("podcasts", "episodes", "episodes WHERE starred = 1", "bookmarks", "progress")
"""The tables that the fields of `BackupContents` count. A backup may be older than one of these tables."""


class Backups:
    """The backups of one library in one folder."""

    def __init__(self, library: Path, folder: Path, patience_ms: int) -> None:
        self._library = library
        self._folder = folder
        self._patience_ms = patience_ms

    def all(self, now: datetime) -> list[Backup]:
        """All backups, the newest first, whether intact or not.

        Backups dated after `now` come last, the latest date at the end: the clock was ahead, so their true age isn't
        known.
        """
        found = [Backup(path, made_at) for path in self._folder.glob("library-*.db") if (made_at := _made_at(path))]
        return sorted(found, key=lambda backup: (backup.made_at > now, abs(now - backup.made_at)))

    def good(self, now: datetime) -> Iterator[Backup]:
        """The backups that are intact and that this version of Earmark can read, in the order of `all`."""
        for backup in self.all(now):
            try:
                if inspect(backup.path, self._patience_ms, immutable=True):
                    check_pages(backup.path, self._patience_ms, immutable=True)
                    check_contents(backup.path, self._patience_ms, immutable=True)
                    yield backup
            except LibraryError as error:
                log.warning("a backup is of no use: %s", error)

    def contents(self, backup: Backup) -> BackupContents:
        """Raises LibraryError."""
        with as_library_errors(backup.path):
            connection = connect(backup.path, self._patience_ms, mode="ro", immutable=True)
            try:
                there = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
                counted = [rows for rows in _COUNTED if rows.split()[0] in there]
                counts = {rows: connection.execute(f"SELECT count(*) FROM {rows}").fetchone()[0] for rows in counted}
                return BackupContents(*(counts.get(rows, 0) for rows in _COUNTED))
            finally:
                connection.close()

    def due(self, now: datetime) -> bool:
        """Whether today's backup is still missing. A clock that was set back counts as due."""
        return not any(within(backup.made_at, now, _EVERY) for backup in self.all(now))

    def make(self, now: datetime, cancelled: Callable[[], bool] = lambda: False) -> Backup:
        """Copies the library as it is at this moment, while others keep writing; then deletes surplus copies, first the
        ones dated after `now`, then the oldest. While the clock has lost its date, copies with plausible dates are
        kept.

        A copy only counts once it was read back and found intact, so that bad copies never replace good ones. Raises
        DamagedLibrary, DiskFull, LibraryError or Cancelled; no partial copy is left behind.
        """
        made_at = now.astimezone(UTC).replace(microsecond=0)
        backup = Backup(self._folder / made_at.strftime(_NAME), made_at)
        try:
            regular_file.private_folder(self._folder)
            with _one_at_a_time(self._folder):
                self._check_space()
                self._make(backup.path, cancelled)
                for old in self.all(now)[_KEEP:]:
                    if now >= EARLIEST or old.made_at < EARLIEST:
                        old.path.unlink(missing_ok=True)
        except OSError as error:
            raise os_error(error, self._folder) from error
        return backup

    def restore(self, backup: Backup, make_way: Callable[[], object] = lambda: None) -> None:
        """Replaces the library with a copy of `backup`. Raises LibraryError, also when a library is still in place.

        `make_way` may move that library aside. It is called once the copy is complete: if the process ends before,
        nothing has changed.
        """
        part = self._library.with_suffix(".restoring")
        try:
            part.touch(0o600)
            with part.open("wb") as copy:
                copy.writelines(regular_file.pieces(backup.path))
            _sync(part)
            make_way()
            self._replace_by(part)
        except OSError as error:
            raise os_error(error, self._library) from error
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)

    def _replace_by(self, part: Path) -> None:
        if any(path.exists() for path in files_of(self._library)):
            raise LibraryError(_("There is still a library at {file}", file=self._library), _("Set it aside first."))
        part.replace(self._library)
        _sync(self._library.parent)

    def _make(self, path: Path, cancelled: Callable[[], bool]) -> None:
        part = self._folder / "library.part"
        try:
            with as_library_errors(self._library):
                self._copy(part, cancelled)
            for check in (check_pages, partial(check_contents, texts=False)):
                if not check(part, self._patience_ms, enough=cancelled, immutable=True):
                    raise Cancelled
            part.replace(path)
            _sync(self._folder)
        except DamagedLibrary as error:
            raise damaged(self._library) from error
        finally:
            part.unlink(missing_ok=True)

    def _check_space(self) -> None:
        """A backup must not take the space that the library itself needs to grow."""
        size = sum(path.stat().st_size for path in files_of(self._library) if path.exists())
        if shutil.disk_usage(self._folder).free < 2 * size:
            raise DiskFull(
                _("No space left for a backup in {folder}", folder=self._folder), _("Free some space on that disk.")
            )

    def _copy(self, part: Path, cancelled: Callable[[], bool]) -> None:
        def check_cancelled(_status: int, _remaining: int, _total: int) -> None:
            if cancelled():
                raise Cancelled

        part.unlink(missing_ok=True)
        source = connect(self._library, self._patience_ms, mode="rw")
        target = connect(part, self._patience_ms)
        try:
            target.execute("PRAGMA synchronous = OFF")
            # An open snapshot: writes by other processes neither wait for the copy nor restart it.
            source.execute("BEGIN")
            source.execute("SELECT 1 FROM sqlite_master").fetchone()
            source.backup(target, pages=_PAGES_AT_ONCE, progress=check_cancelled)
            source.execute("ROLLBACK")
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL:
                raise disk_full(self._folder) from error
            raise
        finally:
            target.close()
            source.close()
        _sync(part)


def set_aside(library: Path, now: datetime) -> Path:
    """Moves a library, with the files that SQLite keeps beside it, to `library.damaged-DATE.db`.

    Raises LibraryError.
    """
    name = f"{library.stem}.damaged-{now.astimezone(UTC):%Y-%m-%d}"
    aside, number = library.with_name(f"{name}.db"), 1
    while aside.exists():
        number += 1
        aside = library.with_name(f"{name}-{number}.db")
    try:
        for old, new in zip(files_of(library), files_of(aside), strict=True):
            if old.exists():
                old.replace(new)
        _sync(library.parent)
    except OSError as error:
        raise os_error(error, library) from error
    return aside


def _made_at(path: Path) -> datetime | None:
    try:
        return datetime.strptime(path.name, _NAME).replace(tzinfo=UTC)
    except ValueError:
        return None


@contextmanager
def _one_at_a_time(folder: Path) -> Iterator[None]:
    """Raises Cancelled if another process is making a backup there.

    Where the disk doesn't support locks, none is assumed.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Cancelled from None
        yield
    finally:
        os.close(handle)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
