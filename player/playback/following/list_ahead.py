"""Reads ahead what comes next in a smart list or playlist that continues, as reading it may take seconds."""

import logging
from array import array
from collections.abc import Callable
from threading import Lock

from msgspec import Struct

from player.errors import LibraryError
from player.library import Library
from player.model.episode import EpisodeId
from player.model.filters import View
from player.processes.threads import DaemonThreads

log = logging.getLogger(__name__)

_MOST = 100
"""Number of episodes read ahead."""


class Ahead(Struct, frozen=True):
    """What followed in the list when it was read, in order. `all_of_it`: nothing else follows, and the list hasn't
    changed."""

    ids: "array[int]"
    all_of_it: bool


class ListAhead:
    """Reads a list on its own thread, so that neither keys nor saved positions wait for it. Any thread may call.

    `came` is called on that thread each time the list has been read.
    """

    def __init__(self, library: Library, came: Callable[[], None]) -> None:
        self._library = library
        self._came = came
        self._thread = DaemonThreads(1, "earmark-ahead")
        self._lock = Lock()
        self._wanted: tuple[View, EpisodeId] | None = None
        self._working = self._closed = False
        self._current = False
        """Whether nothing has asked for another reading since `_read` was read."""
        self._read: tuple[View, EpisodeId, array[int]] | None = None

    def look(self, view: View, after: EpisodeId) -> None:
        """Reads what comes after `after`, again if it was read before. Returns at once."""
        with self._lock:
            self._wanted, self._current = (view, after), False
            if self._working or self._closed:
                return
            self._working = True
            self._thread.submit(self._work)

    def known(self, view: View, after: EpisodeId) -> Ahead | None:
        """What was last read; None if that is from another list, or `after` wasn't in it."""
        with self._lock:
            if self._read is None or self._read[0] != view:
                return None
            _view, start, ids = self._read
            if after == start:
                return Ahead(ids, all_of_it=len(ids) < _MOST and self._current)
            return Ahead(ids[ids.index(after) + 1 :], all_of_it=False) if after in ids else None

    def close(self) -> None:
        """Doesn't wait."""
        with self._lock:
            self._closed = True
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _work(self) -> None:
        while (wanted := self._take()) is not None:
            view, after = wanted
            try:
                found = self._library.continued.next_ids(view, after, _MOST)
            except LibraryError as error:
                log.warning("a list can't be read ahead: %s", error)
                continue
            except Exception:
                log.exception("a list can't be read ahead")
                continue
            with self._lock:
                self._read = view, after, found
                self._current = self._wanted is None
            self._came()

    def _take(self) -> tuple[View, EpisodeId] | None:
        with self._lock:
            wanted, self._wanted = self._wanted, None
            self._working = wanted is not None
            return wanted
