"""One HTTP exchange among many on an event loop (libcurl's multi_socket interface): received, bounded, ended."""

from __future__ import annotations

import asyncio
import errno
import re
from collections.abc import Callable, Coroutine, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol

from msgspec import Struct

from player.net.failures import FailureReason, RequestFailed

if TYPE_CHECKING:
    import pycurl


_KEPT = 64
"""Idle connections kept open for reuse."""


class Multi:
    """Transfers on one event loop. Create it there."""

    def __init__(self) -> None:
        import pycurl

        self._loop = asyncio.get_running_loop()
        self._read, self._write = pycurl.CSELECT_IN, pycurl.CSELECT_OUT
        self._done: dict[pycurl.Curl, asyncio.Future[None]] = {}
        self._watched: dict[int, int] = {}
        self._activity: dict[int, float] = {}
        self._timer: asyncio.Handle | None = None
        self._multi = pycurl.CurlMulti()
        self._multi.setopt(pycurl.M_SOCKETFUNCTION, self._watch)
        self._multi.setopt(pycurl.M_TIMERFUNCTION, self._set_timer)
        self._multi.setopt(pycurl.M_MAXCONNECTS, _KEPT)

    async def perform(self, curl: pycurl.Curl) -> None:
        """Raises pycurl.error. Cancelling it ends the transfer at once."""
        done = self._done[curl] = self._loop.create_future()
        self._multi.add_handle(curl)
        try:
            await done
        finally:
            del self._done[curl]
            self._multi.remove_handle(curl)

    def last_activity(self, curl: pycurl.Curl) -> float:
        """The loop's time at which a transfer last received something; 0 for never."""
        import pycurl

        found: Any = curl.getinfo(pycurl.ACTIVESOCKET)
        return self._activity.get(found, 0.0)

    def stop(self, curl: pycurl.Curl, error: Exception) -> None:
        """Ends a transfer with `error`."""
        self._end(curl, error)

    def stop_all(self, error: Exception) -> None:
        """Ends all transfers with `error`."""
        for curl in tuple(self._done):
            self._end(curl, error)

    def unpause(self, curl: pycurl.Curl) -> None:
        """Resumes a paused transfer."""
        import pycurl

        curl.pause(pycurl.PAUSE_CONT)

    def close(self) -> None:
        """Call it when no transfer is running."""
        self._multi.close()
        self._set_timer(-1)
        for descriptor in tuple(self._watched):
            self._unwatch(descriptor)

    # -- libcurl's callbacks for sockets and the timer --------------------------------------------------------

    def _watch(self, what: int, descriptor: int, _multi: object, _known: object) -> None:
        """`what` is a set of CSELECT_IN and CSELECT_OUT (POLL_IN and POLL_OUT are the same), or POLL_REMOVE."""
        before = self._watched.get(descriptor, 0)
        if what & ~(self._read | self._write):
            self._unwatch(descriptor)
            return
        self._watched[descriptor] = what
        if what & self._read and not before & self._read:
            self._loop.add_reader(descriptor, self._ready, descriptor, self._read)
        elif before & self._read and not what & self._read:
            self._loop.remove_reader(descriptor)
        if what & self._write and not before & self._write:
            self._loop.add_writer(descriptor, self._ready, descriptor, self._write)
        elif before & self._write and not what & self._write:
            self._loop.remove_writer(descriptor)

    def _unwatch(self, descriptor: int) -> None:
        before = self._watched.pop(descriptor, 0)
        self._activity.pop(descriptor, None)
        if before & self._read:
            self._loop.remove_reader(descriptor)
        if before & self._write:
            self._loop.remove_writer(descriptor)

    def _set_timer(self, milliseconds: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if milliseconds == 0:  # later: libcurl may not be called from its own callbacks
            self._timer = self._loop.call_soon(self._timed)
        elif milliseconds > 0:
            self._timer = self._loop.call_later(milliseconds / 1000, self._timed)

    # -- the loop's calls -------------------------------------------------------------------------------------

    def _ready(self, descriptor: int, how: int) -> None:
        self._activity[descriptor] = self._loop.time()
        self._drive(descriptor, how)

    def _timed(self) -> None:
        import pycurl

        self._timer = None
        self._drive(pycurl.SOCKET_TIMEOUT, 0)

    def _drive(self, descriptor: int, how: int) -> None:
        import pycurl

        self._multi.socket_action(descriptor, how)
        _, good, bad = self._multi.info_read()
        for curl in good:
            self._end(curl, None)
        for curl, code, text in bad:
            self._end(curl, pycurl.error(code, text))

    def _end(self, curl: pycurl.Curl, error: Exception | None) -> None:
        done = self._done.get(curl)
        if done is None or done.done():
            return
        if error is None:
            done.set_result(None)
        else:
            done.set_exception(error)


_LITTLE, _SOON_S = 64 * 1024, 0.5
"""An unwanted body of at most this many bytes is read, for at most this many seconds, so that its connection can be
reused."""

SHOUTCAST = "ICY 200"
"""The status line of old streaming servers, whose responses are otherwise HTTP."""


class Headers(Mapping[str, str]):
    """Headers by case-insensitive name. Repeated headers are joined with commas."""

    def __init__(self) -> None:
        self._values: dict[str, str] = {}

    def add(self, name: str, value: str) -> None:
        name = name.lower()
        before = self._values.get(name)
        self._values[name] = value if before is None else f"{before}, {value}"

    def __getitem__(self, name: str) -> str:
        return self._values[name.lower()]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


class Head(Struct, frozen=True):
    status: int
    headers: Headers


class Upload(Struct, frozen=True):
    """A body to send. `media_type` is its Content-Type."""

    body: bytes
    media_type: str
    method: Literal["POST", "PUT", "PATCH"] = "POST"

    @property
    def headers(self) -> Mapping[str, str]:
        """An empty `Expect`: with its own, libcurl waits a second for servers that don't support it."""
        return {"Content-Type": self.media_type, "Expect": ""}


class Receiver(Protocol):
    """Receives a response. An exception raised by its methods ends the exchange and is raised by `run`."""

    def begin(self, head: Head) -> bool:
        """Called with the head. Whether to read the body."""

    def allows(self, size: int) -> bool:
        """Whether a piece of this size may be read now; if not, `make_room` is awaited first."""

    def make_room(self, size: int) -> Coroutine[Any, Any, None]: ...

    def add(self, piece: memoryview) -> None: ...


class Exchange:
    """One running request."""

    def __init__(
        self,
        multi: Multi,
        curl: pycurl.Curl,
        receiver: Receiver,
        silence: float,
        answered: Callable[[int], None] = lambda _status: None,
    ) -> None:
        """`answered` is called with the status as soon as the head has arrived."""
        import pycurl

        self._multi = multi
        self._silence = silence
        self._answered = answered
        self._curl = curl
        self._receiver = receiver
        self._loop = asyncio.get_running_loop()
        self._status = 0
        self._headers = Headers()
        self._head: Head | None = None
        self._wanted = False
        self._error: BaseException | None = None
        self._unwanted = 0
        self._pause = pycurl.WRITEFUNC_PAUSE
        self._room: asyncio.Task[None] | None = None
        self._silence_timer: asyncio.TimerHandle | None = None
        curl.setopt(pycurl.HEADERFUNCTION, self._on_header)
        curl.setopt(pycurl.WRITEFUNCTION, self._on_piece, use_memoryview=True)

    async def run(self) -> Head:
        import pycurl

        self._began = self._loop.time()
        self._watch_for(self._silence)
        failed: RequestFailed | None = None
        try:
            await self._multi.perform(self._curl)
        except pycurl.error as error:
            failed = _failure(self._curl, *error.args)
        except RequestFailed as error:
            failed = error
        finally:
            if self._silence_timer is not None:
                self._silence_timer.cancel()
            if self._room is not None:
                self._room.cancel()
        if self._error is not None:
            raise self._error
        if failed is not None and (self._head is None or self._wanted):
            raise failed
        if self._head is None:
            raise RequestFailed(FailureReason.CONNECTION_LOST)
        return self._head

    # -- libcurl's callbacks, in which it would only print exceptions ------------------------------------------

    def _on_header(self, line: bytes) -> int:
        if self._head is not None:  # trailers
            return len(line)
        try:
            return len(line) if self._read_header(line.decode("latin-1")) else -1
        except Exception as error:  # noqa: BLE001 — raised by `run`
            self._error = error
            return -1

    def _on_piece(self, piece: memoryview) -> int:
        try:
            if not self._wanted:
                self._unwanted += len(piece)
                return len(piece) if self._unwanted <= _LITTLE else -1
            if not self._receiver.allows(len(piece)):
                if self._room is None or self._room.done():
                    self._room = self._loop.create_task(self._make_room(len(piece)))
                return self._pause
            self._receiver.add(piece)
            return len(piece)
        except Exception as error:  # noqa: BLE001 — raised by `run`
            self._error = error
            return -1

    # -- the head ---------------------------------------------------------------------------------------------

    def _read_header(self, line: str) -> bool:
        """Whether to continue."""
        if line.startswith(("HTTP/", SHOUTCAST)):
            status = line.partition(" ")[2][:3]
            self._status, self._headers = int(status) if status.isdecimal() else 0, Headers()
        elif line.strip("\r\n"):
            name, colon, value = line.partition(":")
            name, value = name.strip(), value.strip()
            if colon and name.lower() == "content-length" and self._headers.get(name, value) != value:
                raise RequestFailed(FailureReason.CONNECTION_LOST)  # conflicting lengths
            if colon and not (name.lower() == "content-length" and name in self._headers):
                self._headers.add(name, value)
        elif self._status >= 200:
            self._head = Head(self._status, self._headers)
            self._answered(self._status)
            self._wanted = self._receiver.begin(self._head)
            return self._wanted or self._drains_soon()
        return True

    def _drains_soon(self) -> bool:
        """Whether reading the rest of an unwanted body is cheaper than a new connection."""
        length = self._headers.get("Content-Length", "")
        if self._status == 304 or (length.isdecimal() and int(length[:20]) <= _LITTLE):
            self._watch_for(_SOON_S)
            return True
        return False

    # -- waiting ----------------------------------------------------------------------------------------------

    async def _make_room(self, size: int) -> None:
        await self._receiver.make_room(size)
        self._began = self._loop.time()
        self._multi.unpause(self._curl)

    def _watch_for(self, seconds: float) -> None:
        if self._silence_timer is not None:
            self._silence_timer.cancel()
        self._silence_timer = self._loop.call_later(seconds, self._check_silence)

    def _check_silence(self) -> None:
        """Ends an exchange whose server has sent nothing for too long. Waiting for room doesn't count."""
        import pycurl

        silence = self._silence
        unwanted = self._head is not None and not self._wanted
        asked: Any = self._curl.getinfo(pycurl.PRETRANSFER_TIME)
        if not unwanted and (not asked or (self._room is not None and not self._room.done())):
            self._watch_for(silence)
            return
        quiet = self._loop.time() - max(self._began + asked, self._multi.last_activity(self._curl))
        if unwanted or quiet >= silence:
            self._multi.stop(self._curl, RequestFailed(FailureReason.STALLED, limit=silence))
        else:
            self._watch_for(silence - quiet)


_UNREACHABLE_ERRORS = {errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EADDRNOTAVAIL}
_REASON_BY_CODE = {  # by libcurl's error number (libcurl-errors)
    3: FailureReason.BAD_ADDRESS,
    5: FailureReason.PROXY,
    6: FailureReason.UNKNOWN_HOST,
    18: FailureReason.CUT_SHORT,
    28: FailureReason.TIMED_OUT,
    35: FailureReason.TLS,
    52: FailureReason.CUT_SHORT,
    53: FailureReason.TLS,
    54: FailureReason.TLS,
    59: FailureReason.TLS,
    60: FailureReason.CERTIFICATE,
    66: FailureReason.TLS,
    77: FailureReason.NO_CERTIFICATES,
    83: FailureReason.CERTIFICATE,
    91: FailureReason.CERTIFICATE,
    97: FailureReason.PROXY,
}
_GONE = re.compile(r"SSL_ERROR_SYSCALL|unexpected eof|reset by peer|Broken pipe", re.IGNORECASE)
"""libcurl's message if the connection was lost during the TLS handshake: no certificate was refused."""
_AROUND_DETAIL = re.compile(r"^SSL[^:]*:\s*|\s*\(\d+\)$")
"""Text around the reason why a certificate was refused."""


def _failure(curl: pycurl.Curl, code: int, text: str = "") -> RequestFailed:
    import pycurl

    proxy_status: Any = curl.getinfo(pycurl.HTTP_CONNECTCODE)
    if proxy_status >= 300:
        return RequestFailed(FailureReason.PROXY)
    if code == pycurl.E_COULDNT_CONNECT:
        number: Any = curl.getinfo(pycurl.OS_ERRNO)
        if number == errno.ECONNREFUSED:
            return RequestFailed(FailureReason.REFUSED)
        return RequestFailed(
            FailureReason.UNREACHABLE if number in _UNREACHABLE_ERRORS else FailureReason.CONNECTION_LOST, text
        )
    reason = _REASON_BY_CODE.get(code, FailureReason.CONNECTION_LOST)
    if reason is FailureReason.TLS and _GONE.search(text):
        reason = FailureReason.CONNECTION_LOST
    return RequestFailed(reason, _AROUND_DETAIL.sub("", text) if reason is FailureReason.CERTIFICATE else text)
