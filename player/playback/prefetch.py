"""Prefetching: the beginning of the next episode, and the next episodes of a list that continues."""

import logging
from array import array
from collections.abc import Callable
from threading import Event, Lock, Thread
from typing import Protocol

from msgspec import Struct

from player.errors import EarmarkError, LibraryError, MediaError
from player.library import Library
from player.media import EpisodeMedia
from player.model.episode import Episode, EpisodeId, SavedPosition
from player.model.filters import View
from player.model.playback import PlaybackState, PlaybackStatus
from player.processes.scheduler import SharedThreads


class Opener(Protocol):
    """The media store."""

    def open(self, episode: Episode, changed: Callable[[], None]) -> EpisodeMedia: ...

    def why_not(self, episode: Episode) -> MediaError | None:
        """Why the episode can't be played now, for example while Earmark is offline."""
        ...


log = logging.getLogger(__name__)

_BEFORE_END_MS = 60_000
_AHEAD_S = 60
_HEAD = 128 * 1024
"""Bytes that demuxers read first, wherever playback starts."""
_USUAL_RATE = 16_000
"""Bytes per second, assumed where an episode's length isn't known."""
_CHUNK = 64 * 1024

PositionOf = Callable[[EpisodeId], SavedPosition | None]
"""Called on a thread. May raise LibraryError."""


class Prefetch:
    """Wraps the media store; prefetching ends when anything is opened for playback.

    Runs on the session's thread; the fetching has a thread of its own.
    """

    def __init__(self, store: Opener, position: PositionOf) -> None:
        self._store = store
        self._position = position
        self._fetch: _Fetch | None = None
        self._fetched: EpisodeId | None = None
        """The episode that was fetched last, or is being fetched."""

    def open(self, episode: Episode, changed: Callable[[], None]) -> EpisodeMedia:
        self.end()
        return self._store.open(episode, changed)

    def why_not(self, episode: Episode) -> MediaError | None:
        return self._store.why_not(episode)

    def follow(self, status: PlaybackStatus) -> None:
        """Starts in the last minute of the current episode, or as soon as all of that is cached."""
        episode = status.next_up.episode if status.next_up else None
        if episode is None or episode.id == self._fetched or not _due(status):
            return
        self.end()
        self._fetched = episode.id
        self._fetch = _Fetch(self._store, episode, self._position)

    def end(self) -> None:
        fetch, self._fetch, self._fetched = self._fetch, None, None
        if fetch:
            fetch.stop()


def _due(status: PlaybackStatus) -> bool:
    if status.state is not PlaybackState.PLAYING or status.live or status.sleep.stops_after:
        return False
    if any(start <= 0.0 and end >= 1.0 for start, end in status.cached):
        return True
    left_ms = None if status.duration_ms is None else status.duration_ms - status.position_ms
    return left_ms is not None and left_ms <= _BEFORE_END_MS * status.speed


class _Fetch:
    """Reads, and so caches, a minute of an episode from where it will start."""

    def __init__(self, store: Opener, episode: Episode, position: PositionOf) -> None:
        self._store = store
        self._episode = episode
        self._position = position
        self._stopped = Event()
        self._media: EpisodeMedia | None = None
        Thread(target=self._run, name="earmark-prefetch", daemon=True).start()

    def stop(self) -> None:
        """Returns at once."""
        self._stopped.set()
        if media := self._media:
            media.close()

    def _run(self) -> None:
        try:
            media = self._media = self._store.open(self._episode, lambda: None)
            try:
                if not self._stopped.is_set() and not media.stream and not media.complete:
                    self._read(media, self._position(self._episode.id))
            finally:
                media.close()
        except EarmarkError as error:
            log.info("not fetched ahead: %s", error)
        except Exception:
            log.exception("not fetched ahead")

    def _read(self, media: EpisodeMedia, saved: SavedPosition | None) -> None:
        size, duration_ms = media.size, self._episode.duration_ms
        if media.stream:
            return
        if size is None:
            self._read_span(media, 0, _AHEAD_S * _USUAL_RATE)
            return
        rate = size * 1000 // duration_ms if duration_ms else _USUAL_RATE
        at = 0
        if saved and saved.byte:
            at = saved.byte.byte
        elif saved:
            at = saved.position_ms * rate // 1000
        self._read_span(media, 0, min(size, _HEAD))
        self._read_span(media, size - 1, size)
        self._read_span(media, at, min(size, at + max(_HEAD, _AHEAD_S * rate)))

    def _read_span(self, media: EpisodeMedia, start: int, end: int) -> None:
        while start < end and (data := media.read(start, min(_CHUNK, end - start), self._stopped.is_set)):
            start += len(data)


_MOST = 100
"""Number of episodes read ahead."""


class Ahead(Struct, frozen=True):
    """The episodes that followed in the list when it was read, in order. `all_of_it`: there are no more, and the list
    hasn't changed."""

    ids: "array[int]"
    all_of_it: bool


class ListAhead:
    """Reads a list on its own thread, so that neither keys nor saved positions wait for it. Any thread may call.

    `came` is called on that thread each time the list has been read.
    """

    def __init__(self, library: Library, came: Callable[[], None]) -> None:
        self._library = library
        self._came = came
        self._thread = SharedThreads(1, "earmark-ahead")
        self._lock = Lock()
        self._wanted: tuple[View, EpisodeId] | None = None
        self._working = self._closed = False
        self._current = False
        """Whether `_read` is up to date: no other reading has been requested since."""
        self._read: tuple[View, EpisodeId, array[int]] | None = None

    def look(self, view: View, after: EpisodeId) -> None:
        """Reads the episodes after `after`, again if they were read before. Returns at once."""
        with self._lock:
            self._wanted, self._current = (view, after), False
            if self._working or self._closed:
                return
            self._working = True
            self._thread.submit(self._work)

    def known(self, view: View, after: EpisodeId) -> Ahead | None:
        """The result of the last reading; None if it was of another list, or if `after` wasn't in it."""
        with self._lock:
            if self._read is None or self._read[0] != view:
                return None
            _view, start, ids = self._read
            if after == start:
                return Ahead(ids, all_of_it=len(ids) < _MOST and self._current)
            return Ahead(ids[ids.index(after) + 1 :], all_of_it=False) if after in ids else None

    def close(self) -> None:
        """Doesn't wait for the thread."""
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
