"""Fetching a small body over HTTP, within bounds: bytes, time, redirects, compression, and cancelling at any moment.

Episodes are large and are read at the reader's pace: see `requester`.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct

from player import __version__
from player.links.urls import origin, split_login, web_address
from player.model.feed import FeedState
from player.net import decompression
from player.net.failures import FailureReason, RequestFailed, refusal
from player.net.requester import MOST_REDIRECTS, Fence, Login, redirect_target
from player.processes.threads import on_own_thread

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Future

    from player.net.exchange import Head, Upload
    from player.net.loop import NetworkLoop
    from player.processes.threads import CancelToken

_HEADERS = {"User-Agent": f"Earmark/{__version__}", "Accept-Encoding": decompression.ACCEPTED}
_PERMANENT = frozenset({301, 308})
_SENT_AGAIN = frozenset({301, 307, 308})
"""Redirects after which an upload is sent again, to the new address. For an upload no other redirects are followed:
they mean a GET (RFC 9110, 15.4), or browsers take them so."""
_LONGEST_VALIDATOR = 1_000
_LOST = frozenset({FailureReason.CONNECTION_LOST, FailureReason.CUT_SHORT})


class MemoryBudget:
    """Limits the memory of many fetches: only one of them at a time may hold more than LITTLE bytes."""

    LITTLE = 2 * 1024 * 1024

    def __init__(self) -> None:
        self._heavy: asyncio.Lock | None = None
        self._holds = False

    def begin(self, heavy: asyncio.Lock) -> None:
        """`heavy` is the lock of the fetch that may hold more than LITTLE bytes."""
        self._heavy = heavy

    def allows(self, size: int) -> bool:
        """Whether `size` bytes may be held now."""
        return size <= self.LITTLE or self._heavy is None or self._holds

    async def acquire(self, size: int) -> None:
        """Waits for the lock if `size` is more than LITTLE bytes."""
        if self._heavy is not None and not self.allows(size):
            await self._heavy.acquire()
            self._holds = True

    def release(self) -> None:
        if self._holds and self._heavy is not None:
            self._heavy.release()
            self._holds = False


class Logins:
    """Looks up the login of each server once, on a thread of its own: a keyring may wait for its owner."""

    def __init__(self, login: Login) -> None:
        self._login = login
        self._found: dict[str, Future[tuple[str, str] | None]] = {}

    async def of(self, url: str) -> tuple[str, str] | None:
        """Name and password for the server at that address, if they are known. Raises what `login` raises."""
        import asyncio

        server = origin(url)
        if server not in self._found:
            self._found[server] = on_own_thread(partial(self._login, url), "earmark-login")
        return await asyncio.shield(asyncio.wrap_future(self._found[server]))


class Request(Struct, frozen=True, kw_only=True):
    """A request and its bounds: `size` in bytes, decompressed; `total_s` for the whole request, and `silence_s` between
    two signs of life (None: the network's default).

    `known` are the validators of an earlier response. `logins` and `fence` are consulted for each address, redirects
    included. `good`: the statuses that count as a response; all others are failures. `accepts` is called with a
    response and its address before its body is read, and says whether to read it; it may raise any exception. `cut`: a
    larger body is cut off after `size` bytes, and an unknown compression is left as it is. `upload` is a body to send;
    such a request never becomes a GET. `cookies` are sent, and received cookies are added to them. `redirects`: the
    most redirects that are followed.
    """

    url: str
    size: int
    total_s: float
    silence_s: float | None = None
    headers: Mapping[str, str] = {}
    known: FeedState = FeedState()
    logins: Logins | None = None
    fence: Fence | None = None
    good: Container[int] = (200,)
    accepts: Callable[[Head, str], bool] = lambda _head, _url: True
    cut: bool = False
    upload: Upload | None = None
    cookies: list[str] | None = None
    redirects: int = MOST_REDIRECTS
    budget: MemoryBudget | None = None


class Fetched(Struct, frozen=True):
    """A response. `url` is the final address; `permanent_url` the address that permanent redirects lead to, or "".

    `is_new` is False, and the body empty, if the server says that the known version is still current. `whole` is False
    if compressed data ends early: some servers omit gzip's trailer. `state` holds the validators for the next request.
    """

    url: str
    headers: Mapping[str, str] = {}
    body: bytes = b""
    is_new: bool = True
    whole: bool = True
    state: FeedState = FeedState()
    permanent_url: str = ""

    @property
    def content_type(self) -> str:
        return self.headers.get("Content-Type", "")


def get(network: NetworkLoop, request: Request, cancel: CancelToken) -> Fetched:
    """Like `fetch`, but for any other thread, which it blocks. Setting `cancel` ends it at once, with RequestFailed."""
    return network.wait(fetch(network, request), cancel)


async def fetch(network: NetworkLoop, request: Request) -> Fetched:
    """Fetches a body, on the loop. Raises RequestFailed, and what `login`, `fence` and `accepts` raise."""
    import asyncio

    if not web_address(request.url):
        raise RequestFailed(FailureReason.BAD_ADDRESS, url=request.url)
    try:
        async with asyncio.timeout(request.total_s):
            try:
                return await _followed(network, request)
            except RequestFailed as error:
                if request.upload is not None or error.reason not in _LOST:
                    raise
                # The server may just have closed an idle connection, which with HTTP/2 ends all requests on it: retried
                # once, on a new connection.
                return await _followed(network, request, afresh=True)
    except TimeoutError as error:
        raise RequestFailed(FailureReason.TOO_SLOW, url=request.url, limit=request.total_s) from error


async def _followed(network: NetworkLoop, request: Request, *, afresh: bool = False) -> Fetched:
    """The last response after redirects."""
    here, permanent, only_permanent = request.url, "", True
    headers = {**_HEADERS, **_conditions(request.known), **request.headers}
    for _hop in range(request.redirects + 1):
        body = _Body(here, request)
        try:
            if request.fence is not None:
                request.fence(here)
            known = await request.logins.of(here) if request.logins is not None else None
            login = known or split_login(here)[1]
            head = await network.client.request(
                here, body, headers, login, silence=request.silence_s, cookies=request.cookies, upload=request.upload,
                afresh=afresh, several_at_once=request.upload is None,
            )  # fmt: skip
        except _Enough:
            return body.fetched(permanent)
        except RequestFailed as error:
            error.url = error.url or here
            raise
        if not body.leads_on(head):
            return body.fetched(permanent)
        there = web_address(redirect_target(head), here)
        if not there:
            raise RequestFailed(FailureReason.BAD_REDIRECT, url=here)
        here = there
        only_permanent = only_permanent and head.status in _PERMANENT
        permanent = here if only_permanent else permanent
    raise RequestFailed(FailureReason.REDIRECT_LOOP, url=request.url)


def _conditions(known: FeedState) -> dict[str, str]:
    conditions = {"If-None-Match": known.etag, "If-Modified-Since": known.last_modified}
    return {name: value for name, value in conditions.items() if value}


class _Enough(Exception):
    """Enough of the body has been read."""


class _Body:
    """Receives one response (a Receiver)."""

    def __init__(self, url: str, request: Request) -> None:
        self._url = url
        self._request = request
        self._budget = request.budget or MemoryBudget()
        self._head: Head | None = None
        self._unpacker: decompression.Unpacker | None = None
        self._pieces: list[bytes] = []
        self._size = 0

    def begin(self, head: Head) -> bool:
        self._head = head
        if self.leads_on(head) or self._is_known(head):
            return False
        if head.status not in self._request.good:
            raise refusal(head.status, head.headers, self._url)
        if not self._request.accepts(head, self._url):
            raise _Enough
        length = head.headers.get("Content-Length", "")
        if length.isdecimal() and int(length[:20]) > self._request.size:
            self._exceeded()
        encoding = head.headers.get("Content-Encoding", "")
        self._unpacker = decompression.unpacker(encoding) or (decompression.unpacker("") if self._request.cut else None)
        if self._unpacker is None:
            raise RequestFailed(FailureReason.ENCODING, encoding, self._url)
        return True

    def allows(self, size: int) -> bool:
        return self._budget.allows(self._size + size)

    async def make_room(self, size: int) -> None:
        await self._budget.acquire(self._size + size)

    def add(self, piece: memoryview) -> None:
        assert self._unpacker is not None
        try:
            for unpacked in self._unpacker.unpack(bytes(piece)):
                self._size += len(unpacked)
                self._pieces.append(unpacked)
                if self._size > self._request.size:
                    self._exceeded()
                    raise _Enough
        except decompression.Broken as error:
            raise RequestFailed(FailureReason.CORRUPT, url=self._url) from error

    def leads_on(self, head: Head) -> bool:
        """Whether a response is a redirect that is followed."""
        sent_again = self._request.upload is None or head.status in _SENT_AGAIN
        return bool(self._request.redirects and redirect_target(head) and sent_again)

    def fetched(self, permanent_url: str) -> Fetched:
        assert self._head is not None
        headers = self._head.headers
        is_new = not self._is_known(self._head)
        state = FeedState(_sendable(headers.get("ETag", "")), _sendable(headers.get("Last-Modified", "")))
        return Fetched(
            self._url,
            headers,
            b"".join(self._pieces)[: self._request.size],
            is_new,
            self._unpacker is None or self._unpacker.whole,
            state if is_new else self._request.known,
            permanent_url,
        )

    def _exceeded(self) -> None:
        if not self._request.cut:
            raise RequestFailed(FailureReason.TOO_LARGE, url=self._url, limit=self._request.size)

    def _is_known(self, head: Head) -> bool:
        return head.status == 304 and self._request.known != FeedState()


def _sendable(value: str) -> str:
    """A validator that can safely be sent back."""
    return value if value.isascii() and value.isprintable() and len(value) <= _LONGEST_VALIDATOR else ""
