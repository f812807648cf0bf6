"""Applies the download rules while Earmark runs, on a thread of its own: whenever what they decide from has changed."""

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError
from datetime import datetime
from pathlib import Path

from player.downloads.ruling import trash
from player.downloads.ruling.following import Followed, Queue, follow
from player.downloads.ruling.state import Surroundings
from player.downloads.ruling.words import deleted_words, held_words
from player.errors import LibraryError
from player.events import (
    Bus,
    EpisodeFinished,
    EpisodeLeft,
    EpisodesChanged,
    EpisodesMarked,
    EpisodeStarted,
    InboxChanged,
    LibraryChanged,
    ListsChanged,
    Notice,
    PodcastRemoved,
    QueueChanged,
    RefreshProgress,
)
from player.library import Library
from player.model.downloads.events import DownloadCancelled, DownloadDeleted, DownloadFailed, DownloadFinished
from player.model.playback import Cause, Severity

log = logging.getLogger(__name__)

_CHANGES = (
    EpisodesMarked, EpisodeStarted, EpisodeFinished, EpisodeLeft, QueueChanged, InboxChanged, ListsChanged,
    LibraryChanged, PodcastRemoved, DownloadFinished, DownloadFailed, DownloadCancelled, DownloadDeleted,
)  # fmt: skip
TICK_S = 60.0
"""How often the clock is looked at: hours begin and end, and downloads grow old."""
GATHER_S, _GATHER_MOST_S = 1.0, 5.0
"""Changes come in groups: how long it has to be quiet, and how long that is waited for."""
FIRST_AFTER_S = 20.0
"""How long after a start nothing is done unless a refresh ends before: what is new should be known first."""
_NO_ROOM = "rules_no_room"
"""The key in the library's state under which is kept that the listener knows that there is no room."""


class RuleRunner:
    """Never two at once: everything happens on its one thread. What fails is tried again a minute later."""

    def __init__(
        self,
        library: Library,
        bus: Bus,
        around: Surroundings,
        folder: Path,
        queue: Queue,
        *,
        first_after_s: float = FIRST_AFTER_S,
        gather_s: float | None = None,
        tick_s: float = TICK_S,
        now: Callable[[], datetime] = lambda: datetime.now().astimezone(),
    ) -> None:
        """`folder` is the downloads folder."""
        self._library = library
        self._bus = bus
        self._around = around
        self._folder = folder
        self._queue = queue
        self._first_after_s = first_after_s
        self._gather_s = GATHER_S if gather_s is None else gather_s
        self._tick_s = tick_s
        self._now = now
        self._gates: list[Callable[[], bool]] = []
        self._changed = threading.Event()
        self._closed = threading.Event()
        self.is_settled = False
        """Whether a refresh has ended since the start."""
        self.looks = self.rounds = 0
        """How often the clock was looked at, and the rules were applied."""
        self._began_at = 0.0
        self._thread = threading.Thread(target=self._work, name="earmark-rules", daemon=True)

    def wait_for(self, is_ready: Callable[[], bool]) -> None:
        """Nothing is done while this answers False: while feeds are read, or another device's changes come in."""
        self._gates.append(is_ready)

    def start(self) -> None:
        self._began_at = time.monotonic()
        for kind in _CHANGES:
            self._bus.subscribe(kind, lambda _event: self._changed.set())
        self._bus.subscribe(RefreshProgress, self._refreshed)
        self._thread.start()

    def follow(self, around: Surroundings, folder: Path) -> None:
        """Other settings than before."""
        self._around, self._folder = around, folder
        self.apply_soon()

    def apply_soon(self) -> None:
        """What was set is other than before."""
        self._changed.set()

    def close(self) -> None:
        self._closed.set()
        self._changed.set()
        if self._thread.is_alive():
            self._thread.join()

    def _refreshed(self, event: RefreshProgress) -> None:
        if event.done == event.total:
            self.is_settled = True
            self._changed.set()

    # -- its thread -------------------------------------------------------------------------------------------

    def _work(self) -> None:
        due, swept = True, False
        while not self._closed.is_set():
            self.looks += 1
            if due and self._is_ready():
                due = not self._apply()
                swept = swept or self._sweep()
            left_s = self._first_after_s - (time.monotonic() - self._began_at)
            if self._changed.wait(self._tick_s if self.is_settled or left_s <= 0 else min(self._tick_s, left_s)):
                self._gather()
            due = True

    def _is_ready(self) -> bool:
        waited = time.monotonic() - self._began_at >= self._first_after_s
        return (self.is_settled or waited) and all(gate() for gate in self._gates)

    def _gather(self) -> None:
        end = time.monotonic() + _GATHER_MOST_S
        while not self._closed.is_set() and time.monotonic() < end:
            self._changed.clear()
            if not self._changed.wait(self._gather_s):
                return

    def _apply(self) -> bool:
        """False: it has to be tried again."""
        try:
            self.rounds += 1
            self._tell(follow(self._library, self._around, self._folder, self._queue, self._now))
            return True
        except (LibraryError, CancelledError, TimeoutError) as error:
            log.warning("the download rules wait: %s", error)
        except Exception:
            log.exception("the download rules failed")
        return False

    def _sweep(self) -> bool:
        try:
            trash.sweep(self._library, self._folder)
        except LibraryError as error:
            log.warning("the trash can't be swept: %s", error)
        return True

    def _tell(self, done: Followed) -> None:
        if changed := (*done.deleted, *done.restored):
            self._bus.publish(EpisodesChanged(changed))
        for episode_id in done.deleted:
            self._bus.publish(DownloadDeleted(episode_id, Cause.RULE))
        if done.deleted:
            self._bus.publish(Notice(deleted_words(len(done.deleted)), Severity.INFORMATION))
        self._tell_of_room(done)

    def _tell_of_room(self, done: Followed) -> None:
        """Once, until everything has fitted again."""
        words = held_words(done.last, self._around.settings.limits)
        known = self._library.state.get(_NO_ROOM)
        if bool(words) != bool(known):
            self._library.state.set(_NO_ROOM, "1" if words else "")
            if words:
                self._bus.publish(Notice(words, Severity.WARNING))
