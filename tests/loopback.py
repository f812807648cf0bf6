"""A real HTTP server on 127.0.0.1 whose pages a test sets as it goes."""

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from copy import copy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any

Answer = Callable[["Request"], None]


class Request(BaseHTTPRequestHandler):
    """One request; an Answer calls `reply`, or writes to `wfile` whatever it likes."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # 40 ms for each answer on a connection that is kept
    server: "LoopbackServer"
    body = b""
    """What was sent with a POST or PUT."""

    def do_GET(self) -> None:
        # A copy: the connection's next request overwrites this one's path and headers.
        self.server.seen.append(copy(self))
        answer = self.server.answers.get(self.path.partition("?")[0], self.server.otherwise)
        if answer is None:
            self.reply(b"nothing here", "text/plain", status=404)
        else:
            answer(self)

    do_HEAD = do_GET

    def do_POST(self) -> None:
        self.body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self.do_GET()

    do_PUT = do_PATCH = do_DELETE = do_POST

    def reply(
        self, body: bytes, content_type: str, *, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def reply_ranges(self, body: bytes, content_type: str, *, etag: str = '"1"') -> None:
        """The body, or the part of it that a `Range: bytes=a-b` asks for."""
        wanted = self.headers.get("Range", "")
        headers = {"Accept-Ranges": "bytes", "ETag": etag}
        condition = self.headers.get("If-Range", etag)
        if not wanted.startswith("bytes=") or condition != etag:
            self.reply(body, content_type, headers=headers)
            return
        first, _, last = wanted[6:].partition("-")
        start = int(first) if first else max(0, len(body) - int(last))
        end = min(int(last), len(body) - 1) if first and last else len(body) - 1
        if start >= len(body):
            self.reply(b"", content_type, status=416, headers={"Content-Range": f"bytes */{len(body)}"})
            return
        headers["Content-Range"] = f"bytes {start}-{end}/{len(body)}"
        self.reply(body[start : end + 1], content_type, status=206, headers=headers)

    def date_time_string(self, timestamp: float | None = None) -> str:
        return super().date_time_string(self.server.clock() if timestamp is None else timestamp)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet: a test's output is its assertions."""


class LoopbackServer(ThreadingHTTPServer):
    """`with LoopbackServer() as server: server.page("/feed.xml", body, "application/rss+xml")`."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Request)
        self.answers: dict[str, Answer] = {}
        self.otherwise: Answer | None = None
        """Answers at all other paths."""
        self.seen: list[Request] = []
        self.clock: Callable[[], float] = time.time
        """The clock for the dates of its answers."""
        self._thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.005}, daemon=True)
        self._connected: set[socket.socket] = set()

    def page(self, path: str, body: bytes, content_type: str = "application/rss+xml", **more: object) -> str:
        """Serves `body` at `path`; returns the whole address."""
        return self.answer(path, lambda request: request.reply(body, content_type, **more))  # type: ignore[arg-type]

    def audio(self, path: str, body: bytes, content_type: str = "audio/mpeg") -> str:
        """Serves `body` at `path` with ranges; returns the whole address."""
        return self.answer(path, lambda request: request.reply_ranges(body, content_type))

    def answer(self, path: str, answer: Answer) -> str:
        self.answers[path] = answer
        return self.url(path)

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_port}{path}"

    def hang_up(self) -> None:
        """Ends each connection, even one that is kept for further requests."""
        for connection in list(self._connected):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._connected.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._connected.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away in the middle is what players do."""

    def __enter__(self) -> "LoopbackServer":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown()
        self.server_close()
        self._thread.join()


@contextmanager
def secure(certificate: Path) -> Iterator[LoopbackServer]:
    """A server that is talked to by TLS, and shows that certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server = LoopbackServer()
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    with server:
        yield server
