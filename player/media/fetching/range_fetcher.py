"""The thread that fetches missing bytes, one gap after the other."""

import logging
import threading
from typing import Protocol

from msgspec.structs import replace

from player.errors import MediaError
from player.media.fetching.broadcast import stream_address, text_of
from player.media.fetching.hls import is_hls
from player.media.fetching.media_errors import (
    BrokeOff,
    EndsAt,
    Failure,
    FailureKind,
    LiveStream,
    changed_failure,
    disk_error,
    page_failure,
)
from player.media.fetching.range_request import ByteRange, Connection, RangeAnswer
from player.media.formats.sniff import is_page
from player.media.protocol import Pages
from player.net.failures import server_name
from player.net.loop import NetworkLoop
from player.text.sentences import _

log = logging.getLogger(__name__)

PAUSES_S = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
"""Seconds between attempts; the last is repeated as long as the episode is open."""

SAME_ENDS = 6
"""How often a server that announced more has to end at the same byte before that counts as the end."""

_SAME_ENDS_UNTOLD = 2
"""The same where it announced no length: each time costs the whole file."""


class FetchCoordinator(Protocol):
    """Hands out the work and takes the bytes. Called on the fetcher's thread."""

    @property
    def has_some(self) -> bool:
        """Whether some of the file is cached: then its address is right, and failures are temporary."""
        ...

    @property
    def network(self) -> NetworkLoop: ...

    @property
    def pages(self) -> Pages:
        """What finds the file where the episode's address is a page."""
        ...

    def next_gap(self, fetcher: "RangeFetcher") -> ByteRange | None: ...

    def login(self, address: str) -> tuple[str, str] | None:
        """Name and password for the server at that address."""
        ...

    def accept(self, fetcher: "RangeFetcher", answer: RangeAnswer) -> None:
        """Raises Failure when the response is of another file than the cached one."""
        ...

    def take(self, fetcher: "RangeFetcher", offset: int, data: bytes) -> int:
        """Caches the bytes; returns how many of them are new. Raises Failure (another file), OSError (the disk)."""
        ...

    def ended(self, fetcher: "RangeFetcher", answer: RangeAnswer, end: int) -> bool:
        """A body ended. False where the server announced no length and this one is implausible."""
        ...

    def ends_at(self, fetcher: "RangeFetcher", end: int, *, sure: bool) -> bool:
        """The server ends there repeatedly, or (`sure`) says so: takes that as the file's length if plausible."""
        ...

    def held_up(self, error: MediaError) -> None:
        """No bytes arrive at the moment; fetching is retried after a pause."""
        ...

    def is_live(self, address: str, *, hls: bool) -> None:
        """It isn't a file but a live stream, or (`hls`) a playlist that may belong to a recording."""
        ...

    def expired(self) -> None:
        """The resolved address has expired: follow redirects from the start."""
        ...

    def done(self, fetcher: "RangeFetcher", error: MediaError | None) -> None:
        """The last call."""
        ...


def pause_before(attempt: int, failure: Failure, *, has_some: bool) -> float | None:
    """Seconds to wait before trying again for the `attempt`-th time (0 is the first); None: don't retry."""
    if failure.kind in (FailureKind.FINAL, FailureKind.CHANGED) or (
        failure.kind is FailureKind.IN_BETWEEN and not has_some
    ):
        return None
    return max(PAUSES_S[min(attempt, len(PAUSES_S) - 1)], failure.pause_s)


