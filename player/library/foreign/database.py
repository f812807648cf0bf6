"""A SQLite file that another program wrote, read without trusting it, and without changing it or its folder.

Nothing in it is executed: views, triggers, virtual tables and generated columns are left alone, and an authorizer
allows reading only. Texts are cut, rows and time are limited, and damage ends one table, not the reading. A database
may be within a zip file.
"""

import logging
import sqlite3
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from player import regular_file
from player.errors import TransferError
from player.library.database.connect import JOURNAL, NO_SUPER_JOURNAL
from player.text.sentences import _

log = logging.getLogger(__name__)

MAGIC = b"SQLite format 3\0"
LONGEST_S = 45.0
MOST_ROWS = 2_000_000
"""The most rows read of a table."""
_MOST_LETTERS = 9_000
"""The most characters of a text: more than any address has."""
_MOST_BYTES = 64_000_000
"""The most bytes of one value or row, which SQLite loads as a whole."""
_STEPS_BETWEEN_LOOKS = 20_000
_LONGEST_COPY = 4_000_000_000
_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ}
_FUNCTIONS = {"substr", "typeof"}
_PRAGMAS = {"user_version"}

Value = str | int | float | None
Row = tuple[Value, ...]


class ForeignDatabase:
    """Open inside `opened`. `problems` says what couldn't be read, in whole sentences."""

    def __init__(self, connection: sqlite3.Connection, name: str, seconds: float = LONGEST_S) -> None:
        self.problems: list[str] = []
        self._name = name
        self._connection = connection
        self._end = time.monotonic() + seconds
        self._harden()
        self._tables = self._read_tables()
        connection.set_authorizer(_authorize)

    def has(self, table: str, *columns: str) -> bool:
        """Whether there is such a table, with these columns."""
        return table in self._tables and self._tables[table].issuperset(columns)

    def version(self) -> int:
        """`user_version`, where many programs keep the version of their schema."""
        try:
            (number,) = self._connection.execute("PRAGMA user_version").fetchone()
        except sqlite3.Error:
            return 0
        return int(number)

    def rows(self, table: str, *columns: str) -> Iterator[Row]:
        """These columns of all rows; None for a missing column, and for a BLOB. If a table is damaged, too long, or
        takes too long to read, only the rows before that point."""
        there = self._tables.get(table, set())
        if not there.intersection(columns):
            return
        chosen = ", ".join(_column(name) if name in there else "NULL" for name in columns)
        try:
            for number, row in enumerate(self._connection.execute(f'SELECT {chosen} FROM "{table}"')):
                if number >= MOST_ROWS:
                    self._problem(_("Of {table}, only the first {n:,} rows were read.", table=table, n=MOST_ROWS))
                    return
                yield row
        except (sqlite3.Error, UnicodeError, MemoryError, OverflowError) as error:
            log.warning("%s of %s: %s", table, self._name, error)
            late = time.monotonic() > self._end
            sentence = _("{table} takes too long to read: a part of it is missing.", table=table)
            damaged = _("{table} is damaged: a part of it is missing.", table=table)
            self._problem(sentence if late else damaged)

    def _problem(self, sentence: str) -> None:
        if sentence not in self.problems:
            self.problems.append(sentence)

    def _harden(self) -> None:
        connection = self._connection
        connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
        for limit, most in (
            (sqlite3.SQLITE_LIMIT_LENGTH, _MOST_BYTES),
            (sqlite3.SQLITE_LIMIT_SQL_LENGTH, 100_000),
            (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
        ):
            connection.setlimit(limit, most)
        connection.set_progress_handler(lambda: time.monotonic() > self._end, _STEPS_BETWEEN_LOOKS)
        for setting in ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON", "mmap_size = 0"):
            connection.execute(f"PRAGMA {setting}")

    def _read_tables(self) -> dict[str, set[str]]:
        """The columns of each table, without views and virtual tables."""
        found = self._connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
        return {
            name: {row[1] for row in self._connection.execute("SELECT * FROM pragma_table_info(?)", (name,))}
            for name, sql in found
            if isinstance(name, str) and isinstance(sql, str) and not sql.lstrip().upper().startswith("CREATE VIRTUAL")
        }


def _column(name: str) -> str:
    """A text is cut, and a BLOB left out, before Python sees it."""
    kind = f'CASE typeof("{name}")'
    return f"{kind} WHEN 'text' THEN substr(\"{name}\", 1, {_MOST_LETTERS}) WHEN 'blob' THEN NULL ELSE \"{name}\" END"


def _authorize(action: int, first: str | None, second: str | None, *_where: str | None) -> int:
    allowed = (
        action in _ALLOWED
        or (action == sqlite3.SQLITE_FUNCTION and second in _FUNCTIONS)
        or (action == sqlite3.SQLITE_PRAGMA and first in _PRAGMAS)
    )
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


@contextmanager
def opened(path: Path, seconds: float = LONGEST_S) -> Iterator[ForeignDatabase]:
    """Raises TransferError for a file that isn't a database, or is too damaged for anything to be read."""
    with _copied_if_used(path) as (file, immutable):
        connection: sqlite3.Connection | None = None
        try:
            uri = f"{file.absolute().as_uri()}?mode={'ro&immutable=1' if immutable else 'rw'}"
            connection = sqlite3.connect(uri, uri=True, timeout=1.0, isolation_level=None)
            try:
                database = ForeignDatabase(connection, path.name, seconds)
            except (sqlite3.Error, UnicodeError, MemoryError) as error:
                log.warning("%s: %s", path, error)
                raise TransferError(
                    _("{file} is damaged, or no database", file=path),
                    _("Export it again from the app that it comes from."),
                ) from error
            yield database
        finally:
            if connection is not None:
                connection.close()


@contextmanager
def _copied_if_used(path: Path) -> Iterator[tuple[Path, bool]]:
    """The file itself, if no program writes to it; or a copy with its log, if the program may be running or has
    crashed."""
    logs = [Path(f"{path}{suffix}") for suffix in ("-wal", JOURNAL)]
    logs = [log for log in logs if log.is_file() and log.stat().st_size]
    if not logs:
        yield path, True
        return
    with tempfile.TemporaryDirectory(prefix="earmark-") as folder:
        try:
            if sum(one.stat().st_size for one in (path, *logs)) > _LONGEST_COPY:
                raise TransferError(
                    _("{file} is in use", file=path), _("Quit the app that it belongs to, and try again.")
                )
            for one in (path, *logs):
                with (Path(folder) / one.name).open("wb") as copy:
                    copy.writelines(regular_file.pieces(one, _LONGEST_COPY))
                    if one.name.endswith(JOURNAL):
                        copy.write(NO_SUPER_JOURNAL)
        except OSError as error:
            raise TransferError(
                _("Can't copy {file} ({reason})", file=path, reason=error.strerror),
                _("Quit the app that it belongs to, and try again."),
            ) from error
        yield Path(folder) / path.name, False


def required(database: ForeignDatabase, app: str, *tables: str) -> None:
    """Raises TransferError if one of these tables is missing."""
    for table in tables:
        if not database.has(table):
            raise TransferError(
                _("The database of {app} has no {table}", app=app, table=table),
                _("Export the subscriptions as OPML there, and import that."),
            )


def recognised(path: Path, start: bytes, table: str, *columns: str) -> bool:
    """Whether the file is a database with such a table. Never raises."""
    if not start.startswith(MAGIC):
        return False
    try:
        with opened(path, 5.0) as database:
            return database.has(table, *columns)
    except TransferError:
        return False


# -- within zip files: found by what they begin with, and unpacked within bounds, never by the names in the file ----

_LARGEST_UNPACKED = 2_000_000_000
"""Bytes, unpacked. Databases of listeners have some 100 MB."""
_MOST_PACKED = 200
"""How many times smaller a database may be when packed. Higher ratios are a sign of a file made to fill a disk."""
_MOST_MEMBERS = 10_000
_LARGEST_TEXT = 8_000_000
_PIECE = 1 << 20
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_BROKEN = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    EOFError,
    RuntimeError,
    NotImplementedError,
    ValueError,
)
START = b"PK\x03\x04"


