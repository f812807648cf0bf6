"""The audio files of a folder and the transcripts beside them, found without following a loop of symbolic links and
without reading any of them."""

import os
import re
import stat
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import NamedTuple

TYPES = {
    "mp3": "audio/mpeg", "m4a": "audio/mp4", "m4b": "audio/mp4", "mp4": "video/mp4", "aac": "audio/aac",
    "ogg": "audio/ogg", "oga": "audio/ogg", "opus": "audio/ogg", "flac": "audio/flac", "wav": "audio/wav",
    "aif": "audio/aiff", "aiff": "audio/aiff", "mka": "audio/x-matroska", "webm": "audio/webm",
}  # fmt: skip
"""Media types of the files that Earmark plays, by file extension."""
TEXTS = {"vtt": "text/vtt", "srt": "application/x-subrip", "json": "application/json", "txt": "text/plain"}
"""Media types of transcripts, by file extension."""

_LANGUAGE = re.compile(r"(.+)\.([A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*)", re.DOTALL)
_MOST_TEXTS = 50
"""The most transcripts of one audio file."""

_MOST_ENTRIES = 200_000
"""The most files and folders of any kind that are examined."""
_DEEPEST = 40


class TextFile(NamedTuple):
    """A transcript; `language` is the tag in its name: `en` in `talk.en.srt`. `version` changes when the file does."""

    path: str
    version: int
    language: str = ""

    @property
    def media_type(self) -> str:
        return TEXTS[_ending(self.path)]


class AudioFile(NamedTuple):
    """`parts` are the names from the podcast's folder down to the file. `version` changes when the file does.

    `transcripts` are the files beside it that are named after it: `talk.vtt`, `talk.en.srt` or `talk.mp3.json` beside
    `talk.mp3`.
    """

    path: str
    parts: tuple[str, ...]
    size: int
    version: int
    transcripts: tuple[TextFile, ...] = ()

    @property
    def media_type(self) -> str:
        return TYPES[_ending(self.path)]

    @property
    def stem(self) -> str:
        return PurePath(self.path).stem


class Found(NamedTuple):
    """`cover` is the path of a picture in the topmost folder, or "". `whole`: nothing was left out because it can't be
    read, or because there are too many files."""

    files: tuple[AudioFile, ...]
    cover: str = ""
    whole: bool = True


def find_audio(root: str, beat: Callable[[], None]) -> Found:
    """All audio files in a folder and its subfolders, or `root` itself if it is a file. Hidden files are left out.

    `beat` is called before each access to the disk, and may raise. Raises OSError if the root itself can't be read.
    """
    beat()
    status = os.stat(root)  # noqa: PTH116 - a name that isn't UTF-8 stays as it is
    if not stat.S_ISDIR(status.st_mode):
        if not stat.S_ISREG(status.st_mode) or _ending(root) not in TYPES:
            return Found(())
        return _Walk(beat).single(_file(root, (PurePath(root).name,), status))
    return _Walk(beat).through(root, status)


class _Walk:
    def __init__(self, beat: Callable[[], None]) -> None:
        self._beat = beat
        self._files: list[AudioFile] = []
        self._covers: dict[str, str] = {}
        self._texts: list[TextFile] = []
        """The transcripts of the folder that is being searched."""
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
            first, self._texts = len(self._files), []
            for name in entries:
                inner = self._look(folder, name, parts, seen)
                if inner is not None:
                    waiting.append(inner)
            self._files[first:] = _with_transcripts(self._files[first:], self._texts)
        cover = next((self._covers[name] for name in ("cover", "folder", "front") if name in self._covers), "")
        return Found(tuple(self._files), cover, self._whole and self._left > 0)

    def single(self, file: AudioFile) -> Found:
        """A file that is a podcast by itself, with the transcripts beside it."""
        folder, stem = os.path.dirname(file.path), file.stem  # noqa: PTH120
        try:
            self._beat()
            for name in self._entries(folder):
                if name.startswith(stem) and _ending(name) in TEXTS:
                    self._look(folder, name, (), set())
        except OSError:
            return Found((file,))
        return Found(tuple(_with_transcripts([file], self._texts)))

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
        """Records an audio file, a transcript or a cover. Returns a folder that is still to be searched."""
        path, here = os.path.join(folder, name), (*parts, name)  # noqa: PTH118
        try:
            self._beat()
            status = os.stat(path)  # noqa: PTH116
        except OSError:
            # A dangling link can be ignored; another entry that can't be examined may still be an audio file.
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
            elif _ending(name) in TEXTS and not os.path.islink(path):  # noqa: PTH114 - a link may lead anywhere
                self._texts.append(TextFile(path, status.st_ctime_ns))
            elif not parts and _ending(name) in ("jpg", "jpeg", "png"):
                self._covers[PurePath(name).stem.lower()] = path
        return None


def _with_transcripts(files: Sequence[AudioFile], texts: Sequence[TextFile]) -> Iterable[AudioFile]:
    """The audio files of a folder with the transcripts of that folder."""
    by_name = _by_name(texts)
    for file in files:
        found = [*by_name.get(file.stem, ()), *by_name.get(file.parts[-1], ())]
        yield file._replace(transcripts=tuple(found[:_MOST_TEXTS])) if found else file


def _by_name(texts: Sequence[TextFile]) -> Mapping[str, Sequence[TextFile]]:
    """The transcripts by the name of the audio that they may belong to."""
    found = defaultdict[str, list[TextFile]](list)
    for text in sorted(texts):
        name = PurePath(text.path).stem
        found[name].append(text)
        if (tagged := _LANGUAGE.fullmatch(name)) and tagged[2].lower() not in TYPES:
            found[tagged[1]].append(text._replace(language=tagged[2].replace("_", "-")))
    return found


def _file(path: str, parts: tuple[str, ...], status: os.stat_result) -> AudioFile:
    # ctime is the time of the last change of any kind, even of the permissions or the modification time.
    return AudioFile(path, parts, status.st_size, status.st_ctime_ns)


def _ending(name: str) -> str:
    return PurePath(name).suffix[1:].lower()
