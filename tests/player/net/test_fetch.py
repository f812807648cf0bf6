"""Small bodies, fetched within bounds. What feeds, directories and sync servers want of it is tested with them."""

import gzip
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Literal

import pytest

from player.model.feed import FeedState
from player.net.connectivity import Connectivity
from player.net.exchange import Upload
from player.net.failures import FailureReason, RequestFailed
from player.net.fetch import Fetched, Logins, Request, get
from player.net.loop import NetworkLoop
from player.processes.threads import CancelToken
from tests import loopback
from tests.loopback import LoopbackServer
from tests.player.feeds.parsing.raw import saying

WAIT_S = 20.0


@pytest.fixture
def network() -> Iterator[NetworkLoop]:
    loop = NetworkLoop(5.0, 5.0)
    yield loop
    loop.close()


def fetched(network: NetworkLoop, url: str, cancel: CancelToken | None = None, **more: Any) -> Fetched:
    bounds: dict[str, Any] = {"size": 1 << 20, "total_s": WAIT_S, **more}
    return get(network, Request(url=url, **bounds), cancel or CancelToken())


def trouble(network: NetworkLoop, url: str, **more: Any) -> RequestFailed:
    with pytest.raises(RequestFailed) as caught:
        fetched(network, url, **more)
    return caught.value


def hang_until(over: threading.Event, begun: threading.Event) -> Callable[[loopback.Request], None]:
    def hang(_request: loopback.Request) -> None:
        begun.set()
        over.wait(WAIT_S)

    return hang


# -- bounds ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("packed", [False, True])
def test_a_body_may_be_as_large_as_its_bound_and_no_larger(
    network: NetworkLoop, server: LoopbackServer, packed: bool
) -> None:
    headers = {"Content-Encoding": "gzip"} if packed else {}
    whole = bytes(300_000)
    url = server.page("/a", gzip.compress(whole) if packed else whole, headers=headers)
    assert fetched(network, url, size=300_000).body == whole
    failed = trouble(network, url, size=299_999)
    assert (failed.reason, failed.limit, failed.url) == (FailureReason.TOO_LARGE, 299_999, url)
    assert fetched(network, url, size=299_999, cut=True).body == whole[:299_999]


def test_only_a_beginning_may_be_compressed_in_an_unknown_way(network: NetworkLoop, server: LoopbackServer) -> None:
    url = server.page("/a", b"#EXTM3U", headers={"Content-Encoding": "utf-8"})
    failed = trouble(network, url)
    assert (failed.reason, failed.detail) == (FailureReason.ENCODING, "utf-8")
    assert fetched(network, url, cut=True).body == b"#EXTM3U"


def test_a_length_that_is_too_much_is_refused_before_the_body(network: NetworkLoop) -> None:
    with saying(b"HTTP/1.1 200 OK\r\nContent-Length: 1048577\r\n\r\n") as url:
        assert trouble(network, url).reason is FailureReason.TOO_LARGE


def test_all_of_it_has_a_time(network: NetworkLoop, server: LoopbackServer) -> None:
    over, begun = threading.Event(), threading.Event()
    there = server.answer("/b", hang_until(over, begun))
    failed = trouble(network, server.page("/a", b"", status=302, headers={"Location": there}), total_s=0.3)
    over.set()
    assert (failed.reason, failed.limit) == (FailureReason.TOO_SLOW, 0.3)


def test_cancelling_ends_it_at_once_and_whatever_is_asked_later(network: NetworkLoop, server: LoopbackServer) -> None:
    over, begun, cancel = threading.Event(), threading.Event(), CancelToken()
    url = server.answer("/a", hang_until(over, begun))

    def stop() -> None:
        begun.wait(WAIT_S)
        cancel.set()

    threading.Thread(target=stop, daemon=True).start()
    start = time.monotonic()
    for _ in range(2):
        assert trouble(network, url, cancel=cancel).reason is FailureReason.CANCELLED
    assert time.monotonic() - start < WAIT_S / 2
    over.set()
    assert len(server.seen) == 1


def test_after_the_network_has_ended_nothing_is_asked(server: LoopbackServer) -> None:
    network = NetworkLoop(5.0, 5.0)
    network.close()
    assert trouble(network, server.page("/a", b"")).reason is FailureReason.CANCELLED
    assert not server.seen


