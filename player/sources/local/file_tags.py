"""Reads the tags of an audio file, and identifies its audio regardless of the tags; cached tags let a refresh read
only the files that have changed.

The tags are read by mutagen, from a bounded number of bytes, whatever sizes the file claims. The cached tags are
stored in the cache folder; deleting them costs nothing but time.
"""

import hashlib
import logging
import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from player import regular_file
from player.links.addresses import file_address
from player.media.formats.audio_length import BoundedFile
from player.sources.local.walk import AudioFile
from player.text.cleaning import clean_block, clean_line

log = logging.getLogger(__name__)

_MOST_READ = 96 * 1024**2
"""The most bytes read from one file for its tags: enough for a cover of any sane size and the index of a book of a
hundred hours."""
_NOTES = 20_000
_LONGEST_S = 400 * 3600
_SAMPLE = 16 * 1024
_BOXES = 200

_TITLE = ("TIT2", "\xa9nam", "title", "Title")
_ALBUM = ("TALB", "\xa9alb", "album", "Album")
_ALBUM_AUTHOR = ("TPE2", "aART", "albumartist", "Album Artist")
_AUTHOR = ("TPE1", "\xa9ART", "artist", "Artist")
_DISC = ("TPOS", "disk", "discnumber", "Disc")
_TRACK = ("TRCK", "trkn", "tracknumber", "Track")
_TEXT = ("ldes", "desc", "description", "COMM", "\xa9cmt", "comment", "Comment")


class FileTags(NamedTuple):
    """The tags of a file, cleaned. `audio` identifies the audio, regardless of the file's name and tags; "" if the file
    couldn't be read."""

    title: str = ""
    album: str = ""
    author: str = ""
    disc: int | None = None
    track: int | None = None
    duration_ms: int | None = None
    notes: str = ""
    audio: str = ""


UNREADABLE = FileTags()


def read_tags(path: str, beat: Callable[[], None]) -> FileTags:
    """A file that can't be read, or whose tags are broken, has empty fields. Raises only the exceptions of `beat`,
    which is called before each access to the file."""
    try:
        beat()
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        log.info("a file can't be read: %s", error)
        return UNREADABLE
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            return UNREADABLE

        def read(offset: int, count: int) -> bytes:
            beat()
            return os.pread(fd, count, offset)

        return _tags(BoundedFile(read, status.st_size, _MOST_READ))._replace(audio=audio_id(read, status.st_size))
    except OSError as error:
        log.info("a file can't be read: %s", error)
        return UNREADABLE
    finally:
        os.close(fd)


# -- tags -----------------------------------------------------------------------------------------------------


def _tags(file: BoundedFile) -> FileTags:
    import mutagen

    try:
        found = mutagen.File(file)
    except (mutagen.MutagenError, OSError) as error:
        log.info("the tags of a file can't be read: %s", clean_line(str(error), 200))
        return UNREADABLE
    except (ValueError, ArithmeticError, LookupError, TypeError, AttributeError, AssertionError, RecursionError):
        # mutagen's parsers raise these for broken files that they don't expect.
        log.info("the tags of a file are broken", exc_info=True)
        return UNREADABLE
    if found is None:
        return UNREADABLE
    tags = found.tags if found.tags is not None else {}
    album_author = _text(tags, _ALBUM_AUTHOR)
    return FileTags(
        title=clean_line(_text(tags, _TITLE)),
        album=clean_line(_text(tags, _ALBUM)),
        author=clean_line(album_author or _text(tags, _AUTHOR)),
        disc=_number(tags, _DISC),
        track=_number(tags, _TRACK),
        duration_ms=_duration(found),
        notes=clean_block(_text(tags, _TEXT), _NOTES).strip(),
    )


def _values(tags: Any, names: tuple[str, ...]) -> list[Any]:
    """All values of the first of these tags that the file has."""
    for name in names:
        try:
            # ID3 names the language of a comment in its key as well: COMM::eng.
            found = tags.getall(name) if hasattr(tags, "getall") else tags.get(name)
        except (KeyError, ValueError, TypeError):
            continue
        if found is None or found == []:
            continue
        values = found if isinstance(found, list) else [found]
        return [inner for one in values for inner in (getattr(one, "text", None) or [one])]
    return []


def _text(tags: Any, names: tuple[str, ...]) -> str:
    values = (one for one in _values(tags, names)[:20] if not isinstance(one, tuple))
    return ", ".join(filter(None, (str(one).strip("\0 ") for one in values)))


def _number(tags: Any, names: tuple[str, ...]) -> int | None:
    """The 3 of `3`, `3/12` or (3, 12)."""
    for one in _values(tags, names)[:1]:
        text = str(one[0]) if isinstance(one, tuple) and one else str(one).partition("/")[0].strip()
        if text.isascii() and text.isdecimal() and 0 < int(text[:9]) < 100_000:
            return int(text[:9])
    return None


