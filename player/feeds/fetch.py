"""The bytes of a feed or a page, by HTTP; the only place of the feeds that knows the network.

Manners: RFC 9110 (conditional requests, redirects). Every way it can fail is a FeedError with a sentence of its own.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import functools
import hashlib
import logging
import sys
import threading
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from player import __version__
from player.addresses import web_address
from player.errors import BadAddress, NotAFeed, TooLarge
from player.feeds import failures, unpacking
from player.feeds.abort import Abort
from player.feeds.failures import shown
from player.feeds.manners import fresh_for, pause_asked
from player.model import WELCOME_URL, FeedState

if TYPE_CHECKING:
    import ssl

    import httpx

log = logging.getLogger(__name__)
T = TypeVar("T")

LIMIT = 64 * 1024 * 1024
"""Bytes of a feed, unpacked. The largest that are known have 30 MB."""

_REDIRECTS = 10
_PERMANENT = {301, 308}
_MOVED = {301, 302, 303, 307, 308}
_HEADERS = {
    "User-Agent": f"Earmark/{__version__}",
    "Accept": "application/rss+xml, application/atom+xml, text/xml;q=0.9, text/html;q=0.5, */*;q=0.1",
    "Accept-Encoding": unpacking.ACCEPTED,
}


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds until we give up: to connect, to hear anything more, and in all."""

    connect: float = 10.0
    silence: float = 20.0
    total: float = 90.0


