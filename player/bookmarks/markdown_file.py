"""The Markdown file that bookmarks are appended to, one after the other."""

import os
import stat
from pathlib import Path

from player.errors import EarmarkError
from player.links.local_files import below_home
from player.text.sentences import _


class CannotWrite(EarmarkError):
    """The file can't be written to."""


def path_of(setting: str) -> Path:
    """The file of the settings: what isn't absolute is in the home folder."""
    return below_home(setting)


def append(path: Path, text: str, *, instead_of: str = "") -> None:
    """Appends whole lines; where the file ends with `instead_of`, they take its place.

    The file is made where there is none, its folder isn't. A write that fails leaves the file as it was. Raises
    CannotWrite.
    """
    try:
        _append(path, text.encode(), instead_of.encode())
    except OSError as error:
        reason = error.strerror or _("disk error")
        raise CannotWrite(
            _("Can't write the bookmark to {file}: {reason}", file=path, reason=reason), _("It's kept in Earmark.")
        ) from error


def _append(path: Path, added: bytes, instead_of: bytes) -> None:
    # O_NONBLOCK: a pipe that nobody reads must not hold us.
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise OSError(0, _("it isn't a file"))
        size = os.fstat(file).st_size
        end = size - len(instead_of)
        if not (instead_of and end >= 0 and os.pread(file, len(instead_of), end) == instead_of):
            end = size
        if end and os.pread(file, 1, end - 1) != b"\n":
            added = b"\n" + added
        before = os.pread(file, size - end, end)
        try:
            _write_at(file, added, end)
            os.ftruncate(file, end + len(added))
        except OSError:
            os.ftruncate(file, end)
            _write_at(file, before, end)
            raise
    finally:
        os.close(file)


def _write_at(file: int, data: bytes, offset: int) -> None:
    while data:
        written = os.pwrite(file, data, offset)
        data, offset = data[written:], offset + written
