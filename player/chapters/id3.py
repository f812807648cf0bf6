"""Chapters of an ID3v2 tag: its frames CHAP and CTOC (id3.org, “ID3v2 Chapter Frame Addendum” 1.0; 2.3.0, 2.4.0)."""

import re
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from player.chapters.file_bytes import FileBytes
from player.links.urls import web_address
from player.media.formats.mpeg import id3v2_size
from player.model.episode import Chapter
from player.text.cleaning import clean_line

_HEADER = 10
_FRAMES = 20_000
_CONTENT = 4 * 1024**2
"""Most bytes of a frame that are read: a chapter may contain a picture, after its title."""
_WHOLE_TAG = 16 * 1024**2
_LISTABLE = 255
_NO_TIME = 0xFFFF_FFFF
_NAME = re.compile(rb"[A-Z][A-Z0-9]{3}")
_ENCODINGS = ("latin-1", "utf-16", "utf-16-be", "utf-8")


class _Frame(NamedTuple):
    name: bytes
    content: bytes


class _Contents(NamedTuple):
    """A CTOC frame: whether it is the top-level table, and the names of the chapters and tables that it lists."""

    top: bool
    listed: tuple[bytes, ...]


def read_id3_chapters(file: FileBytes, at: int = 0) -> tuple[Chapter, ...]:
    """The chapters of the tag at byte `at`, in the order of the table of contents; chapters that aren't in it are
    hidden. Empty if no tag is there.

    Raises NotHere, and ValueError for a tag that can't be read.
    """
    head = file.part(at, _HEADER)
    size = id3v2_size(head)
    if not size or head[3] not in (3, 4):
        return ()
    chapters: dict[bytes, Chapter] = {}
    contents: dict[bytes, _Contents] = {}
    for frame in _frames_of_tag(file, at, size, head):
        name, _, rest = frame.content.partition(b"\0")
        if frame.name == b"CHAP" and (chapter := _chapter(rest, head[3])):
            chapters.setdefault(name, chapter)
        elif frame.name == b"CTOC" and len(rest) >= 2:
            contents.setdefault(name, _Contents(bool(rest[0] & 2), tuple(rest[2:].split(b"\0", rest[1])[: rest[1]])))
    return _in_order(chapters, contents)


# -- the table of contents ------------------------------------------------------------------------------------


def _in_order(chapters: dict[bytes, Chapter], contents: dict[bytes, _Contents]) -> tuple[Chapter, ...]:
    listed = dict.fromkeys(name for name in _listed(contents) if name in chapters)
    # A table has room for 255 entries. A file with more chapters means to show all of them.
    if not listed or len(chapters) > _LISTABLE:
        return tuple(chapters.values())
    rest = (replace(chapter, hidden=True) for name, chapter in chapters.items() if name not in listed)
    return (*(chapters[name] for name in listed), *rest)


def _listed(contents: dict[bytes, _Contents]) -> Iterator[bytes]:
    """The names of the chapters in the tables, from the top-level table down; each table is read once."""
    left = dict(contents)
    waiting = [name for name, table in contents.items() if table.top] or list(contents)[:1]
    while waiting:
        name = waiting.pop(0)
        table = left.pop(name, None)
        if table is None:
            yield name
        else:
            waiting[:0] = table.listed


# -- frames ---------------------------------------------------------------------------------------------------


def _frames_of_tag(file: FileBytes, at: int, size: int, head: bytes) -> Iterator[_Frame]:
    version, flags = head[3], head[5]
    start, end = at + _HEADER, at + size
    if version == 3 and flags & 0x80:
        if size > _WHOLE_TAG:
            raise ValueError("its tag is too large")
        file = FileBytes.of(_synchronised(file.part(start, size - _HEADER)))
        start, end = 0, file.size
    if flags & 0x40:
        raw = file.part(start, 4)
        start += _syncsafe(raw) if version == 4 else 4 + int.from_bytes(raw, "big")
    yield from _frames(file, start, end, version, frozenset((b"CHAP", b"CTOC")), unsynchronised=bool(flags & 0x80))


