"""What the engine's reads and the fetchers of the same episode share."""

import threading

from player.errors import MediaError
from player.media.cache import CacheFile, RemoteVersion


class FetchState:
    """The state of one open episode. Whoever changes it, or reads more than one attribute, holds `lock`."""

    def __init__(self, file: CacheFile) -> None:
        """Takes over the caller's hold on `file`."""
        self.lock = threading.Condition()
        """Notified whenever a waiting read may have something to do."""
        self.file = file
        self.format: str | None = None
        """One of media.formats.FORMATS, "" for what is no audio, None until the first bytes have been looked at."""
        self.offset = 0
        """Of the byte that was read last, or that a reader waits for."""
        self.readers_waiting = 0
        self.served = False
        """Whether the engine has read any of the file: from then on it can't be replaced by another version."""
        self.cancelled = False
        self.closed = False
        self.stream = ""
        """The address of the live stream that the episode turned out to be."""
        self.error: MediaError | None = None
        """Why no more bytes come."""
        self.trouble: MediaError | None = None
        """Why no bytes come at the moment, while fetching is retried."""

    @property
    def origin(self) -> RemoteVersion | None:
        return self.file.origin

    @property
    def length(self) -> int | None:
        """Bytes; None while unknown."""
        return self.origin.length if self.origin else None

    def wait(self, timeout_s: float | None = None) -> None:
        """Waits until something has changed. Call it with the lock held; it is released meanwhile."""
        self.readers_waiting += 1
        try:
            self.lock.wait(timeout_s)
        finally:
            self.readers_waiting -= 1

    def replace(self, renewed: CacheFile) -> None:
        """Switches to another version of the file and releases the old one. With the lock held."""
        old, self.file = self.file, renewed
        self.format = None
        old.release()
