"""Answers that are read piece by piece, in the reader's own time."""

import threading
from collections.abc import Callable, Iterator

import pytest

from player.net.connectivity import Connectivity
from player.net.failures import FailureReason, RequestFailed
from player.net.loop import NetworkLoop
from player.net.requester import MOST_REDIRECTS, ROOM, Login, Requester
from tests.loopback import LoopbackServer, Request
from tests.player.feeds.parsing.raw import saying

PIECE = bytes(range(256)) * 256
MANY = 400


@pytest.fixture
def network() -> Iterator[NetworkLoop]:
    loop = NetworkLoop(5.0, 5.0)
    yield loop
    loop.close()


def nobody(_address: str) -> None:
    return None


def requester(network: NetworkLoop, login: Login = nobody, silence: float = 5.0) -> Requester:
    return Requester(network, login, silence)


def body(network: NetworkLoop, url: str) -> bytes:
    with requester(network).get(url, {}) as response:
        return b"".join(response.pieces)


def trouble(network: NetworkLoop, url: str, silence: float = 5.0) -> RequestFailed:
    with pytest.raises(RequestFailed) as caught, requester(network, silence=silence).get(url, {}) as response:
        b"".join(response.pieces)
    return caught.value


def after(event: threading.Event, do: Callable[[], None]) -> None:
    """In another thread."""

    def wait() -> None:
        event.wait(10)
        do()

    threading.Thread(target=wait, daemon=True).start()


def test_a_server_waits_for_a_slow_reader_and_nothing_is_lost(network: NetworkLoop, server: LoopbackServer) -> None:
    sent = threading.Semaphore(0)

    def much(request: Request) -> None:
        request.send_response(200)
        request.send_header("Content-Length", str(MANY * len(PIECE)))
        request.end_headers()
        for _ in range(MANY):
            request.wfile.write(PIECE)
            sent.release()

    url = server.answer("/a", much)
    with requester(network).get(url, {}) as response:
        first = next(response.pieces)
        while sent.acquire(timeout=0.3):  # until the server is stopped by full buffers
            pass
        pieces = [first, *response.pieces]
    assert b"".join(pieces) == MANY * PIECE
    assert max(map(len, pieces)) < 2 * ROOM


def test_waiting_for_a_reader_is_no_silence(network: NetworkLoop, server: LoopbackServer) -> None:
    url = server.page("/a", MANY * PIECE)
    waiting = threading.Event()
    with requester(network, silence=0.5).get(url, {}) as response:
        first = next(response.pieces)
        waiting.wait(1.0)
        assert len(first) + sum(map(len, response.pieces)) == MANY * len(PIECE)


def test_silence_is_told(network: NetworkLoop, server: LoopbackServer) -> None:
    over = threading.Event()

    def silent(request: Request) -> None:
        request.send_response(200)
        request.send_header("Content-Length", "10")
        request.end_headers()
        request.wfile.flush()
        over.wait(10)

    assert trouble(network, server.answer("/a", silent), silence=0.2).reason is FailureReason.STALLED
    over.set()


@pytest.mark.parametrize("answers", [False, True])
def test_abort_ends_a_wait_from_another_thread(network: NetworkLoop, server: LoopbackServer, answers: bool) -> None:
    asked, over = threading.Event(), threading.Event()

    def hold(request: Request) -> None:
        if answers:
            request.send_response(200)
            request.end_headers()
        asked.set()
        over.wait(20)

    url = server.answer("/a", hold)
    waiting = requester(network)
    after(asked, waiting.abort)
    with pytest.raises(RequestFailed), waiting.get(url, {}) as response:
        b"".join(response.pieces)
    assert not over.is_set()
    with pytest.raises(RequestFailed), waiting.get(url, {}):
        pass
    assert len(server.seen) == 1
    over.set()


