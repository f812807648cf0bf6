"""Decides which fetcher fetches which bytes of an episode, and writes them to the cache."""

import errno
import logging
import threading
import time
from collections.abc import Callable
from typing import Protocol

from msgspec.structs import replace

from player.errors import MediaError
from player.media.cache import CacheFile, Differs, RemoteVersion
from player.media.fetching.media_errors import Failure, FailureKind, changed_failure, disk_error
from player.media.fetching.range_fetcher import RangeFetcher
from player.media.fetching.range_request import ByteRange, RangeAnswer
from player.media.formats import sniff as formats
from player.media.formats.audio_length import duration_ms
from player.media.protocol import Pages
from player.model.episode import Episode
from player.net.loop import NetworkLoop
from player.text.sentences import _


class FetchState:
    """The state of one open episode. A thread that changes it, or reads more than one attribute, must hold `lock`."""

    def __init__(self, file: CacheFile) -> None:
        """Takes over the caller's hold on `file`."""
        self.lock = threading.Condition()
        """Notified whenever a waiting read may have something to do."""
        self.file = file
        self.format: str | None = None
        """One of media.formats.FORMATS, "" if it isn't audio, None until the first bytes have been examined."""
        self.offset = 0
        """The offset of the byte that was read last, or that a reader waits for."""
        self.readers_waiting = 0
        self.served = False
        """Whether the engine has read any of the file: from then on it can't be replaced by another version."""
        self.cancelled = False
        self.closed = False
        self.stream = ""
        """The address of the live stream that the episode turned out to be."""
        self.error: MediaError | None = None
        """Why no more bytes come."""
        self.trouble: MediaError | None = None
        """Why no bytes come at the moment, while fetching is retried."""

    @property
    def origin(self) -> RemoteVersion | None:
        return self.file.origin

    @property
    def length(self) -> int | None:
        """Bytes; None while unknown."""
        return self.origin.length if self.origin else None

    def wait(self, timeout_s: float | None = None) -> None:
        """Waits until something has changed. Call it with the lock held; it is released meanwhile."""
        self.readers_waiting += 1
        try:
            self.lock.wait(timeout_s)
        finally:
            self.readers_waiting -= 1

    def replace(self, renewed: CacheFile) -> None:
        """Switches to another version of the file and releases the old one. With the lock held."""
        old, self.file = self.file, renewed
        self.format = None
        old.release()


log = logging.getLogger(__name__)

TAIL = 128 * 1024
"""Bytes at the end that have a fetcher to themselves: tags and last pages, which demuxers read before anything else."""

AHEAD = 256 * 1024
"""A read no further than this ahead of what is arriving waits for it; beyond, a new request is quicker."""

OVERLAP = 256
"""Bytes fetched again and compared, where the server sends nothing else to recognise the file by."""

_NEARLY = 0.98
"""The part of its claimed length that a file must have for the claim to count as true."""

_SAVE_EVERY_S = 2.0
_NOTIFY_EVERY_S = 0.1


class Store(Protocol):
    """What holds all cached files."""

    network: NetworkLoop
    pages: Pages
    """What finds the audio where an episode's address is a page."""

    def renew(self, old: CacheFile, episode: Episode) -> CacheFile:
        """Discards `old` and returns an empty file to put in its place, held for the caller."""
        ...

    def login(self, address: str) -> tuple[str, str] | None:
        """Name and password for the server at that address."""
        ...

    def remember_stream(self, episode: Episode, address: str, *, hls: bool = False) -> None:
        """The episode is a live stream, or (`hls`) has a playlist: the next `open` treats it as that."""
        ...

    def note_cached(self, file: CacheFile) -> None:
        """The file has got bytes."""
        ...

    def make_room(self, *, everything: bool = False) -> bool:
        """Deletes the least recently used cached files, down to the limit or (`everything`) all that aren't in use."""
        ...