_TIMEOUTS = Timeouts()
_NO_STATE = FeedState()


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer. `url` is where it came from in the end; `body` is empty if nothing is new.

    `permanent_url` is where the address has moved to for good (the first hop was 301 or 308), or "". `fresh` is how
    long the answer is good for, as its headers say; None when they don't.
    """

    url: str
    status: Literal["ok", "not_modified"]
    body: bytes
    content_type: str
    state: FeedState
    permanent_url: str = ""
    fresh: timedelta | None = None


Credentials = Callable[[str], tuple[str, str] | None]
"""From an address to the name and the password that its server wants, if they are known."""


class Load:
    """What one job keeps in memory. Only one job at a time may hold more than a little."""

    LITTLE = 2 * 1024 * 1024

    def __init__(self) -> None:
        self._heavy: asyncio.Lock | None = None
        self._holds = False

    def begin(self, heavy: asyncio.Lock) -> None:
        """`heavy` is held by the job that may hold more."""
        self._heavy = heavy

    async def carry(self, size: int) -> None:
        """Waits for its turn when `size` bytes are more than a little."""
        if size > self.LITTLE and self._heavy is not None and not self._holds:
            await self._heavy.acquire()
            self._holds = True

    def put_down(self) -> None:
        if self._holds and self._heavy is not None:
            self._heavy.release()
            self._holds = False


class Connections:
    """Connections that many fetches share, and the event loop they run on. The first fetch opens them.

    HTTP/2 where a server offers it: several requests on one connection. Any thread may call.
    """

    def __init__(self, timeouts: Timeouts = _TIMEOUTS, credentials: Credentials = lambda _: None) -> None:
        self._timeouts = timeouts
        self._credentials = credentials
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._clients: dict[bool, httpx.AsyncClient] = {}
        self._closed = False

    def fetch(
        self, url: str, state: FeedState = _NO_STATE, *, limit: int = LIMIT, abort: Abort | None = None
    ) -> Fetched:
        """What stands at `url`, an http or https address or that of the built-in show.

        With the `state` of an earlier answer the server may say that nothing is new. No more than `limit` bytes are
        taken. Raises FeedError; when `abort` is set, from any thread, at once.
        """
        if url == WELCOME_URL:
            return built_in(state)
        return self.wait(self.get(url, state, limit=limit), url, abort or Abort())

    def wait(self, work: Coroutine[Any, Any, T], url: str, abort: Abort) -> T:
        """What comes of `work` for the feed at `url`. Raises FeedError; when `abort` is set, at once."""
        if abort.is_set:
            work.close()
            raise failures.aborted(url)
        future = self.run(work)
        try:
            with abort.ending(future.cancel):
                return future.result()
        except concurrent.futures.CancelledError as error:
            raise failures.aborted(url) from error

    def run(self, work: Coroutine[Any, Any, T]) -> concurrent.futures.Future[T]:
        """Runs `work` on the loop."""
        return asyncio.run_coroutine_threadsafe(work, self._running())

    async def get(
        self, url: str, state: FeedState = _NO_STATE, *, limit: int = LIMIT, load: Load | None = None
    ) -> Fetched:
        """As `fetch`, on the loop."""
        import httpx

        if url == WELCOME_URL:
            return built_in(state)
        if not web_address(url):
            raise BadAddress(f"“{shown(url)}” is no web address", "A feed's address starts with https:// or http://.")
        limits = self._timeouts
        try:
            async with asyncio.timeout(limits.total):
                try:
                    return await self._follow(url, state, limit, load or Load())
                except _broken():
                    # A kept connection may have been closed at the other end just now, and HTTP/2 ends all that is
                    # under way with a connection: once more, on a new one.
                    return await self._follow(url, state, limit, load or Load())
        except TimeoutError as error:
            raise failures.too_slow(url, limits.total) from error
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, UnicodeError, OSError) as error:
            log.info("fetching %s failed: %r", shown(url), error)
            raise failures.of_network(url, error, connect=limits.connect, silence=limits.silence) from error

    def close(self) -> None:
        """Ends what is under way. May be called twice."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            loop, thread = self._loop, self._thread
        if loop is not None and thread is not None:
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(loop.stop)
            thread.join()

    def __enter__(self) -> Connections:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- the loop ---------------------------------------------------------------------------------------------

    def _running(self) -> asyncio.AbstractEventLoop:
        from player.feeds.resolving import Loop

        with self._lock:
            if self._loop is None:
                spare_command_line()
                spare_searching()
                self._loop = Loop()
                self._thread = threading.Thread(target=self._work, name="earmark-network", daemon=True)
                self._thread.start()
            return self._loop

    def _work(self) -> None:
        loop = self._loop
        assert loop is not None
        asyncio.set_event_loop(loop)
        try:
            loop.run_forever()
            tasks = asyncio.all_tasks(loop)
            for task in tasks:
                task.cancel()
            loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
            for client in self._clients.values():
                with contextlib.suppress(Exception):
                    loop.run_until_complete(asyncio.wait_for(client.aclose(), 0.5))
        finally:
            loop.close()

    # -- one fetch --------------------------------------------------------------------------------------------

    def _client(self, url: str) -> httpx.AsyncClient:
        """Certificates and HTTP/2 cost 60 ms, which plain addresses don't pay."""
        import httpx

        safe = url.startswith("https:")
        if safe not in self._clients:
            limits = httpx.Timeout(self._timeouts.silence, connect=self._timeouts.connect, pool=self._timeouts.total)
            self._clients[safe] = httpx.AsyncClient(
                verify=_trusted() if safe else False,
                http2=safe,
                timeout=limits,
                limits=httpx.Limits(max_connections=None, max_keepalive_connections=64, keepalive_expiry=15),
                headers=_HEADERS,
                follow_redirects=False,
            )
        return self._clients[safe]

    async def _follow(self, url: str, state: FeedState, limit: int, load: Load) -> Fetched:
        import httpx

        conditions = _conditions(state)
        here, permanent, only_permanent = url, "", True
        for _ in range(_REDIRECTS + 1):
            client = self._client(here)
            login = self._credentials(here)
            request = client.build_request("GET", here, headers=conditions)
            try:
                response = await client.send(request, stream=True, auth=login or httpx.USE_CLIENT_DEFAULT)
            except httpx.InvalidURL as error:  # our own address made a request: it is the one in the answer
                raise failures.bad_redirect(url) from error
            try:
                target = response.headers.get("Location", "")
                if response.status_code not in _MOVED or not target:
                    return await _answer(here, response, state, limit, permanent, load)
            finally:
                await response.aclose()
            only_permanent = only_permanent and response.status_code in _PERMANENT
            there = web_address(target, here)
            if not there:
                raise failures.bad_redirect(url)
            here = there
            permanent = here if only_permanent else permanent
        raise failures.endless_redirect(url)


