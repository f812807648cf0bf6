"""Feeds, episodes and what goes with them all take the same way: the same proxies, the same certificates."""

import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from player.attachments.fetch_queue import Fetcher
from player.errors import EarmarkError, MediaError
from player.feeds.feed_fetch import fetch
from player.media.fetching.broadcast import LiveMedia
from player.media.fetching.range_request import CONNECT_S, READ_S
from player.net import client
from player.net.loop import NetworkLoop
from player.net.surroundings import trusted
from player.paths import Paths
from tests.certificate import self_signed
from tests.loopback import LoopbackServer, secure
from tests.player.media.conftest import Listening, whole
from tests.player.media.sounds import mp3
from tests.proxies import Proxy, Talk, http, socks4, socks5

BODY = mp3(300)
HOST = "episodes.test"
ADA = ("ada", "se:cret")
QUOTED = ("ada", "se%3Acret")

Ask = Callable[[str], bytes]


def feed(url: str) -> bytes:
    return fetch(url).body


def attachment(url: str) -> bytes:
    network = NetworkLoop(CONNECT_S, READ_S)
    try:
        return Fetcher(network, lambda _: None).fetch(url, "the transcript", 10**6).body
    finally:
        network.close()


def episode(url: str) -> bytes:
    listening = Listening(Paths.of())
    try:
        media = listening.open(url)
        listening.until(lambda: media.complete or media.error or media.trouble)
        if found := media.error or media.trouble:
            raise found
        return whole(media)
    finally:
        listening.close()


def live_stream(url: str) -> bytes:
    network, ready = NetworkLoop(CONNECT_S, READ_S), threading.Event()
    try:
        broadcast = LiveMedia(url, network, lambda _: None, lambda: url).listen(ready.set)
        assert ready.wait(10)
        if broadcast.over and not broadcast.format:
            raise broadcast.error or MediaError(f"No stream. The proxy refused to connect to {HOST}.")
        received = b""
        while more := broadcast.read(len(received), 50_000):
            received += more
        return received
    finally:
        network.close()


ALL = pytest.mark.parametrize("ask", [feed, attachment, episode, live_stream])


@pytest.fixture
def no_lookups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names can't be looked up here: a proxy has to do it."""

    look_up = socket.getaddrinfo

    def numbers_only(host: Any, *more: Any, **named: Any) -> Any:
        if host != "127.0.0.1":
            raise socket.gaierror(socket.EAI_NONAME, "in the system's words")
        return look_up(host, *more, **named)

    monkeypatch.setattr(socket, "getaddrinfo", numbers_only)


def set_proxy(monkeypatch: pytest.MonkeyPatch, url: str, no_proxy: str = "") -> None:
    monkeypatch.delenv("https_proxy", raising=False)
    monkeypatch.setenv("all_proxy", url)
    monkeypatch.setenv("no_proxy", no_proxy)


def serve(server: LoopbackServer) -> str:
    """The address of something that is reached through a proxy only."""
    url = f"http://{HOST}/a.mp3"
    for path in ("/a.mp3", url, f"http://{HOST}:80/a.mp3"):
        server.answer(path, lambda request: request.reply_ranges(BODY, "application/octet-stream"))
    return url


@ALL
@pytest.mark.parametrize(
    ("talk", "scheme", "login", "given"),
    [
        (socks4, "socks4", None, None),
        (socks4, "socks4a", None, None),
        (socks4, "socks4a", ("ada", ""), ("ada", "")),
        (socks5, "socks5", None, None),
        (socks5, "socks5h", None, None),
        (socks5, "socks5h", ADA, QUOTED),
        (http, "http", None, None),
        (http, "http", ADA, QUOTED),
    ],
)
def test_everything_comes_through_the_proxy_which_looks_the_name_up(
    ask: Ask,
    talk: Talk,
    scheme: str,
    login: tuple[str, str] | None,
    given: tuple[str, str] | None,
    server: LoopbackServer,
    monkeypatch: pytest.MonkeyPatch,
    no_lookups: None,
) -> None:
    url = serve(server)
    with Proxy(talk, server.server_port, login) as proxy:
        set_proxy(monkeypatch, proxy.url(scheme, given))
        assert ask(url) == BODY
    assert {host.partition(":")[0] for host in proxy.asked} == {HOST}
    assert not any("Proxy-Authorization" in request.headers for request in server.seen if talk is not http)


@ALL
@pytest.mark.parametrize(("talk", "scheme"), [(socks5, "socks5h"), (http, "http")])
def test_a_wrong_login_for_the_proxy_is_a_sentence(
    ask: Ask, talk: Talk, scheme: str, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = serve(server).replace("http://", "https://")
    with Proxy(talk, server.server_port, ADA) as proxy:
        set_proxy(monkeypatch, proxy.url(scheme, ("ada", "wrong")))
        with pytest.raises(EarmarkError, match=f"The proxy refused to connect to {HOST}"):
            ask(url)
    assert server.seen == []


@ALL
def test_no_proxy_is_asked_for_what_needs_none(
    ask: Ask, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(server)
    with Proxy(socks5, server.server_port) as proxy:
        set_proxy(monkeypatch, proxy.url("socks5h"), "example.test, 127.0.0.1")
        assert ask(server.url("/a.mp3")) == BODY
    assert proxy.asked == []


@ALL
@pytest.mark.parametrize("through", [None, socks5, http])
def test_a_private_authority_is_believed_where_the_environment_names_it(
    ask: Ask, through: Talk | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = self_signed(tmp_path)
    with secure(certificate) as server:
        serve(server)
        url = server.url("/a.mp3").replace("http://", "https://")
        with Proxy(through or http, server.server_port) as proxy:
            set_proxy(monkeypatch, proxy.url("socks5h" if through is socks5 else "http"), "" if through else "*")
            monkeypatch.setattr(client, "_trust", trusted)  # which is looked at once in a process
            with pytest.raises(EarmarkError):
                ask(url)
            assert server.seen == []
            monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
            assert ask(url) == BODY
    assert bool(proxy.asked) == bool(through)


@ALL
def test_a_proxy_that_is_talked_to_by_tls_has_to_prove_who_it_is(
    ask: Ask, tmp_path: Path, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, certificate = serve(server), self_signed(tmp_path)
    with Proxy(http, server.server_port, ADA, certificate) as proxy:
        set_proxy(monkeypatch, proxy.url("https", QUOTED))
        monkeypatch.setattr(client, "_trust", trusted)
        with pytest.raises(EarmarkError):
            ask(url)
        assert proxy.asked == []
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert ask(url) == BODY
        assert {host.partition(":")[0] for host in proxy.asked} == {HOST}


@ALL
def test_what_is_asked_for_by_https_is_not_had_without_a_certificate_that_is_good(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = self_signed(tmp_path, name="somebody.test")
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    monkeypatch.setattr(client, "_trust", trusted)
    with secure(certificate) as server:
        serve(server)
        with pytest.raises(EarmarkError):
            ask(server.url("/a.mp3").replace("http://", "https://"))
        assert server.seen == []
