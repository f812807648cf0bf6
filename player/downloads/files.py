"""Files of downloads: put under a free name, deleted, looked for."""

import errno
import logging
import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from itertools import count
from pathlib import Path, PurePosixPath

from player.downloads.names import same_name
from player.links.local_files import below_home
from player.model.episode import EpisodeId

log = logging.getLogger(__name__)

_SUFFIXES = {
    "mp3": ".mp3", "mp4": ".m4a", "aac": ".aac", "ogg": ".ogg", "flac": ".flac", "wav": ".wav", "matroska": ".mka",
    "aiff": ".aiff",
}  # fmt: skip
_NO_LINKS = (errno.EXDEV, errno.EPERM, errno.EMLINK, errno.ENOTSUP, errno.EACCES, errno.ENOSYS)
_CHUNK = 1 << 20


def folder_of(setting: str, data: Path) -> Path:
    """The downloads folder: the one in the settings (a relative one is below the home folder), or `episodes` in the
    data folder."""
    return below_home(setting) if setting else data / "episodes"


def suffix_of(source: Path, form: str) -> str:
    """The end of the name for a file of that format, one of formats.FORMATS. Raises OSError."""
    if form == "ogg":
        with source.open("rb") as file:
            return ".opus" if b"OpusHead" in file.read(64) else ".ogg"
    return _SUFFIXES.get(form, ".audio")


def free_path(folder: Path, name: PurePosixPath, suffix: str) -> Path:
    """A path below `folder` that nothing has, on no system: with that name, or with a number behind it.

    Its folder is made. Raises OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for part in name.parts[:-1]:
        folder = _subfolder(folder, part)
    taken = _names_in(folder)
    for number in count(1):
        wanted = f"{name.name}{suffix}" if number == 1 else f"{name.name} ({number}){suffix}"
        if same_name(wanted) not in taken:
            return folder / wanted
    raise AssertionError


def part_of(path: Path, episode_id: EpisodeId) -> Path:
    """Where the file for `path` is written before it is complete. After a crash it is found again there."""
    return path.with_name(f".earmark-{episode_id}.part")


def put(source: Path, path: Path, part: Path) -> None:
    """Makes `path` the same file as `source`, or a copy of it where there are no links.

    Raises FileExistsError where something has that name, and OSError; then nothing is left behind.
    """
    try:
        try:
            os.link(source, path)
            _open_like(path, path.parent)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            if source != part:
                _copy(source, part)
            _move(part, path)
    finally:
        part.unlink(missing_ok=True)
    _flush_folder(path.parent)


def delete(path: Path, root: Path | None = None) -> None:
    """The file, and each folder below `root` in which it was the last one. Raises OSError.

    Without a `root` only the file's own folder is looked at.
    """
    path.unlink(missing_ok=True)
    below = [one for one in path.parents if root in one.parents] if root else []
    folders = below or [path.parent]
    with suppress(OSError):
        for folder in folders:
            folder.rmdir()


def delete_files(paths: Iterable[Path], root: Path | None = None) -> None:
    """Deletes the files, except those that can't be deleted."""
    for path in paths:
        with suppress(OSError):
            delete(path, root)


def is_away(path: Path, root: Path) -> bool:
    """Whether the disk on which a missing file was seems not to be there: its folder is gone, or holds nothing at
    all."""
    folder = root if path.is_relative_to(root) else path.parent.parent
    try:
        return not any(folder.iterdir())
    except OSError:
        return True


def _subfolder(folder: Path, name: str) -> Path:
    """The folder with that name, however its letters are written; or another, where a file has the name."""
    for number in count(1):
        wanted = name if number == 1 else f"{name} ({number})"
        there = [one for one in folder.iterdir() if same_name(one.name) == same_name(wanted)]
        found = sorted(there, key=lambda one: one.name != wanted)[0] if there else folder / wanted
        if not there:
            found.mkdir(exist_ok=True)
        if found.is_dir():
            return found
    raise AssertionError


def _names_in(folder: Path) -> set[str]:
    return {same_name(one.name) for one in folder.iterdir()}


def _copy(source: Path, part: Path) -> None:
    with source.open("rb") as there, part.open("wb") as here:
        shutil.copyfileobj(there, here, _CHUNK)
        here.flush()
        os.fsync(here.fileno())


def _move(part: Path, path: Path) -> None:
    try:
        os.link(part, path)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if path.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        part.rename(path)


def _open_like(path: Path, folder: Path) -> None:
    """What is cached is for nobody else's eyes; a download is for those who may see its folder."""
    with suppress(OSError):
        path.chmod(folder.stat().st_mode & 0o666)


def _flush_folder(folder: Path) -> None:
    with suppress(OSError):
        fd = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
