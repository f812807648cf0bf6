"""Name lookups on daemon threads: a lookup can't be cancelled, and mustn't delay the exit."""

import asyncio
import contextlib
import socket
import threading

from msgspec import Struct

_GOOD_S = 60.0
"""Seconds that an answer is cached."""


class _Found(Struct, frozen=True):
    addresses: tuple[str, ...]
    error: Exception | None
    until: float


class Names:
    """Lookups for one event loop. Concurrent lookups of a name share one."""

    def __init__(self) -> None:
        self._answers: dict[str, asyncio.Future[_Found]] = {}

    async def addresses(self, host: str) -> tuple[str, ...]:
        """Numeric addresses, the best first. Raises socket.gaierror, or UnicodeError for an invalid name."""
        loop = asyncio.get_running_loop()
        answer = self._answers.get(host)
        if answer is None or (answer.done() and answer.result().until < loop.time()):
            answer = self._answers[host] = loop.create_future()
            threading.Thread(target=_look_up, args=(host, loop, answer), name="earmark-lookup", daemon=True).start()
        found = await asyncio.shield(answer)
        if found.error is not None:
            raise found.error
        return found.addresses


def _look_up(host: str, loop: asyncio.AbstractEventLoop, answer: "asyncio.Future[_Found]") -> None:
    error: Exception | None = None
    addresses: tuple[str, ...] = ()
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        addresses = tuple(dict.fromkeys(str(address[0]).partition("%")[0] for *_, address in found))
    except Exception as failed:  # noqa: BLE001 — handed to whoever asked
        error = failed

    def publish() -> None:
        if not answer.done():
            answer.set_result(_Found(addresses, error, 0.0 if error else loop.time() + _GOOD_S))

    with contextlib.suppress(RuntimeError):  # the loop has been closed
        loop.call_soon_threadsafe(publish)
