"""Chapters in the audio file."""

import logging

from player.chapters.file_bytes import FileBytes
from player.chapters.id3 import read_id3_chapters
from player.chapters.mp4 import read_mp4_chapters
from player.chapters.vorbis import read_flac_chapters, read_ogg_chapters
from player.media.formats.mpeg import id3v2_size
from player.model.episode import Chapter

log = logging.getLogger(__name__)

_TAGS = 4
"""Most consecutive tags: some hosts put a tag of their own in front."""


def read_file_chapters(file: FileBytes) -> tuple[Chapter, ...]:
    """The chapters in the file; empty for a broken file, or a format without chapters. Raises NotHere."""
    try:
        at = 0
        for _ in range(_TAGS):
            head = file.part(at, 10)
            if not id3v2_size(head):
                break
            if found := read_id3_chapters(file, at):
                return found
            at += id3v2_size(head)
        if head[:4] == b"fLaC":
            return read_flac_chapters(file, at)
        if head[:4] == b"OggS":
            return read_ogg_chapters(file)
        return read_mp4_chapters(file) if head[4:8] in (b"ftyp", b"moov", b"mdat", b"free", b"wide", b"skip") else ()
    except ValueError as error:
        log.info("the chapters of a file can't be read: %s", error)
        return ()
