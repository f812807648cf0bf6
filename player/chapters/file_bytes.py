"""The bytes of a file that may be only partly cached, for parsers that must neither wait nor read without limit."""

from player.media.formats.mpeg import Read


class NotHere(Exception):
    """The required bytes aren't cached yet."""


_A_LOOK = 512
"""A shorter read counts as this many bytes."""


class FileBytes:
    """`read` returns the available bytes. At most `most` bytes are read in total, which limits the time."""

    def __init__(self, read: Read, size: int | None, most: int = 64 * 1024**2) -> None:
        self._read = read
        self._size = size
        self._left = most

    @classmethod
    def of(cls, data: bytes) -> "FileBytes":
        return cls(lambda offset, count: data[offset : offset + count], len(data))

    @property
    def size(self) -> int:
        """The file's size in bytes. Raises NotHere while it is unknown."""
        if self._size is None:
            raise NotHere
        return self._size

    def part(self, offset: int, count: int) -> bytes:
        """`count` bytes, or fewer at the end of the file. Raises NotHere, and ValueError for negative values or beyond
        the limit."""
        if offset < 0 or count < 0:
            raise ValueError("it points outside the file")
        self._left -= max(count, _A_LOOK)
        if self._left < 0:
            raise ValueError("it is too long")
        data = self._read(offset, count)
        if len(data) < count and (self._size is None or offset + len(data) < self._size):
            raise NotHere
        return data