def test_the_end_of_the_network_ends_every_wait(server: LoopbackServer) -> None:
    network = NetworkLoop(5.0, 5.0)
    asked, over = threading.Event(), threading.Event()

    def hold(_request: Request) -> None:
        asked.set()
        over.wait(20)

    url = server.answer("/a", hold)
    after(asked, network.close)
    assert trouble(network, url).reason is FailureReason.CONNECTION_LOST
    assert trouble(network, url).reason is FailureReason.CONNECTION_LOST
    over.set()


def test_redirects_are_followed_with_the_cookies_that_were_set(network: NetworkLoop, server: LoopbackServer) -> None:
    """Some lead back to the same address, and want to see the cookie there."""

    def door(request: Request) -> None:
        if "ticket=7" in request.headers.get("Cookie", ""):
            request.reply(b"inside", "text/plain")
        else:
            request.reply(b"", "text/plain", status=302, headers={"Location": "/door", "Set-Cookie": "ticket=7"})

    assert body(network, server.answer("/door", door)) == b"inside"
    assert not any("Cookie" in request.headers for request in server.seen[:1])


def test_a_login_goes_to_the_server_it_is_for_and_no_further(network: NetworkLoop, server: LoopbackServer) -> None:
    with LoopbackServer() as other:
        there = other.page("/b", b"x").replace("127.0.0.1", "localhost")
        here = server.page("/a", b"", status=302, headers={"Location": there})
        asked: list[str] = []

        def login(address: str) -> tuple[str, str] | None:
            asked.append(address)
            return ("ada", "secret") if address == here else None

        with requester(network, login).get(here, {}) as response:
            assert response.url == there
            assert b"".join(response.pieces) == b"x"
        assert asked == [here, there]
        assert "Authorization" in server.seen[0].headers
        assert "Authorization" not in other.seen[0].headers


def test_offline_nothing_is_sent(server: LoopbackServer) -> None:
    watch = Connectivity(lambda _server: True, lambda: (), lambda: None)
    watch.choose(offline=True)
    network = NetworkLoop(5.0, 5.0, watch)
    url = server.page("/a", b"")
    with pytest.raises(RequestFailed) as caught:
        body(network, url)
    assert caught.value.reason is FailureReason.OFFLINE
    assert not server.seen
    network.close()


def test_a_circle_ends(network: NetworkLoop, server: LoopbackServer) -> None:
    url = server.page("/a", b"", status=302, headers={"Location": "/a"})
    assert trouble(network, url).reason is FailureReason.REDIRECT_LOOP
    assert len(server.seen) == MOST_REDIRECTS + 1


def test_a_redirect_to_what_is_no_web_address_is_not_followed(network: NetworkLoop, server: LoopbackServer) -> None:
    url = server.page("/a", b"", status=302, headers={"Location": "file:///etc/passwd"})
    assert trouble(network, url).reason is FailureReason.BAD_REDIRECT


def test_a_body_that_ends_too_soon_is_told_from_a_connection_that_broke(
    network: NetworkLoop, server: LoopbackServer
) -> None:
    def short(request: Request) -> None:
        request.close_connection = True
        request.send_response(200)
        request.send_header("Content-Length", "10")
        request.end_headers()
        request.wfile.write(b"12345")

    assert trouble(network, server.answer("/a", short)).reason is FailureReason.CUT_SHORT


def test_one_connection_serves_one_request_after_the_other(network: NetworkLoop, server: LoopbackServer) -> None:
    url = server.page("/a", b"x" * 1000)
    for _ in range(3):
        assert body(network, url) == b"x" * 1000
    assert len({request.client_address for request in server.seen}) == 1


def test_an_old_server_of_live_streams_is_understood(network: NetworkLoop) -> None:
    raw_response = b"ICY 200 OK\r\nicy-name: Radio\r\ncontent-type: audio/mpeg\r\n\r\n\xff\xfb"
    with saying(raw_response) as url, requester(network).get(url, {}) as response:
        assert (response.status, response.headers.get("icy-name")) == (200, "Radio")
        assert b"".join(response.pieces) == b"\xff\xfb"
