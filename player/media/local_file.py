"""Media in a file of the listener's own: a download.

Tags that were written into an MP3 have moved its audio. Positions are known by the bytes of the file as the server sent
it, so that is what is read here: where its tags stood there is an empty tag of the same length, and the audio stands
where it always did. Whether a file comes from the network or from here makes no difference to a position.
"""

import os
from collections.abc import Callable
from pathlib import Path

from player import regular_file
from player.errors import MediaError
from player.media.formats import sniff as formats
from player.media.formats.durations import duration_ms
from player.media.formats.mpeg import empty_tag
from player.media.protocol import never
from player.model.downloads.download import Original
from player.text.sentences import _

_NEARLY = 0.95
"""The part of its size that a download may shrink to when somebody else writes tags into it."""


class LocalMedia:
    """Implements player.media.protocol.Media. Raises OSError where the file can't be read."""

    _fd = -1

    def __init__(self, path: Path, original: Original | None = None) -> None:
        """`original` is the file as it was before tags were written into it; None where nothing is known of that."""
        self._fd = regular_file.descriptor(path)
        self._cancelled = False
        self._closed = False
        self.file_size = os.fstat(self._fd).st_size
        self._whole: bool | None = None
        self._head, self._moved_by = b"", 0
        if original is not None:
            self._look_at_tags(original)
        self.size = self.file_size - self._moved_by
        self.seekable = True
        self.format = formats.sniff(self._part(0, formats.HEAD)) or formats.sniff(self._part(0, formats.LONG_HEAD))
        self._duration: tuple[int | None] | None = None
        self.cached = ((0.0, 1.0),)
        self.complete = True
        self.reached_end = False
        self.error: MediaError | None = None
        self.trouble: MediaError | None = None
        self.stream = ""

    def damaged(self, size: int | None) -> bool:
        """Whether it is no audio, or lacks some of what it had as a download of `size` bytes."""
        if not self.format or self._whole is False:
            return True
        return self._whole is None and size is not None and self.file_size < size * _NEARLY

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
        """The bytes there in the original, which has an empty tag for tags."""
        head = self._head[offset : offset + count]
        rest = count - len(head)
        return head + os.pread(self._fd, rest, offset + len(head) + self._moved_by) if rest > 0 else head

    def _look_at_tags(self, original: Original) -> None:
        now = formats.tags_length(self._part)
        audio = original.length - original.head
        self._whole = None if self.file_size - now > audio else self.file_size - now == audio
        if self._whole and self.file_size != original.length:
            self._head, self._moved_by = empty_tag(original.head), now - original.head
