"""The bytes of a feed or a page, by HTTP; the only place of the feeds that knows the network.

Manners: RFC 9110 (conditional requests, redirects). Every way it can fail is a FeedError with a sentence of its own.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import threading
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Literal

from player import __version__
from player.addresses import web_address
from player.errors import BadAddress, NotAFeed, TooLarge
from player.feeds import failures
from player.feeds.abort import Abort, Watch
from player.feeds.failures import shown
from player.model import WELCOME_URL, FeedState

if TYPE_CHECKING:
    import ssl

    import httpx

log = logging.getLogger(__name__)

LIMIT = 64 * 1024 * 1024
"""Bytes of a feed, unpacked. The largest that are known have 30 MB."""

_REDIRECTS = 10
_PERMANENT = {301, 308}
_MOVED = {301, 302, 303, 307, 308}
_HEADERS = {
    "User-Agent": f"Earmark/{__version__}",
    "Accept": "application/rss+xml, application/atom+xml, text/xml;q=0.9, text/html;q=0.5, */*;q=0.1",
    "Accept-Encoding": "gzip, deflate",
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

    `permanent_url` is where the address has moved to for good (the first hop was 301 or 308), or "".
    """

    url: str
    status: Literal["ok", "not_modified"]
    body: bytes
    content_type: str
    state: FeedState
    permanent_url: str = ""


class Connections:
    """Connections that several fetches, in several threads, share. The first fetch opens them."""

    def __init__(self, timeouts: Timeouts = _TIMEOUTS) -> None:
        self._timeouts = timeouts
        self._lock = threading.Lock()
        self._client: httpx.Client | None = None

    def fetch(
        self, url: str, state: FeedState = _NO_STATE, *, limit: int = LIMIT, abort: Abort | None = None
    ) -> Fetched:
        """What stands at `url`, an http or https address or that of the built-in show.

        With the `state` of an earlier answer the server may say that nothing is new. No more than `limit` bytes are
        taken. Raises FeedError; when `abort` is set, from any thread, at once.
        """
        if url == WELCOME_URL:
            return _built_in(state)
        if not web_address(url):
            raise BadAddress(f"“{shown(url)}” is no web address", "A feed's address starts with https:// or http://.")
        return _fetch(url, state, limit, self._timeouts, self._open(), abort or Abort())

    def close(self) -> None:
        with self._lock:
            if self._client is not None:
                self._client.close()

    def __enter__(self) -> Connections:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _open(self) -> httpx.Client:
        import httpx

        with self._lock:
            if self._client is None:
                limits = httpx.Timeout(
                    self._timeouts.silence, connect=self._timeouts.connect, pool=self._timeouts.total
                )
                self._client = httpx.Client(verify=_trusted(), timeout=limits, headers=_HEADERS, follow_redirects=False)
            return self._client


@functools.cache
def _trusted() -> ssl.SSLContext:
    """Whom we believe to be who they are. Made once, for reading all those certificates takes 40 ms."""
    import httpx

    return httpx.create_ssl_context()


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


def _built_in(state: FeedState) -> Fetched:
    from player.welcome import resource

    body = resource("feed.xml")
    now = FeedState(etag=hashlib.blake2b(body, digest_size=8).hexdigest())
    if now == state:
        return Fetched(WELCOME_URL, "not_modified", b"", "", state)
    return Fetched(WELCOME_URL, "ok", body, "application/rss+xml", now)


def _fetch(url: str, state: FeedState, limit: int, timeouts: Timeouts, client: httpx.Client, abort: Abort) -> Fetched:
    import httpx

    with abort.watch(timeouts.total) as watch:
        try:
            return _follow(url, state, limit, client, watch)
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, UnicodeError, OSError, zlib.error) as error:
            if watch.aborted:
                raise failures.aborted(url) from error
            if watch.expired:
                raise failures.too_slow(url, timeouts.total) from error
            log.info("fetching %s failed: %r", shown(url), error)
            raise failures.of_network(url, error, connect=timeouts.connect, silence=timeouts.silence) from error


