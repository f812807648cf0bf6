"""A recording in HLS (RFC 8216): segments that a playlist names, with the length of each, cached as they are fetched.

Of each segment only its frames are cached (player.media.formats.segments), in a `CacheFile` that has a slot of the same
length for every segment: where a frame stands in the whole isn't known before everything in front of it is here. Once
all segments are, the frames become one file like any other (`Store.put_together`), which needs no playlist any more.

To an engine a segment begins a run: byte 0 of segment 7 is `7 << _RUN_BITS`, and the frames of 8 and 9 follow on. So a
reader may begin at any segment and reads on to the end, without anything in front of it being known.
"""

import errno
import hashlib
import logging
import threading
import time
from bisect import bisect_right
from collections.abc import Callable
from functools import partial
from itertools import accumulate
from typing import Protocol, TypeVar
from urllib.parse import urlsplit

from player.errors import MediaError, NoFile
from player.media.cache import CacheFile, Differs, RemoteVersion
from player.media.fetching import hls
from player.media.fetching.broadcast import (
    HOPS,
    TELLING_TEXT,
    OwnNetworkFence,
    filled,
    is_playlist,
    only_playlists,
    text_of,
)
from player.media.fetching.media_errors import (
    BrokeOff,
    Failure,
    Gone,
    changed_failure,
    disk_error,
    page_failure,
)
from player.media.fetching.range_fetcher import pause_before
from player.media.fetching.range_request import ByteRange, Connection
from player.media.formats.segments import audio_of
from player.media.formats.sniff import is_page, sniff
from player.media.formats.timeline import Stretch
from player.media.protocol import never
from player.model.episode import Episode
from player.net.failures import server_name
from player.net.loop import NetworkLoop
from player.text.durations import clock as clock_text
from player.text.sentences import _

log = logging.getLogger(__name__)

_RUN_BITS = 40
_BYTES_PER_S = 128 * 1024
"""Bytes in a slot for each second of audio, eight times the usual number. Unused bytes take no space on the disk."""
_LEAST_SLOT = 1024 * 1024
_LARGEST_SEGMENT = 64 * 1024 * 1024
"""Bytes, with any video."""
_MOST_MS = 100 * 3_600_000
_SAVE_EVERY_S = 2.0
_NOTIFY_EVERY_S = 0.1
_LOOK_S = 0.3
"""How often to check whether another process has fetched a segment."""

T = TypeVar("T")


class Store(Protocol):
    """What holds all cached files."""

    network: NetworkLoop

    def login(self, address: str) -> tuple[str, str] | None: ...

    def renew(self, old: CacheFile, episode: Episode) -> CacheFile:
        """Discards `old` and returns an empty file to put in its place, held for the caller."""
        ...

    def put_together(self, old: CacheFile, offsets: list[tuple[int, int]]) -> CacheFile:
        """A whole file in place of `old`, of its bytes from and to the offsets; held for the caller. Raises OSError."""
        ...

    def remember_live(self, episode: Episode) -> None:
        """It is live: the next `open` plays it as that."""
        ...

    def make_room(self, *, everything: bool = False) -> bool: ...

    def note_cached(self, file: CacheFile) -> None: ...


class _Stopped(Exception):
    """Not an error: it was closed."""


class _Jumped(Exception):
    """Not an error: the reader waits for a different segment."""


