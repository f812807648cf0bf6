"""Servers and networks at their worst: a file is served with ranges, and one fault after the other is in its way."""

import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.certificate import self_signed
from tests.loopback import LoopbackServer, Request

Fault = Callable[["Part"], None]


@dataclass
class Part:
    """What one request wants of the file."""

    request: Request
    body: bytes
    start: int
    end: int
    content_type: str
    etag: str
    let_go: threading.Event

    def head(self, length: int | None = None) -> None:
        """The answer's head; `length` is what it says of the part's length, when that isn't true."""
        request = self.request
        request.send_response(206)
        request.send_header("Content-Type", self.content_type)
        if self.etag:
            request.send_header("ETag", self.etag)
        whole = len(self.body) if length is None else self.start + length
        request.send_header("Content-Range", f"bytes {self.start}-{min(self.end, whole) - 1}/{whole}")
        request.send_header("Content-Length", str(self.end - self.start if length is None else length))
        request.end_headers()

    def send(self, start: int, end: int) -> None:
        self.request.wfile.write(self.body[start:end])
        self.request.wfile.flush()

    def serve(self) -> None:
        self.head()
        self.send(self.start, self.end)

    def first(self, count: int) -> None:
        """The head, and no more than the first `count` bytes of the file."""
        self.head()
        self.send(self.start, min(self.end, count))

    def page(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.request.reply(
            body, "text/html", status=status, headers={k.replace("_", "-"): v for k, v in headers.items()}
        )


@dataclass
class BadFile:
    """Each request meets the next of `faults`; when there are none left, all is well.

    With `head`, so many bytes come well, and so do the last 128 kB, which demuxers look at first.
    """

    body: bytes
    faults: list[Fault]
    head: int = 0
    content_type: str = "audio/mpeg"
    etag: str = '"1"'
    let_go: threading.Event = field(default_factory=threading.Event)

    def __call__(self, request: Request) -> None:
        wanted = request.headers.get("Range", "bytes=0-").removeprefix("bytes=")
        first, _, last = wanted.partition("-")
        end = min(int(last) + 1, len(self.body)) if last else len(self.body)
        part = Part(request, self.body, int(first), end, self.content_type, self.etag, self.let_go)
        if self.head and len(self.body) - part.start <= 128 * 1024:
            part.serve()  # what demuxers look at first: the file's end
        elif self.head and part.start < self.head:
            request.close_connection = True
            part.first(self.head)
        elif self.faults:
            self.faults.pop(0)(part)
        else:
            part.serve()


# -- faults ---------------------------------------------------------------------------------------------------


def close(part: Part) -> None:
    """Hangs up without a word."""
    part.request.close_connection = True
    part.request.connection.shutdown(socket.SHUT_RDWR)


def reset(part: Part) -> None:
    """Promises everything, and tears the connection down."""
    part.head()
    part.request.close_connection = True
    part.request.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    part.request.connection.close()


def short(count: int) -> Fault:
    """Promises everything, gives `count` bytes, and ends the body in good order."""

    def fault(part: Part) -> None:
        part.request.close_connection = True
        part.head()
        part.send(part.start, min(part.end, part.start + count))

    return fault


def stall(part: Part) -> None:
    """Promises everything, and says nothing more until it is let go."""
    part.request.close_connection = True
    part.head()
    part.let_go.wait(20)


def trickle(rate: int) -> Fault:
    """So many bytes a second, until it is let go."""

    def fault(part: Part) -> None:
        part.head()
        at, step = part.start, max(1, rate // 20)
        while at < part.end and not part.let_go.wait(0.05):
            part.send(at, min(part.end, at + step))
            at += step
        part.send(at, part.end)

    return fault


def status(code: int, retry_after: str = "") -> Fault:
    return lambda part: part.page(code, Retry_After=retry_after) if retry_after else part.page(code)


def sign_in(part: Part) -> None:
    part.page(200, b"<!doctype html><title>Welcome to the hotel</title><form>Your room number</form>")


def circle(part: Part) -> None:
    part.page(302, Location=part.request.path)


def lead_to(url: str) -> Fault:
    return lambda part: part.page(302, Location=url)


@contextmanager
def unbelievable(folder: Path) -> Iterator[str]:
    """The address of a TLS server whose certificate nobody has signed."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(self_signed(folder))
    with LoopbackServer() as server:
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        yield server.url("/a.mp3").replace("http://", "https://")
