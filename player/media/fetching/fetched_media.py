"""An episode from the network, as an engine reads it: cached bytes at once, missing ones as soon as they arrive."""

from collections.abc import Callable

from player.errors import MediaError
from player.media.cache import CacheFile, RemoteVersion
from player.media.fetching.media_errors import changed_failure
from player.media.fetching.range_scheduler import FetchState, RangeScheduler, Store
from player.media.formats import sniff as formats
from player.media.protocol import never
from player.model.episode import Episode

CUSHION = 96 * 1024
"""Bytes that must have come before a reader that ran dry gets any: on a slow line, one long pause instead of many."""

_LOOK_S = 0.3
"""How often to check whether another process has fetched the file, or has stopped fetching."""

_DRY_AFTER = 192 * 1024
"""A reader that has to wait after this many bytes in sequence ran dry; before, it is starting or has jumped."""


class FetchedMedia:
    """Implements `EpisodeMedia` over a CacheFile that a RangeScheduler fills."""

    def __init__(
        self,
        episode: Episode,
        store: Store,
        file: CacheFile,
        on_change: Callable[[], None],
        *,
        background: bool = False,
    ) -> None:
        """Takes over the caller's hold on `file`. In the `background` it doesn't fetch bytes that are being fetched to
        be played."""
        self._state = FetchState(file)
        self._scheduler = RangeScheduler(episode, store, self._state, on_change, background=background)
        self._background = background
        self._sequence = (0, 0)
        """The span that has been read without a jump."""
        self._at_end = False
        with self._state.lock:
            self._scheduler.start()

    # -- what an engine sees ------------------------------------------------------------------------------------

    @property
    def stream(self) -> str:
        return self._state.stream

    @property
    def version(self) -> str:
        return self._state.file.name

    @property
    def size(self) -> int | None:
        """Waits until the server has answered once, unless that is known from before."""
        origin = self._known_origin()
        return origin.length if origin and self._is_seekable(origin) else None

    @property
    def seekable(self) -> bool:
        """Waits like `size`."""
        origin = self._known_origin()
        return origin is not None and self._is_seekable(origin)

    @property
    def format(self) -> str:
        found = self._state.format
        if found is None:
            heads = (self._head(count) for count in (4096, formats.HEAD, formats.LONG_HEAD))
            found = self._state.format = next(filter(None, map(formats.sniff, heads)), "")
        return found

    @property
    def duration_ms(self) -> int | None:
        return self._state.file.duration_ms

    def read(self, offset: int, count: int, given_up: Callable[[], bool] = never) -> bytes:
        data = self._read(offset, count, serve=True, given_up=given_up)
        start, end = self._sequence
        self._sequence = (start if offset == end else offset, offset + len(data))
        length = self._state.length
        self._at_end = length is not None and offset + len(data) >= length
        return data

    def available(self, offset: int, count: int) -> bytes:
        with self._state.lock:
            if self._state.closed:
                return b""
            file = self._state.file
            file.acquire()
        try:
            return file.read(offset, count)
        finally:
            file.release()

    def wake(self) -> None:
        with self._state.lock:
            self._state.lock.notify_all()

    def cancel(self) -> None:
        with self._state.lock:
            self._state.cancelled = True
            self._state.lock.notify_all()

    # -- what playback and downloads see ------------------------------------------------------------------------

    @property
    def cached(self) -> tuple[tuple[float, float], ...]:
        """What is cached, as fractions of the whole; nothing while the length is unknown."""
        length = self._state.length
        if not length:
            return ()
        return tuple((start / length, min(1.0, end / length)) for start, end in self._state.file.ranges.spans)

    @property
    def amount(self) -> tuple[int, int | None]:
        """How many bytes are cached, of how many; None while that is unknown."""
        file = self._state.file
        return sum(end - start for start, end in file.ranges.spans), file.origin.length if file.origin else None

    @property
    def complete(self) -> bool:
        return self._state.file.complete

    @property
    def reached_end(self) -> bool:
        """Whether the last read was given the last byte."""
        return self._at_end

    @property
    def error(self) -> MediaError | None:
        """Why no more bytes come. What is cached can still be read."""
        return self._state.error

    @property
    def trouble(self) -> MediaError | None:
        """Why no bytes come at the moment, while fetching is retried."""
        return self._state.trouble

    def fetch_all(self, given_up: Callable[[], bool]) -> CacheFile:
        """Waits until every byte is cached and on disk. Raises what `read` raises. The caller releases."""
        state = self._state
        with state.lock:
            while not state.file.complete:
                if state.cancelled or given_up():
                    raise MediaError("Fetching was stopped")
                if state.error is not None:
                    raise state.error
                if state.file.discarded:
                    raise changed_failure().error
                gap = state.file.ranges.gap(0, state.length)
                self._scheduler.request(gap[0] if gap else 0)
                # What is fetched to be played notifies nobody here.
                state.wait(_LOOK_S)
            file = state.file
            file.acquire()
        file.save()
        return file

    def hurry(self) -> None:
        """Ends the pause between two attempts, because the network is back."""
        with self._state.lock:
            self._scheduler.hurry()

    def discard(self) -> None:
        """Deletes what is cached; to be closed soon."""
        self._scheduler.stop()
        self._state.file.discard()

    def close(self) -> None:
        """Ends reads and fetching; returns at once. May be called twice."""
        with self._state.lock:
            if self._state.closed:
                return
            self._state.closed = self._state.cancelled = True
            self._scheduler.stop()
            self._state.lock.notify_all()
            file = self._state.file
        file.release()

    # -- reading ------------------------------------------------------------------------------------------------

    def _read(self, offset: int, count: int, *, serve: bool, given_up: Callable[[], bool] = never) -> bytes:
        file = self._wait_for(offset, serve=serve, given_up=given_up)
        if file is None:
            return b""
        try:
            return file.read(offset, count)
        finally:
            file.release()

    def _head(self, count: int) -> bytes:
        """The first `count` bytes, or all if there are fewer."""
        head = b""
        while len(head) < count and (more := self._read(len(head), count - len(head), serve=False)):
            head += more
        return head

    def _wait_for(self, offset: int, *, serve: bool, given_up: Callable[[], bool]) -> CacheFile | None:
        """Waits until the byte at `offset` is cached; None when the file ends before it. The caller releases."""
        state = self._state
        with state.lock:
            state.offset = offset
            need = 1
            if state.file.ranges.reach(offset) == offset:
                need = CUSHION if self._runs_dry(offset) else 1
                self._scheduler.hurry()
            while True:
                if state.cancelled or given_up():
                    raise MediaError("Reading was stopped")
                reach, length = state.file.ranges.reach(offset), state.length
                if reach > offset and (reach - offset >= need or reach == length or state.error or state.trouble):
                    state.served = state.served or serve
                    state.file.acquire()
                    return state.file
                if length is not None and offset >= length:
                    return None
                if state.error is not None:
                    raise state.error
                self._scheduler.request(reach)
                state.wait(_LOOK_S if self._background else None)

    def _runs_dry(self, offset: int) -> bool:
        start, end = self._sequence
        return offset == end and end - start >= _DRY_AFTER

    def _known_origin(self) -> RemoteVersion | None:
        state = self._state
        with state.lock:
            while state.origin is None and state.error is None and not state.cancelled:
                self._scheduler.start()
                state.wait(_LOOK_S if self._background else None)
            state.served = state.served or state.origin is not None
            return state.origin

    def _is_seekable(self, origin: RemoteVersion) -> bool:
        return origin.ranged or self._state.file.complete
