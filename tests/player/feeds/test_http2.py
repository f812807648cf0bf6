"""HTTP/2 where a server offers it, over a real connection."""

import asyncio
import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

import h2.config
import h2.connection
import h2.events
import pytest

from player.feeds.feed_fetch import Connections
from player.net import client
from player.net.surroundings import Trust
from tests.certificate import self_signed


class Http2Server:
    """Answers every request with its path, in one frame, once `together` of them have come on a connection."""

    def __init__(self, certificate: Path, together: int) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        context.set_alpn_protocols(["h2"])
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._context = context
        self._together = together
        self.connections = 0
        self.url = f"https://127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._socket.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        line = self._context.wrap_socket(client, server_side=True)
        http = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        http.initiate_connection()
        line.sendall(http.data_to_send())
        waiting: list[tuple[int, str]] = []
        while data := line.recv(65_536):
            for event in http.receive_data(data):
                if isinstance(event, h2.events.RequestReceived):
                    waiting.append((event.stream_id, dict(event.headers)[":path"]))  # type: ignore[arg-type, index]
            if len(waiting) >= self._together:
                for stream, path in waiting:
                    http.send_headers(stream, [(":status", "200"), ("content-type", "text/xml")])
                    http.send_data(stream, path.encode(), end_stream=True)
                waiting.clear()
            line.sendall(http.data_to_send())


@pytest.fixture
def http2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Http2Server]:
    certificate = self_signed(tmp_path)
    monkeypatch.setattr(client, "_trust", lambda: Trust(str(certificate), ""))
    server = Http2Server(certificate, together=3)
    yield server
    server.close()


def test_several_feeds_of_a_host_come_on_one_connection_at_once(http2: Http2Server) -> None:
    with Connections() as connections:

        async def all_at_once() -> list[bytes]:
            asked = (connections.get(f"{http2.url}/{number}") for number in range(3))
            return [fetched.body for fetched in await asyncio.gather(*asked)]

        assert connections.run(all_at_once()).result(20) == [b"/0", b"/1", b"/2"]
    assert http2.connections == 1