def _duration(found: Any) -> int | None:
    seconds = getattr(found.info, "length", None)
    if isinstance(seconds, int | float) and 0 < seconds < _LONGEST_S:
        return round(1000 * seconds)
    return None


# -- the sound ------------------------------------------------------------------------------------------------


def audio_id(read: Callable[[int, int], bytes], size: int) -> str:
    """The same id for the same audio, whatever the tags around it: a hash of its length, and of 16 kB at its start,
    middle and end."""
    start, end = _audio_bytes(read, size)
    found = hashlib.blake2b(str(end - start).encode(), digest_size=16)
    for at in (start, (start + end) // 2, max(start, end - _SAMPLE)):
        found.update(read(at, min(_SAMPLE, end - at)))
    return f"audio:{found.hexdigest()}"


def _audio_bytes(read: Callable[[int, int], bytes], size: int) -> tuple[int, int]:
    """The offsets where the audio begins and ends, as far as the format tells; the bytes around it are tags."""
    head = read(0, 12)
    start, end = 0, size
    if head[:3] == b"ID3":
        start = 10 + sum((byte & 0x7F) << shift for byte, shift in zip(head[6:10], (21, 14, 7, 0), strict=False))
    elif head[4:8] == b"ftyp":
        start, end = _largest_box(read, size)
    elif head[:4] == b"fLaC":
        start = _behind_flac_metadata(read)
    if read(size - 128, 3) == b"TAG" if size > 128 else False:
        end = min(end, size - 128)
    return (start, end) if start < end else (0, size)


def _largest_box(read: Callable[[int, int], bytes], size: int) -> tuple[int, int]:
    """The `mdat` of an MP4 (ISO/IEC 14496-12), the largest if there are several."""
    at, largest = 0, (0, 0)
    for _ in range(_BOXES):
        head = read(at, 16)
        if len(head) < 8:
            break
        length, content = int.from_bytes(head[:4], "big"), at + 8
        if length == 1:
            length, content = int.from_bytes(head[8:16], "big"), at + 16
        stop = size if length == 0 else min(size, at + length)
        if stop <= at:
            break
        if head[4:8] == b"mdat" and stop - content > largest[1] - largest[0]:
            largest = (content, stop)
        at = stop
    return largest


def _behind_flac_metadata(read: Callable[[int, int], bytes]) -> int:
    at = 4
    for _ in range(_BOXES):
        head = read(at, 4)
        if len(head) < 4:
            return 0
        at += 4 + int.from_bytes(head[1:4], "big")
        if head[0] & 0x80:
            return at
    return 0


_FEW = 100
"""Fewer files than this are read again in less time than caching their tags takes."""
_MOST_BYTES = 64 * 1024**2

_Kept = dict[str, tuple[int, int, FileTags]]
"""For each file's address its size, its version, and its tags."""


class ReadBefore:
    """`folder` is the folder of the cache; None: nothing is cached."""

    def __init__(self, folder: Path | None, root: str, reading: str) -> None:
        """`reading` is the version of what is read from a file; tags cached under another version are ignored."""
        name = hashlib.blake2b(f"{reading}\0{file_address(root)}".encode(), digest_size=12).hexdigest()
        self._path = folder / f"{name}.tags" if folder else None
        self._known: _Kept = {}

    def load(self) -> None:
        """A cache that can't be read counts as empty."""
        try:
            if self._path and self._path.stat().st_size <= _MOST_BYTES:
                self._known = msgspec.msgpack.decode(regular_file.read(self._path, _MOST_BYTES), type=_Kept)
        except (OSError, msgspec.MsgspecError) as error:
            log.debug("nothing is known of the folder: %s", error)

    def tags(self, file: AudioFile) -> FileTags | None:
        """The cached tags of a file that hasn't changed since; None for any other file, and for a file that couldn't be
        read."""
        size, version, tags = self._known.get(file_address(file.path), (0, 0, FileTags()))
        return tags if tags.audio and (size, version) == (file.size, file.version) else None

    def save(self, read: Mapping[AudioFile, FileTags]) -> None:
        """Replaces the cached tags, unless there are too few files to cache."""
        if self._path is None or len(read) < _FEW:
            return
        kept: _Kept = {file_address(file.path): (file.size, file.version, tags) for file, tags in read.items()}
        part = self._path.with_suffix(f".{os.getpid()}")
        try:
            regular_file.private_folder(self._path.parent)
            part.touch(0o600)
            part.write_bytes(msgspec.msgpack.encode(kept))
            part.replace(self._path)
        except OSError as error:
            part.unlink(missing_ok=True)
            log.info("what was read of the folder can't be kept: %s", error)
