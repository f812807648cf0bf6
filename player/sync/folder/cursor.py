"""How far each file of the folder has been read: the cursor of a pull."""

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

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
