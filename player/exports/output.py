"""Files that are written whole or not at all, and that only the listener may read."""

import os
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from player import regular_file
from player.errors import EarmarkError
from player.text.sentences import _

_START = 4096


class ExportError(EarmarkError):
    """A file that can't be written, or is no export that may be replaced."""


def write_whole(path: Path, pieces: Iterable[bytes], *, replaces: Callable[[bytes], bool]) -> None:
    """Writes the file, readable for nobody else (0600), and only then puts it in the place of an older one.

    `replaces` gets the first bytes of a file that is there and says whether it may be replaced; an empty one may. A
    link stays a link. Raises ExportError, and what `pieces` raises; what was there stays then.
    """
    target = Path(os.path.realpath(path))
    try:
        _check(target, path, replaces)
        handle, name = tempfile.mkstemp(prefix=".earmark-", suffix=".part", dir=target.parent)
    except OSError as error:
        raise _cannot_write(path, error) from error
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    except OSError as error:
        raise _cannot_write(path, error) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _check(target: Path, path: Path, replaces: Callable[[bytes], bool]) -> None:
    if not target.exists():
        return
    if not target.is_file():
        raise ExportError(_("{file} isn't a file", file=path), _("Choose another name."))
    with regular_file.opened(target) as file:
        start = file.read(_START)
    if start and not replaces(start):
        raise ExportError(_("{file} already exists and isn't such an export", file=path), _("Choose another name."))


def _cannot_write(path: Path, error: OSError) -> ExportError:
    return ExportError(
        _("Can't write {file} ({reason})", file=path, reason=error.strerror or _("disk error")),
        _("Choose a file in a folder that you can write to."),
    )
