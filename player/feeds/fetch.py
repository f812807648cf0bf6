"""Fetches feeds and pages over HTTP; the only module of this room that uses the network. Conditional requests and
redirects follow RFC 9110. Each kind of failure is a FeedError with its own sentence.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import hashlib
import logging
import re
from collections.abc import Callable, Coroutine, Mapping
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from msgspec import Struct

from player import __version__
from player.errors import BadAddress, NotAFeed, TooLarge
from player.feeds import feed_errors
from player.feeds.feed_errors import shown
from player.feeds.schedule import fresh_for, pause_asked
from player.links.urls import split_login, web_address
from player.model.feed import FeedState
from player.model.podcast import WELCOME_URL
from player.net import decompression
from player.net.cancel import CancelToken
from player.net.connectivity import Watch
from player.net.failures import FailureReason, RequestFailed
from player.net.loop import NetworkLoop
from player.net.requester import MOST_REDIRECTS, redirect_target
from player.text.sentences import _

if TYPE_CHECKING:
    from player.net.decompression import Unpacker
    from player.net.exchange import Head, Receiver

log = logging.getLogger(__name__)
T = TypeVar("T")
R = TypeVar("R", bound="Receiver")

LIMIT = 64 * 1024 * 1024
"""Most bytes of a feed, decompressed. The largest known feeds have 30 MB."""

_PERMANENT = {301, 308}
_HEADERS = {
    "User-Agent": f"Earmark/{__version__}",
    "Accept": "application/rss+xml, application/atom+xml, text/xml;q=0.9, text/html;q=0.5, */*;q=0.1",
    "Accept-Encoding": decompression.ACCEPTED,
}


class Timeouts(Struct, frozen=True):
    """Seconds: to connect, between two signs of life, and in total."""

    connect: float = 10.0
    silence: float = 20.0
    total: float = 90.0


_TIMEOUTS = Timeouts()
_NO_STATE = FeedState()
_TAIL = 1_000
# Some servers omit gzip's trailer, though the feed is complete.
_CLOSED = re.compile(rb"</(?:[a-z]+:)?(?:rss|feed|rdf|html)\s*>\s*$", re.IGNORECASE)


class Fetched(Struct, frozen=True):
    """A response. `url` is the final address; `body` is empty if nothing is new. `permanent_url` is the address that
    a permanent redirect (301 or 308) leads to, or "". `fresh` is the freshness lifetime from its headers; None without
    one.
    """

    url: str
    status: Literal["ok", "not_modified"]
    body: bytes
    content_type: str
    state: FeedState
    permanent_url: str = ""
    fresh: timedelta | None = None


Credentials = Callable[[str], tuple[str, str] | None]
"""From an address to the name and password for its server, if they are known."""


class MemoryBudget:
    """Limits what jobs keep in memory: only one at a time may hold much."""

    LITTLE = 2 * 1024 * 1024

    def __init__(self) -> None:
        self._heavy: asyncio.Lock | None = None
        self._holds = False

    def begin(self, heavy: asyncio.Lock) -> None:
        """`heavy` is the lock of the job that may hold much."""
        self._heavy = heavy

    def allows(self, size: int) -> bool:
        """Whether `size` bytes may be held now."""
        return size <= self.LITTLE or self._heavy is None or self._holds

    async def acquire(self, size: int) -> None:
        """Waits for its turn if `size` bytes are much."""
        if self._heavy is not None and not self.allows(size):
            await self._heavy.acquire()
            self._holds = True

    def release(self) -> None:
        if self._holds and self._heavy is not None:
            self._heavy.release()
            self._holds = False


class Connections:
    """Connections shared by many fetches, and their event loop, which the first fetch starts.

    HTTP/2 where a server offers it, with several requests on one connection. Any thread may call.
    """

    def __init__(
        self,
        timeouts: Timeouts = _TIMEOUTS,
        credentials: Credentials = lambda _: None,
        watch: Watch | None = None,
    ) -> None:
        """`watch` is told which servers answered."""
        self._timeouts = timeouts
        self._credentials = credentials
        self._loop = NetworkLoop(timeouts.connect, timeouts.silence, watch)

    def fetch(
        self, url: str, state: FeedState = _NO_STATE, *, limit: int = LIMIT, abort: CancelToken | None = None
    ) -> Fetched:
        """Fetches `url`, an http or https address or that of the built-in podcast.

        With the `state` of an earlier response the server may answer that nothing is new. Reads at most `limit`
        bytes. Raises FeedError; when `abort` is set, from any thread, at once.
        """
        if url == WELCOME_URL:
            return built_in(state)
        return self.wait(self.get(url, state, limit=limit), url, abort or CancelToken())

    def wait(self, work: Coroutine[Any, Any, T], url: str, abort: CancelToken) -> T:
        """The result of `work` for the feed at `url`. Raises FeedError; when `abort` is set, at once."""
        if abort.is_set:
            work.close()
            raise feed_errors.aborted(url)
        future = self.run(work)
        try:
            with abort.ending(future.cancel):
                return future.result()
        except concurrent.futures.CancelledError as error:
            raise feed_errors.aborted(url) from error

    def run(self, work: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Runs `work` on the loop."""
        return self._loop.run(work)

    async def get(
        self, url: str, state: FeedState = _NO_STATE, *, limit: int = LIMIT, load: MemoryBudget | None = None
    ) -> Fetched:
        """Like `fetch`, on the loop."""
        if url == WELCOME_URL:
            return built_in(state)
        if not web_address(url):
            raise BadAddress(
                _("“{url}” isn't a URL", url=shown(url)), _("The URL of a feed starts with https:// or http://.")
            )
        limits = self._timeouts
        try:
            async with asyncio.timeout(limits.total):
                try:
                    return await self._fetched(url, state, limit, load or MemoryBudget())
                except RequestFailed as error:
                    if error.reason not in (FailureReason.CONNECTION_LOST, FailureReason.CUT_SHORT):
                        raise
                    # The server may just have closed an idle connection, and with HTTP/2 that ends all of its
                    # requests: retried once, on a new connection.
                    return await self._fetched(url, state, limit, load or MemoryBudget(), afresh=True)
        except TimeoutError as error:
            raise feed_errors.too_slow(url, limits.total) from error
        except RequestFailed as error:
            log.info("fetching %s failed: %s", shown(url), error)
            raise feed_errors.of_network(url, error, connect=limits.connect, silence=limits.silence) from error

    def close(self) -> None:
        """Cancels everything that runs. May be called twice."""
        self._loop.close()

    def __enter__(self) -> Connections:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- one fetch --------------------------------------------------------------------------------------------

    async def _fetched(
        self, url: str, state: FeedState, limit: int, load: MemoryBudget, *, afresh: bool = False
    ) -> Fetched:
        headers = {**_HEADERS, **_conditions(state)}
        answer, head, permanent = await self.follow(
            url, lambda here: _ResponseHandler(here, state, limit, load), headers, afresh=afresh
        )
        return answer.fetched(head, permanent)

    async def follow(
        self, url: str, receive: Callable[[str], R], headers: dict[str, str], *, afresh: bool = False
    ) -> tuple[R, Head, str]:
        """The last response after redirects, its head, and the address for good. `receive` makes what receives the
        response from an address. On the loop. Raises RequestFailed, FeedError and what the receiver raises."""
        here, permanent, only_permanent = url, "", True
        for _hop in range(MOST_REDIRECTS + 1):
            answer = receive(here)
            login = self._credentials(here) or split_login(here)[1]
            head = await self._loop.client.request(here, answer, headers, login, afresh=afresh)
            target = redirect_target(head)
            if not target:
                return answer, head, permanent
            only_permanent = only_permanent and head.status in _PERMANENT
            there = web_address(target, here)
            if not there:
                raise feed_errors.bad_redirect(url)
            here = there
            permanent = here if only_permanent else permanent
        raise feed_errors.endless_redirect(url)


