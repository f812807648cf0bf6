"""Fetching from servers that mean no good: a sentence, in time, and never more than that."""

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from player.errors import FeedError, HttpFailure, Unreachable
from player.feeds.feed_fetch import Connections, Timeouts, fetch
from player.net.fetch import Fetched, MemoryBudget
from player.processes.threads import CancelToken
from tests.loopback import LoopbackServer, Request
from tests.player.feeds.parsing.raw import saying

QUICK = Timeouts(connect=2, silence=1, total=3)
OK = b"HTTP/1.1 200 OK\r\n"


def failure(url: str) -> str:
    start = time.monotonic()
    with pytest.raises(FeedError) as caught:
        fetch(url, timeouts=QUICK)
    assert time.monotonic() - start < 20
    sentence = str(caught.value)
    assert sentence.isprintable()
    return sentence


@pytest.fixture
def hold() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


# -- no HTTP, or too much of it -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "response",
    [
        b"", b"\r\n", b"<rss/>", b"HTTP/0.9 200 OK\r\n\r\n<rss/>", b"HTTP/1.1\r\n\r\n", b"HTTP/1.1 abc OK\r\n\r\n",
        b"HTTP/1.1 99999 OK\r\n\r\n", b"HTTP/1.1 -1 OK\r\n\r\n", b"HTTP/9.9 200 OK\r\n\r\nx", OK,
        OK + b"Content-Length: -1\r\n\r\nx", OK + b"Content-Length: many\r\n\r\nx",
        OK + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
        OK + b"Content-Length: 99999999999999999999999999\r\n\r\nx",
        OK + b"X: \x00\r\nContent-Length: 1\r\n\r\nx",
        OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n<rss/>\r\n0\r\n\r\n",
        OK + b"Transfer-Encoding: chunked\r\n\r\nfffffffffffffffffffff\r\n<rss/>\r\n0\r\n\r\n",
        OK + b"Transfer-Encoding: chunked\r\n\r\n-5\r\n<rss/>\r\n0\r\n\r\n",
        OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\n<rss/>",
        OK + b"Transfer-Encoding: nonsense\r\n\r\nx",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
        b"HTTP/1.1 301 Moved\r\nLocation: http://\x1b[2J/\r\n\r\n",
    ],
)  # fmt: skip
def test_what_is_no_answer_is_a_sentence(response: bytes) -> None:
    with saying(response) as url:
        assert failure(url)


def endlessly(response: bytes, head: bytes = OK) -> Callable[[socket.socket], None]:
    def say(client: socket.socket) -> None:
        client.sendall(head)
        while True:
            client.sendall(response * 1000)

    return say


