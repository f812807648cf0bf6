"""The picture in an audio file: ID3's APIC, `covr` in MP4, METADATA_BLOCK_PICTURE in FLAC and Ogg.

Only the process of `Scaler` (in `maker.py`) imports this module, and with it mutagen, so that a malicious file affects
no other process.
"""

import base64
import os
import stat
from collections.abc import Iterator
from typing import Any

from player.artwork.picture import LARGEST
from player.links.addresses import path_of
from player.media.formats.audio_length import BoundedFile

_MOST_READ = 64 << 20
"""Most bytes of a file that are read: its tags, and the index of an MP4, which comes before them."""
_MOST_PICTURES = 30
_FRONT_COVER = 3
_LINK = "-->"
"""In place of the media type, this marks a picture that is elsewhere, in ID3 and in METADATA_BLOCK_PICTURE."""


def embedded_picture(address: str) -> bytes:
    """The front cover in the file at a `file:` address, or else its first picture; b"" if there is none.

    Raises OSError, and whatever mutagen raises for a file that it can't handle.
    """
    import mutagen

    fd = os.open(path_of(address), os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        state = os.fstat(fd)
        if not stat.S_ISREG(state.st_mode):
            return b""
        file = BoundedFile(lambda offset, count: os.pread(fd, count, offset), state.st_size, _MOST_READ)
        found = mutagen.File(file)
        pictures = [] if found is None else [one for one in _pictures(found) if 0 < len(one[1]) <= LARGEST]
    finally:
        os.close(fd)
    fronts = [data for kind, data in pictures if kind == _FRONT_COVER]
    return (fronts or [data for _, data in pictures] or [b""])[0]


def _pictures(found: Any) -> Iterator[tuple[int, bytes]]:
    """The pictures, each with its kind, numbered as in ID3."""
    from mutagen import flac

    tags: Any = found.tags if found.tags is not None else {}
    if hasattr(tags, "getall"):
        for frame in tags.getall("APIC")[:_MOST_PICTURES]:
            if frame.mime != _LINK:
                yield int(frame.type), bytes(frame.data)
        return
    for picture in getattr(found, "pictures", [])[:_MOST_PICTURES]:
        if picture.mime != _LINK:
            yield int(picture.type), bytes(picture.data)
    for cover in (tags.get("covr") or [])[:_MOST_PICTURES]:
        yield _FRONT_COVER, bytes(cover)
    for coded in (tags.get("metadata_block_picture") or [])[:_MOST_PICTURES]:
        picture = flac.Picture(base64.b64decode(coded))
        if picture.mime != _LINK:
            yield int(picture.type), bytes(picture.data)
