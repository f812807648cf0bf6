"""Writes config.toml whole or not at all; one that is a link stays one."""

import errno
import os
import tempfile
from contextlib import suppress
from pathlib import Path

from player.errors import EarmarkError
from player.text.sentences import _


class CantSave(EarmarkError):
    """config.toml, or its folder, can't be written."""


def save(path: Path, text: str) -> None:
    """Raises CantSave; then the file is as it was."""
    target = path.resolve()  # people keep it elsewhere, and a link here
    copy: Path | None = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        copy = beside(target, text)
        if target.exists():
            copy.chmod(target.stat().st_mode & 0o777)
        copy.replace(target)
    except OSError as error:
        if copy is not None:
            with suppress(OSError):
                copy.unlink()
        raise _cant(path, error) from error


def create(path: Path, text: str) -> bool:
    """False where there is such a file already, which stays as it is. Raises CantSave."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        return False
    except OSError as error:
        raise _cant(path, error) from error
    return True


def copy_beside(path: Path, text: str) -> Path:
    """A file of its own in the same folder, for an editor: `config-….toml`. Raises CantSave."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return beside(path, text)
    except OSError as error:
        raise _cant(path, error) from error


def beside(path: Path, text: str) -> Path:
    """Raises OSError; then there is no such file."""
    handle, name = tempfile.mkstemp(prefix=f"{path.stem}-", suffix=path.suffix, dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        with suppress(OSError):
            Path(name).unlink()
        raise
    return Path(name)


def _cant(path: Path, error: OSError) -> CantSave:
    is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return CantSave(
        _("Can't write {file} ({reason})", file=path, reason=error.strerror or _("disk error")),
        _("Free some space on that disk, then try again.") if is_full else _("Check the folder's permissions."),
    )