@pytest.mark.parametrize("upload", [None, Upload(b"[]", "application/json")], ids=["get", "upload"])
def test_offline_nothing_is_sent(server: LoopbackServer, upload: Upload | None) -> None:
    watch = Connectivity(lambda _server: True, lambda: (), lambda: None)
    watch.choose(offline=True)
    network = NetworkLoop(5.0, 5.0, watch)
    assert trouble(network, server.page("/a", b""), upload=upload).reason is FailureReason.OFFLINE
    assert not server.seen
    network.close()


# -- what comes back --------------------------------------------------------------------------------------------


def test_compressed_data_that_ends_early_is_told_from_a_whole_body(
    network: NetworkLoop, server: LoopbackServer
) -> None:
    packed = gzip.compress(b"[1, 2]")
    for path, sent, whole in (("/whole", packed, True), ("/no-trailer", packed[:-8], False)):
        got = fetched(network, server.page(path, sent, headers={"Content-Encoding": "gzip"}))
        assert (got.body, got.whole) == (b"[1, 2]", whole)


def test_what_is_known_is_not_sent_again(network: NetworkLoop, server: LoopbackServer) -> None:
    def answer(request: loopback.Request) -> None:
        if request.headers.get("If-None-Match") == '"7"':
            request.reply(b"", "text/plain", status=304)
        else:
            request.reply(b"new", "text/plain", headers={"ETag": '"7"', "Last-Modified": "yesterday"})

    url = server.answer("/a", answer)
    first = fetched(network, url)
    assert (first.is_new, first.body, first.state) == (True, b"new", FeedState('"7"', "yesterday"))
    second = fetched(network, url, known=first.state)
    assert (second.is_new, second.body, second.state) == (False, b"", first.state)
    assert trouble(network, server.page("/b", b"", status=304)).status == 304, "nothing was known"


def test_a_response_may_be_refused_or_left_unread_before_its_body(network: NetworkLoop, server: LoopbackServer) -> None:
    class Unwanted(Exception):
        pass

    def refuse(_head: object, _url: str) -> bool:
        raise Unwanted

    url = server.page("/a", b"some", "audio/mpeg")
    with pytest.raises(Unwanted):
        fetched(network, url, accepts=refuse)
    got = fetched(network, url, accepts=lambda _head, _url: False)
    assert (got.body, got.content_type) == (b"", "audio/mpeg")


# -- redirects ----------------------------------------------------------------------------------------------------


def test_each_address_passes_the_fence_before_it_is_asked(network: NetworkLoop, server: LoopbackServer) -> None:
    class Outside(Exception):
        pass

    passed: list[str] = []

    def fence(address: str) -> None:
        if address.endswith("/b"):
            raise Outside
        passed.append(address)

    url = server.page("/a", b"", status=302, headers={"Location": "/b"})
    with pytest.raises(Outside):
        fetched(network, url, fence=fence)
    assert passed == [url]
    assert [request.path for request in server.seen] == ["/a"]


def test_a_failure_names_the_address_that_failed(network: NetworkLoop, server: LoopbackServer) -> None:
    with LoopbackServer() as gone:
        there = gone.url("/b")
    failed = trouble(network, server.page("/a", b"", status=302, headers={"Location": there}))
    assert (failed.reason, failed.url) == (FailureReason.REFUSED, there)


def test_only_so_many_redirects_are_followed(network: NetworkLoop, server: LoopbackServer) -> None:
    url = server.page("/a", b"", status=302, headers={"Location": "/a"})
    assert trouble(network, url, redirects=3).reason is FailureReason.REDIRECT_LOOP
    assert len(server.seen) == 4
    unfollowed = trouble(network, url, redirects=0)
    assert (unfollowed.reason, unfollowed.status, len(server.seen)) == (FailureReason.ODD_STATUS, 302, 5)
    nowhere = server.page("/b", b"", status=302, headers={"Location": "file:///etc/passwd"})
    assert trouble(network, nowhere).reason is FailureReason.BAD_REDIRECT
    assert trouble(network, "ftp://example.com/").reason is FailureReason.BAD_ADDRESS


# -- logins and sessions --------------------------------------------------------------------------------------------


