"""The bytes of an episode that are on this disk, as a file for a demuxer: where one is missing, the file ends."""

import io
import os
from bisect import bisect_right

from player import regular_file
from player.waveform.order import Order


class AvailableFile(io.RawIOBase):
    """Reads and seeks."""

    def __init__(self, order: Order) -> None:
        """Raises OSError."""
        self._data = memoryview(order.data)
        self._spans = ((0, len(order.data)),) if order.data else order.spans
        self._starts = [start for start, _ in self._spans]
        self._size = len(order.data) or order.size or max((end for _, end in order.spans), default=0)
        self._at = 0
        self._fd = -1 if order.data else regular_file.descriptor(order.path)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, count: int = -1) -> bytes:
        found = bisect_right(self._starts, self._at) - 1
        end = self._spans[found][1] if found >= 0 else 0
        if self._at >= end:
            return b""
        count = end - self._at if count < 0 else min(count, end - self._at)
        here = self._data[self._at : self._at + count]
        data = bytes(here) if self._fd < 0 else os.pread(self._fd, count, self._at)
        self._at += len(data)
        return data

    def close(self) -> None:
        if self._fd >= 0 and not self.closed:
            os.close(self._fd)
        super().close()
