"""The audio files of a folder, found without following a loop of symbolic links and without reading any of them."""

import os
import stat
from collections.abc import Callable
from pathlib import PurePath
from typing import NamedTuple

TYPES = {
    "mp3": "audio/mpeg", "m4a": "audio/mp4", "m4b": "audio/mp4", "mp4": "video/mp4", "aac": "audio/aac",
    "ogg": "audio/ogg", "oga": "audio/ogg", "opus": "audio/ogg", "flac": "audio/flac", "wav": "audio/wav",
    "aif": "audio/aiff", "aiff": "audio/aiff", "mka": "audio/x-matroska", "webm": "audio/webm",
}  # fmt: skip
"""Media types of the files that Earmark plays, by the end of their names."""

_MOST_ENTRIES = 200_000
"""Files and folders looked at, of any kind."""
_DEEPEST = 40


class AudioFile(NamedTuple):
    """`parts` are the names from the podcast's folder down to the file. `version` changes when the file does."""

    path: str
    parts: tuple[str, ...]
    size: int
    version: int

    @property
    def media_type(self) -> str:
        return TYPES[_ending(self.path)]

    @property
    def stem(self) -> str:
        return PurePath(self.path).stem


class Found(NamedTuple):
    """`cover` is the path of a picture in the topmost folder, or "". `whole`: nothing was left out because it can't be
    read, or because there is too much."""

    files: tuple[AudioFile, ...]
    cover: str = ""
    whole: bool = True


def find_audio(root: str, beat: Callable[[], None]) -> Found:
    """Everything in a folder and its subfolders, or the one file that `root` is. Hidden files are left out.

    `beat` is called before each look at the disk, and may raise. Raises OSError if the root itself can't be read.
    """
    beat()
    status = os.stat(root)  # noqa: PTH116 - a name that isn't UTF-8 stays as it is
    if not stat.S_ISDIR(status.st_mode):
        is_audio = stat.S_ISREG(status.st_mode) and _ending(root) in TYPES
        return Found((_file(root, (PurePath(root).name,), status),) if is_audio else ())
    return _Walk(beat).through(root, status)


class _Walk:
    def __init__(self, beat: Callable[[], None]) -> None:
        self._beat = beat
        self._files: list[AudioFile] = []
        self._covers: dict[str, str] = {}
        self._left = _MOST_ENTRIES
        self._whole = True

    def through(self, root: str, status: os.stat_result) -> Found:
        seen = {(status.st_dev, status.st_ino)}
        waiting: list[tuple[str, tuple[str, ...]]] = [(root, ())]
        while waiting and self._left > 0:
            folder, parts = waiting.pop()
            try:
                self._beat()
                entries = self._entries(folder)
            except OSError:
                if not parts:
                    raise
                self._whole = False
                continue
            for name in entries:
                inner = self._look(folder, name, parts, seen)
                if inner is not None:
                    waiting.append(inner)
        cover = next((self._covers[name] for name in ("cover", "folder", "front") if name in self._covers), "")
        return Found(tuple(self._files), cover, self._whole and self._left > 0)

    def _entries(self, folder: str) -> list[str]:
        names = []
        with os.scandir(folder) as entries:
            for entry in entries:
                self._left -= 1
                if self._left <= 0:
                    break
                if not entry.name.startswith("."):
                    names.append(entry.name)
        return names

    def _look(
        self, folder: str, name: str, parts: tuple[str, ...], seen: set[tuple[int, int]]
    ) -> tuple[str, tuple[str, ...]] | None:
        """Notes a file. Returns a folder that is still to be looked at."""
        path, here = os.path.join(folder, name), (*parts, name)  # noqa: PTH118
        try:
            self._beat()
            status = os.stat(path)  # noqa: PTH116
        except OSError:
            # A link that leads nowhere is nothing; what can't be looked at may still be there.
            self._whole = self._whole and os.path.islink(path)  # noqa: PTH114
            return None
        if stat.S_ISDIR(status.st_mode):
            place = (status.st_dev, status.st_ino)
            if place in seen or len(here) >= _DEEPEST:
                return None
            seen.add(place)
            return path, here
        if stat.S_ISREG(status.st_mode):
            if _ending(name) in TYPES:
                self._files.append(_file(path, here, status))
            elif not parts and _ending(name) in ("jpg", "jpeg", "png"):
                self._covers[PurePath(name).stem.lower()] = path
        return None


def _file(path: str, parts: tuple[str, ...], status: os.stat_result) -> AudioFile:
    # The time of the last change of any kind: permissions and a copied modification time count too.
    return AudioFile(path, parts, status.st_size, status.st_ctime_ns)


def _ending(name: str) -> str:
    return PurePath(name).suffix[1:].lower()
