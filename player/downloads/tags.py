"""Tags: what is known of an episode, and writing what its file lacks into a copy of it, with mutagen. What the file
has stays as it is.

ID3v2 (id3.org; chapters: “ID3v2 Chapter Frame Addendum”), iTunes' metadata in MP4, Vorbis comments (chapters:
wiki.xiph.org/Chapter_Extension) in Ogg and FLAC. The audio's own bytes aren't changed: those of an MP3 move, by as
much as its tag grows.
"""

import base64
import os
import shutil
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

from msgspec import Struct

from player.media.formats.audio_length import duration_ms
from player.media.formats.mpeg import id3v2_size
from player.media.formats.sniff import HEAD, sniff, tags_length

_MOST_TAG = 32 << 20
"""Bytes of a tag that is read."""
_CHUNK = 1 << 20
_FRONT_COVER = 3
_TOP_LEVEL, _ORDERED = 2, 1
_NO_OFFSET = 0xFFFFFFFF


class Picture(Struct, frozen=True):
    """`media_type` is `image/jpeg` or `image/png`."""

    media_type: str
    data: bytes


class Mark(Struct, frozen=True):
    """A chapter."""

    start_ms: int
    end_ms: int
    title: str


class Tags(Struct, frozen=True):
    """ "" and None for what isn't known; `date` is like `2026-03-01`."""

    title: str = ""
    podcast: str = ""
    author: str = ""
    date: str = ""
    picture: Picture | None = None
    chapters: tuple[Mark, ...] = ()


def picture_of(data: bytes) -> Picture | None:
    """None for anything but JPEG and PNG, which are the formats that other players show."""
    if data.startswith(b"\xff\xd8\xff"):
        return Picture("image/jpeg", data)
    return Picture("image/png", data) if data.startswith(b"\x89PNG\r\n\x1a\n") else None


def tagged(source: bytes, part: bytes, form: str, tags: Tags) -> bool:
    """Like `write_tags`, with names as the file system has them, for a process of its own: when this returns, the copy
    is on the disk."""
    copy = Path(os.fsdecode(part))
    written = write_tags(Path(os.fsdecode(source)), copy, form, tags)
    if written:
        with copy.open("rb") as file:
            os.fsync(file.fileno())
    return written


def write_tags(source: Path, part: Path, form: str, tags: Tags) -> bool:
    """Makes `part` a copy of `source` with tags. False: it lacks none, or is of another format; then nothing is
    written.

    Raises OSError, and whatever mutagen raises for a file that it can't handle; the caller deletes `part` then.
    """
    if form == "mp3":
        return _write_mp3(source, part, tags)
    write = {"mp4": _write_mp4, "ogg": _write_ogg, "flac": _write_flac}.get(form)
    if write is None:
        return False
    part.touch(0o600)
    shutil.copyfile(source, part)
    if not write(part, tags) or _sound(part) != (form, _sound(source)[1]):
        part.unlink()
        return False
    return True


def _sound(path: Path) -> tuple[str, int | None]:
    """The format and the duration. Writing tags must not change them."""
    with path.open("rb") as file:

        def read(offset: int, count: int) -> bytes:
            file.seek(offset)
            return file.read(count)

        size = path.stat().st_size
        return sniff(read(0, HEAD)), duration_ms(read, size, complete=False)


# -- MP3 ------------------------------------------------------------------------------------------------------


def _write_mp3(source: Path, part: Path, tags: Tags) -> bool:
    """The file is a new tag and then the audio, byte by byte."""
    from mutagen import id3

    with source.open("rb") as file:

        def read(offset: int, count: int) -> bytes:
            file.seek(offset)
            return file.read(count)

        old = id3v2_size(read(0, 10))
        if tags_length(read) != old or old > _MOST_TAG:
            return False
        if old:
            # `load_v1`: the titles in an old tag at the end are cut to 30 letters.
            there = id3.ID3(BytesIO(read(0, old) + bytes(128)), translate=False, load_v1=False)
            if there.version < (2, 3):
                there = id3.ID3(BytesIO(read(0, old) + bytes(128)), load_v1=False)
        else:
            there = id3.ID3()
        version = 3 if old and there.version < (2, 4) else 4
        if not _add_frames(there, tags, version):
            return False
        if version == 3 and there.version < (2, 3):
            there.update_to_v23()
        head = BytesIO()
        there.save(head, v1=0, v2_version=version)
        part.touch(0o600)
        with part.open("wb") as out:
            out.write(head.getvalue())
            file.seek(old)
            shutil.copyfileobj(file, out, _CHUNK)
    return True


