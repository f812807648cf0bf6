"""The chapters of the episode that plays: those known at first, then better ones as files and bytes arrive."""

import logging
import threading
from collections.abc import Callable
from functools import partial

from player.chapters.best import FoundChapters
from player.errors import LibraryError
from player.events import AttachmentsChanged, Bus, PlaybackChanged
from player.model.chapters import Chapters
from player.model.episode import Episode, EpisodeId
from player.processes.lanes import Lane

log = logging.getLogger(__name__)

SOONEST_S, LATEST_S = 0.2, 2.0
"""Seconds between two looks at a file that is being fetched: at first, when they bring most, and later."""
_CLOSE_S = 1.0

OnChapters = Callable[[EpisodeId, Chapters], None]


class Following:
    """`find` looks at the disk, in a lane of this; `on_chapters` is called there when the chapters have changed.

    A status comes several times a second, on the thread that saves positions: whether it is worth a look is decided
    there, and only the look is handed over. Of looks that wait, the newest is enough.
    """

    def __init__(self, find: Callable[[Episode], FoundChapters], on_chapters: OnChapters, bus: Bus) -> None:
        self._find = find
        self._on_chapters = on_chapters
        self._bus = bus
        self._lock = threading.Lock()
        self._episode: Episode | None = None
        self._published: Chapters | None = None
        self._settled = False
        self._cached: object = ()
        self._next_look = float("-inf")
        self._pause_s = SOONEST_S
        self._lane = Lane("chapters")
        bus.subscribe(PlaybackChanged, self._played)
        bus.subscribe(AttachmentsChanged, self._changed)

    def close(self) -> None:
        self._lane.close(_CLOSE_S)

    # -- what happens -------------------------------------------------------------------------------------------

    def _played(self, event: PlaybackChanged) -> None:
        status = event.status
        with self._lock:
            if status.episode is None:
                self._episode = None
                return
            if self._episode is None or self._episode.id != status.episode.id:
                self._published, self._settled, self._pause_s = None, False, SOONEST_S
            elif self._settled or status.cached == self._cached or status.measured_at < self._next_look:
                return
            self._episode, self._cached = status.episode, status.cached
            self._next_look = status.measured_at + self._pause_s
            self._pause_s = min(2 * self._pause_s, LATEST_S)
        self._look(status.episode)

    def _changed(self, event: AttachmentsChanged) -> None:
        with self._lock:
            episode = self._episode
        if episode is not None and episode.id == event.episode_id:
            self._look(episode)

    def _look(self, episode: Episode) -> None:
        self._lane.put(partial(self._look_at, episode), "look")

    # -- the lane -----------------------------------------------------------------------------------------------

    def _look_at(self, episode: Episode) -> None:
        try:
            found = self._find(episode)
        except LibraryError as error:
            log.info("the chapters of %s can't be read: %s", episode.id, error)
            return
        except Exception:
            log.exception("looking for the chapters of %s failed", episode.id)
            return
        with self._lock:
            if self._episode is None or self._episode.id != episode.id:
                return
            first, same = self._published is None, self._published == found.chapters
            self._published, self._settled = found.chapters, found.settled
        if not same:
            self._on_chapters(episode.id, found.chapters)
            if not first:
                self._bus.publish(AttachmentsChanged(episode.id))