class RangeScheduler:
    """Implements FetchCoordinator with up to two fetchers: the main one, and one for the tail."""

    def __init__(
        self,
        episode: Episode,
        store: Store,
        state: FetchState,
        on_change: Callable[[], None],
        *,
        background: bool = False,
    ) -> None:
        """`on_change` is called on the fetchers' threads, while bytes arrive about ten times a second.

        In the `background` nothing is fetched while the same file is fetched to be played.
        """
        self._background = background
        self._episode = episode
        self._store = store
        self._state = state
        self._on_change = on_change
        self._main: RangeFetcher | None = None
        self._tail: RangeFetcher | None = None
        self._targets: dict[RangeFetcher, CacheFile] = {}
        """Where the bytes of each fetcher go: after `_outdated`, no longer all to the same file."""
        self._saved_at, self._notified_at = time.monotonic(), 0.0
        self._keeps_address = not store.pages.serves(episode.url) or store.pages.lasts(episode.url)
        self._found_at = ""
        """The audio's web address, if it mustn't be stored with the bytes (`Pages.lasts`)."""

    # -- what a reader asks for (with the lock held) ------------------------------------------------------------

    def start(self) -> None:
        """Starts the main fetcher, unless it runs or there is nothing left to fetch."""
        file = self._state.file
        known = file.complete and file.duration_ms is not None
        if self._main is None and not self._state.closed and not known and not self._yields():
            self._main = RangeFetcher(self, self._main_gap()[0])
            self._run(self._main)

    def request(self, offset: int) -> None:
        """Makes sure that some fetcher brings the byte at `offset`."""
        origin = self._state.origin
        if self._yields():
            self.stop()
            self._main = self._tail = None
        elif origin is None or not origin.ranged or origin.length is None:
            self.start()
        elif any(_brings(fetcher, offset) for fetcher in self._fetchers):
            pass
        elif origin.length - offset <= TAIL:
            self._start_tail(offset, origin.length)
        else:
            if self._main is not None:
                self._main.stop()
                self._main = None
            self.start()

    def hurry(self) -> None:
        """A reader waits: ends the pauses between attempts."""
        for fetcher in self._fetchers:
            fetcher.hurry()

    def stop(self) -> None:
        """Ends all fetchers soon; returns at once."""
        for fetcher in self._fetchers:
            fetcher.stop()

    @property
    def _fetchers(self) -> list[RangeFetcher]:
        return [fetcher for fetcher in (self._main, self._tail) if fetcher is not None]

    def _start_tail(self, start: int, end: int) -> None:
        if self._tail is not None:
            self._tail.stop()
        if not self._state.closed:
            self._tail = RangeFetcher(self, start, end)
            self._run(self._tail)

    def _run(self, fetcher: RangeFetcher) -> None:
        file = self._state.file
        file.acquire()
        if not self._background:
            file.begin_fetching()
        self._targets[fetcher] = file
        fetcher.start()

    def _yields(self) -> bool:
        return self._background and self._state.file.fetched_to_be_played

    def _main_gap(self) -> tuple[int, int | None]:
        """What the main fetcher fetches next: the reader's next missing bytes, or else the missing bytes before."""
        origin, ranges = self._state.origin, self._state.file.ranges
        if origin is None or not origin.ranged:
            return 0, None
        return ranges.gap(self._state.offset, origin.length) or ranges.gap(0, origin.length) or (0, None)

    # -- what fetchers call (FetchCoordinator) ------------------------------------------------------------------

    @property
    def has_some(self) -> bool:
        return bool(self._state.file.ranges.spans)

    @property
    def network(self) -> NetworkLoop:
        return self._store.network

    @property
    def pages(self) -> Pages:
        return self._store.pages

    def login(self, address: str) -> tuple[str, str] | None:
        return self._store.login(address)

    def next_gap(self, fetcher: RangeFetcher) -> ByteRange | None:
        with self._state.lock:
            origin, ranges = self._state.origin, self._state.file.ranges
            if fetcher.is_stopped() or self._state.file.complete:
                return None
            gap = ranges.gap(fetcher.start_at, fetcher.end_at) if fetcher.end_at is not None else self._main_gap()
            if gap is None:
                return None
            start, end = gap
            if origin and not origin.condition and ranges.covers(start - OVERLAP, start) and start >= OVERLAP:
                start -= OVERLAP
            to_the_end = origin is not None and end == origin.length
            origin = replace(origin, resolved=self._found_at) if origin and self._found_at else origin
            return ByteRange(self._episode.url, start, None if to_the_end else end, origin)

    def accept(self, fetcher: RangeFetcher, answer: RangeAnswer) -> None:
        with self._state.lock:
            if fetcher.is_stopped():
                return
            known, found = self._state.origin, answer.origin
            if not self._keeps_address:
                self._found_at, found = found.resolved, replace(found, resolved="")
            if known is not None and not known.same_file(found):
                self._outdated(fetcher)
                known = None
            self._state.file.origin = known.updated(found) if known else found
            self._state.lock.notify_all()

    def take(self, fetcher: RangeFetcher, offset: int, data: bytes) -> int:
        with self._state.lock:
            file = self._targets[fetcher]
        if fetcher.is_stopped():
            return 0
        try:
            new = self._write(file, offset, data)
        except Differs:
            with self._state.lock:
                if fetcher.is_stopped():
                    return 0
                self._outdated(fetcher)
            raise Failure(FailureKind.PASSING, _("The episode has changed on its server")) from None
        with self._state.lock:
            self._state.trouble = None if new else self._state.trouble
            self._state.lock.notify_all()
        now = time.monotonic()
        if now - self._notified_at >= _NOTIFY_EVERY_S:
            _measure(file)
            self._notify()
        if now - self._saved_at >= _SAVE_EVERY_S:
            file.save()
            self._saved_at = time.monotonic()
        return new

    def ended(self, fetcher: RangeFetcher, answer: RangeAnswer, end: int) -> bool:
        with self._state.lock:
            origin = self._state.origin
            if fetcher.is_stopped() or not origin or origin.length is not None or answer.origin.length is not None:
                return True
            if end < (self._episode.size or 0) * _NEARLY:
                return False
            self._state.file.origin = replace(origin, length=end)
            self._state.lock.notify_all()
            return True

    def ends_at(self, fetcher: RangeFetcher, end: int, *, sure: bool) -> bool:
        with self._state.lock:
            file = self._targets[fetcher]
        if any(stop > end for _, stop in file.ranges.spans):
            return False
        if not sure and not _may_end_at(file, self._episode, end):
            return False
        with self._state.lock:
            if not fetcher.is_stopped() and file.origin:
                log.info("the episode ends at byte %d, not at %s", end, file.origin.length)
                file.origin = replace(file.origin, length=end)
                self._state.lock.notify_all()
            return True

    def held_up(self, error: MediaError) -> None:
        with self._state.lock:
            self._state.trouble = error
        self._notify()

    def is_live(self, address: str, *, hls: bool) -> None:
        self._store.remember_stream(self._episode, address, hls=hls)
        self._state.stream = "" if hls else address

    def expired(self) -> None:
        with self._state.lock:
            self._found_at = ""
            if self._state.origin is not None:
                self._state.file.origin = replace(self._state.origin, resolved="")

    def done(self, fetcher: RangeFetcher, error: MediaError | None) -> None:
        with self._state.lock:
            file = self._targets[fetcher]
        try:
            _measure(file)
            file.save()
        except OSError as failure:
            error = error or disk_error(failure)
        self._store.note_cached(file)
        self._store.make_room()
        if not self._background:
            file.end_fetching()
        with self._state.lock:
            del self._targets[fetcher]
            self._main = None if self._main is fetcher else self._main
            self._tail = None if self._tail is fetcher else self._tail
            self._state.trouble = None if file.complete or error else self._state.trouble
            # A failure while nobody waits may be over by the time a reader waits, so it is tried again then.
            if error and (self._state.readers_waiting or not file.ranges.spans or file.discarded):
                self._state.error = error
            self._state.lock.notify_all()
        file.release()
        self._notify()

    # -- inside -------------------------------------------------------------------------------------------------

    def _write(self, file: CacheFile, offset: int, data: bytes) -> int:
        try:
            return file.write(offset, data)
        except OSError as error:
            if error.errno != errno.ENOSPC or not self._store.make_room(everything=True):
                raise
            return file.write(offset, data)

    def _outdated(self, fetcher: RangeFetcher) -> None:
        """The server has a different file now: starts over. Raises Failure when the engine has read some of the old
        one."""
        old = self._state.file
        if self._state.served:
            old.discard()
            raise changed_failure()
        renewed = self._store.renew(old, self._episode)
        renewed.acquire()
        if not self._background:
            old.end_fetching()
            renewed.begin_fetching()
        self._targets[fetcher] = renewed
        for other in self._fetchers:
            if other is not fetcher:
                other.stop()
        self._state.replace(renewed)
        old.release()

    def _notify(self) -> None:
        self._notified_at = time.monotonic()
        if not self._state.closed:
            self._on_change()


