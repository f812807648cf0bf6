"""The cached tags of a folder's files, so that a refresh reads only the files that have changed.

They are stored in the cache folder; deleting them costs nothing but time.
"""

import hashlib
import logging
import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from player import regular_file
from player.links.addresses import file_address
from player.sources.local.file_tags import FileTags
from player.sources.local.walk import AudioFile

log = logging.getLogger(__name__)

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