def test_a_login_that_takes_long_to_find_holds_up_no_other_request(
    network: NetworkLoop, server: LoopbackServer
) -> None:
    asked, unlocked = threading.Event(), threading.Event()

    def locked(_address: str) -> tuple[str, str]:
        asked.set()
        unlocked.wait(WAIT_S)
        return "ada", "secret"

    url = server.page("/a", b"x")
    answers: list[Fetched] = []
    waiting = threading.Thread(target=lambda: answers.append(fetched(network, url, logins=Logins(locked))))
    waiting.start()
    assert asked.wait(WAIT_S)
    assert fetched(network, url).body == b"x"
    assert not answers
    unlocked.set()
    waiting.join(WAIT_S)
    assert len(answers) == 1
    assert ["Authorization" in request.headers for request in server.seen] == [False, True]


def test_a_server_s_login_is_looked_up_once_for_many_requests_whoever_gives_up(
    network: NetworkLoop, server: LoopbackServer
) -> None:
    asked: list[str] = []
    unlocked = threading.Event()

    def locked(address: str) -> tuple[str, str]:
        asked.append(address)
        unlocked.wait(WAIT_S)
        return "ada", "secret"

    url, logins = server.page("/a", b"x"), Logins(locked)
    assert trouble(network, url, logins=logins, total_s=0.1).reason is FailureReason.TOO_SLOW
    unlocked.set()
    for _ in range(2):
        assert fetched(network, url, logins=logins).body == b"x"
    assert asked == [url]
    assert ["Authorization" in request.headers for request in server.seen] == [True, True]


def test_a_session_lasts_as_long_as_its_cookies_are_kept(network: NetworkLoop, server: LoopbackServer) -> None:
    url = server.page("/a", b"", headers={"Set-Cookie": "sessionid=7"})
    cookies: list[str] = []
    for _ in range(2):
        fetched(network, url, cookies=cookies)
    cookies.clear()
    fetched(network, url, cookies=cookies)
    fetched(network, url)
    assert [request.headers.get("Cookie") for request in server.seen] == [None, "sessionid=7", None, None]


# -- uploads ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_an_upload_arrives_whole(network: NetworkLoop, server: LoopbackServer, method: Literal["POST", "PUT"]) -> None:
    url = server.answer("/a", lambda request: request.reply(request.body[::-1], "text/plain"))
    for body in (b"", b"[1, 2]", bytes(range(256)) * 8_000):  # the last is more than libcurl asks leave for
        upload = Upload(body, "application/json", method)
        assert fetched(network, url, size=3_000_000, upload=upload).body == body[::-1]
    assert {request.command for request in server.seen} == {method}
    assert {request.headers["Content-Type"] for request in server.seen} == {"application/json"}
    assert not any("Expect" in request.headers for request in server.seen)


@pytest.mark.parametrize("status", [301, 307, 308])
def test_an_upload_is_sent_again_where_its_address_has_moved_to(
    network: NetworkLoop, server: LoopbackServer, status: int
) -> None:
    url = server.page("/old", b"", status=status, headers={"Location": "/new"})
    server.answer("/new", lambda request: request.reply(request.body, "text/plain"))
    assert fetched(network, url, upload=Upload(b"[]", "application/json")).body == b"[]"
    assert [request.command for request in server.seen] == ["POST", "POST"]


@pytest.mark.parametrize("status", [302, 303])
def test_an_upload_never_becomes_a_get(network: NetworkLoop, server: LoopbackServer, status: int) -> None:
    url = server.page("/a", b"", status=status, headers={"Location": "/login"})
    server.page("/login", b"<html>")
    assert trouble(network, url, upload=Upload(b"[]", "application/json")).status == status
    assert [request.path for request in server.seen] == ["/a"]


@pytest.mark.parametrize(
    ("upload", "times"), [(None, 2), (Upload(b"[]", "application/json"), 1)], ids=["get", "upload"]
)
def test_a_connection_that_was_lost_is_tried_again_once_but_an_upload_may_have_arrived(
    network: NetworkLoop, server: LoopbackServer, upload: Upload | None, times: int
) -> None:
    url = server.answer("/a", lambda _request: server.hang_up())
    assert trouble(network, url, upload=upload).reason in (FailureReason.CONNECTION_LOST, FailureReason.CUT_SHORT)
    assert len(server.seen) == times
