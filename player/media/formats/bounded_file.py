"""A file for mutagen that reads no more than a number of bytes, whatever the file claims of itself."""

import io
from collections.abc import Callable


class BoundedFile(io.RawIOBase):
    """`read` takes an offset and a count. `most`: bytes that may be read in all; after them it raises OSError."""

    name = "audio"

    def __init__(self, read: Callable[[int, int], bytes], size: int, most: int) -> None:
        self._read = read
        self._size = size
        self._at = 0
        self._left = most

    def read(self, count: int | None = -1) -> bytes:
        wanted = self._size - self._at if count is None or count < 0 else count
        wanted = max(0, min(wanted, self._size - self._at))
        if wanted > self._left:
            raise OSError("its tags are too long")
        self._left -= max(wanted, 64)
        data = self._read(self._at, wanted)
        self._at += len(data)
        return data

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        if base + offset < 0:
            raise OSError("before the start of the file")
        self._at = base + offset
        return self._at

    def tell(self) -> int:
        return self._at

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True
