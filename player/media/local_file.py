"""Media in a file of the listener's own: a download."""

import os
from collections.abc import Callable
from pathlib import Path

from player.errors import MediaError
from player.media.formats import sniff as formats
from player.media.formats.durations import duration_ms
from player.media.protocol import never
from player.text.sentences import _


class LocalMedia:
    """Implements player.media.protocol.Media. Raises OSError where the file can't be read."""

    _fd = -1

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self._cancelled = False
        self._closed = False
        self.size = os.fstat(self._fd).st_size
        self.seekable = True
        self.format = formats.sniff(self._part(0, formats.HEAD)) or formats.sniff(self._part(0, formats.LONG_HEAD))
        self._duration: tuple[int | None] | None = None
        self.cached = ((0.0, 1.0),)
        self.complete = True
        self.reached_end = False
        self.error: MediaError | None = None
        self.trouble: MediaError | None = None
        self.stream = ""

    @property
    def duration_ms(self) -> int | None:
        if self._duration is None:
            self._duration = (duration_ms(self._part, self.size, complete=True),)
        return self._duration[0]

    def read(self, offset: int, count: int, given_up: Callable[[], bool] = never) -> bytes:
        if self._cancelled or given_up():
            raise MediaError("Reading was stopped")
        try:
            data = self._part(offset, count)
        except OSError as error:
            self.error = MediaError(
                _("The downloaded file can't be read: {reason}", reason=error.strerror),
                _("Delete the download, then download the episode again."),
            )
            raise self.error from error
        self.reached_end = offset + len(data) >= self.size
        return data

    def available(self, offset: int, count: int) -> bytes:
        return b"" if self._closed else self._part(offset, count)

    def wake(self) -> None: ...

    def cancel(self) -> None:
        self._cancelled = True

    def close(self) -> None:
        """A read under way ends first: the descriptor is closed with the last one who could use it."""
        self._cancelled = self._closed = True

    def __del__(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)

    def _part(self, offset: int, count: int) -> bytes:
        return os.pread(self._fd, count, offset)
