"""Small values for the next start, such as what the screen shows: read from memory, written by a separate thread."""

import logging
import threading

from player.errors import LibraryError
from player.library.library import Library

log = logging.getLogger(__name__)


class Remembered:
    """For any thread; `put` and `get` never wait. If the disk is slow, only the latest value is written."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._values: dict[str, str] = {}
        self._waiting: dict[str, str] = {}
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closing = False

    def load(self) -> None:
        """To be called once the library is open. Raises LibraryError."""
        values = self._library.state.all()
        with self._changed:
            self._values = values | self._waiting

    def get(self, key: str) -> str:
        """ "" if there is no such value."""
        with self._changed:
            return self._values.get(key, "")

    def put(self, key: str, value: str) -> None:
        """Reports nothing if it can't be written; a power cut soon afterwards may undo it."""
        with self._changed:
            self._values[key] = value
            if self._closing:
                return
            self._waiting[key] = value
            if self._thread is None:
                self._thread = threading.Thread(target=self._write_all, name="earmark-remember", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def close(self) -> None:
        """Returns when everything is written, which a slow disk may delay. Later values aren't saved."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()

    def _write_all(self) -> None:
        while waiting := self._next():
            try:
                with self._library.transaction(durable=False):
                    for key, value in waiting.items():
                        self._library.state.set(key, value)
            except LibraryError as error:
                log.info("not remembered: %s: %s", ", ".join(waiting), error)

    def _next(self) -> dict[str, str]:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closing)
            waiting, self._waiting = self._waiting, {}
        return waiting