def _follow(url: str, state: FeedState, limit: int, client: httpx.Client, watch: Watch) -> Fetched:
    import httpx

    conditions = _conditions(state)
    here, permanent, only_permanent = url, "", True
    for _ in range(_REDIRECTS + 1):
        request = client.build_request("GET", here, headers=conditions, extensions={"trace": watch.trace})
        try:
            response = client.send(request, stream=True)
        except httpx.InvalidURL as error:  # our own address made a request: it is the one in the answer
            raise failures.bad_redirect(url) from error
        try:
            watch.hold(response.extensions.get("network_stream"))
            target = response.headers.get("Location", "")
            if response.status_code not in _MOVED or not target:
                return _answer(here, response, state, limit, permanent)
        finally:
            response.close()
        only_permanent = only_permanent and response.status_code in _PERMANENT
        there = web_address(target, here)
        if not there:
            raise failures.bad_redirect(url)
        here = there
        permanent = here if only_permanent else permanent
    raise failures.endless_redirect(url)


def _conditions(state: FeedState) -> dict[str, str]:
    conditions = {}
    if state.etag:
        conditions["If-None-Match"] = state.etag
    if state.last_modified:
        conditions["If-Modified-Since"] = state.last_modified
    return conditions


def _answer(url: str, response: httpx.Response, state: FeedState, limit: int, permanent: str) -> Fetched:
    if response.status_code == 304 and state != FeedState():
        return Fetched(url, "not_modified", b"", "", state, permanent)
    if response.status_code != 200:
        raise failures.of_status(url, response.status_code)
    content_type = response.headers.get("Content-Type", "")
    if content_type.startswith(("audio/", "video/", "image/")):
        raise NotAFeed(
            f"{shown(url)} is a file of type {shown(content_type)} and no podcast feed",
            "Add the address of the podcast's feed instead.",
        )
    length = response.headers.get("Content-Length", "")
    if length.isdecimal() and int(length[:20]) > limit:
        raise _too_large(url, limit)
    body = bytearray()
    for piece in _unpacked(response, url, limit):
        body += piece
        if len(body) > limit:
            raise _too_large(url, limit)
    now = FeedState(_sendable(response.headers.get("ETag", "")), _sendable(response.headers.get("Last-Modified", "")))
    return Fetched(url, "ok", bytes(body), content_type, now, permanent)


def _unpacked(response: httpx.Response, url: str, limit: int) -> Iterator[bytes]:
    """The body's pieces; a packed one never gives more than the limit at once, whatever it would unpack to."""
    encoding = response.headers.get("Content-Encoding", "").strip().lower()
    if encoding in ("", "identity"):
        yield from response.iter_raw()
        return
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise failures.odd_answer(url, f"it is packed as {shown(encoding)}")
    raw = response.iter_raw()
    first = next(raw, b"")
    unpacker = zlib.decompressobj(_window(encoding, first))
    piece = first
    while True:
        yield unpacker.decompress(piece, limit + 1)
        following = next(raw, None)
        if following is None:
            return
        piece = unpacker.unconsumed_tail + following


def _window(encoding: str, first: bytes) -> int:
    """zlib's wbits. `deflate` comes with zlib's header, and from some servers without."""
    if encoding != "deflate":
        return 16 + zlib.MAX_WBITS
    return (
        zlib.MAX_WBITS
        if first[:1] in (b"\x78", b"\x58", b"\x48", b"\x38", b"\x28", b"\x18", b"\x08")
        else -zlib.MAX_WBITS
    )


def _sendable(value: str) -> str:
    """A validator that can be sent back."""
    return value if value.isascii() and value.isprintable() and len(value) <= 1_000 else ""


def _too_large(url: str, limit: int) -> TooLarge:
    return TooLarge(
        f"What stands at {shown(url)} has more than {limit // (1024 * 1024)} MB, too much for a podcast feed",
        "Check the address.",
    )
