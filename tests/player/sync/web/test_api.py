"""Requests to a sync server, and what hostile ones answer."""

import gzip
import json
import socket
import ssl
import threading
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from player.model.syncing import SyncAccount
from player.net import client
from player.net.connectivity import Connectivity
from player.net.loop import NetworkLoop
from player.net.surroundings import trusted
from player.sync.gpodder.target import GpodderTarget
from player.sync.nextcloud.login_flow import LoginFlow
from player.sync.nextcloud.target import NextcloudTarget
from player.sync.target import SyncError, SyncFailure, SyncTarget
from player.sync.ways import Typed
from player.sync.web.api import LIMIT, Api, server_address
from tests.certificate import self_signed
from tests.loopback import LoopbackServer, Request
from tests.quick import examples
from tests.sync_servers.devices import MINUTE, Clock, play, push, target
from tests.sync_servers.gpodder import GpodderServer

TARGETS: dict[str, Any] = {"gpodder": GpodderTarget, "nextcloud": NextcloudTarget}


def target_at(address: str, network: NetworkLoop, kind: str = "gpodder") -> SyncTarget:
    made: SyncTarget = TARGETS[kind](
        SyncAccount(kind, address, "ada", "laptop", ""), network, lambda _url: ("ada", "x")
    )
    return made


def error_of(ask: Callable[[], object]) -> SyncError:
    with pytest.raises(SyncError) as caught:
        ask()
    return caught.value


# -- hostile answers -----------------------------------------------------------------------------------------------