def _broken() -> tuple[type[Exception], ...]:
    """What tells that the connection, not the server, was the trouble."""
    import httpx

    return httpx.RemoteProtocolError, httpx.LocalProtocolError, httpx.ReadError, httpx.WriteError


@functools.cache
def _trusted() -> ssl.SSLContext:
    """Whom we believe to be who they are. Made once, for reading all those certificates takes 40 ms."""
    import httpx

    return httpx.create_ssl_context()


def spare_command_line() -> None:
    """Keeps httpx from loading its own command line and what draws it: 36 ms of 100. For processes without a screen."""
    sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]


def spare_searching() -> None:
    """Tells httpcore once that there is no sniffio: it looks for it six times a request, a third of its time."""
    if find_spec("sniffio") is None:
        sys.modules.setdefault("sniffio", None)  # type: ignore[arg-type]


def fetch(
    url: str,
    state: FeedState = _NO_STATE,
    *,
    limit: int = LIMIT,
    timeouts: Timeouts = _TIMEOUTS,
    abort: Abort | None = None,
) -> Fetched:
    """One fetch with connections of its own; see Connections.fetch."""
    with Connections(timeouts) as connections:
        return connections.fetch(url, state, limit=limit, abort=abort)


def built_in(state: FeedState) -> Fetched:
    """The built-in show's feed."""
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


async def _answer(
    url: str, response: httpx.Response, state: FeedState, limit: int, permanent: str, load: Load
) -> Fetched:
    now = datetime.now(UTC)
    fresh = fresh_for(response.headers, now)
    if response.status_code == 304 and state != FeedState():
        if response.http_version.startswith("HTTP/1"):
            # There is no body; but only an answer that was read leaves its connection to the next request.
            async for _ in response.aiter_raw():
                pass
        return Fetched(url, "not_modified", b"", "", state, permanent, fresh)
    if response.status_code != 200:
        pause = pause_asked(response.headers, now)
        raise failures.of_status(url, response.status_code, None if pause is None else pause.total_seconds())
    content_type = response.headers.get("Content-Type", "")
    if content_type.startswith(("audio/", "video/", "image/")):
        raise NotAFeed(
            f"{shown(url)} is a file of type {shown(content_type)} and no podcast feed",
            "Add the address of the podcast's feed instead.",
        )
    length = response.headers.get("Content-Length", "")
    if length.isdecimal() and int(length[:20]) > limit:
        raise _too_large(url, limit)
    body = await _body(response, url, limit, load)
    validators = FeedState(
        _sendable(response.headers.get("ETag", "")), _sendable(response.headers.get("Last-Modified", ""))
    )
    return Fetched(url, "ok", body, content_type, validators, permanent, fresh)


async def _body(response: httpx.Response, url: str, limit: int, load: Load) -> bytes:
    encoding = response.headers.get("Content-Encoding", "")
    unpacker = unpacking.unpacker(encoding)
    if unpacker is None:
        raise failures.odd_answer(url, f"it is packed as {shown(encoding)}")
    body = bytearray()
    try:
        async for packed in response.aiter_raw():
            for piece in unpacker.unpack(packed):
                body += piece
                if len(body) > limit:
                    raise _too_large(url, limit)
            await load.carry(len(body))
    except unpacking.Broken as error:
        raise failures.odd_answer(url, "it isn't packed as it says") from error
    return bytes(body)


def _sendable(value: str) -> str:
    """A validator that can be sent back."""
    return value if value.isascii() and value.isprintable() and len(value) <= 1_000 else ""


def _too_large(url: str, limit: int) -> TooLarge:
    return TooLarge(
        f"What stands at {shown(url)} has more than {limit // (1024 * 1024)} MB, too much for a podcast feed",
        "Check the address.",
    )
