"""Asks a server for a part of a file, and tells what it answers."""

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from player import __version__
from player.media.cache.remote_version import ContentRange, RemoteVersion
from player.media.fetching.media_errors import EndsAt, changed_failure, network_failure, status_failure
from player.net import decompression
from player.net.failures import RequestFailed
from player.net.requester import ROOM, Fence, Login, Requester

if TYPE_CHECKING:
    from player.net.loop import NetworkLoop
    from player.net.requester import Response

CONNECT_S = 10.0
READ_S = 15.0
"""Without a word from the server; some put an episode together before they answer."""
_LONGEST = 15
"""Digits of a length that is believed."""


@dataclass(frozen=True, slots=True)
class ByteRange:
    """Bytes `start` to `end` (None: to the end) of the file at `url`, if it is still what `known` says of it."""

    url: str
    start: int = 0
    end: int | None = None
    known: RemoteVersion | None = None

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
class RangeAnswer:
    """The body that comes stands at `start` of the file that `origin` describes."""

    start: int
    origin: RemoteVersion
    content_type: str
    header_names: tuple[str, ...] = ()


class Connection:
    """A connection to a server; `abort`, from any thread, ends whatever waits on it at once."""

    def __init__(
        self, network: "NetworkLoop", login: Login, fence: Fence = lambda _url: None, room: int = ROOM
    ) -> None:
        """`login` tells the name and password for the server at an address, if it wants any. `ask` raises what `fence`
        does, which is called before an address is asked for, each that redirects lead to as well. `room`: bytes that
        may wait for the reader."""
        self._requester = Requester(network, login, READ_S, fence, room)

    @contextlib.contextmanager
    def ask(self, requested: ByteRange) -> Iterator[tuple[RangeAnswer, Iterator[bytes]]]:
        """The answer and its body, piece by piece. Raises Failure, also while the body is read."""
        address = requested.address
        try:
            with self._requester.get(address, requested.headers) as response:
                yield read_answer(requested, response.status, response.headers, response.url), _body(response)
        except RequestFailed as failed:
            raise network_failure(failed, address) from failed

    def abort(self) -> None:
        self._requester.abort()


def read_answer(requested: ByteRange, status: int, headers: Mapping[str, str], url: str) -> RangeAnswer:
    """What a response to `requested` brings. Raises Failure when it is none of use."""
    resolved = "" if url == requested.url else url
    content_type = headers.get("Content-Type", "")
    etag, last_modified = headers.get("ETag", ""), headers.get("Last-Modified", "")
    content_range = ContentRange.parse(headers.get("Content-Range", ""))
    encoded = headers.get("Content-Encoding", "identity").lower() not in ("identity", "")
    if status == 206 and content_range and content_range.start is not None and not encoded:
        ranged = content_range.length is not None
        origin = RemoteVersion(etag, last_modified, content_range.length, ranged, resolved)
        return RangeAnswer(content_range.start, origin, content_type)
    if status == 200:
        length = headers.get("Content-Length", "")
        known = int(length) if length.isdecimal() and len(length) < _LONGEST and not encoded else None
        # Some answer a request for all bytes in the plain way, though they do give out parts. Who ignores a start is
        # taken at its deed.
        ignored = requested.start > 0 and "If-Range" not in requested.headers
        ranged = known is not None and headers.get("Accept-Ranges", "").lower() == "bytes" and not ignored
        return RangeAnswer(0, RemoteVersion(etag, last_modified, known, ranged, resolved), content_type, tuple(headers))
    if status == 416 and requested.known:
        end = content_range.length if content_range else None
        same = requested.start == end or "If-Range" in requested.headers
        raise EndsAt(end) if end and same else changed_failure()
    raise status_failure(status, url, headers.get("Retry-After", ""))


def _body(response: "Response") -> Iterator[bytes]:
    """A server that compresses although it was asked not to still gives the right bytes once they are unpacked. Some
    name what is no way to pack anything (`aws-chunked`, `utf-8`)."""
    unpacker = decompression.unpacker(response.headers.get("Content-Encoding", ""))
    if unpacker is None:
        return response.pieces
    return (unpacked for piece in response.pieces for unpacked in unpacker.unpack(piece))
