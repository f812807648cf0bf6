"""Databases within zip files: found by what they begin with, and unpacked within bounds, never by the names in the
file."""

import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from player.errors import TransferError
from player.library.foreign.database import MAGIC
from player.text.sentences import _

_LARGEST = 2_000_000_000
"""Bytes, unpacked. Databases of listeners have some 100 MB."""
_MOST_PACKED = 200
"""How many times smaller a database may be when packed. What is packed better is made to fill a disk."""
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
        with _opened(path) as zipped:
            members = (one for one in zipped.infolist()[:_MOST_MEMBERS] if wanted(_name(one)))
            found = next((one for one in members if _begins_as_database(zipped, one)), None)
            if found is None:
                raise TransferError(_("There is no database in {file}", file=path), _("Export it again from the app."))
            _unpack(zipped, found, target, path)
        yield target


def text_in(path: Path, name: str) -> str:
    """A file of text; "" if there is none that can be read, or it is too large."""
    try:
        with _opened(path) as zipped:
            for one in zipped.infolist()[:_MOST_MEMBERS]:
                if _name(one) == name and one.compress_type in _METHODS and one.file_size <= _LARGEST_TEXT:
                    with zipped.open(one) as file:
                        return file.read(_LARGEST_TEXT).decode("utf-8", "replace")
    except TransferError:
        pass
    return ""


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
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
    """What the zip file says of sizes may be wrong: what comes out is counted."""
    most = min(_LARGEST, max(_PIECE, one.compress_size * _MOST_PACKED))
    written = 0
    with zipped.open(one) as source, target.open("wb") as file:
        while piece := source.read(_PIECE):
            written += len(piece)
            if written > most:
                raise TransferError(_("{file} holds far too much to be a backup", file=path))
            file.write(piece)
