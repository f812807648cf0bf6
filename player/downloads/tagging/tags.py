"""What is known of an episode that its file may lack."""

from enum import IntEnum

from msgspec import Struct


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


class Order(Struct, frozen=True):
    """What the process is given: `part` is to be a copy of `source`, a file of the format `form`, with these tags."""

    source: str
    part: str
    form: str
    tags: Tags


class Answer(IntEnum):
    """The process's exit codes."""

    WRITTEN = 0
    NOTHING = 10
    """The file lacks nothing, or can't be tagged: there is no `part`."""
    NO_ROOM = 11


def picture_of(data: bytes) -> Picture | None:
    """None for what is neither JPEG nor PNG, which is what other players show."""
    if data.startswith(b"\xff\xd8\xff"):
        return Picture("image/jpeg", data)
    return Picture("image/png", data) if data.startswith(b"\x89PNG\r\n\x1a\n") else None
