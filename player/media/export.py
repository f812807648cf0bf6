"""Downloads: an episode's bytes as a file of the listener's own. What is kept is not fetched again."""

import errno
import logging
import os
import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path

from player.errors import MediaError
from player.media.cache.cache_file import CacheFile
from player.media.fetching.media_errors import disk_error
from player.model.episode import Episode
from player.text.cleaning import clean_line
from player.text.sentences import _

log = logging.getLogger(__name__)

_LONGEST_NAME = 120
_UNFIT = re.compile(r'[/\\:*?"<>|\x00-\x1f]+')
_SUFFIXES = {
    "mp3": ".mp3", "mp4": ".m4a", "aac": ".aac", "ogg": ".ogg", "flac": ".flac", "wav": ".wav", "matroska": ".mka",
    "aiff": ".aiff",
}  # fmt: skip

OnProgress = Callable[[float | None, MediaError | None], None]
"""How much is there (0 to 1; None while nobody knows), and why nothing more comes just now."""


def export_file(file: CacheFile, folder: Path, episode: Episode, form: str) -> Path:
    """Makes a complete kept file a download, under a name of its own. Raises MediaError."""
    source = file.path
    target = folder / file_name(episode.podcast, "podcast") / f"{_dated(episode)}{_suffix(source, form)}"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        return _placed(source, target)
    except OSError as error:
        log.warning("the download can't be written: %s", error)
        raise disk_error(error, _("The episode can't be saved in the downloads folder")) from error


def delete(path: Path) -> None:
    """The file, and its folder when it was the last one there. Raises OSError."""
    path.unlink(missing_ok=True)
    with suppress(OSError):
        path.parent.rmdir()


def file_name(text: str, otherwise: str) -> str:
    """A title as the name of a file on any system."""
    name = _UNFIT.sub(" ", clean_line(text, 1000))
    name = re.sub(r"\s+", " ", name).strip(" .")[:_LONGEST_NAME]
    while len(name.encode(errors="replace")) > 2 * _LONGEST_NAME:
        name = name[:-1]
    return name.strip(" .") or otherwise


def _dated(episode: Episode) -> str:
    day = f"{episode.published.astimezone():%Y-%m-%d} " if episode.published else ""
    return day + file_name(episode.title, "episode")


def _suffix(source: Path, form: str) -> str:
    if form == "ogg":
        with source.open("rb") as file:
            return ".opus" if b"OpusHead" in file.read(64) else ".ogg"
    return _SUFFIXES.get(form, ".audio")


def _placed(source: Path, target: Path) -> Path:
    """The file under that name, or the next one that is free; by a second name for the same bytes where that can be."""
    for number in count(1):
        name = target if number == 1 else target.with_name(f"{target.stem} ({number}){target.suffix}")
        try:
            os.link(source, name)
            return name
        except FileExistsError:
            continue
        except OSError as error:
            if error.errno not in (errno.EXDEV, errno.EPERM, errno.EMLINK, errno.ENOTSUP, errno.EACCES):
                raise
            return _copied(source, name)
    raise AssertionError


def _copied(source: Path, target: Path) -> Path:
    part = target.with_name(f".{target.name}.part")
    try:
        with source.open("rb") as there, part.open("wb") as here:
            shutil.copyfileobj(there, here, 1 << 20)
            here.flush()
            os.fsync(here.fileno())
        number = 1
        free = target
        while free.exists():
            number += 1
            free = target.with_name(f"{target.stem} ({number}){target.suffix}")
        part.replace(free)
        return free
    finally:
        part.unlink(missing_ok=True)
