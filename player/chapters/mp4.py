"""Chapters of an MP4: a text track that the audio track refers to (QuickTime File Format, “Chapter lists”; boxes:
ISO/IEC 14496-12), and Nero's list `chpl`, which has no published standard."""

from collections.abc import Iterator
from typing import NamedTuple

from player.chapters.best import MOST
from player.chapters.file_bytes import FileBytes, NotHere
from player.model.episode import Chapter
from player.text.cleaning import clean_line

_BOXES = 2_000
_TABLE = 1024**2
"""Most bytes of a sample table that are read."""
_TITLE = 2_000


class _Box(NamedTuple):
    """Its contents are the bytes from `start` to `end`."""

    name: bytes
    start: int
    end: int


def read_mp4_chapters(file: FileBytes) -> tuple[Chapter, ...]:
    """The chapters of the text track, which has complete titles, if its texts are cached; otherwise of Nero's list.
    Raises NotHere, and ValueError for a broken file."""
    movie = _first(file, _Box(b"", 0, file.size), b"moov")
    if movie is None:
        return ()
    missing: NotHere | None = None
    try:
        if found := _of_track(file, movie):
            return found
    except NotHere as error:
        missing = error
    found = _of_nero(file, movie)
    if not found and missing:
        raise missing
    return found


# -- boxes ----------------------------------------------------------------------------------------------------


def _boxes(file: FileBytes, outer: _Box) -> Iterator[_Box]:
    at = outer.start
    for _ in range(_BOXES):
        head = file.part(at, 8) if at + 8 <= outer.end else b""
        if len(head) < 8:
            return
        size, start = int.from_bytes(head[:4], "big"), at + 8
        if size == 1:
            size, start = int.from_bytes(file.part(at + 8, 8), "big"), at + 16
        elif size == 0:
            size = outer.end - at
        if size < start - at:
            return
        yield _Box(head[4:8], start, min(outer.end, at + size))
        at += size


def _first(file: FileBytes, outer: _Box | None, *path: bytes) -> _Box | None:
    """The box at the end of a path of names, the first of each name; None if there is none."""
    for name in path:
        outer = next((box for box in _boxes(file, outer) if box.name == name), None) if outer else None
    return outer


def _contents(file: FileBytes, box: _Box | None, most: int = _TABLE) -> bytes:
    return file.part(box.start, min(most, box.end - box.start)) if box else b""


def _numbers(data: bytes, width: int) -> list[int]:
    return [int.from_bytes(data[at : at + width], "big") for at in range(0, len(data) - width + 1, width)]


# -- Nero -----------------------------------------------------------------------------------------------------


def _of_nero(file: FileBytes, movie: _Box) -> tuple[Chapter, ...]:
    """`chpl` has a version, flags, four more bytes from version 1 on, and the count; then for each chapter its start in
    units of 100 ns, and its title."""
    data = _contents(file, _first(file, movie, b"udta", b"chpl"))
    at = 9 if data[:1] > b"\0" else 5
    found = []
    for _ in range(data[at - 1] if len(data) > at else 0):
        length = data[at + 8] if at + 9 <= len(data) else 0
        if at + 9 + length > len(data):
            break
        start = int.from_bytes(data[at : at + 8], "big") // 10_000
        found.append(Chapter(start, _title(data[at + 9 : at + 9 + length])))
        at += 9 + length
    return tuple(found)


# -- the track ------------------------------------------------------------------------------------------------


def _of_track(file: FileBytes, movie: _Box) -> tuple[Chapter, ...]:
    tracks = [box for box in _boxes(file, movie) if box.name == b"trak"]
    named = (_contents(file, _first(file, track, b"tref", b"chap")) for track in tracks)
    wanted = {number for numbers in named for number in _numbers(numbers, 4)}
    for track in tracks:
        header = _contents(file, _first(file, track, b"tkhd"), 24)
        number = int.from_bytes(header[20:24] if header[:1] == b"\x01" else header[12:16], "big")
        kind = _contents(file, _first(file, track, b"mdia", b"hdlr"), 12)[8:12]
        if number in wanted and kind in (b"text", b"sbtl"):
            return _texts(file, movie, track)
    return ()


def _texts(file: FileBytes, movie: _Box, track: _Box) -> tuple[Chapter, ...]:
    """The chapters of the text track. Each sample is a title: its length in two bytes, and its text."""
    scale = _scale(_contents(file, _first(file, track, b"mdia", b"mdhd"), 24))
    table = _first(file, track, b"mdia", b"minf", b"stbl")
    sizes = _sizes(_contents(file, _first(file, table, b"stsz")))
    if not scale or not sizes:
        return ()
    lengths = _spread(_numbers(_contents(file, _first(file, table, b"stts"))[8:], 4), len(sizes))
    at = _delay(file, movie, track) * scale // 1000
    found = []
    for offset, size, length in zip(_offsets(file, table, sizes), sizes, lengths, strict=False):
        data = file.part(offset, min(size, _TITLE))
        count = int.from_bytes(data[:2], "big")
        found.append(Chapter(at * 1000 // scale, _title(data[2 : 2 + count]), (at + length) * 1000 // scale))
        at += length
    return tuple(found)


def _scale(header: bytes) -> int:
    """The time units in a second, according to a mdhd or mvhd box."""
    return int.from_bytes(header[20:24] if header[:1] == b"\x01" else header[12:16], "big")


def _delay(file: FileBytes, movie: _Box, track: _Box) -> int:
    """The track's delay in ms: an empty edit at its start."""
    edits = _contents(file, _first(file, track, b"edts", b"elst"), 28)
    scale = _scale(_contents(file, _first(file, movie, b"mvhd"), 24))
    width = 8 if edits[:1] == b"\x01" else 4
    length, start = edits[8 : 8 + width], edits[8 + width : 8 + 2 * width]
    if not scale or len(start) < width or start != b"\xff" * width:
        return 0
    return int.from_bytes(length, "big") * 1000 // scale


def _sizes(data: bytes) -> list[int]:
    """The sizes of the samples, from stsz: one for all, or one for each."""
    same, count = int.from_bytes(data[4:8], "big"), min(int.from_bytes(data[8:12], "big"), MOST)
    return [same] * count if same else _numbers(data[12 : 12 + 4 * count], 4)


def _spread(pairs: list[int], most: int) -> list[int]:
    """The length of each sample, from the (count, length) pairs of stts."""
    lengths: list[int] = []
    for count, length in zip(pairs[::2], pairs[1::2], strict=False):
        lengths += [length] * min(count, most - len(lengths))
    return lengths


def _offsets(file: FileBytes, table: _Box | None, sizes: list[int]) -> Iterator[int]:
    """The offset of each sample: stsc has the samples per chunk, stco or co64 the offsets of the chunks."""
    chunks = _numbers(_contents(file, _first(file, table, b"stco"))[8:], 4)
    chunks = chunks or _numbers(_contents(file, _first(file, table, b"co64"))[8:], 8)
    runs = _numbers(_contents(file, _first(file, table, b"stsc"))[8:], 4)
    per_chunk = dict(zip(runs[::3], runs[1::3], strict=False))
    left, count = iter(sizes), 1
    for number, at in enumerate(chunks, 1):
        count = per_chunk.get(number, count)
        for _ in range(count):
            size = next(left, None)
            if size is None:
                return
            yield at
            at += size


def _title(data: bytes) -> str:
    encoding = "utf-16" if data[:2] in (b"\xfe\xff", b"\xff\xfe") else "utf-8"
    return clean_line(data.decode(encoding, "replace"))