def _frames(
    file: FileBytes, at: int, end: int, version: int, wanted: frozenset[bytes], *, unsynchronised: bool = False
) -> Iterator[_Frame]:
    """The wanted frames between `at` and `end`; of other frames, only the headers are read."""
    for _ in range(_FRAMES):
        head = file.part(at, _HEADER) if at + _HEADER <= end else b""
        if len(head) < _HEADER or not _NAME.fullmatch(head[:4]):
            return
        size = _size(file, at, end, version, head[4:8])
        at += _HEADER
        if head[:4] in wanted:
            content = file.part(at, min(size, _CONTENT, max(0, end - at)))
            yield _Frame(head[:4], _unpacked(content, version, head[9], unsynchronised=unsynchronised))
        at += size


def _size(file: FileBytes, at: int, end: int, version: int, raw: bytes) -> int:
    """The size of a frame's content. Version 2.4 stores seven bits in a byte. Many writers use eight: recognised by
    another frame at the offset that results."""
    plain = int.from_bytes(raw, "big")
    if version == 3 or plain < 0x80 or max(raw) > 0x7F:
        return plain
    safe = _syncsafe(raw)
    there = at + _HEADER + plain
    if not _follows(file, at + _HEADER + safe, end) and _follows(file, there, end):
        return plain
    return safe


def _follows(file: FileBytes, at: int, end: int) -> bool:
    if at >= end:
        return at == end
    name = file.part(at, min(4, end - at))
    return bool(_NAME.fullmatch(name)) or not any(name)


def _unpacked(content: bytes, version: int, flags: int, *, unsynchronised: bool) -> bytes:
    """A frame's content without additional header fields, unsynchronisation and compression; b"" if it is encrypted or
    broken."""
    if version == 3:
        packed, encrypted, skip = flags & 0x80, flags & 0x40, bool(flags & 0x80) * 4 + bool(flags & 0x20)
    else:
        packed, encrypted, skip = flags & 0x08, flags & 0x04, bool(flags & 0x40) + bool(flags & 0x01) * 4
        if flags & 0x02 or unsynchronised:
            content = _synchronised(content)
    if encrypted:
        return b""
    content = content[skip:]
    if not packed:
        return content
    try:
        return zlib.decompressobj().decompress(content, _CONTENT)
    except zlib.error:
        return b""


def _synchronised(data: bytes) -> bytes:
    return data.replace(b"\xff\x00", b"\xff")


def _syncsafe(raw: bytes) -> int:
    return raw[0] << 21 | raw[1] << 14 | raw[2] << 7 | raw[3] if len(raw) == 4 else 0


# -- a chapter ------------------------------------------------------------------------------------------------


def _chapter(raw: bytes, version: int) -> Chapter | None:
    """Parses a CHAP frame after its name: two times in ms, two byte offsets, and subframes."""
    if len(raw) < 16:
        return None
    start, end = int.from_bytes(raw[:4], "big"), int.from_bytes(raw[4:8], "big")
    if start == _NO_TIME:
        return None
    title = url = ""
    inside = FileBytes.of(raw)
    for name, content in _frames(inside, 16, len(raw), version, frozenset((b"TIT2", b"WXXX"))):
        if name == b"TIT2" and not title:
            title = _text(content)
        elif name == b"WXXX" and not url:
            url = _link(content)
    return Chapter(start, title, end if start < end < _NO_TIME else None, url)


def _text(content: bytes) -> str:
    encoding = _ENCODINGS[content[0]] if content and content[0] < len(_ENCODINGS) else "latin-1"
    return clean_line(content[1:].decode(encoding, "replace").partition("\0")[0])


def _link(content: bytes) -> str:
    """The URL after a description, which ends with a null character in its encoding."""
    if content[:1] in (b"\x01", b"\x02"):
        end = next((at for at in range(1, len(content) - 1, 2) if content[at : at + 2] == b"\0\0"), len(content))
        url = content[end + 2 :]
    else:
        url = content[1:].partition(b"\0")[2]
    return web_address(url.partition(b"\0")[0].decode("latin-1").strip())
