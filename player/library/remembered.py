"""Small values for the next start, such as what the screen shows: read from memory, written by another thread."""

import logging
import threading

from player.errors import LibraryError
from player.library.library import Library
from player.processes.scheduler import SHARED

log = logging.getLogger(__name__)


class Remembered:
    """For any thread; `put` and `get` never wait. If the disk is slow, only the latest value is written."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._values: dict[str, str] = {}
        self._waiting: dict[str, str] = {}
        self._changed = threading.Lock()
        self._task = SHARED.task(self._write_all, "remember")
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
        self._task.soon()

    def close(self) -> None:
        """Returns when everything is written, which a slow disk may delay. Later values aren't saved."""
        with self._changed:
            self._closing = True
        self._task.close(finish=True)

    def _write_all(self) -> None:
        waiting = self._next()
        try:
            with self._library.transaction(durable=False):
                for key, value in waiting.items():
                    self._library.state.set(key, value)
        except LibraryError as error:
            log.info("not remembered: %s: %s", ", ".join(waiting), error)

    def _next(self) -> dict[str, str]:
        with self._changed:
            waiting, self._waiting = self._waiting, {}
        return waiting
