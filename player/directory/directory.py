"""What a directory has to do."""

import time
from collections.abc import Callable, Sequence
from typing import Protocol

from player.directory.found_podcast import FoundPodcast
from player.net.cancel import CancelToken


class Attempt:
    """Asking one directory: it may take `seconds` from now on, and `cancel` ends it at once."""

    def __init__(self, seconds: float, cancel: CancelToken, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self.cancel = cancel
        self._clock = clock
        self._end = clock() + seconds

    @property
    def left_s(self) -> float:
        return max(0.0, self._end - self._clock())


class Directory(Protocol):
    """Finds podcasts by words. From any thread, which waits for the answer."""

    @property
    def name(self) -> str:
        """As people know it."""
        ...

    def search(self, words: str, limit: int, attempt: Attempt) -> Sequence[FoundPodcast]:
        """At most `limit` podcasts, the best first. Raises DirectoryError."""
        ...


class Chart(Protocol):
    """Podcasts that many listen to. From any thread, which waits for the answer."""

    @property
    def name(self) -> str: ...

    def top(self, country: str, topic: str, limit: int, attempt: Attempt) -> Sequence[FoundPodcast]:
        """At most `limit` podcasts, the most popular first. `country` is a code of two letters (ISO 3166), `topic` the
        id of one in `player.directory.topics`, or "". Raises DirectoryError.
        """
        ...
