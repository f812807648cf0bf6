"""Where in an episode, as a time and as a byte."""

from datetime import datetime

from msgspec import Struct


class BytePosition(Struct, frozen=True):
    """What sounds at `position_ms` stands at `byte` of a file of `size` bytes.

    `exact`: the position is known. Otherwise it was guessed, and only the byte says where the listener was.
    """

    position_ms: int
    byte: int
    size: int
    exact: bool


class SavedPosition(Struct, frozen=True):
    """Where a listener stopped in an episode, and when; `byte` where its position alone would not find it again."""

    position_ms: int
    saved_at: datetime
    byte: BytePosition | None = None