def _measure(file: CacheFile) -> None:
    """Sets the duration; on a fetcher's thread, as counting a two-hour MP3's frames takes an eighth of a second."""
    length = file.origin.length if file.origin else None
    if length is not None and file.duration_ms is None:
        file.duration_ms = duration_ms(file.read, length, complete=file.complete)


def _may_end_at(file: CacheFile, episode: Episode, end: int) -> bool:
    """Whether a file can be whole there: the server or the feed claims the same, within a fiftieth."""
    claimed = file.origin.length if file.origin else None
    if any(size and abs(end - size) <= size * (1 - _NEARLY) for size in (claimed, episode.size)):
        return True
    expected_ms = episode.duration_ms
    if not expected_ms or formats.sniff(file.read(0, formats.HEAD)) not in ("mp3", "aac"):
        return False
    counted_ms = duration_ms(file.read, end, complete=True)
    return counted_ms is not None and abs(expected_ms - counted_ms) <= expected_ms * (1 - _NEARLY)


def _brings(fetcher: RangeFetcher, offset: int) -> bool:
    """Whether this fetcher will soon fetch the byte at `offset`."""
    start = fetcher.start_at if fetcher.position is None else fetcher.position
    end = start + AHEAD if fetcher.end_at is None else fetcher.end_at
    return not fetcher.is_stopped() and start <= offset < end
