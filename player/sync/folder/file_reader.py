"""Reads one file of the folder from the last position, as far as it goes; the cursor of a pull says how far each file
has been read.
"""

import os
import time
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from player.sync.folder.records import LONGEST_LINE, VERSION, Header, Record, is_device, parse
from player.text.cleaning import clean_line

if TYPE_CHECKING:
    from hashlib import _Hash


READER = 1
"""Increased when a version understands more of a journal: then everything is read again."""

_Count = Annotated[int, Meta(ge=0, le=1 << 62)]


class FileMark(Struct, frozen=True, omit_defaults=True):
    """`end`: how many bytes were read, up to the end of a line; `digest` is their hash. `stat` tells whether the file
    has been touched since, "" if that can't be told. `size`: how many bytes the file had.

    `device`, `name` and `writer` are from the first line; `next` is the next number expected.

    The other fields are about what was skipped: `damaged` lines, `unknown` records, `missing` numbers; `newer`: all of
    it, because a newer version wrote it; `strange`: it isn't a journal; `large`: it goes on beyond what is read of a
    file.
    """

    end: _Count = 0
    digest: str = ""
    stat: str = ""
    size: _Count = 0
    device: str = ""
    name: str = ""
    writer: str = ""
    next: _Count = 0
    damaged: _Count = 0
    unknown: _Count = 0
    missing: _Count = 0
    newer: bool = False
    strange: bool = False
    large: bool = False


class Cursor(Struct, frozen=True, omit_defaults=True):
    """`files` by name."""

    reader: int = 0
    files: dict[str, FileMark] = {}


_decoder = msgspec.json.Decoder(Cursor)


def parse_cursor(text: str) -> Cursor:
    """An empty cursor for "", for the cursor of another version, and for text that isn't a cursor."""
    try:
        cursor = _decoder.decode(text)
    except (msgspec.MsgspecError, UnicodeError):
        return Cursor()
    return cursor if cursor.reader == READER else Cursor()


def written(files: dict[str, FileMark]) -> str:
    return msgspec.json.encode(Cursor(READER, files)).decode()


def key_of(name: str) -> str:
    """A file's name as text: names may be any bytes."""
    return name.encode("utf-8", "backslashreplace").decode()


LONGEST_FILE = 8 << 20
"""The most bytes that are read of a file: thirty times as many as a part of a journal has."""

_CHUNK = 1 << 18
_MOMENT_NS = 3_000_000_000
"""A file that was touched within this time may be touched again without a trace: some disks count time in steps of
2 s."""


class FileRead(Struct, frozen=True):
    """`records` are the new ones, and `mark` says how far they go."""

    mark: FileMark
    records: tuple[Record, ...] = ()


def read_file(handle: int, before: FileMark | None) -> FileRead:
    """Reads what comes after `before`, or the whole file if its beginning has changed since. Raises OSError.

    A last line without its newline isn't read: the rest of it may still come.
    """
    found = os.fstat(handle)
    stat = _stat(found)
    if before and stat and stat == before.stat:
        return FileRead(before)
    hashed = _beginning(handle, before) if before and before.end else None
    start = before if before and hashed else FileMark()
    if hashed is None:
        from hashlib import sha256

        hashed = sha256()
    data = os.pread(handle, max(0, LONGEST_FILE - start.end), start.end)
    if start.end + len(data) < min(found.st_size, LONGEST_FILE):
        stat = ""  # some disks return fewer bytes than there are
    lines = data[: data.rfind(b"\n") + 1]
    hashed.update(lines)
    end = start.end + len(lines)
    mark, records = _read(lines.split(b"\n")[:-1], start)
    if mark.newer:
        return FileRead(FileMark(stat=stat, size=found.st_size, newer=True))
    digest = hashed.hexdigest() if end else ""
    large = found.st_size > LONGEST_FILE
    return FileRead(replace(mark, end=end, digest=digest, stat=stat, size=found.st_size, large=large), tuple(records))


def _beginning(handle: int, before: FileMark) -> "_Hash | None":
    """The hash of the part that was read before; None if it isn't there any more."""
    from hashlib import sha256  # loads OpenSSL, which a start of the app doesn't need

    hashed = sha256()
    at = 0
    while at < before.end:
        piece = os.pread(handle, min(_CHUNK, before.end - at), at)
        if not piece:
            return None
        hashed.update(piece)
        at += len(piece)
    return hashed if hashed.hexdigest() == before.digest else None


def _read(lines: list[bytes], mark: FileMark) -> tuple[FileMark, list[Record]]:
    """The header in the first line says who wrote the file; without a header, the other lines are read all the same."""
    records: list[Record] = []
    damaged, unknown, missing, next_number = 0, 0, 0, mark.next or 1
    unexplained = 0  # numbers that unreadable lines may have had
    intact = False
    for number, line in enumerate(lines):
        read = parse(line.removesuffix(b"\r")) if len(line) <= LONGEST_LINE else None
        if read is None:
            damaged += 1
            unexplained += 1
            continue
        intact = True
        if read.header is not None:
            if number == 0 and not mark.end:
                if read.header.version > VERSION:
                    return FileMark(newer=True), []
                mark = _by(read.header, mark)
            continue
        if read.n < 0:
            unexplained += 1
        else:
            missing += max(0, read.n - next_number - unexplained)
            next_number, unexplained = max(next_number, read.n + 1), 0
        if read.record is None:
            unknown += 1
        else:
            records.append(read.record)
    return replace(
        mark,
        next=next_number,
        damaged=mark.damaged + damaged,
        unknown=mark.unknown + unknown,
        missing=mark.missing + missing,
        strange=not intact and (mark.strange or (bool(lines) and not mark.end)),
    ), records


def _by(header: Header, mark: FileMark) -> FileMark:
    device = header.device if is_device(header.device) else ""
    return replace(mark, device=device, name=clean_line(header.name, 100), writer=clean_line(header.writer, 100))


def _stat(found: os.stat_result) -> str:
    """ "" for a file that was touched just now, or in the future by this computer's clock."""
    if time.time_ns() - found.st_mtime_ns < _MOMENT_NS:
        return ""
    return f"{found.st_ino} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"