def much(request: Request) -> None:
    """More than the other side takes."""
    request.send_response(200)
    request.send_header("Content-Length", str(2 * LIMIT))
    request.end_headers()
    request.wfile.write(b'{"actions": [')
    piece = b"[1]," * 256 * 1024
    for _ in range(2 * LIMIT // 1024**2):
        request.wfile.write(piece)


def bomb(request: Request) -> None:
    """The same in some kilobytes."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    body = b"".join(packer.compress(b" " * 1024**2) for _ in range(2 * LIMIT // 1024**2)) + packer.flush()
    request.reply(body, "application/json", headers={"Content-Encoding": "gzip"})


@pytest.mark.parametrize("answer", [much, bomb])
def test_a_body_without_end_is_refused(
    server: LoopbackServer, network: NetworkLoop, answer: Callable[[Request], None]
) -> None:
    server.otherwise = answer
    error = error_of(lambda: target_at(server.url(""), network).pull("", whole=False))
    assert error.failure is SyncFailure.NOT_A_SERVER
    assert f"more than {LIMIT // 1024**2} MB" in str(error)


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 5_000_000,
        b'{"actions":' * 400_000,
        b'{"actions": [' + b"[" * 100_000 + b"]" * 100_000 + b"]}",
        b'{"actions": [' + b"0," * 3_000_000 + b"0]}",
        b'{"actions": 5, "add": 5}',
        b'{"actions": "many", "add": "many"}',
        b"\xff\xfe\x00",
        b'{"actions": ["\\ud800"], "add": ["\\ud800"]}',
        b"null",
        b"",
        b"5",
        b'"text"',
        b"[]",
        b"{}",
    ],
)
@pytest.mark.parametrize("kind", TARGETS)
def test_nonsense_is_refused_in_words_or_read_as_far_as_it_goes(
    server: LoopbackServer, network: NetworkLoop, body: bytes, kind: str
) -> None:
    server.otherwise = lambda request: request.reply(body, "application/json")
    error = error_of(lambda: target_at(server.url(""), network, kind).pull("", whole=False))
    assert error.failure is SyncFailure.NOT_A_SERVER
    assert "127.0.0.1" in str(error)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", TARGETS)
def test_an_answer_that_was_cut_short_is_asked_for_again(
    server: LoopbackServer, network: NetworkLoop, kind: str, packed: bool
) -> None:
    body = b'{"add": [], "actions": [' + b'{"action": "play", "podcast": "https://a.example/%d"},' * 99
    headers = {"Content-Encoding": "gzip"} if packed else {}
    cut = gzip.compress(body)[:-10] if packed else body
    server.otherwise = lambda request: request.reply(cut, "application/json", headers=headers)
    error = error_of(lambda: target_at(server.url(""), network, kind).pull("", whole=False))
    assert error.failure is SyncFailure.UNREACHABLE
    assert "cut short" in str(error)


def test_a_server_at_home_without_encryption_says_what_to_type(server: LoopbackServer, network: NetworkLoop) -> None:
    address = server_address(server.url("").removeprefix("http://"))
    assert address.startswith("https://127.0.0.1:")
    error = error_of(lambda: target_at(address, network).pull("", whole=False))
    assert error.failure is SyncFailure.UNREACHABLE
    assert "http://" in str(error)


any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.just("https://example.org/1"),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["actions", "add", "remove", "timestamp", "update_urls", "id", "caption", "action", "x"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@pytest.fixture
def answering(server: LoopbackServer) -> Callable[[list[Any]], str]:
    """A server that gives these answers, one after the other and then again."""

    def answer(answers: list[Any]) -> str:
        count = iter(range(10**6))
        bodies = [json.dumps(one).encode() for one in answers]
        server.otherwise = lambda request: request.reply(bodies[next(count) % len(bodies)], "application/json")
        return server.url("")

    return answer


@pytest.mark.parametrize("kind", TARGETS)
@settings(max_examples=examples(200), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(answers=st.lists(any_json, min_size=1, max_size=4))
def test_whatever_a_server_answers_it_is_read_or_refused_in_words(
    answering: Callable[[list[Any]], str], network: NetworkLoop, kind: str, answers: list[Any]
) -> None:
    to = target_at(answering(answers), network, kind)
    for ask in (lambda: to.pull("", whole=False), lambda: push(to, play(MINUTE))):
        try:
            ask()
        except SyncError as error:
            assert str(error)  # noqa: PT017


def test_a_server_that_answers_slowly_without_end_is_left(server: LoopbackServer, network: NetworkLoop) -> None:
    over = threading.Event()

    def drip(request: Request) -> None:
        request.send_response(200)
        request.send_header("Content-Length", "1000000")
        request.end_headers()
        while not over.wait(0.02):
            request.wfile.write(b" ")

    api = Api(server.url(""), network, lambda _url: None, total_s=0.3)
    error = error_of(lambda: api.get(server.answer("/a", drip)))
    over.set()
    assert error.failure is SyncFailure.UNREACHABLE
    assert str(error).startswith("127.0.0.1 is too slow: its answer didn't arrive within 0.3 s.")


def test_an_abort_ends_a_wait(server: LoopbackServer, network: NetworkLoop) -> None:
    asked, over = threading.Event(), threading.Event()

    def hold(_request: Request) -> None:
        asked.set()
        over.wait(20)

    server.otherwise = hold
    to = target_at(server.url(""), network)

    def abort() -> None:
        asked.wait(10)
        to.abort()

    threading.Thread(target=abort, daemon=True).start()
    assert error_of(lambda: to.pull("", whole=False)).failure is SyncFailure.UNREACHABLE
    assert not over.is_set()
    over.set()


def test_offline_nothing_is_asked(server: LoopbackServer) -> None:
    watch = Connectivity(lambda _server: True, lambda: (), lambda: None)
    watch.choose(offline=True)
    network = NetworkLoop(5.0, 5.0, watch)
    error = error_of(lambda: target_at(server.url(""), network).pull("", whole=False))
    assert (error.failure, str(error)) == (SyncFailure.UNREACHABLE, "Earmark is offline.")
    assert not server.seen
    network.close()


# -- encryption ----------------------------------------------------------------------------------------------------


class BothWays(LoopbackServer):
    """A server that is talked to with and without TLS at one port."""

    def __init__(self, certificate: Path) -> None:
        super().__init__()
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate)

    def finish_request(self, request: Any, client_address: Any) -> None:
        if request.recv(1, socket.MSG_PEEK) == b"\x16":  # the first byte of a TLS handshake
            request = self._context.wrap_socket(request, server_side=True)
        super().finish_request(request, client_address)


@pytest.fixture
def both_ways(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[BothWays]:
    path = self_signed(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    monkeypatch.setattr(client, "_trust", trusted)
    running = BothWays(path)
    with running:
        yield running


def is_safe(request: Request) -> bool:
    return isinstance(request.connection, ssl.SSLSocket)


def test_a_server_that_moved_to_encryption_is_asked_there_from_then_on(
    both_ways: BothWays, network: NetworkLoop
) -> None:
    safe_url = both_ways.url("").replace("http:", "https:")

    def answer(request: Request) -> None:
        if is_safe(request):
            request.reply(b'{"actions": [], "add": [], "timestamp": 5}', "application/json")
        else:
            request.reply(b"", "text/plain", status=301, headers={"Location": f"{safe_url}{request.path}"})

    both_ways.otherwise = answer
    to = target_at(both_ways.url(""), network)
    to.pull("", whole=False)
    assert push(to, play(MINUTE)).sent == (1,)
    assert [is_safe(request) for request in both_ways.seen].count(False) == 1
    assert all("Authorization" in request.headers for request in both_ways.seen if is_safe(request))


def test_from_encryption_nothing_is_redirected_back(both_ways: BothWays, network: NetworkLoop) -> None:
    plain = {"Location": both_ways.url("/a")}
    both_ways.otherwise = lambda request: request.reply(b"", "text/plain", status=308, headers=plain)
    error = error_of(lambda: target_at(both_ways.url("").replace("http:", "https:"), network).pull("", whole=False))
    assert error.failure is SyncFailure.NOT_A_SERVER
    assert "without encryption" in str(error)
    assert all(map(is_safe, both_ways.seen))


def test_a_nextcloud_that_believes_that_it_isnt_encrypted_is_talked_to_with_encryption(
    both_ways: BothWays, network: NetworkLoop
) -> None:
    """Behind a proxy that does the encryption many do."""
    plain = both_ways.url("")
    answers = {
        "/index.php/login/v2": {"poll": {"token": "t", "endpoint": f"{plain}/poll"}, "login": f"{plain}/flow"},
        "/poll": {"server": plain, "loginName": "ada", "appPassword": "secret"},
    }
    both_ways.otherwise = lambda request: request.reply(json.dumps(answers[request.path]).encode(), "application/json")
    safe_url = plain.replace("http:", "https:")
    flow = LoginFlow(safe_url, "laptop", network)
    assert flow.begin() == f"{safe_url}/flow"
    assert flow.poll() == Typed("nextcloud", safe_url, "laptop", "ada", "secret")
    assert all(map(is_safe, both_ways.seen))


# -- addresses -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("gpodder.net", "https://gpodder.net"),
        (" https://gpodder.net/ ", "https://gpodder.net"),
        ("http://192.168.0.5:8080/opodsync/", "http://192.168.0.5:8080/opodsync"),
        ("https://cloud.example/index.php/apps/dashboard/", "https://cloud.example"),
        ("https://cloud.example/nextcloud/index.php/apps/gpoddersync", "https://cloud.example/nextcloud"),
        ("https://pods.example/api/2/episodes/ada.json?since=5", "https://pods.example"),
        ("https://ada:secret@pods.example/#top", "https://pods.example"),
        ("HTTPS://Pods.example", "https://Pods.example"),
    ],
)
def test_an_address_may_be_a_name_or_that_of_a_page(typed: str, address: str) -> None:
    assert server_address(typed) == address


@pytest.mark.parametrize(
    "typed", ["", " ", "/home/ada", "ftp://example.org", "https://", "http://a:99999", "a b\x1bc d"]
)
def test_what_is_no_address_is_refused_in_words(typed: str) -> None:
    error = error_of(lambda: server_address(typed))
    assert (error.failure, error.advice) == (SyncFailure.NOT_A_SERVER, "It looks like https://example.com.")


# -- speed ---------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_ten_thousand_actions_there_and_back(network: NetworkLoop) -> None:
    with GpodderServer(Clock()) as server:
        laptop = target(server, network)
        laptop.pull("", whole=False)
        push(laptop, *(play(MINUTE, number=number) for number in range(10_000)))
        assert len(target(server, network, "phone").pull("", whole=False).actions) == 10_000
