"""Fetches the beginning of the next episode ahead, so that it can start without a pause."""

import logging
from collections.abc import Callable
from threading import Event, Thread

from player.errors import EarmarkError, MediaError
from player.media import EpisodeMedia
from player.model.episode import Episode, EpisodeId
from player.model.playback import PlaybackState, PlaybackStatus
from player.model.position import SavedPosition
from player.playback.following.media_opener import Opener

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
        """What was fetched last, or is being fetched."""

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
