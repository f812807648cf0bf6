"""Requests a range of a file, and interprets the response."""

import contextlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from player import __version__
from player.media.cache import ContentRange, RemoteVersion
from player.media.fetching.media_errors import EndsAt, changed_failure, request_failure, status_failure
from player.net import decompression
from player.net.failures import RequestFailed
from player.net.requester import ROOM, Fence, Login, Requester

if TYPE_CHECKING:
    from player.net.loop import NetworkLoop
    from player.net.requester import Response

PIECE = 2 * 1024 * 1024
"""Bytes of a video's audio that are asked for at once: two minutes, and never more than a server grants."""
CONNECT_S = 10.0
READ_S = 15.0
"""Seconds without a sign of life; some servers assemble an episode before they answer."""
_LONGEST = 15
"""Most digits of a plausible length."""


class ByteRange(Struct, frozen=True):
    """Bytes `start` to `end` (None: to the end) of the file at `url`, if it is still what `known` says of it. `at` is
    where the file is, if `url` is a page that stands for it."""

    url: str
    start: int = 0
    end: int | None = None
    known: RemoteVersion | None = None
    at: str = ""

    @property
    def address(self) -> str:
        return (self.known.resolved if self.known else "") or self.at or self.url

    def piece(self, at: str) -> "ByteRange":
        """The first bytes of these, of the file at `at`, with an end: servers of videos refuse ranges without one."""
        length = self.known.length if self.known else None
        ends = (self.start + PIECE, *(end for end in (self.end, length) if end is not None))
        return replace(self, at=at, end=min(ends))

    @property
    def headers(self) -> dict[str, str]:
        headers = {"User-Agent": f"Earmark/{__version__}", "Accept": "*/*", "Accept-Encoding": "identity"}
        if self.known is not None and not self.known.ranged:
            return headers
        headers["Range"] = f"bytes={self.start}-{'' if self.end is None else self.end - 1}"
        if self.known and self.known.condition and self.start:
            headers["If-Range"] = self.known.condition
        return headers


class RangeAnswer(Struct, frozen=True):
    """The body begins at `start` of the file that `origin` describes."""

    start: int
    origin: RemoteVersion
    content_type: str
    header_names: tuple[str, ...] = ()


class Connection:
    """A connection to a server; `abort`, from any thread, ends its requests at once."""

    def __init__(
        self, network: "NetworkLoop", login: Login, fence: Fence = lambda _url: None, room: int = ROOM
    ) -> None:
        """`login` gives name and password for the server at an address, if known. `fence` is called with each address
        before it is requested, redirects included; `ask` raises what it raises. `room`: bytes buffered for the
        reader."""
        self._requester = Requester(network, login, READ_S, fence, room)

    @contextlib.contextmanager
    def ask(self, requested: ByteRange) -> Iterator[tuple[RangeAnswer, Iterator[bytes]]]:
        """The response and its body, in pieces. Raises Failure, also while the body is read."""
        address = requested.address
        try:
            with self._requester.get(address, requested.headers) as response:
                yield read_answer(requested, response.status, response.headers, response.url), _body(response)
        except RequestFailed as failed:
            raise request_failure(failed, address) from failed

    def abort(self) -> None:
        self._requester.abort()


def read_answer(requested: ByteRange, status: int, headers: Mapping[str, str], url: str) -> RangeAnswer:
    """Interprets a response to `requested`. Raises Failure when it is of no use."""
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
        # Some servers answer a range from 0 with 200 although they support ranges. One that
        # ignores another start doesn't.
        ignored = requested.start > 0 and "If-Range" not in requested.headers
        ranged = known is not None and headers.get("Accept-Ranges", "").lower() == "bytes" and not ignored
        return RangeAnswer(0, RemoteVersion(etag, last_modified, known, ranged, resolved), content_type, tuple(headers))
    if status == 416 and requested.known:
        end = content_range.length if content_range else None
        same = requested.start == end or "If-Range" in requested.headers
        raise EndsAt(end) if end and same else changed_failure()
    raise status_failure(status, headers, url)


def _body(response: "Response") -> Iterator[bytes]:
    """A server that compresses although asked not to is decompressed. Some name encodings that aren't (`aws-chunked`,
    `utf-8`)."""
    unpacker = decompression.unpacker(response.headers.get("Content-Encoding", ""))
    if unpacker is None:
        return response.pieces
    return (unpacked for piece in response.pieces for unpacked in unpacker.unpack(piece))