class RangeFetcher(threading.Thread):
    """Fetches the gaps that its coordinator hands out until none is left, it fails, or `stop` is called."""

    def __init__(self, coordinator: FetchCoordinator, start_at: int, end_at: int | None = None) -> None:
        """`start_at` is where it begins; with `end_at` it fetches that part alone."""
        super().__init__(name="earmark-fetch", daemon=True)
        self.start_at = start_at
        self.end_at = end_at
        self.position: int | None = None
        """The offset of the next byte; None until there is a response."""
        self._coordinator = coordinator
        self._connection = Connection(coordinator.network, coordinator.login)
        self._stopped = False
        self._wake = threading.Event()
        self._may_hurry = False
        self._taken = 0
        self._ends = _SameEnds()

    def is_stopped(self) -> bool:
        return self._stopped

    def stop(self) -> None:
        """Ends the thread soon; returns at once."""
        self._stopped = True
        self._wake.set()
        self._connection.abort()

    def hurry(self) -> None:
        """A reader waits: ends a pause, unless the server has asked for it."""
        if self._may_hurry:
            self._wake.set()

    def run(self) -> None:
        error: MediaError | None = None
        try:
            self._work()
        except LiveStream as failure:
            error = failure.error
            self._coordinator.is_live(failure.address, hls=failure.hls)
        except Failure as failure:
            error = failure.error
        except OSError as failure:
            log.warning("the cache can't be written to: %s", failure)
            error = disk_error(failure)
        except Exception:
            log.exception("fetching failed")
            error = MediaError(_("Something went wrong inside Earmark while fetching"), _("See the log."))
        finally:
            self._coordinator.done(self, None if self.is_stopped() else error)

    def _work(self) -> None:
        attempt = 0
        while not self.is_stopped() and (missing := self._coordinator.next_gap(self)):
            before = self._taken
            try:
                self._fetch(missing)
                attempt = 0
            except Failure as failure:
                if self.is_stopped():
                    return
                if self._taken > before:
                    attempt = 0
                elif missing.address != missing.url and failure.kind in (FailureKind.FINAL, FailureKind.IN_BETWEEN):
                    failure.kind = FailureKind.EXPIRED
                attempt = self._after(failure, attempt, missing)

    def _after(self, failure: Failure, attempt: int, missing: ByteRange) -> int:
        """Waits before the next attempt and returns its number. Raises the failure if there is none."""
        if failure.kind is FailureKind.EXPIRED:
            log.info("the address that redirects led to has expired: %s", failure)
            self._coordinator.expired()
            return attempt
        if isinstance(failure, EndsAt):
            if self._coordinator.ends_at(self, failure.length, sure=True):
                return 0
            failure = changed_failure()
        elif isinstance(failure, BrokeOff) and self._is_the_end(failure):
            return 0
        pause = pause_before(attempt, failure, has_some=self._coordinator.has_some)
        if pause is None:
            raise failure
        log.info("fetching goes on in %.1f s: %s", pause, failure)
        self.start_at, self.position = missing.start if self.end_at is None else self.start_at, None
        self._coordinator.held_up(failure.error)
        self._wake.clear()
        self._may_hurry = not failure.pause_s
        if not self.is_stopped():
            self._wake.wait(pause)
        self._may_hurry = False
        return attempt + 1

    def _is_the_end(self, failure: BrokeOff) -> bool:
        often = self._ends.again(self.position, failure.promised)
        return often and self._coordinator.ends_at(self, self._ends.position, sure=not failure.promised)

    def _fetch(self, missing: ByteRange) -> None:
        self.start_at = missing.start if self.end_at is None else self.start_at
        self.position = None
        before = self._taken
        missing = self._located(missing)
        with self._connection.ask(missing) as (answer, body):
            self.position = answer.start
            first = next(body, b"")
            if answer.start == 0:
                _refuse_what_is_no_file(missing, answer, first)
            self._coordinator.accept(self, answer)
            self._take(first)
            for data in body:
                if self.is_stopped():
                    return
                self._take(data)
            if not self._coordinator.ended(self, answer, self.position):
                raise BrokeOff(server_name(missing.address), promised=False)
        if self._taken == before and not self.is_stopped() and self._coordinator.next_gap(self):
            raise BrokeOff(server_name(missing.address))

    def _located(self, missing: ByteRange) -> ByteRange:
        """The range in the file itself, if the address is a page that stands for it. Raises Failure."""
        pages = self._coordinator.pages
        if not pages.serves(missing.url):
            return missing
        is_known = missing.address != missing.url
        at = missing.address if is_known else pages.audio(missing.url, self.is_stopped)
        return missing.piece(at) if pages.in_pieces(missing.url) else replace(missing, at=at)

    def _take(self, data: bytes) -> None:
        if data and self.position is not None:
            self._taken += self._coordinator.take(self, self.position, data)
            self.position += len(data)


def _refuse_what_is_no_file(missing: ByteRange, answer: RangeAnswer, head: bytes) -> None:
    if is_page(answer.content_type, head):
        raise page_failure(answer.origin.resolved or missing.url)
    endless = answer.origin.length is None
    if stream_address(missing.url, answer.content_type, answer.header_names, endless=endless, head=head[:65536]):
        # The playlist is read again when it is played, as it may have changed by then.
        raise LiveStream(missing.url, hls=is_hls(text_of(head[:65536])))


class _SameEnds:
    """Counts how often in a row bodies ended at the same byte."""

    def __init__(self) -> None:
        self.position = 0
        self._times = 0

    def again(self, position: int | None, promised: bool) -> bool:
        """Another body ended at `position`; True when that was often enough."""
        if position is None or position != self.position:
            self.position, self._times = position or 0, 0
        self._times += 1
        return self.position > 0 and self._times >= (SAME_ENDS if promised else _SAME_ENDS_UNTOLD)
