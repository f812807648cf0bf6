"""Serves the bytes of one file to a device on the local network, over HTTP, under an address that can't be guessed."""

import logging
import re
import select
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from hmac import compare_digest
from http.server import BaseHTTPRequestHandler
from secrets import token_urlsafe
from typing import Any, Protocol

from player.errors import EarmarkError

log = logging.getLogger(__name__)

_CHUNK = 128 * 1024
_REQUEST_S = 15.0
"""How long a client may take to ask."""
_MOST = 12
"""Connections at a time: devices open a few, and forget some of them."""
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})", re.ASCII)
_DLNA = "DLNA.ORG_OP={seeks};DLNA.ORG_CI=0;DLNA.ORG_FLAGS=01700000000000000000000000000000"
"""What renderers want to know (DLNA guidelines, 7.4.1.3): ranges can be asked for, nothing is converted, the connection
may be stalled, which is what a pause does."""


class Source(Protocol):
    """The bytes that are served; any thread."""

    @property
    def size(self) -> int | None:
        """None while it isn't known; then only all of it can be asked for. May wait."""
        ...

    def read(self, offset: int, count: int, given_up: Callable[[], bool]) -> bytes:
        """Waits until at least one byte is there; b"" at the end. Raises EarmarkError, also once it is `given_up`."""
        ...

    def wake(self) -> None:
        """Makes every waiting `read` ask again whether it is given up."""
        ...


class ByteServer:
    """Listens at one address of this computer, from now on until `close`. Any thread."""

    def __init__(self, host: str, source: Source, content_type: str, ending: str) -> None:
        """`ending` of the address, like `.mp3`: some devices go by it. Raises OSError where `host` isn't an address of
        this computer."""
        self.source = source
        self.content_type = content_type
        self.error: EarmarkError | None = None
        """Why bytes couldn't be had."""
        self.reached_end = False
        """Whether the last byte was served."""
        self.was_asked = False
        """Whether anything was served at all."""
        self._waiting = 0
        self._served_to = 0
        self._lock = threading.Lock()
        self._connections: list[socket.socket] = []
        self._closed = False
        self._listener = socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
        self.port: int = self._listener.getsockname()[1]
        self.path = f"/{token_urlsafe(24)}/episode{ending}"
        self.url = f"http://{f'[{host}]' if ':' in host else host}:{self.port}{self.path}"
        threading.Thread(target=self._accept, name="earmark-serving", daemon=True).start()

    @property
    def waits(self) -> bool:
        """Whether a client waits for bytes that aren't there yet."""
        return self._waiting > 0

    @property
    def served_to(self) -> int:
        """The end of the furthest byte that was served."""
        return self._served_to

    def close(self) -> None:
        """Ends all connections and gives up the port, at once. May be called twice."""
        with self._lock:
            self._closed = True
            ending = [*self._connections, self._listener]
        for one in ending:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)  # wakes the threads that wait on it
        self._listener.close()
        self.source.wake()

    # -- for the connections' threads -----------------------------------------------------------------------------

    def read(self, offset: int, count: int, given_up: Callable[[], bool]) -> bytes:
        """Raises EarmarkError."""
        with self._lock:
            self.was_asked = True
            self._waiting += 1
        try:
            return self.source.read(offset, count, lambda: self._closed or given_up())
        except EarmarkError as error:
            if not self._closed and not given_up():
                self.error = error
            raise
        finally:
            with self._lock:
                self._waiting -= 1

    def served(self, end: int) -> None:
        self._served_to = max(self._served_to, end)

    def _accept(self) -> None:
        while True:
            try:
                connection, address = self._listener.accept()
            except OSError:
                return
            with self._lock:
                if self._closed:
                    connection.close()
                    return
                oldest = self._connections[0] if len(self._connections) >= _MOST else None
                self._connections.append(connection)
            if oldest is not None:
                with suppress(OSError):
                    oldest.shutdown(socket.SHUT_RDWR)
            self.source.wake()  # a device that jumps leaves its former connection, which may be waiting
            threading.Thread(
                target=self._answer, args=(connection, address), name="earmark-served", daemon=True
            ).start()

    def _answer(self, connection: socket.socket, address: Any) -> None:
        try:
            _Request(connection, address, self)  # type: ignore[arg-type]
        except OSError as error:
            log.debug("a connection to a device ended: %s", error)
        except Exception:
            log.exception("serving an episode failed")
        finally:
            with self._lock:
                self._connections.remove(connection)
            connection.close()


class _Request(BaseHTTPRequestHandler):
    """Answers GET and HEAD (RFC 9110), with one range at most."""

    server: ByteServer  # type: ignore[assignment]
    protocol_version = "HTTP/1.1"
    timeout = _REQUEST_S

    def do_GET(self) -> None:
        self.connection.settimeout(_REQUEST_S)
        # A name is compared in full whatever it is, so that its letters can't be found one by one.
        if not compare_digest(self.path.encode(errors="replace"), self.server.path.encode()):
            self.send_error(404)
            return
        size = self.server.source.size
        start, end, status = 0, size, 200
        if size is not None and (asked := byte_range(self.headers.get("Range", ""), size)):
            start, end, status = *asked, 206
        if size is not None and start >= size and status == 206:
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{size}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(status)
        self.send_header("Content-Type", self.server.content_type)
        self.send_header("Accept-Ranges", "none" if size is None else "bytes")
        self.send_header("transferMode.dlna.org", "Streaming")
        self.send_header("contentFeatures.dlna.org", _DLNA.format(seeks="00" if size is None else "01"))
        self.send_header("Access-Control-Allow-Origin", "*")  # the page in a Chromecast asks for it
        if end is None:
            self.send_header("Connection", "close")
        else:
            self.send_header("Content-Length", str(end - start))
        if status == 206:
            self.send_header("Content-Range", f"bytes {start}-{(end or 0) - 1}/{size}")
        self.end_headers()
        if self.command != "HEAD":
            self._send(start, end, size)

    do_HEAD = do_GET

    def _send(self, start: int, end: int | None, size: int | None) -> None:
        self.connection.settimeout(None)  # a device that is paused takes nothing for as long as that lasts
        at = start
        while end is None or at < end:
            try:
                data = self.server.read(at, _CHUNK if end is None else min(_CHUNK, end - at), self._is_left)
            except EarmarkError as error:
                log.info("the device doesn't get more: %s", error)
                break
            if not data:
                break
            self.wfile.write(data)
            at += len(data)
            self.server.served(at)
        else:
            self.server.reached_end = self.server.reached_end or end == size
            return
        self.server.reached_end = self.server.reached_end or (end is None and self.server.error is None)
        self.close_connection = True

    def _is_left(self) -> bool:
        """Whether the client has gone."""
        with suppress(OSError, ValueError):
            if not select.select([self.connection], [], [], 0)[0]:
                return False
            return not self.connection.recv(1, socket.MSG_PEEK)
        return True

    def version_string(self) -> str:
        return "Earmark"

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: what it would write has the address."""


def byte_range(header: str, size: int) -> tuple[int, int] | None:
    """From and to; beginning at `size` or behind it where nothing of the range is there. None for all of it: also where
    several ranges are asked for, or something that isn't a range, as RFC 9110 (14.2) allows."""
    found = _RANGE.fullmatch(header.strip().replace(" ", ""))
    if not found or found[1] == found[2] == "":
        return None
    if not found[1]:
        count = int(found[2])
        return (max(0, size - count), size) if count else (size, size)
    start = int(found[1])
    end = min(size, int(found[2]) + 1) if found[2] else size
    if found[2] and int(found[2]) < start:
        return None
    return start, max(start, end)