@pytest.mark.parametrize(
    "say",
    [
        endlessly(b"X-More: and more\r\n"), endlessly(b"x"), endlessly(b"X: " + b"y" * 1000),
        endlessly(b"HTTP/1.1 100 Continue\r\n\r\n", b""),
        endlessly(b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n", b""),
        endlessly(b"\r\n", b""), endlessly(b"\0", b""),
    ],
)  # fmt: skip
def test_a_head_without_end_is_given_up(say: Callable[[socket.socket], None]) -> None:
    with saying(say) as url:
        assert "can't be used" in failure(url)


def test_control_characters_go_no_further() -> None:
    response = OK + b'ETag: "\x1b[2J"\r\nContent-Type: text/\x07xml\r\nContent-Length: 1\r\n\r\nx'
    with saying(response) as url:
        fetched = fetch(url)
    assert (fetched.body, fetched.state.etag) == (b"x", "")
    with saying(OK + b"Content-Type: audio/\x1b[2J\r\nContent-Length: 1\r\n\r\nx") as url:
        assert "is a file of type audio/" in failure(url)


def test_a_refusal_is_told_though_its_body_never_comes(server: LoopbackServer, hold: threading.Event) -> None:
    def answer(request: Request) -> None:
        request.send_response(404)
        request.send_header("Content-Length", "1000" if request.path == "/short" else "10000000")
        request.end_headers()
        hold.wait(10)

    for path in ("/short", "/long"):
        with pytest.raises(HttpFailure, match="Not found"):
            fetch(server.answer(path, answer), timeouts=QUICK)


def test_a_redirect_leads_on_though_its_body_never_comes(server: LoopbackServer, hold: threading.Event) -> None:
    def answer(request: Request) -> None:
        request.send_response(302)
        request.send_header("Location", "/there")
        request.send_header("Content-Length", "1000")
        request.end_headers()
        hold.wait(10)

    server.page("/there", b"x")
    assert fetch(server.answer("/here", answer), timeouts=QUICK).body == b"x"


# -- what is kept to ourselves --------------------------------------------------------------------------------


def test_a_login_is_not_told_to_where_a_redirect_leads(server: LoopbackServer) -> None:
    there = server.page("/there", b"x").replace("127.0.0.1", "localhost")
    url = server.page("/here", b"", "text/plain", status=302, headers={"Location": there})
    fetch(url.replace("://", "://ada:secret@"))
    here, there_ = server.seen
    assert "Authorization" in here.headers
    assert "Authorization" not in there_.headers


def test_neither_cookies_nor_netrc_are_used(server: LoopbackServer) -> None:
    (Path.home() / ".netrc").write_text("machine 127.0.0.1 login ada password secret\n")
    url = server.page("/feed", b"x", headers={"Set-Cookie": "a=b; Path=/"})
    with Connections() as connections:
        for _ in range(2):
            connections.fetch(url)
    assert not any(name in request.headers for request in server.seen for name in ("Cookie", "Authorization"))


@pytest.mark.parametrize(
    "url", ["http://a\r\nb/", "http://127.0.0.1/\r\nX: y", "http://\x00/", "http://a b/", "http://%0d/"]
)
def test_no_address_adds_to_the_request(url: str) -> None:
    failure(url)


def test_an_address_is_asked_for_as_it_was_meant(server: LoopbackServer) -> None:
    server.page("/a b/\u00fc", b"x")
    for path, asked in (
        ("/a b?c=d e#f", "/a%20b?c=d%20e"), ("/\u00fc?\u00e4=1", "/%C3%BC?%C3%A4=1"),
        ("/%2F%C3%BC?x=%20", "/%2F%C3%BC?x=%20"),
        ("?a=b", "/?a=b"), ("/a|b\\c\"<>", "/a%7Cb%5Cc%22%3C%3E"),
    ):  # fmt: skip
        with pytest.raises(HttpFailure):
            fetch(server.url(path))
        assert server.seen[-1].path == asked


@pytest.mark.parametrize(
    ("host", "asked"),
    [
        ("a.test", "a.test"), ("A.Test.", "a.test."), ("b\u00fccher.test", "xn--bcher-kva.test"),
        ("stra\u00dfe.test", "xn--strae-oqa.test"), ("under_score.test", "under_score.test"),
    ],
)  # fmt: skip
def test_names_are_looked_up_by_us_alone(
    server: LoopbackServer, monkeypatch: pytest.MonkeyPatch, host: str, asked: str
) -> None:
    names = []

    def look_up(name: str, *_: object, **__: object) -> list[object]:
        names.append(name)
        return [(socket.AF_INET6, 1, 6, "", ("::1", 0, 0, 0)), (socket.AF_INET, 1, 6, "", ("127.0.0.1", 0))]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    url = server.page("/feed", b"x").replace("127.0.0.1", host)
    with Connections() as connections:
        for _ in range(2):
            assert connections.fetch(url).body == b"x"
    assert names == [asked]
    assert server.seen[0].headers["Host"].startswith(asked)


# -- connections ----------------------------------------------------------------------------------------------


def test_a_connection_that_was_closed_meanwhile_is_made_anew(server: LoopbackServer) -> None:
    def answer(request: Request) -> None:
        request.reply(b"x", "text/xml")
        request.close_connection = True  # though it said nothing of that

    url = server.answer("/feed", answer)
    with Connections() as connections:
        for _ in range(3):
            assert connections.fetch(url).body == b"x"
    assert len(server.seen) == 3


def test_an_answer_that_breaks_off_once_is_asked_for_again(server: LoopbackServer) -> None:
    def answer(request: Request) -> None:
        request.send_response(200)
        request.send_header("Content-Length", "4")
        request.end_headers()
        request.wfile.write(b"body" if len(server.seen) > 1 else b"bo")
        request.close_connection = True

    assert fetch(server.answer("/feed", answer)).body == b"body"


# -- the end --------------------------------------------------------------------------------------------------


@pytest.fixture
def lookups(monkeypatch: pytest.MonkeyPatch, hold: threading.Event) -> threading.Event:
    """Names are looked up without end; set when one is."""
    asked = threading.Event()

    def look_up(*_: object, **__: object) -> None:
        asked.set()
        hold.wait(20)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    monkeypatch.delenv("https_proxy")
    return asked


def test_a_lookup_does_not_hold_up_the_end(lookups: threading.Event) -> None:
    connections = Connections()
    future = connections.run(connections.get("https://a.test/feed"))
    assert lookups.wait(10)
    start = time.monotonic()
    connections.close()
    assert time.monotonic() - start < 20
    assert future.cancelled()


def test_a_lookup_does_not_hold_up_who_lets_go(lookups: threading.Event) -> None:
    abort = CancelToken()

    def let_go() -> None:
        lookups.wait(10)
        abort.set()

    threading.Thread(target=let_go, daemon=True).start()
    start = time.monotonic()
    with pytest.raises(Unreachable, match="was cancelled"):
        fetch("https://a.test/feed", abort=abort)
    assert time.monotonic() - start < 20


def test_a_lookup_without_end_is_given_up(lookups: threading.Event) -> None:
    with pytest.raises(Unreachable, match=r"a\.test didn't respond within 0\.2 s"):
        fetch("https://a.test/feed", timeouts=Timeouts(connect=0.2, silence=1, total=3))


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_servers_that_say_nothing_do_not_hold_up_the_end(scheme: str, hold: threading.Event) -> None:
    asked = threading.Semaphore(0)

    def say(_: socket.socket) -> None:
        asked.release()
        hold.wait(40)

    with saying(say) as url:
        connections = Connections()
        urls = [url.replace("http", scheme, 1)] * 20
        futures = [connections.run(connections.get(one)) for one in urls]
        for _ in futures[: 1 if scheme == "https" else 20]:
            assert asked.acquire(timeout=10)
        start = time.monotonic()
        connections.close()
        assert time.monotonic() - start < 20
        assert all(future.cancelled() for future in futures)


# -- what is held in memory -----------------------------------------------------------------------------------


def test_only_one_job_at_a_time_takes_more_than_a_little(server: LoopbackServer) -> None:
    url = server.page("/feed", b"x" * 5_000_000)
    started = threading.Event()

    async def both(connections: Connections) -> tuple[list[str], Fetched, Fetched]:
        heavy, first, second, order = asyncio.Lock(), MemoryBudget(), MemoryBudget(), []
        first.begin(heavy)
        second.begin(heavy)
        await first.acquire(3_000_000)
        waiting = asyncio.create_task(connections.get(url, load=second))
        waiting.add_done_callback(lambda _: order.append("second"))
        started.set()
        whole = await connections.get(url, load=first)
        await asyncio.sleep(0.3)  # longer than the silence that would end it: to wait one's turn is none
        order.append("first")
        first.release()
        other = await waiting
        second.release()
        return order, whole, other

    with Connections(Timeouts(connect=2, silence=0.2, total=10)) as connections:
        order, whole, other = connections.run(both(connections)).result(20)
    assert order == ["first", "second"]
    assert len(whole.body) == len(other.body) == 5_000_000
