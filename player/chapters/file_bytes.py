"""The bytes of a file that may be only partly cached, for parsers that must not wait and whose work is bounded."""

from player.media.formats.mpeg import Read


class NotHere(Exception):
    """Bytes that are needed aren't cached yet."""


_A_LOOK = 512
"""A shorter read counts as this many bytes."""


class FileBytes:
    """`read` returns the bytes that are available. At most `most` bytes are read in total, which bounds the time."""

    def __init__(self, read: Read, size: int | None, most: int = 64 * 1024**2) -> None:
        self._read = read
        self._size = size
        self._left = most

    @classmethod
    def of(cls, data: bytes) -> "FileBytes":
        return cls(lambda offset, count: data[offset : offset + count], len(data))

    @property
    def size(self) -> int:
        """In bytes. Raises NotHere while unknown."""
        if self._size is None:
            raise NotHere
        return self._size

    def part(self, offset: int, count: int) -> bytes:
        """`count` bytes, or those up to the end of the file. Raises NotHere, and ValueError beyond the limit."""
        if offset < 0 or count < 0:
            raise ValueError("it points outside the file")
        self._left -= max(count, _A_LOOK)
        if self._left < 0:
            raise ValueError("it is too long")
        data = self._read(offset, count)
        if len(data) < count and (self._size is None or offset + len(data) < self._size):
            raise NotHere
        return data