def names_in(path: Path, start: bytes) -> list[str]:
    """The last parts of the names of the files in it; none if it is no zip file. Never raises."""
    if not start.startswith(START):
        return []
    try:
        with zipfile.ZipFile(path) as zipped:
            return [_name(one) for one in zipped.infolist()[:_MOST_MEMBERS]]
    except (OSError, *_BROKEN):
        return []


@contextmanager
def database_in(path: Path, wanted: Callable[[str], bool] = lambda _name: True) -> Iterator[Path]:
    """The first database whose name is `wanted`, unpacked for the time within. Raises TransferError."""
    with tempfile.TemporaryDirectory(prefix="earmark-") as folder:
        target = Path(folder) / "database.db"
        with _unzipped(path) as zipped:
            members = (one for one in zipped.infolist()[:_MOST_MEMBERS] if wanted(_name(one)))
            found = next((one for one in members if _begins_as_database(zipped, one)), None)
            if found is None:
                raise TransferError(_("There is no database in {file}", file=path), _("Export it again from the app."))
            _unpack(zipped, found, target, path)
        yield target


def text_in(path: Path, name: str) -> str:
    """The contents of a text file; "" if there is none that can be read, or if it is too large."""
    try:
        with _unzipped(path) as zipped:
            for one in zipped.infolist()[:_MOST_MEMBERS]:
                if _name(one) == name and one.compress_type in _METHODS and one.file_size <= _LARGEST_TEXT:
                    with zipped.open(one) as file:
                        return file.read(_LARGEST_TEXT).decode("utf-8", "replace")
    except TransferError:
        pass
    return ""


@contextmanager
def _unzipped(path: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as zipped:
            yield zipped
    except OSError as error:
        raise TransferError(_("Can't read {file} ({reason})", file=path, reason=error.strerror or error)) from error
    except _BROKEN as error:
        raise TransferError(
            _("{file} is damaged, or can't be unpacked", file=path), _("Export it again from the app.")
        ) from error


def _name(one: zipfile.ZipInfo) -> str:
    return one.filename.rpartition("/")[2]


def _begins_as_database(zipped: zipfile.ZipFile, one: zipfile.ZipInfo) -> bool:
    if one.is_dir() or one.compress_type not in _METHODS:
        return False
    with zipped.open(one) as file:
        return file.read(len(MAGIC)) == MAGIC


def _unpack(zipped: zipfile.ZipFile, one: zipfile.ZipInfo, target: Path, path: Path) -> None:
    """The sizes stated in the zip file may be wrong, so the unpacked bytes are counted."""
    most = min(_LARGEST_UNPACKED, max(_PIECE, one.compress_size * _MOST_PACKED))
    written = 0
    with zipped.open(one) as source, target.open("wb") as file:
        while piece := source.read(_PIECE):
            written += len(piece)
            if written > most:
                raise TransferError(_("{file} holds far too much to be a backup", file=path))
            file.write(piece)
