"""Whom a connection by TLS trusts, and which proxy it takes."""

import socket
import threading
from pathlib import Path

import pytest

from player.errors import FeedError, Unreachable
from player.feeds.feed_fetch import Connections, Timeouts, fetch
from player.net import client
from player.net.surroundings import Proxies, Trust, trusted
from tests.certificate import self_signed
from tests.loopback import LoopbackServer, secure

QUICK = Timeouts(connect=2, silence=1, total=3)


def over_tls(url: str) -> str:
    return url.replace("http://", "https://")


def trust(monkeypatch: pytest.MonkeyPatch, certificate: Path) -> None:
    """As SSL_CERT_FILE does, which is looked at once."""
    monkeypatch.setattr(client, "_trust", lambda: Trust(str(certificate), ""))


def failure(url: str) -> str:
    with pytest.raises(FeedError) as caught:
        fetch(url, timeouts=QUICK)
    return str(caught.value)


# -- certificates ---------------------------------------------------------------------------------------------


def test_who_is_trusted_is_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificate = self_signed(tmp_path)
    trust(monkeypatch, certificate)
    with secure(certificate) as server, Connections() as connections:
        url = over_tls(server.page("/feed", b"x"))
        for _ in range(3):
            assert connections.fetch(url).body == b"x"
    assert len({request.client_address for request in server.seen}) == 1


def test_a_certificate_that_nobody_vouches_for_is_a_sentence(tmp_path: Path) -> None:
    with secure(self_signed(tmp_path)) as server:
        sentence = failure(over_tls(server.page("/feed", b"x")))
        assert sentence.startswith(
            "127.0.0.1 has an invalid certificate: self-signed certificate. Nothing was fetched."
        )
        assert server.seen == []


@pytest.mark.parametrize(
    ("until", "name", "words"),
    [("250201000000Z", "127.0.0.1", "certificate has expired"), ("450101000000Z", "a.test", "does not match")],
)
def test_a_certificate_that_is_no_longer_good_or_anothers_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, until: str, name: str, words: str
) -> None:
    certificate = self_signed(tmp_path, until, name)
    trust(monkeypatch, certificate)
    with secure(certificate) as server:
        sentence = failure(over_tls(server.page("/feed", b"x")))
    assert sentence.startswith("127.0.0.1 has an invalid certificate: ")
    assert words in sentence


