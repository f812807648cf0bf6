"""Fetches the answers of directories over HTTP; the only module of this room that uses the network."""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from player import __version__
from player.directory import directory_errors
from player.directory.answer import Answer
from player.directory.directory import Attempt
from player.directory.rate_limit import RateLimit
from player.links.urls import web_address
from player.net import decompression
from player.net.failures import FailureReason, RequestFailed
from player.net.loop import NetworkLoop
from player.net.requester import redirect_target

if TYPE_CHECKING:
    from player.net.decompression import Unpacker
    from player.net.exchange import Head

log = logging.getLogger(__name__)

LIMIT = 1024 * 1024
"""Most bytes of an answer, decompressed. A hundred podcasts of Podcast Index have 0.3 MB."""
_MOST_REDIRECTS = 3
_LONGEST_PAUSE_S, _PAUSE_S = 3600.0, 60.0
"""How long a server may ask for a pause, and how long one is made where it says 429 without a time."""
_HEADERS = {
    "User-Agent": f"Earmark/{__version__}",
    "Accept": "application/json, text/javascript;q=0.9, */*;q=0.1",
    "Accept-Encoding": decompression.ACCEPTED,
}


class Answers:
    """Any thread may ask, and waits. Connections are shared by all directories."""

    def __init__(self, network: NetworkLoop) -> None:
        self._network = network

    def ask(
        self,
        name: str,
        address: str,
        parameters: Mapping[str, str | int],
        attempt: Attempt,
        *,
        limit: RateLimit | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """What the directory called `name` answers. Raises DirectoryError.

        Before a `limit` would be exceeded the thread waits, if there is time for that in this attempt.
        """
        _wait_for_turn(name, limit, attempt)
        url = f"{address}?{urlencode(parameters)}" if parameters else address
        future = self._network.run(self._get(name, url, {**_HEADERS, **(headers or {})}, attempt.left_s))
        try:
            with attempt.cancel.ending(future.cancel):
                status, pause_s, body = future.result()
        except concurrent.futures.CancelledError as error:
            raise directory_errors.cancelled(name) from error
        except TimeoutError as error:
            raise directory_errors.too_slow(name, attempt.seconds) from error
        except RequestFailed as error:
            log.info("asking %s failed: %s", name, error)
            raise directory_errors.of_network(name, error) from error
        if limit is not None and status in (403, 429, 503) and pause_s:
            limit.pause(pause_s)
        if status != 200:
            raise directory_errors.of_status(name, status)
        return Answer(name, body)

    async def _get(self, name: str, url: str, headers: Mapping[str, str], seconds: float) -> tuple[int, float, bytes]:
        """Status, the pause in seconds that the server asks for, and the body of a 200."""
        async with asyncio.timeout(seconds):
            here = url
            for _hop in range(_MOST_REDIRECTS + 1):
                if not web_address(here):
                    raise RequestFailed(FailureReason.BAD_ADDRESS, url=here)
                receiver = _Receiver(name)
                head = await self._network.client.request(here, receiver, headers)
                target = redirect_target(head)
                if not target:
                    return head.status, _pause_asked(head), receiver.body()
                if "Authorization" in headers:  # signed for this server alone
                    return head.status, 0.0, b""
                here = web_address(target, here)
            raise RequestFailed(FailureReason.REDIRECT_LOOP, url=url)


def _wait_for_turn(name: str, limit: RateLimit | None, attempt: Attempt) -> None:
    """Raises DirectoryError if that would take longer than the attempt."""
    import threading

    if attempt.cancel.is_set:
        raise directory_errors.cancelled(name)
    while limit is not None and (wait_s := limit.take()) > 0:
        if wait_s >= attempt.left_s:
            raise directory_errors.too_often(name, wait_s)
        woken = threading.Event()
        with attempt.cancel.ending(woken.set):
            if woken.wait(wait_s):
                raise directory_errors.cancelled(name)


def _pause_asked(head: Head) -> float:
    """Retry-After in seconds (RFC 9110, 10.2.3), at most an hour; for a 429 without one a minute."""
    asked = head.headers.get("Retry-After", "").strip()
    if asked.isascii() and asked.isdecimal():
        return min(float(asked[:10]), _LONGEST_PAUSE_S)
    try:
        until = parsedate_to_datetime(asked)
        until = until if until.tzinfo else until.replace(tzinfo=UTC)
        return min(max(0.0, (until - datetime.now(UTC)).total_seconds()), _LONGEST_PAUSE_S)
    except (ValueError, TypeError, OverflowError):
        return _PAUSE_S if head.status == 429 else 0.0


class _Receiver:
    """Receives one body, of a limited size. Raises DirectoryError."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._unpacker: Unpacker | None = None
        self._body = bytearray()

    def begin(self, head: Head) -> bool:
        if head.status != 200:
            return False
        self._unpacker = decompression.unpacker(head.headers.get("Content-Encoding", ""))
        if self._unpacker is None:
            raise directory_errors.nonsense(self._name)
        return True

    def allows(self, size: int) -> bool:  # noqa: ARG002
        return True

    async def make_room(self, size: int) -> None: ...

    def add(self, piece: memoryview) -> None:
        assert self._unpacker is not None
        try:
            for unpacked in self._unpacker.unpack(bytes(piece)):
                self._body += unpacked
                if len(self._body) > LIMIT:
                    raise directory_errors.too_large(self._name, LIMIT)
        except decompression.Broken as error:
            raise directory_errors.nonsense(self._name) from error

    def body(self) -> bytes:
        return bytes(self._body)
