"""What is known of an episode that its file may lack."""

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


def picture_of(data: bytes) -> Picture | None:
    """None for what is neither JPEG nor PNG, which is what other players show."""
    if data.startswith(b"\xff\xd8\xff"):
        return Picture("image/jpeg", data)
    return Picture("image/png", data) if data.startswith(b"\x89PNG\r\n\x1a\n") else None