def test_certificates_that_are_not_there_are_a_sentence(
    tmp_path: Path, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    trust(monkeypatch, tmp_path / "nothing.pem")
    assert "Can't check the certificate of " in failure(over_tls(server.url("/feed")))


def test_the_environment_says_whom_to_trust(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    monkeypatch.setenv("SSL_CERT_FILE", "/a.pem")
    assert trusted() == Trust("/a.pem", "")
    monkeypatch.setenv("SSL_CERT_DIR", "/b")
    assert trusted() == Trust("/a.pem", "/b")
    monkeypatch.delenv("SSL_CERT_FILE")
    assert trusted() == Trust("", "/b")
    monkeypatch.delenv("SSL_CERT_DIR")
    assert Path(trusted().file or trusted().folder).exists()


# -- proxies --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "address", "proxy"),
    [
        ({}, "http://a.test", ""),
        ({"http": "http://p:1"}, "http://a.test", "http://p:1"),
        ({"http": "http://p:1"}, "https://a.test", ""),
        ({"all": "p"}, "https://a.test", "http://p:80"),
        ({"all": "socks5h://p", "https": "https://u:w@q"}, "https://a.test", "https://u:w@q:443"),
        ({"all": "socks5h://p"}, "http://a.test", "socks5h://p:1080"),
        ({"all": "socks5://p:2"}, "http://a.test", "socks5h://p:2"),
        ({"http": "http://p:1", "no": "*"}, "http://a.test", ""),
        ({"http": "http://p:1", "no": "b.test, a.test"}, "http://a.test", ""),
        ({"http": "http://p:1", "no": "a.test"}, "http://c.a.test", ""),
        ({"http": "http://p:1", "no": "a.test:80"}, "http://a.test", ""),
        ({"http": "http://p:1", "no": ".a.test"}, "http://c.a.test", ""),
        ({"http": "http://p:1", "no": ".a.test"}, "http://a.test", "http://p:1"),
        ({"http": "http://p:1", "no": "a.test"}, "http://ca.test", "http://p:1"),
        ({"http": "http://p:1", "no": "::1,127.0.0.1"}, "http://127.0.0.1", ""),
        ({"http": "http://p:1", "no": "[::1]"}, "http://::1", ""),
        ({"http": "http://["}, "http://a.test", ""),
    ],
)
def test_a_proxy_is_chosen_as_the_environment_says(settings: dict[str, str], address: str, proxy: str) -> None:
    scheme, _, host = address.partition("://")
    assert Proxies(settings).of(scheme, host) == proxy


def test_small_letters_go_before_capitals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://loud:1")
    monkeypatch.setenv("no_proxy", "")
    assert Proxies().of("http", "a.test") == "http://loud:1"
    monkeypatch.setenv("http_proxy", "http://quiet:1")
    assert Proxies().of("http", "a.test") == "http://quiet:1"


class Tunnel:
    """A proxy that leads every CONNECT to one place, and tells what it was asked; or refuses."""

    def __init__(self, port: int, refusal: bytes = b"") -> None:
        self.asked: list[bytes] = []
        self._port = port
        self._refusal = refusal
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://ada:secret@127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            client, _ = self._listening.accept()
            self.asked.append(client.recv(65_536))
            if self._refusal:
                client.sendall(self._refusal)
                client.close()
                continue
            client.sendall(b"HTTP/1.1 200 Connection established\r\nVia: a proxy\r\nContent-Type: audio/x\r\n\r\n")
            server = socket.create_connection(("127.0.0.1", self._port))
            for here, there in ((client, server), (server, client)):
                threading.Thread(target=self._pass_on, args=(here, there), daemon=True).start()

    def _pass_on(self, here: socket.socket, there: socket.socket) -> None:
        while data := here.recv(65_536):
            there.sendall(data)
        there.close()


def test_a_proxy_leads_to_a_server_without_a_lookup_here(
    server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", server.url(""))
    server.page("http://a.test/feed", b"x")
    assert fetch("http://a.test/feed").body == b"x"
    assert server.seen[0].headers["Host"] == "a.test"


def test_a_proxy_passes_encrypted_connections_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificate = self_signed(tmp_path)
    trust(monkeypatch, certificate)
    monkeypatch.setenv("no_proxy", "")
    with secure(certificate) as server:
        proxy = Tunnel(server.server_port)
        monkeypatch.setenv("https_proxy", proxy.url)
        assert fetch(over_tls(server.page("/feed", b"x"))).body == b"x"
    (asked,) = proxy.asked
    assert asked.startswith(b"CONNECT 127.0.0.1:")
    assert b"Proxy-Authorization: Basic YWRhOnNlY3JldA==" in asked
    assert b"application/rss+xml" not in asked
    assert not any("Proxy-Authorization" in request.headers for request in server.seen)


def test_a_proxy_that_refuses_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    proxy = Tunnel(9, b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
    monkeypatch.setenv("https_proxy", proxy.url)
    with pytest.raises(Unreachable, match=r"The proxy refused to connect to a\.test"):
        fetch("https://a.test/feed", timeouts=QUICK)
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    assert "a.test refused the connection" in failure("https://a.test/feed")
    monkeypatch.setenv("https_proxy", "http://p.test:9")
    monkeypatch.setattr(socket, "getaddrinfo", nobody)
    assert "The proxy refused to connect to a.test" in failure("https://a.test/feed")


def nobody(*_: object, **__: object) -> None:
    raise socket.gaierror(socket.EAI_NONAME, "in the system's words")
