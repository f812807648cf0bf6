"""Blocking requests for one thread, which reads the body in pieces at its own pace."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct

from player.links.urls import split_login, web_address
from player.net.failures import FailureReason, RequestFailed

if TYPE_CHECKING:
    import asyncio
    from concurrent.futures import Future

    from player.net.exchange import Head, Headers
    from player.net.loop import NetworkLoop

MOST_REDIRECTS = 10
MOVED = frozenset({301, 302, 303, 307, 308})
ROOM = 256 * 1024
"""Bytes buffered for the reader; when the buffer is full, the server has to wait. With a buffer four times as large an
episode downloads no faster, and a small request at the same time (a file's end) takes 10 ms longer on a fast line."""

PIECE = 64 * 1024
"""Roughly the most bytes that the reader gets at a time."""

Login = Callable[[str], tuple[str, str] | None]
"""Takes an address and returns the name and password for its server, or a Bearer, if `player.net.credentials` knows
them."""

Fence = Callable[[str], None]
"""Called with each address before it is requested, redirects included. Its exceptions are raised by the request."""


class Response(Struct, frozen=True):
    """`url` is the final address, after redirects. Reading `pieces` raises RequestFailed."""

    status: int
    headers: Headers
    url: str
    pieces: Iterator[bytes]


class Requester:
    """One request at a time, for one thread. `abort`, from any thread, ends it and all later ones at once."""

    def __init__(
        self, network: NetworkLoop, login: Login, silence: float, fence: Fence = lambda _url: None, room: int = ROOM
    ) -> None:
        """A login is sent to its own server only. `silence` is a timeout in seconds. `room`: bytes buffered for the
        reader.
        """
        self._room = room
        self._network = network
        self._fence = fence
        self._login = login
        self._silence = silence
        self._lock = threading.Lock()
        self._transfer: _Transfer | None = None
        self._cookies: list[str] = []
        self._aborted = False

    @contextmanager
    def get(self, url: str, headers: dict[str, str]) -> Iterator[Response]:
        """The response after all redirects. Raises RequestFailed, with the address that failed."""
        here = url
        for _ in range(MOST_REDIRECTS + 1):
            transfer = self._begin(here, headers)
            try:
                head = transfer.head()
                target = redirect_target(head)
                if not target:
                    with transfer:
                        yield Response(head.status, head.headers, here, transfer.pieces())
                    return
            except RequestFailed as error:
                error.url = error.url or here
                raise
            # The redirect's body is drained in the background, so that its connection can be reused.
            there = web_address(target, here)
            if not there:
                raise RequestFailed(FailureReason.BAD_REDIRECT, url=here)
            here = there
        raise RequestFailed(FailureReason.REDIRECT_LOOP, url=url)

    def abort(self) -> None:
        with self._lock:
            self._aborted = True
            transfer = self._transfer
        if transfer is not None:
            transfer.abort()

    def _begin(self, url: str, headers: dict[str, str]) -> _Transfer:
        self._fence(url)
        login = split_login(url)[1] or self._login(url)
        transfer = _Transfer(self._network, self._room)
        with self._lock:
            if self._aborted:
                raise RequestFailed(FailureReason.CONNECTION_LOST, url=url)
            self._transfer = transfer
        transfer.begin_with(url, headers, login, self._silence, self._cookies)
        return transfer


def redirect_target(head: Head) -> str:
    """The target of a redirect; "" for other responses."""
    return head.headers.get("Location", "") if head.status in MOVED else ""


def _give(room: asyncio.Future[None]) -> None:
    if not room.done():
        room.set_result(None)


class _Transfer:
    """Carries one response from the loop's thread (`begin` to `add`) to the reader's (the other methods)."""

    def __init__(self, network: NetworkLoop, most: int) -> None:
        self._network = network
        self._most = most
        self._news = threading.Condition()
        self._future: Future[Head] | None = None
        self._head: Head | None = None
        self._waiting: deque[bytes] = deque()
        self._held = 0
        self._room: asyncio.Future[None] | None = None
        self._over = False
        self._error: RequestFailed | None = None

    # -- on the loop (Receiver) ----------------------------------------------------------------------------------

    def begin(self, head: Head) -> bool:
        with self._news:
            self._head = head
            self._news.notify_all()
        return not redirect_target(head)

    def allows(self, size: int) -> bool:  # noqa: ARG002
        return self._held < self._most

    async def make_room(self, size: int) -> None:  # noqa: ARG002
        import asyncio

        with self._news:
            if self._held < self._most:
                return
            room = self._room = asyncio.get_running_loop().create_future()
        await room

    def add(self, piece: memoryview) -> None:
        with self._news:
            self._waiting.append(bytes(piece))
            self._held += len(piece)
            self._news.notify_all()

    # -- for the reader ---------------------------------------------------------------------------------------

    def begin_with(
        self,
        url: str,
        headers: dict[str, str],
        login: tuple[str, str] | None,
        silence: float,
        cookies: list[str],
    ) -> None:
        async def request() -> Head:
            return await self._network.client.request(
                url, self, headers, login, silence=silence, cookies=cookies, several_at_once=False
            )

        future = self._future = self._network.run(request())
        future.add_done_callback(self._ended)

    def head(self) -> Head:
        """Raises RequestFailed."""
        with self._news:
            self._news.wait_for(lambda: self._head or self._over)
            if self._head is None:
                raise self._error or RequestFailed(FailureReason.CONNECTION_LOST)
            return self._head

    def pieces(self) -> Iterator[bytes]:
        """The body as it arrives, in pieces of about PIECE bytes at most. Raises RequestFailed."""
        while True:
            with self._news:
                self._news.wait_for(lambda: self._waiting or self._over)
                data = self._next_piece()
                room, self._room = self._room, None
                error, over = self._error, self._over
            if room is not None:
                self._network.call(partial(_give, room))
            if data:
                yield data
            elif over:
                if error is not None:
                    raise error
                return

    def _next_piece(self) -> bytes:
        """With the lock held."""
        pieces: list[bytes] = []
        size = 0
        while self._waiting and size < PIECE:
            pieces.append(self._waiting.popleft())
            size += len(pieces[-1])
        self._held -= size
        return b"".join(pieces)

    def abort(self) -> None:
        """May be called from any thread."""
        with self._news:
            self._over, self._error = True, self._error or RequestFailed(FailureReason.CONNECTION_LOST)
            self._waiting.clear()
            self._news.notify_all()
        if self._future is not None:
            self._future.cancel()

    def __enter__(self) -> None: ...

    def __exit__(self, *_error: object) -> None:
        self.abort()

    def _ended(self, future: Future[Head]) -> None:
        error = None if future.cancelled() else future.exception()
        with self._news:
            if not self._over:
                self._over = True
                if isinstance(error, RequestFailed):
                    self._error = error
                elif error is not None or future.cancelled():
                    self._error = RequestFailed(FailureReason.CONNECTION_LOST, repr(error))
            self._news.notify_all()
