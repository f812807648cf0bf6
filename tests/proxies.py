"""Proxies on loopback: all of them lead to one server, whatever name is asked for."""

import base64
import socket
import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

Talk = Callable[["Proxy", socket.socket], bytes | None]
"""Hears what a client wants; what of it is passed on, or None where it isn't led through."""


@dataclass
class Proxy:
    """`login`: the only name and password that it takes. `certificate`: it is to be talked to by TLS.

    `asked`: the hosts it was asked for, by name or number.
    """

    talk: Talk
    port: int
    login: tuple[str, str] | None = None
    certificate: Path | None = None
    asked: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> "Proxy":
        return self

    def __exit__(self, *_error: object) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def url(self, scheme: str, login: tuple[str, str] | None = None) -> str:
        who = f"{login[0]}:{login[1]}@" if login else ""
        return f"{scheme}://{who}127.0.0.1:{self._listening.getsockname()[1]}"

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        try:
            if self.certificate is not None:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain(self.certificate)
                client = context.wrap_socket(client, server_side=True)
            first = self.talk(self, client)
        except (OSError, EOFError):
            first = None
        if first is None:
            client.close()
            return
        server = socket.create_connection(("127.0.0.1", self.port))
        server.sendall(first)
        for here, there in ((client, server), (server, client)):
            threading.Thread(target=_pass_on, args=(here, there), daemon=True).start()


def socks4(proxy: Proxy, client: socket.socket) -> bytes | None:
    """SOCKS 4 and 4a: an address of 0.0.0.x is followed by a name."""
    head = _exactly(client, 8)
    name = _until_zero(client)
    if head[4:7] == b"\0\0\0" and head[7]:
        proxy.asked.append(_until_zero(client).decode())
    else:
        proxy.asked.append(socket.inet_ntoa(head[4:8]))
    allowed = head[:2] == b"\x04\x01" and (proxy.login is None or name.decode() == proxy.login[0])
    client.sendall(b"\0" + (b"\x5a" if allowed else b"\x5d") + head[2:8])
    return b"" if allowed else None


def socks5(proxy: Proxy, client: socket.socket) -> bytes | None:
    """RFC 1928, with names and passwords as in RFC 1929."""
    _, count = _exactly(client, 2)
    offered = _exactly(client, count)
    method = 2 if proxy.login else 0
    if method not in offered:
        client.sendall(b"\x05\xff")
        return None
    client.sendall(bytes([5, method]))
    if proxy.login:
        _, length = _exactly(client, 2)
        name = _exactly(client, length)
        password = _exactly(client, _exactly(client, 1)[0])
        allowed = (name.decode(), password.decode()) == proxy.login
        client.sendall(b"\x01" + (b"\0" if allowed else b"\x01"))
        if not allowed:
            return None
    _, _, _, kind = _exactly(client, 4)
    if kind == 3:
        proxy.asked.append(_exactly(client, _exactly(client, 1)[0]).decode())
    else:
        family, length = (socket.AF_INET, 4) if kind == 1 else (socket.AF_INET6, 16)
        proxy.asked.append(socket.inet_ntop(family, _exactly(client, length)))
    _exactly(client, 2)
    client.sendall(b"\x05\0\0\x01\0\0\0\0\0\0")
    return b""


def http(proxy: Proxy, client: socket.socket) -> bytes | None:
    """CONNECT leads through; what comes with a whole address is passed on."""
    whole = b""
    while not whole.endswith(b"\r\n\r\n"):
        whole += _exactly(client, 1)
    head = whole.decode("latin-1")
    method, target, _ = head.split("\r\n")[0].split(" ")
    proxy.asked.append(target.partition("://")[2].partition("/")[0] if "://" in target else target.rpartition(":")[0])
    if proxy.login:
        wanted = base64.b64encode(":".join(proxy.login).encode()).decode()
        if f"proxy-authorization: basic {wanted}".lower() not in head.lower():
            client.sendall(
                b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            )
            return None
    if method != "CONNECT":
        return whole
    client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
    return b""


def _exactly(client: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        more = client.recv(count - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def _until_zero(client: socket.socket) -> bytes:
    data = b""
    while (byte := _exactly(client, 1)) != b"\0":
        data += byte
    return data


def _pass_on(here: socket.socket, there: socket.socket) -> None:
    try:
        while data := here.recv(65_536):
            there.sendall(data)
        there.shutdown(socket.SHUT_WR)
    except OSError:
        there.close()
