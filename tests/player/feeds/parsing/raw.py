"""A server on 127.0.0.1 that says what HTTP has no words for."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator

Say = Callable[[socket.socket], None]


@contextlib.contextmanager
def saying(say: bytes | Say) -> Iterator[str]:
    """The address of a server that says so to whoever has asked something, and hangs up."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve(client: socket.socket) -> None:
        with client, contextlib.suppress(OSError):
            client.recv(65_536)
            if isinstance(say, bytes):
                client.sendall(say)
            else:
                say(client)

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=serve, args=(listening.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/feed"
    finally:
        listening.close()
