"""Asks a server for a part of a file, and tells what it answers."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from player import __version__
from player.media.failures import EndsAt, changed_failure, network_failure, status_failure
from player.media.origin import ContentRange, Origin

if TYPE_CHECKING:
    import ssl

    import httpx

CONNECT_S = 10.0
READ_S = 15.0
"""Without a word from the server; some put an episode together before they answer."""
_REDIRECTS = 10
_LONGEST = 15
"""Digits of a length that is believed."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Bytes `start` to `end` (None: to the end) of the file at `url`, if it is still what `known` says of it."""

    url: str
    start: int = 0
    end: int | None = None
    known: Origin | None = None

    @property
    def address(self) -> str:
        return (self.known.resolved if self.known else "") or self.url

    @property
    def headers(self) -> dict[str, str]:
        headers = {"User-Agent": f"Earmark/{__version__}", "Accept": "*/*", "Accept-Encoding": "identity"}
        if self.known is not None and not self.known.ranged:
            return headers
        headers["Range"] = f"bytes={self.start}-{'' if self.end is None else self.end - 1}"
        if self.known and self.known.condition and self.start:
            headers["If-Range"] = self.known.condition
        return headers


@dataclass(frozen=True, slots=True)
class Answer:
    """The body that comes stands at `start` of the file that `origin` describes."""

    start: int
    origin: Origin
    content_type: str
    header_names: tuple[str, ...] = ()


class Line:
    """A connection to a server; `hang_up`, from any thread, ends whatever waits on it at once."""

    def __init__(self, login: Callable[[str], tuple[str, str] | None]) -> None:
        """`login` tells the name and password for the server at an address, if it wants any."""
        self._login = login
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []
        self._client: httpx.Client | None = None
        self.hung_up = False

    @contextlib.contextmanager
    def ask(self, wanted: Wanted) -> Iterator[tuple[Answer, Iterator[bytes]]]:
        """The answer and its body, piece by piece. Raises Failure, also while the body is read."""
        address = wanted.address
        with self.stream(address, wanted.headers) as response:
            answer = read_answer(
                wanted, response.status_code, response.headers, str(response.url) if response.history else address
            )
            yield answer, _body(response)

    @contextlib.contextmanager
    def stream(self, address: str, headers: dict[str, str]) -> "Iterator[httpx.Response]":
        """Whatever the server answers, its body still to be read. Raises Failure, also while that is done."""
        import httpx

        try:
            client = self._client = self._client or _client(self._sign)
            with client.stream("GET", address, headers=headers, extensions={"trace": self._trace}) as response:
                yield response
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise network_failure(error, address) from error

    def hang_up(self) -> None:
        with self._lock:
            self.hung_up = True
            for line in self._sockets:
                _shut(line)

    def close(self) -> None:
        """For the thread that asks."""
        with self._lock:
            self.hung_up = True
            self._sockets.clear()
        if self._client is not None:
            self._client.close()

    def _sign(self, request: "httpx.Request") -> None:
        """Called for each of a chain of redirects: a login goes to the server that it is for, and to no other."""
        import httpx

        if "Authorization" not in request.headers and (login := self._login(str(request.url))):
            next(httpx.BasicAuth(*login).sync_auth_flow(request))

    def _trace(self, event: str, info: dict[str, Any]) -> None:
        """httpcore tells of each socket here: closing one alone would not wake the thread that reads from it."""
        if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            line = info["return_value"].get_extra_info("socket")
            with self._lock:
                self._sockets = [other for other in self._sockets if other.fileno() >= 0]
                self._sockets.append(line)
                if self.hung_up:
                    _shut(line)


def read_answer(wanted: Wanted, status: int, headers: "httpx.Headers", url: str) -> Answer:
    """What a response to `wanted` brings. Raises Failure when it is none of use."""
    resolved = "" if url == wanted.url else url
    content_type = headers.get("Content-Type", "")
    etag, last_modified = headers.get("ETag", ""), headers.get("Last-Modified", "")
    content_range = ContentRange.parse(headers.get("Content-Range", ""))
    encoded = headers.get("Content-Encoding", "identity").lower() not in ("identity", "")
    if status == 206 and content_range and content_range.start is not None and not encoded:
        ranged = content_range.length is not None
        origin = Origin(etag, last_modified, content_range.length, ranged, resolved)
        return Answer(content_range.start, origin, content_type)
    if status == 200:
        length = headers.get("Content-Length", "")
        known = int(length) if length.isdecimal() and len(length) < _LONGEST and not encoded else None
        # Some answer a request for all bytes in the plain way, though they do give out parts. Who ignores a start is
        # taken at its deed.
        ignored = wanted.start > 0 and "If-Range" not in wanted.headers
        ranged = known is not None and headers.get("Accept-Ranges", "").lower() == "bytes" and not ignored
        return Answer(0, Origin(etag, last_modified, known, ranged, resolved), content_type, tuple(headers))
    if status == 416 and wanted.known:
        length = content_range.length if content_range else None
        same = wanted.start == length or "If-Range" in wanted.headers
        raise EndsAt(length) if length and same else changed_failure()
    raise status_failure(status, url, headers.get("Retry-After", ""))


def _body(response: "httpx.Response") -> Iterator[bytes]:
    # A server that compresses although it was asked not to still gives the right bytes once they are unpacked.
    encoded = response.headers.get("Content-Encoding", "identity").lower() not in ("identity", "")
    return response.iter_bytes() if encoded else response.iter_raw()


def _client(sign: Callable[["httpx.Request"], None]) -> "httpx.Client":
    import httpx

    return httpx.Client(
        timeout=httpx.Timeout(READ_S, connect=CONNECT_S),
        follow_redirects=True,
        max_redirects=_REDIRECTS,
        verify=_tls(),
        event_hooks={"request": [sign]},
    )


@cache
def _tls() -> "ssl.SSLContext":
    """One for all: making it reads the certificates of every authority, 20 ms and more."""
    import httpx

    return httpx.create_ssl_context()


def _shut(line: socket.socket) -> None:
    with contextlib.suppress(OSError):
        # Of the plain socket even where TLS is on it: SSLSocket.shutdown would take the session from under its reader.
        socket.socket.shutdown(line, socket.SHUT_RDWR)
