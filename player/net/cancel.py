"""Cancelling work from any thread."""

import contextlib
import threading
from collections.abc import Callable, Iterator


class CancelToken:
    """Set once, from any thread; everything that watches it ends."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._endings: list[Callable[[], object]] = []
        self._set = False

    @property
    def is_set(self) -> bool:
        return self._set

    def set(self) -> None:
        with self._lock:
            self._set = True
            endings = tuple(self._endings)
        for end in endings:
            end()

    @contextlib.contextmanager
    def ending(self, end: Callable[[], object]) -> Iterator[None]:
        """While inside, setting the token calls `end`, on the thread that set it; at once if it is set already."""
        with self._lock:
            self._endings.append(end)
            late = self._set
        try:
            if late:
                end()
            yield
        finally:
            with self._lock:
                self._endings.remove(end)
