"""Chapters in Vorbis comments (Xiph, “Chapter Extension”: CHAPTER001, CHAPTER001NAME, CHAPTER001URL), which are used in
Ogg (RFC 3533; Opus RFC 7845, Vorbis I, Speex, FLAC) and in FLAC (RFC 9639)."""

import re
from collections.abc import Iterator

from player.chapters.best import MOST
from player.chapters.file_bytes import FileBytes
from player.links.urls import web_address
from player.model.episode import Chapter
from player.text.cleaning import clean_line
from player.text.durations import parse_time

_LONGEST = 16 * 1024**2
"""Most bytes of comments, which may contain pictures."""
_PAGES = 5_000
_BLOCKS = 1_000
_COMMENTS = 10_000
_KEY = re.compile(r"CHAPTER([0-9]{1,4})(NAME|URL)?")


def read_ogg_chapters(file: FileBytes) -> tuple[Chapter, ...]:
    """The chapters of an Ogg file. Raises NotHere, and ValueError if it isn't Ogg or its comments are too long."""
    packets = _packets(file)
    first, comments = next(packets, b""), next(packets, b"")
    if comments.startswith(b"OpusTags"):
        return _chapters(comments[8:])
    if comments.startswith(b"\x03vorbis"):
        return _chapters(comments[7:])
    if first.startswith(b"\x7fFLAC"):
        return _chapters(comments[4:]) if comments[:1] and comments[0] & 0x7F == 4 else ()
    return _chapters(comments) if first.startswith(b"Speex") else ()


def read_flac_chapters(file: FileBytes, at: int = 0) -> tuple[Chapter, ...]:
    """The chapters of the FLAC at byte `at`. Raises NotHere, and ValueError beyond the limit of `file`."""
    at += 4
    for _ in range(_BLOCKS):
        head = file.part(at, 4)
        size = int.from_bytes(head[1:], "big")
        if len(head) == 4 and head[0] & 0x7F == 4:
            return _chapters(file.part(at + 4, size))
        if len(head) < 4 or head[0] & 0x80:
            break
        at += 4 + size
    return ()


def _packets(file: FileBytes) -> Iterator[bytes]:
    """The packets of the first stream, from the start."""
    at, packet, serial = 0, bytearray(), b""
    for _ in range(_PAGES):
        head = file.part(at, 27)
        if head[:4] != b"OggS" or len(head) < 27:
            raise ValueError("it isn't an Ogg file")
        laces = file.part(at + 27, head[26])
        at += 27 + len(laces)
        serial = serial or head[14:18]
        if head[14:18] == serial:
            page, here = file.part(at, sum(laces)), 0
            for lace in laces:
                packet += page[here : here + lace]
                here += lace
                if lace < 255:
                    yield bytes(packet)
                    packet.clear()
            if len(packet) > _LONGEST:
                raise ValueError("its comments are too long")
        at += sum(laces)


def _chapters(comments: bytes) -> tuple[Chapter, ...]:
    starts: dict[int, int] = {}
    fields: dict[tuple[int, str], str] = {}
    for comment in _comments(comments):
        key, _, value = comment.partition("=")
        if not (found := _KEY.fullmatch(key.strip().upper())):
            continue
        number = int(found[1])
        if found[2]:
            fields.setdefault((number, found[2]), value)
        else:
            try:
                starts.setdefault(number, parse_time(value))
            except ValueError:
                continue
    return tuple(
        Chapter(
            starts[number],
            clean_line(fields.get((number, "NAME"), "")),
            url=web_address(fields.get((number, "URL"), "").strip()),
        )
        for number in sorted(starts)[:MOST]
    )


def _comments(data: bytes) -> Iterator[str]:
    """The comments about chapters. The data is little-endian: the length of the vendor's name and the name, the number
    of comments, and for each its length and its text."""
    at = 4 + int.from_bytes(data[:4], "little")
    count = int.from_bytes(data[at : at + 4], "little")
    at += 4
    for _ in range(min(count, _COMMENTS)):
        size = int.from_bytes(data[at : at + 4], "little")
        at += 4
        if at + size > len(data):
            return
        if data[at : at + 7].upper() == b"CHAPTER":
            yield data[at : at + min(size, 4_000)].decode(errors="replace")
        at += size