class HlsRecording:
    """Implements `EpisodeMedia`. When the playlist says that it is live, its error is NoFile, and the store knows."""

    def __init__(
        self,
        episode: Episode,
        store: Store,
        file: CacheFile,
        on_change: Callable[[], None],
        feed: Callable[[], str],
        *,
        background: bool = False,
    ) -> None:
        """Takes over the caller's hold on `file`. `feed` gives the address of the podcast's feed. In the `background`
        bytes that are being fetched to be played aren't fetched."""
        self._episode = episode
        self._store = store
        self._file = file
        self._on_change = on_change
        self._feed = feed
        self._fence: OwnNetworkFence | None = None
        self._background = background
        self._news = threading.Condition()
        self._segments: tuple[hls.Segment, ...] = ()
        self._starts_ms: list[int] = []
        """Where each segment plays, and the end of the last."""
        self._sizes: list[int | None] = []
        """Bytes of each segment's frames; None where they aren't cached."""
        self._slot = 0
        self._form = ""
        self._heads: dict[hls.Part, bytes] = {}
        self._broken: dict[int, MediaError] = {}
        self._wanted: int | None = None
        """The segment that was read last or is being waited for; None until a read, and then nothing is fetched."""
        self._fetching: int | None = None
        self._jumped = self._hurried = False
        self._cancelled = self._closed = False
        self._connection: Connection | None = None
        self._whole: CacheFile | None = None
        self._saved_at = self._notified_at = time.monotonic()
        self.size: int | None = None
        self.seekable = True
        self.stream = self.version = ""
        self.reached_end = False
        self.error: MediaError | None = None
        self.trouble: MediaError | None = None
        file.acquire()
        threading.Thread(target=self._run, name="earmark-fetch", daemon=True).start()

    # -- what an engine sees ------------------------------------------------------------------------------------

    @property
    def format(self) -> str:
        if not self._form:
            head = self.read(self.stretch_at(0).byte, 4096)
            self._form = self._form or sniff(head)
        return self._form

    @property
    def duration_ms(self) -> int | None:
        """What the playlist says."""
        return self._starts_ms[-1] if self._starts_ms else None

    def stretch_at(self, position_ms: int) -> Stretch:
        """The segment that plays there, as the beginning of a run. Waits for the playlist; raises what `read` does."""
        with self._news:
            self._wait_for(lambda: bool(self._segments))
            number = max(0, min(bisect_right(self._starts_ms, position_ms), len(self._segments)) - 1)
            self._want(number)
            return self._stretch(number, 0)

    def stretch_of(self, byte: int) -> Stretch:
        """The segment of a byte in a run that was read."""
        with self._news:
            number, within = self._find(byte)
            return self._stretch(min(number, len(self._segments) - 1), byte - within)

    def read(self, offset: int, count: int, given_up: Callable[[], bool] = never) -> bytes:
        with self._news:
            self._wait_for(lambda: bool(self._segments), given_up)
            number, within = self._find(offset)
            while number < len(self._segments) and self._sizes[number] is None:
                self._want(number)
                self._wait_for(self._arrived(number), given_up)
                number, within = self._find(offset)
            if number == len(self._segments):
                self.reached_end = True
                return b""
            self._wanted = number
            size = self._sizes[number] or 0
            data = self._file.read(number * self._slot + within, min(count, size - within))
            self.reached_end = number == len(self._segments) - 1 and within + len(data) >= size
            return data

    def available(self, offset: int, count: int) -> bytes:
        data = b""
        with self._news:
            while len(data) < count and not self._closed:
                number, within = self._find(offset + len(data))
                size = self._sizes[number] if number < len(self._sizes) else None
                if size is None:
                    break
                data += self._file.read(number * self._slot + within, min(count - len(data), size - within))
        return data

    def wake(self) -> None:
        with self._news:
            self._news.notify_all()

    def cancel(self) -> None:
        with self._news:
            self._cancelled = True
            self._news.notify_all()

    # -- what playback and downloads see ------------------------------------------------------------------------

    @property
    def cached(self) -> tuple[tuple[float, float], ...]:
        """What is cached, as fractions of the duration."""
        found: list[tuple[float, float]] = []
        total = self.duration_ms
        for number, size in enumerate(self._sizes if total else ()):
            if total and size is not None:
                start, end = (self._starts_ms[edge] / total for edge in (number, number + 1))
                start = found.pop()[0] if found and found[-1][1] == start else start
                found.append((start, end))
        return tuple(found)

    @property
    def amount(self) -> tuple[int, int | None]:
        """How many bytes are cached, of how many; None while that is unknown."""
        sizes = [size for size in self._sizes if size is not None]
        return sum(sizes), sum(sizes) if self.complete else None

    @property
    def complete(self) -> bool:
        return bool(self._sizes) and None not in self._sizes

    def fetch_all(self, given_up: Callable[[], bool]) -> CacheFile:
        """Waits until every segment is cached, as one file on disk. Raises what `read` raises. The caller releases."""
        with self._news:
            self._wanted = self._wanted or 0
            while self._whole is None:
                if self._cancelled or given_up():
                    raise MediaError("Fetching was stopped")
                if error := self.error or next(iter(self._broken.values()), None):
                    raise error
                self._news.wait(_LOOK_S)
            self._whole.acquire()
            return self._whole

    def hurry(self) -> None:
        """Ends the pause between two attempts: the network is back."""
        with self._news:
            self._hurried = True
            self._news.notify_all()

    def discard(self) -> None:
        """Deletes what is cached; to be closed soon."""
        self._file.discard()

    def close(self) -> None:
        """Ends reads and fetching; returns at once. May be called twice."""
        with self._news:
            if self._closed:
                return
            self._closed = self._cancelled = True
            self._news.notify_all()
            if self._connection:
                self._connection.abort()
            self._file.release()

    # -- with the lock held -------------------------------------------------------------------------------------

    def _find(self, offset: int) -> tuple[int, int]:
        """The segment of a byte in a run, and the offset in it; for a byte beyond the known ones, the first unknown
        segment."""
        number, within = offset >> _RUN_BITS, offset & (1 << _RUN_BITS) - 1
        while number < len(self._sizes) and (size := self._sizes[number]) is not None and within >= size:
            number, within = number + 1, within - size
        return number, within

    def _stretch(self, number: int, byte: int) -> Stretch:
        return Stretch(byte or number << _RUN_BITS, self._starts_ms[number], self._starts_ms[number + 1])

    def _wait_for(self, condition: Callable[[], bool], given_up: Callable[[], bool] = never) -> None:
        while True:
            if self._cancelled or given_up():
                raise MediaError("Reading was stopped")
            if condition():
                return
            if self.error:
                raise self.error
            self._news.wait()

    def _want(self, number: int) -> None:
        self._wanted = number
        if self._sizes[number] is not None:
            return
        self._hurried = True
        self._broken.pop(number, None)
        if self._fetching not in (None, number) and self._connection:
            self._jumped = True
            self._connection.abort()
            self._connection = None
        self._news.notify_all()

    def _arrived(self, number: int) -> Callable[[], bool]:
        def arrived() -> bool:
            if error := self._broken.get(number):
                raise error
            return self._sizes[number] is not None

        return arrived

    def _next(self, wanted: int) -> int | None:
        """The segment to fetch: the reader's next missing one, or else a missing one before."""
        order = (*range(wanted, len(self._sizes)), *range(wanted))
        return next((number for number in order if self._sizes[number] is None), None)

    # -- the thread that fetches --------------------------------------------------------------------------------

    def _run(self) -> None:
        error: MediaError | None = None
        try:
            self._begin(self._recorded().segments)
            self._fetch_segments()
            self._put_together()
        except _Stopped:
            pass
        except Failure as failure:
            error = failure.error
        except MediaError as failure:
            error = failure
        except OSError as failure:
            log.warning("the cache can't be written to: %s", failure)
            error = disk_error(failure)
        except Exception:
            log.exception("fetching a recording failed")
            error = MediaError(_("Something went wrong inside Earmark while fetching"), _("See the log."))
        finally:
            self._end(error)

    def _end(self, error: MediaError | None) -> None:
        try:
            self._file.save()
        except OSError as failure:
            error = error or disk_error(failure)
        self._store.make_room()
        with self._news:
            if self._slot and not self._background:
                self._file.end_fetching()
            self.error, self.trouble = error, None
            self._news.notify_all()
            self._file.release()
        self._changed()

    def _changed(self) -> None:
        self._notified_at = time.monotonic()
        if not self._closed:
            self._on_change()

    def _retried(self, work: Callable[[Connection], T], *, has_some: bool) -> T:
        """The result of `work`, however often the network fails. Raises Failure if trying again won't help."""
        attempt = 0
        while True:
            connection = self._connected()
            try:
                done = work(connection)
            except Failure as failure:
                with self._news:
                    self._go_on()
                    pause = pause_before(attempt, failure, has_some=has_some)
                    if pause is None:
                        raise
                    log.info("fetching goes on in %.1f s: %s", pause, failure)
                    self.trouble, self._hurried = failure.error, False
                self._changed()
                self._pause(pause, may_hurry=not failure.pause_s)
                attempt += 1
            else:
                self.trouble = None
                return done

    def _pause(self, seconds: float, *, may_hurry: bool) -> None:
        with self._news:
            self._news.wait_for(lambda: self._closed or self._jumped or (self._hurried and may_hurry), seconds)

    def _go_on(self) -> None:
        """With the lock held. Raises what ends the request that runs."""
        if self._closed:
            raise _Stopped
        if self._jumped:
            raise _Jumped

    def _connected(self) -> Connection:
        if self._fence is None:
            self._fence = OwnNetworkFence(self._episode.url, self._feed())
        with self._news:
            self._go_on()
            if self._connection is None:
                self._connection = Connection(self._store.network, self._store.login, self._fence)
            return self._connection

    def _recorded(self) -> hls.Playlist:
        known = self._file.origin is not None or bool(self._episode.duration_ms) or self._background
        try:
            found = self._retried(self._playlist, has_some=known)
        except Failure:
            if known:
                raise
            # A live playlist says so itself, and begins again when it comes back.
            found = None
        if found and found.over:
            return found
        self._store.remember_live(self._episode)
        raise NoFile(_("This is a live stream"))

    def _playlist(self, connection: Connection) -> hls.Playlist | None:
        """None if it isn't a playlist of HLS."""
        address = self._episode.url
        for _hop in range(HOPS):
            with connection.ask(ByteRange(address)) as (answer, body):
                address = answer.origin.resolved or address
                head = filled(body, TELLING_TEXT)
                if not is_playlist(answer.content_type, head):
                    return None
                data = head + filled(body, hls.LONGEST)
            text = text_of(data)
            if not hls.is_hls(text):
                return None
            if len(data) > hls.LONGEST:
                raise hls.too_long()
            other = hls.variant(text, address)
            if not other:
                return hls.read_playlist(text, address)
            address = other
        raise only_playlists()

    def _begin(self, segments: tuple[hls.Segment, ...]) -> None:
        starts_ms = [round(seconds * 1000) for seconds in accumulate((one.seconds for one in segments), initial=0.0)]
        if not 0 < starts_ms[-1] <= _MOST_MS:
            raise MediaError(
                _("The playlist of this recording gives no plausible length"), _("Listen on its web page.")
            )
        longest = max(one.seconds for one in segments)
        slot = min(max(_LEAST_SLOT, round(longest) * _BYTES_PER_S), _LARGEST_SEGMENT)
        version = RemoteVersion(_digest(segments), slot=slot)
        file = self._file
        if file.origin != version:
            if file.origin or file.ranges.spans:
                file = self._store.renew(file, self._episode)
                file.acquire()
            file.origin = version
        if not self._background:
            file.begin_fetching()
        with self._news:
            if file is not self._file:
                self._file.release()
                if not self._closed:
                    self._file.release()
                else:
                    file.release()
                self._file = file
            self._slot = slot
            self._starts_ms = starts_ms
            self._segments = segments
            self._look()
            self._news.notify_all()
        self._changed()

    def _look(self) -> None:
        """With the lock held: which segments are cached."""
        self._sizes = [None] * len(self._segments)
        for start, end in self._file.ranges.spans:
            number, within = divmod(start, self._slot)
            if not within and number < len(self._sizes) and end - start <= self._slot:
                self._sizes[number] = end - start

    def _fetch_segments(self) -> None:
        while True:
            with self._news:
                self._jumped = False
                self._go_on()
                self._fetching = None
                # Asked before looking: what is fetched by then is seen.
                leaves_it = self._background and self._file.fetched_to_be_played
                if self._background:
                    self._look()
                number = None if self._wanted is None else self._next(self._wanted)
                if number is None and self.complete:
                    return
                if number is None or number in self._broken:
                    self._news.wait()
                    continue
                if leaves_it:
                    self._news.wait(_LOOK_S)
                    continue
                self._fetching = number
            try:
                self._keep(number, *self._retried(partial(self._frames, number), has_some=True))
            except _Jumped:
                continue
            except Failure as failure:
                self._break(number, self._missing(number, failure))
            except MediaError as error:
                self._break(number, error)

    def _frames(self, number: int, connection: Connection) -> tuple[str, bytes]:
        segment = self._segments[number]
        head = b""
        if segment.head is not None:
            if segment.head not in self._heads:
                self._heads = {segment.head: _fetched(connection, segment.head)}
            head = self._heads[segment.head]
        return audio_of(head + _fetched(connection, segment.part))

    def _keep(self, number: int, form: str, audio: bytes) -> None:
        if len(audio) > self._slot:
            raise _too_large()
        if form != (self._form or form):
            raise MediaError(
                _(
                    "The format of this recording changes at {position}, so Earmark can't play on",
                    position=clock_text(self._starts_ms[number]),
                ),
                _("Listen on its web page."),
            )
        try:
            self._write(number * self._slot, audio)
        except Differs:
            self._file.discard()
            raise changed_failure().error from None
        with self._news:
            self._form = form
            self._sizes[number] = len(audio)
            self._news.notify_all()
        now = time.monotonic()
        if now - self._notified_at >= _NOTIFY_EVERY_S:
            self._changed()
        if now - self._saved_at >= _SAVE_EVERY_S:
            self._file.save()
            self._saved_at = time.monotonic()

    def _write(self, offset: int, data: bytes) -> None:
        try:
            self._file.write(offset, data)
        except OSError as error:
            if error.errno != errno.ENOSPC or not self._store.make_room(everything=True):
                raise
            self._file.write(offset, data)

    def _missing(self, number: int, failure: Failure) -> MediaError:
        if not isinstance(failure, Gone):
            return failure.error
        return MediaError(
            _(
                "The part of this recording at {position} is no longer available on {host}",
                position=clock_text(self._starts_ms[number]),
                host=server_name(self._segments[number].part.address),
            ),
            _("Skip past it to continue."),
        )

    def _break(self, number: int, error: MediaError) -> None:
        log.info("segment %d can't be had: %s", number, error)
        with self._news:
            self._broken[number] = error
            self._news.notify_all()

    def _put_together(self) -> None:
        slot = self._slot
        spans = [(number * slot, number * slot + (size or 0)) for number, size in enumerate(self._sizes)]
        whole = self._store.put_together(self._file, spans)
        with self._news:
            self._whole = whole
            self._news.notify_all()


def _fetched(connection: Connection, part: hls.Part) -> bytes:
    """Raises Failure; MediaError where there is too much."""
    with connection.ask(ByteRange(part.address, part.start, part.end)) as (answer, body):
        # A server may not support ranges.
        before, data = max(0, part.start - answer.start), bytearray()
        for piece in body:
            data += piece
            if len(data) - before > _LARGEST_SEGMENT:
                raise _too_large()
        found = bytes(data[before : None if part.end is None else before + part.end - part.start])
    if is_page(answer.content_type, found):
        raise page_failure(part.address)
    if part.end is not None and len(found) < part.end - part.start:
        raise BrokeOff(server_name(part.address))
    return found


def _too_large() -> MediaError:
    return MediaError(_("The parts of this recording are larger than Earmark accepts"), _("Listen on its web page."))


def _digest(segments: tuple[hls.Segment, ...]) -> str:
    """Distinguishes one recording from another, without queries and hosts, which may change each time."""
    parts = [(urlsplit(one.part.address).path, one.part.start, one.part.end, one.seconds) for one in segments]
    return hashlib.sha256(repr(parts).encode(errors="surrogatepass")).hexdigest()[:32]