def fetch(
    url: str,
    state: FeedState = _NO_STATE,
    *,
    limit: int = LIMIT,
    timeouts: Timeouts = _TIMEOUTS,
    abort: CancelToken | None = None,
) -> Fetched:
    """A single fetch on new connections; see Connections.fetch."""
    with Connections(timeouts) as connections:
        return connections.fetch(url, state, limit=limit, abort=abort)


def built_in(state: FeedState) -> Fetched:
    """The built-in podcast's feed."""
    from player.welcome import resource

    body = resource("feed.xml")
    now = FeedState(etag=hashlib.blake2b(body, digest_size=8).hexdigest())
    if now == state:
        return Fetched(WELCOME_URL, "not_modified", b"", "", state)
    return Fetched(WELCOME_URL, "ok", body, "application/rss+xml", now)


def _conditions(state: FeedState) -> dict[str, str]:
    conditions = {}
    if state.etag:
        conditions["If-None-Match"] = state.etag
    if state.last_modified:
        conditions["If-Modified-Since"] = state.last_modified
    return conditions


class _ResponseHandler:
    """Receives one response, and refuses what can't be a feed."""

    def __init__(self, url: str, state: FeedState, limit: int, load: MemoryBudget) -> None:
        self._url = url
        self._state = state
        self._limit = limit
        self._load = load
        self._unpacker: Unpacker | None = None
        self._pieces: list[bytes] = []
        self._size = 0

    def begin(self, head: Head) -> bool:
        """Raises FeedError before the body is read."""
        if redirect_target(head) or self._is_known(head):
            return False
        if head.status != 200:
            pause = pause_asked(head.headers, datetime.now(UTC))
            raise feed_errors.of_status(self._url, head.status, None if pause is None else pause.total_seconds())
        content_type = head.headers.get("Content-Type", "")
        if content_type.startswith(("audio/", "video/", "image/")) or is_endless(head.headers):
            raise NotAFeed(
                _("{url} is a file of type {type}, not a podcast feed", url=shown(self._url), type=shown(content_type)),
                _("Add the URL of the podcast's feed instead."),
            )
        length = head.headers.get("Content-Length", "")
        if length.isdecimal() and int(length[:20]) > self._limit:
            raise _too_large(self._url, self._limit)
        encoding = head.headers.get("Content-Encoding", "")
        self._unpacker = decompression.unpacker(encoding)
        if self._unpacker is None:
            raise feed_errors.odd_answer(self._url, _("unknown compression {encoding}", encoding=shown(encoding)))
        return True

    def allows(self, size: int) -> bool:
        return self._load.allows(self._size + size)

    async def make_room(self, size: int) -> None:
        await self._load.acquire(self._size + size)

    def add(self, piece: memoryview) -> None:
        assert self._unpacker is not None
        try:
            for unpacked in self._unpacker.unpack(bytes(piece)):
                self._size += len(unpacked)
                if self._size > self._limit:
                    raise _too_large(self._url, self._limit)
                self._pieces.append(unpacked)
        except decompression.Broken as error:
            raise feed_errors.odd_answer(self._url, _("its compressed data is corrupt")) from error

    def fetched(self, head: Head, permanent: str) -> Fetched:
        fresh = fresh_for(head.headers, datetime.now(UTC))
        if self._is_known(head):
            return Fetched(self._url, "not_modified", b"", "", self._state, permanent, fresh)
        validators = FeedState(
            _sendable(head.headers.get("ETag", "")), _sendable(head.headers.get("Last-Modified", ""))
        )
        body, content_type = b"".join(self._pieces), head.headers.get("Content-Type", "")
        if self._unpacker and not self._unpacker.whole and not _CLOSED.search(body[-_TAIL:].replace(b"\0", b"")):
            raise feed_errors.odd_answer(self._url, _("it ends in the middle"))
        return Fetched(self._url, "ok", body, content_type, validators, permanent, fresh)

    def _is_known(self, head: Head) -> bool:
        return head.status == 304 and self._state != FeedState()


def is_endless(headers: Mapping[str, str]) -> bool:
    """Whether a response is a radio stream by its head: Icecast's and SHOUTcast's `icy-` headers, and no length."""
    return "Content-Length" not in headers and any(name.lower().startswith("icy-") for name in headers)


def _sendable(value: str) -> str:
    """A validator that can be sent back safely."""
    return value if value.isascii() and value.isprintable() and len(value) <= 1_000 else ""


def _too_large(url: str, limit: int) -> TooLarge:
    return TooLarge(
        _("{url} is larger than {limit} MB, too large for a podcast feed", url=shown(url), limit=limit // 1024**2),
        _("Check the URL."),
    )
