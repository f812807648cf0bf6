"""The thread that keeps the search index up to date, a moment behind the library."""

import logging
import threading
from collections.abc import Callable
from typing import Protocol

from player.errors import EarmarkError

log = logging.getLogger(__name__)

_QUIET_S = 0.3
"""Changes in quick succession are indexed together."""


class Indexing(Protocol):
    """`player.library.search.search.EpisodeSearch` fulfils this."""

    def catch_up(self, enough: Callable[[], bool], /) -> bool: ...


class SearchIndexer:
    """Call `poke` when the library has changed. `start` indexes what is left from the last run."""

    def __init__(self) -> None:
        self._changed = threading.Event()
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, searches: Indexing) -> None:
        self._changed.set()
        self._thread = threading.Thread(target=self._work, args=(searches,), name="earmark-index", daemon=True)
        self._thread.start()

    def poke(self, _event: object = None) -> None:
        """Any thread may call it at any time; returns at once."""
        self._changed.set()

    def close(self) -> None:
        """Stops the current work and waits until the thread has ended, which takes a few milliseconds."""
        self._closing.set()
        self._changed.set()
        if self._thread is not None:
            self._thread.join()

    def _work(self, searches: Indexing) -> None:
        while self._changed.wait() and not self._closing.wait(_QUIET_S):
            self._changed.clear()
            try:
                searches.catch_up(self._closing.is_set)
            except EarmarkError as error:
                log.warning("the search index is behind: %s", error)
            except Exception:
                log.exception("the search index is behind")
