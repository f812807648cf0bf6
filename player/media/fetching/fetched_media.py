"""An episode's bytes from the network, read from what is kept on disk while the rest is brought."""

import errno
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from player.errors import MediaError
from player.media.cache.cache_file import CacheFile, Differs
from player.media.cache.remote_version import RemoteVersion
from player.media.fetching.media_errors import Failure, FailureKind, changed_failure, disk_error
from player.media.fetching.range_fetcher import RangeFetcher
from player.media.fetching.range_request import ByteRange, RangeAnswer
from player.media.formats import sniff as formats
from player.media.formats.durations import duration_ms
from player.media.protocol import never
from player.model.episode import Episode
from player.net.loop import NetworkLoop
from player.text.sentences import _

log = logging.getLogger(__name__)

TAIL = 128 * 1024
"""Bytes at the end that are fetched by the side: tags and last pages, which demuxers look at before anything else."""

AHEAD = 256 * 1024
"""A read no further than this ahead of what comes in waits for it; beyond, a new request is quicker."""

OVERLAP = 256
"""Bytes asked for again, and compared, where a server gives nothing else to know the file by."""

CUSHION = 96 * 1024
"""Bytes that must have come before a reader that ran dry goes on: with a trickle, one long pause instead of many."""

_DRY_AFTER = 192 * 1024
"""Bytes read in one go after which waiting means to have run dry; before, it is a start or a jump."""

_CLOSE = 0.98

_SAVE_EVERY_S = 2.0
_TELL_EVERY_S = 0.1


class Store(Protocol):
    """What holds all kept files."""

    network: NetworkLoop

    def renew(self, old: CacheFile, episode: Episode) -> CacheFile:
        """Discards `old` and begins anew in its place."""
        ...

    def login(self, address: str) -> tuple[str, str] | None: ...

    def remember_stream(self, episode: Episode, address: str) -> None:
        """The episode is a live stream: the next `open` knows."""
        ...

    def make_room(self, *, everything: bool = False) -> bool:
        """Deletes the kept files used longest ago, down to the limit or (`everything`) all that no one uses."""
        ...


