"""The beginning of a response, whatever it is: a radio stream has no end that could be waited for."""

import asyncio
from collections.abc import Mapping

from msgspec import Struct

from player import __version__
from player.errors import FeedError
from player.feeds import feed_errors
from player.feeds.fetch import Connections, is_endless
from player.net.exchange import Head
from player.net.failures import RequestFailed
from player.net.requester import redirect_target

_TIMEOUT_S = 15.0
_HEADERS = {"User-Agent": f"Earmark/{__version__}", "Accept": "*/*"}


class Peeked(Struct, frozen=True):
    """`url` is the final address. `start` is empty if the head alone tells that it is a radio stream."""

    url: str
    content_type: str
    headers: Mapping[str, str]
    start: bytes


async def peek(connections: Connections, url: str, most: int) -> Peeked | None:
    """At most about `most` bytes; the rest isn't fetched. None if that fails. On the loop of the connections."""
    receivers: list[_FirstBytes] = []

    def receive(here: str) -> _FirstBytes:
        receivers.append(_FirstBytes(here, most))
        return receivers[-1]

    try:
        async with asyncio.timeout(_TIMEOUT_S):
            await connections.follow(url, receive, _HEADERS)
    except _Enough:
        pass
    except (TimeoutError, RequestFailed, FeedError):
        return None
    return receivers[-1].peeked()


class _Enough(Exception):
    """As much was read as was wanted."""


class _FirstBytes:
    """Receives the beginning of a response."""

    def __init__(self, url: str, most: int) -> None:
        self._url = url
        self._most = most
        self._start = bytearray()
        self._headers: Mapping[str, str] = {}

    def begin(self, head: Head) -> bool:
        self._headers = head.headers
        if redirect_target(head):
            return False
        if head.status != 200:
            raise feed_errors.of_status(self._url, head.status)
        if is_endless(head.headers):
            raise _Enough
        return True

    def allows(self, size: int) -> bool:  # noqa: ARG002
        return True

    async def make_room(self, size: int) -> None: ...

    def add(self, piece: memoryview) -> None:
        self._start += piece[: self._most]
        if len(self._start) >= self._most:
            raise _Enough

    def peeked(self) -> Peeked:
        return Peeked(self._url, self._headers.get("Content-Type", ""), self._headers, bytes(self._start))
