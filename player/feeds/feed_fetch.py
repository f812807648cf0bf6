"""Fetches feeds and pages over HTTP; the only module of this room that uses the network. Each kind of failure is a
FeedError with its own sentence.
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Callable, Coroutine, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from player.errors import BadAddress, NotAFeed
from player.feeds import feed_errors
from player.links.urls import web_address
from player.model.feed import FeedState
from player.model.podcast import WELCOME_URL
from player.net.connectivity import Watch
from player.net.failures import FailureReason, RequestFailed, shown
from player.net.fetch import Fetched, Logins, MemoryBudget, Request
from player.net.fetch import fetch as bounded_fetch
from player.net.loop import NetworkLoop
from player.processes.threads import CancelToken
from player.text.sentences import _

if TYPE_CHECKING:
    import concurrent.futures

    from player.net.exchange import Head

log = logging.getLogger(__name__)
T = TypeVar("T")

LIMIT = 64 * 1024 * 1024
"""Most bytes of a feed, decompressed. The largest known feeds have 30 MB."""

_HEADERS = {"Accept": "application/rss+xml, application/atom+xml, text/xml;q=0.9, text/html;q=0.5, */*;q=0.1"}


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


Credentials = Callable[[str], tuple[str, str] | None]
"""From an address to the name and password for its server, if they are known."""


class Connections:
    """Connections shared by many fetches, and their event loop, which the first fetch starts.

    HTTP/2 where a server offers it, with several requests on one connection. Any thread may call.
    """

    def __init__(
        self, timeouts: Timeouts = _TIMEOUTS, credentials: Credentials | None = None, watch: Watch | None = None
    ) -> None:
        """`watch` is told which servers answered."""
        self._timeouts = timeouts
        self._logins = Logins(credentials) if credentials is not None else None
        self._loop = NetworkLoop(timeouts.connect, timeouts.silence, watch)

    def fetch(
        self, url: str, state: FeedState = _NO_STATE, *, limit: int = LIMIT, abort: CancelToken | None = None
    ) -> Fetched:
        """Fetches `url`, an http or https address, or the built-in podcast's address.

        With the `state` of an earlier response the server may answer that nothing is new. Reads at most `limit` bytes.
        Raises FeedError; when `abort` is set, from any thread, at once.
        """
        if url == WELCOME_URL:
            return built_in(state)
        return self.wait(self.get(url, state, limit=limit), url, abort or CancelToken())

    def wait(self, work: Coroutine[Any, Any, T], url: str, abort: CancelToken) -> T:
        """The result of `work` for the feed at `url`. Raises FeedError; when `abort` is set, at once."""
        try:
            return self._loop.wait(work, abort)
        except RequestFailed as error:
            raise feed_errors.of_request(error, url) from error

    @property
    def network(self) -> NetworkLoop:
        return self._loop

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
        try:
            got = await self.request(url, limit, accepts=_may_be_feed, headers=_HEADERS, known=state, budget=load)
            if not got.whole and not _CLOSED.search(got.body[-_TAIL:].replace(b"\0", b"")):
                raise RequestFailed(FailureReason.INCOMPLETE, url=got.url)
        except RequestFailed as error:
            log.info("fetching %s failed: %s", shown(url), error)
            raise feed_errors.of_request(error, url) from error
        return got

    async def request(self, url: str, size: int, **more: Any) -> Fetched:
        """Returns any response, of `size` bytes at most, on the loop; `more` are further arguments of a `Request`.
        Raises RequestFailed."""
        asked = Request(url=url, size=size, total_s=self._timeouts.total, logins=self._logins)
        return await bounded_fetch(self._loop, replace(asked, **more))

    def close(self) -> None:
        """Cancels everything that runs. May be called twice."""
        self._loop.close()

    def __enter__(self) -> Connections:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


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
    is_new = now != state
    headers = {"Content-Type": "application/rss+xml"}
    return Fetched(WELCOME_URL, headers, body if is_new else b"", is_new=is_new, state=now)


def _may_be_feed(head: Head, url: str) -> bool:
    """Raises NotAFeed for a response that can't be a feed."""
    media_type = head.headers.get("Content-Type", "")
    if media_type.startswith(("audio/", "video/", "image/")) or is_endless(head.headers):
        raise NotAFeed(
            _("{url} is a file of type {type}, not a podcast feed", url=shown(url), type=shown(media_type)),
            _("Add the URL of the podcast's feed instead."),
        )
    return True


def is_endless(headers: Mapping[str, str]) -> bool:
    """Whether the head of a response is that of a radio stream: Icecast's and SHOUTcast's `icy-` headers, and no
    length."""
    return "Content-Length" not in headers and any(name.lower().startswith("icy-") for name in headers)