def _add_frames(there: Any, tags: Tags, version: int) -> bool:
    """False if the file has all of them."""
    from mutagen import id3

    before = len(there)
    texts = ((id3.TIT2, tags.title), (id3.TALB, tags.podcast), (id3.TPE1, tags.author))
    for kind, text in texts:
        if text and not any(str(frame) for frame in there.getall(kind.__name__)):
            there.add(_text(kind, text))
    if tags.date and not any(there.getall(name) for name in ("TDRC", "TDRL", "TYER")):
        if version == 4:
            there.add(_text(id3.TDRC, tags.date))
        else:
            there.add(_text(id3.TYER, tags.date[:4]))
            there.add(_text(id3.TDAT, tags.date[8:10] + tags.date[5:7]))
    if tags.picture and not there.getall("APIC"):
        there.add(id3.APIC(0, tags.picture.media_type, _FRONT_COVER, "", tags.picture.data))
    if tags.chapters and not there.getall("CHAP"):
        names = [f"chp{number}" for number in range(len(tags.chapters))]
        there.add(id3.CTOC("toc", _TOP_LEVEL | _ORDERED, names, []))
        for name, mark in zip(names, tags.chapters, strict=True):
            title = [_text(id3.TIT2, mark.title)]
            there.add(id3.CHAP(name, mark.start_ms, mark.end_ms, _NO_OFFSET, _NO_OFFSET, title))
    return len(there) > before


def _text(kind: Callable[..., Any], text: str) -> Any:
    """In UTF-16, which both versions know."""
    return kind(encoding=1, text=[text])


# -- MP4 ------------------------------------------------------------------------------------------------------


def _write_mp4(part: Path, tags: Tags) -> bool:
    from mutagen import mp4

    file = mp4.MP4(part)
    if file.tags is None:
        file.add_tags()
    there: Any = file.tags
    before = len(there)
    texts = (("\xa9nam", tags.title), ("\xa9alb", tags.podcast), ("\xa9ART", tags.author), ("\xa9day", tags.date))
    for key, text in texts:
        if text and not there.get(key):
            there[key] = [text]
    if tags.picture and not there.get("covr"):
        jpeg = tags.picture.media_type == "image/jpeg"
        kind = mp4.MP4Cover.FORMAT_JPEG if jpeg else mp4.MP4Cover.FORMAT_PNG
        there["covr"] = [mp4.MP4Cover(tags.picture.data, imageformat=kind)]
    if len(there) == before:
        return False
    file.save()
    return True


# -- Vorbis comments ------------------------------------------------------------------------------------------


def _write_ogg(part: Path, tags: Tags) -> bool:
    from mutagen import oggopus, oggvorbis

    with part.open("rb") as head:
        is_opus = b"OpusHead" in head.read(64)
    file: Any = oggopus.OggOpus(part) if is_opus else oggvorbis.OggVorbis(part)
    changed = _add_comments(file.tags, tags)
    if tags.picture and not any(key in file.tags for key in ("metadata_block_picture", "coverart")):
        file.tags["metadata_block_picture"] = [base64.b64encode(_flac_picture(tags.picture).write()).decode()]
        changed = True
    if changed:
        file.save()
    return changed


def _write_flac(part: Path, tags: Tags) -> bool:
    from mutagen import flac

    file: Any = flac.FLAC(part)
    if file.tags is None:
        file.add_tags()
    changed = _add_comments(file.tags, tags)
    if tags.picture and not file.pictures:
        file.add_picture(_flac_picture(tags.picture))
        changed = True
    if changed:
        file.save()
    return changed


def _add_comments(there: Any, tags: Tags) -> bool:
    changed = False
    texts = (("title", tags.title), ("album", tags.podcast), ("artist", tags.author), ("date", tags.date))
    for key, text in texts:
        if text and not any(there.get(key, [])):
            there[key] = [text]
            changed = True
    if tags.chapters and "chapter000" not in there and "chapter001" not in there:
        for number, mark in enumerate(tags.chapters, 1):
            there[f"CHAPTER{number:03}"] = [_clock(mark)]
            there[f"CHAPTER{number:03}NAME"] = [mark.title]
        changed = True
    return changed


def _flac_picture(picture: Picture) -> Any:
    from mutagen import flac

    made = flac.Picture()
    made.type, made.mime, made.data = _FRONT_COVER, picture.media_type, picture.data
    return made


def _clock(mark: Mark) -> str:
    """`01:02:03.004`."""
    seconds, ms = divmod(mark.start_ms, 1000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour:02}:{minute:02}:{second:02}.{ms:03}"