class FetchedMedia:
    """Implements `Media` over a CacheFile and up to two fetchers: the main one and one for the tail.

    It is long because both its sides, the engine that reads and the fetchers that write, share one state under one
    lock.
    """

    def __init__(
        self,
        episode: Episode,
        store: Store,
        kept: CacheFile,
        changed: Callable[[], None],
    ) -> None:
        """Takes over the caller's hold on `kept`."""
        self._episode = episode
        self._store = store
        self._kept = kept
        self._changed = changed
        self._holds: dict[RangeFetcher, CacheFile] = {}
        self._news = threading.Condition()
        self._main: RangeFetcher | None = None
        self._side: RangeFetcher | None = None
        self._wanted = 0
        self._waiting = 0
        self._run = (0, 0)
        self._served = False
        self._at_end = False
        self._cancelled = False
        self._closed = False
        self.stream = ""
        self._error: MediaError | None = None
        self._trouble: MediaError | None = None
        self._format: str | None = None
        self._saved_at, self._told_at = time.monotonic(), 0.0
        with self._news:
            self._start_main()

    # -- what an engine sees ------------------------------------------------------------------------------------

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
        if self._format is None:
            heads = (self._head(count) for count in (4096, formats.HEAD, formats.LONG_HEAD))
            self._format = next(filter(None, map(formats.sniff, heads)), "")
        return self._format

    @property
    def duration_ms(self) -> int | None:
        return self._kept.duration_ms

    def read(self, offset: int, count: int, given_up: Callable[[], bool] = never) -> bytes:
        data = self._read(offset, count, serve=True, given_up=given_up)
        start, end = self._run
        self._run = (start if offset == end else offset, offset + len(data))
        length = self._length
        self._at_end = length is not None and offset + len(data) >= length
        return data

    def available(self, offset: int, count: int) -> bytes:
        with self._news:
            if self._closed:
                return b""
            kept = self._kept
            kept.acquire()
        try:
            return kept.read(offset, count)
        finally:
            kept.release()

    def wake(self) -> None:
        with self._news:
            self._news.notify_all()

    def cancel(self) -> None:
        with self._news:
            self._cancelled = True
            self._news.notify_all()

    # -- what the session sees ----------------------------------------------------------------------------------

    @property
    def cached(self) -> tuple[tuple[float, float], ...]:
        """What is on disk, as fractions of the whole; nothing while the length is unknown."""
        length = self._length
        if not length:
            return ()
        return tuple((start / length, min(1.0, end / length)) for start, end in self._kept.ranges.spans)

    @property
    def complete(self) -> bool:
        return self._kept.complete

    @property
    def reached_end(self) -> bool:
        """Whether the last read was given the last byte."""
        return self._at_end

    @property
    def error(self) -> MediaError | None:
        """Why no more bytes come. What is kept can still be read."""
        return self._error

    @property
    def trouble(self) -> MediaError | None:
        """Why no bytes come just now; it is tried again and again."""
        return self._trouble

    def fetch_all(self, given_up: Callable[[], bool]) -> CacheFile:
        """Waits until every byte is kept and on disk. Raises what `read` raises. The caller releases."""
        with self._news:
            while not self._kept.complete:
                if self._cancelled or given_up():
                    raise MediaError("Fetching was stopped")
                if self._error is not None:
                    raise self._error
                gap = self._kept.ranges.gap(0, self._length)
                self._demand(gap[0] if gap else 0)
                self._wait()
            kept = self._kept
            kept.acquire()
        kept.save()
        return kept

    def close(self) -> None:
        """Ends reads and fetching; returns at once. May be called twice."""
        with self._news:
            if self._closed:
                return
            self._closed = self._cancelled = True
            for filler in (self._main, self._side):
                if filler is not None:
                    filler.stop()
            self._news.notify_all()
            kept = self._kept
        kept.release()

    # -- reading ------------------------------------------------------------------------------------------------

    def _read(self, offset: int, count: int, *, serve: bool, given_up: Callable[[], bool] = never) -> bytes:
        kept = self._await(offset, serve=serve, given_up=given_up)
        if kept is None:
            return b""
        try:
            return kept.read(offset, count)
        finally:
            kept.release()

    def _head(self, count: int) -> bytes:
        """The first `count` bytes, or all if there are fewer."""
        head = b""
        while len(head) < count and (more := self._read(len(head), count - len(head), serve=False)):
            head += more
        return head

    def _await(self, offset: int, *, serve: bool, given_up: Callable[[], bool]) -> CacheFile | None:
        """Waits until the byte at `offset` is kept; None when the file ends before it. The caller releases."""
        with self._news:
            self._wanted = offset
            need = 1
            if self._kept.ranges.reach(offset) == offset:
                need = CUSHION if self._runs_dry(offset) else 1
                self._hurry()
            while True:
                if self._cancelled or given_up():
                    raise MediaError("Reading was stopped")
                reach, length = self._kept.ranges.reach(offset), self._length
                if reach > offset and (reach - offset >= need or reach == length or self._error or self._trouble):
                    self._served = self._served or serve
                    self._kept.acquire()
                    return self._kept
                if length is not None and offset >= length:
                    return None
                if self._error is not None:
                    raise self._error
                self._demand(reach)
                self._wait()

    def _runs_dry(self, offset: int) -> bool:
        start, end = self._run
        return offset == end and end - start >= _DRY_AFTER

    def _hurry(self) -> None:
        for filler in (self._main, self._side):
            if filler is not None:
                filler.hurry()

    def _known_origin(self) -> RemoteVersion | None:
        with self._news:
            while self._kept.origin is None and self._error is None and not self._cancelled:
                self._start_main()
                self._wait()
            self._served = self._served or self._kept.origin is not None
            return self._kept.origin

    def _wait(self) -> None:
        self._waiting += 1
        try:
            self._news.wait()
        finally:
            self._waiting -= 1

    def _is_seekable(self, origin: RemoteVersion) -> bool:
        return origin.ranged or self._kept.complete

    @property
    def _length(self) -> int | None:
        origin = self._kept.origin
        return origin.length if origin else None

    # -- deciding who fetches what (with the lock held) ---------------------------------------------------------

    def _demand(self, offset: int) -> None:
        """Sees to it that somebody brings the byte at `offset`."""
        origin = self._kept.origin
        if origin is None or not origin.ranged or origin.length is None:
            self._start_main()
        elif any(filler is not None and _brings(filler, offset) for filler in (self._main, self._side)):
            pass
        elif origin.length - offset <= TAIL:
            self._start_side(offset, origin.length)
        else:
            if self._main is not None:
                self._main.stop()
                self._main = None
            self._start_main()

    def _start_main(self) -> None:
        known = self._kept.complete and self._kept.duration_ms is not None
        if self._main is None and not self._closed and not known:
            self._main = RangeFetcher(self, self._gap()[0])
            self._start(self._main)

    def _start_side(self, start: int, end: int) -> None:
        if self._side is not None:
            self._side.stop()
        if not self._closed:
            self._side = RangeFetcher(self, start, end)
            self._start(self._side)

    def _start(self, filler: RangeFetcher) -> None:
        self._kept.acquire()
        self._holds[filler] = self._kept
        filler.start()

    def _gap(self) -> tuple[int, int | None]:
        """Where the main filler goes: to the reader's next missing byte; when none is, to what is missing before."""
        origin, ranges = self._kept.origin, self._kept.ranges
        if origin is None or not origin.ranged:
            return 0, None
        return ranges.gap(self._wanted, origin.length) or ranges.gap(0, origin.length) or (0, None)

    # -- what fillers call (Desk) -------------------------------------------------------------------------------

    @property
    def has_some(self) -> bool:
        return bool(self._kept.ranges.spans)

    @property
    def network(self) -> NetworkLoop:
        return self._store.network

    def login(self, address: str) -> tuple[str, str] | None:
        return self._store.login(address)

    def next_gap(self, filler: RangeFetcher) -> ByteRange | None:
        with self._news:
            origin, ranges = self._kept.origin, self._kept.ranges
            if filler.is_stopped() or self._kept.complete:
                return None
            gap = ranges.gap(filler.start_at, filler.end_at) if filler.end_at is not None else self._gap()
            if gap is None:
                return None
            start, end = gap
            if origin and not origin.condition and ranges.covers(start - OVERLAP, start) and start >= OVERLAP:
                start -= OVERLAP
            to_the_end = origin is not None and end == origin.length
            return ByteRange(self._episode.url, start, None if to_the_end else end, origin)

    def accept(self, filler: RangeFetcher, answer: RangeAnswer) -> None:
        with self._news:
            if filler.is_stopped():
                return
            known = self._kept.origin
            if known is not None and not known.same_file(answer.origin):
                self._outdated(filler)
                known = None
            self._kept.origin = known.updated(answer.origin) if known else answer.origin
            self._news.notify_all()

    def take(self, filler: RangeFetcher, offset: int, data: bytes) -> int:
        with self._news:
            kept = self._holds[filler]
        if filler.is_stopped():
            return 0
        try:
            new = self._write(kept, offset, data)
        except Differs:
            with self._news:
                if filler.is_stopped():
                    return 0
                self._outdated(filler)
            raise Failure(FailureKind.PASSING, _("The episode has changed on its server")) from None
        with self._news:
            self._trouble = None if new else self._trouble
            self._news.notify_all()
        now = time.monotonic()
        if now - self._told_at >= _TELL_EVERY_S:
            _measure(kept)
            self._tell()
        if now - self._saved_at >= _SAVE_EVERY_S:
            kept.save()
            self._saved_at = time.monotonic()
        return new

    def ended(self, filler: RangeFetcher, answer: RangeAnswer, end: int) -> bool:
        with self._news:
            origin = self._kept.origin
            if filler.is_stopped() or not origin or origin.length is not None or answer.origin.length is not None:
                return True
            if end < (self._episode.size or 0) * _CLOSE:
                return False
            self._kept.origin = replace(origin, length=end)
            self._news.notify_all()
            return True

    def ends_at(self, filler: RangeFetcher, end: int, *, sure: bool) -> bool:
        with self._news:
            kept = self._holds[filler]
        if any(stop > end for _, stop in kept.ranges.spans):
            return False
        if not sure and not self._may_end_at(kept, end):
            return False
        with self._news:
            if not filler.is_stopped() and kept.origin:
                log.info("the episode ends at byte %d, not at %s", end, kept.origin.length)
                kept.origin = replace(kept.origin, length=end)
                self._news.notify_all()
            return True

    def held_up(self, error: MediaError) -> None:
        with self._news:
            self._trouble = error
        self._tell()

    def is_live(self, address: str) -> None:
        self._store.remember_stream(self._episode, address)
        self.stream = address

    def expired(self) -> None:
        with self._news:
            if self._kept.origin is not None:
                self._kept.origin = replace(self._kept.origin, resolved="")

    def done(self, filler: RangeFetcher, error: MediaError | None) -> None:
        with self._news:
            kept = self._holds[filler]
        try:
            _measure(kept)
            kept.save()
        except OSError as failure:
            error = error or disk_error(failure)
        self._store.make_room()
        with self._news:
            del self._holds[filler]
            self._main = None if self._main is filler else self._main
            self._side = None if self._side is filler else self._side
            self._trouble = None if kept.complete or error else self._trouble
            # What fails while nobody waits may have come right by the time somebody does: then it is tried anew.
            if error and (self._waiting or not kept.ranges.spans or kept.discarded):
                self._error = error
            self._news.notify_all()
        kept.release()
        self._tell()

    # -- inside -------------------------------------------------------------------------------------------------

    def _write(self, kept: CacheFile, offset: int, data: bytes) -> int:
        try:
            return kept.write(offset, data)
        except OSError as error:
            if error.errno != errno.ENOSPC or not self._store.make_room(everything=True):
                raise
            return kept.write(offset, data)

    def _may_end_at(self, kept: CacheFile, end: int) -> bool:
        """Whether a file can be whole there: the server or the feed says as much within a fiftieth."""
        claimed = kept.origin.length if kept.origin else None
        if any(size and abs(end - size) <= size * (1 - _CLOSE) for size in (claimed, self._episode.size)):
            return True
        told = self._episode.duration_ms
        if not told or formats.sniff(kept.read(0, formats.HEAD)) not in ("mp3", "aac"):
            return False
        counted = duration_ms(kept.read, end, complete=True)
        return counted is not None and abs(told - counted) <= told * (1 - _CLOSE)

    def _outdated(self, filler: RangeFetcher) -> None:
        """The server has another file now: begins anew. Raises Failure when the engine has some of the old one."""
        old = self._kept
        if self._served:
            old.discard()
            raise changed_failure()
        self._kept = self._store.renew(old, self._episode)
        self._kept.acquire()
        self._holds[filler] = self._kept
        self._format = None
        for other in (self._main, self._side):
            if other is not None and other is not filler:
                other.stop()
        old.release()
        old.release()

    def _tell(self) -> None:
        self._told_at = time.monotonic()
        if not self._closed:
            self._changed()


def _measure(kept: CacheFile) -> None:
    """Learns the duration, on a filler's thread: counting the frames of a two-hour MP3 takes an eighth of a second."""
    length = kept.origin.length if kept.origin else None
    if length is not None and kept.duration_ms is None:
        kept.duration_ms = duration_ms(kept.read, length, complete=kept.complete)


def _brings(filler: RangeFetcher, offset: int) -> bool:
    """Whether the byte at `offset` is soon among what this filler brings."""
    start = filler.start_at if filler.position is None else filler.position
    end = start + AHEAD if filler.end_at is None else filler.end_at
    return not filler.is_stopped() and start <= offset < end
