"""Whatever a directory's server does, it is JSON or a DirectoryError with a sentence, in time."""

import gzip
import json
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from player.directory.answers import LIMIT, Answers, RateLimit
from player.directory.directory import Attempt
from player.errors import DirectoryError
from player.net.loop import NetworkLoop
from player.processes.threads import CancelToken
from tests.loopback import LoopbackServer, Request

WAIT_S = 20.0


@pytest.fixture
def answers() -> Iterator[Answers]:
    network = NetworkLoop(10.0, 20.0)
    yield Answers(network)
    network.close()


Ask = Callable[..., Any]


@pytest.fixture
def ask(answers: Answers, server: LoopbackServer) -> Ask:
    def ask(path: str = "/", seconds: float = WAIT_S, cancel: CancelToken | None = None, **more: Any) -> Any:
        attempt = Attempt(seconds, cancel or CancelToken())
        answer = answers.ask("Somewhere", server.url(path), {}, attempt, **more)
        return [*answer.records()]

    return ask


def problem(ask: Ask, *arguments: Any, **more: Any) -> str:
    with pytest.raises(DirectoryError) as raised:
        ask(*arguments, **more)
    assert str(raised.value).isprintable()
    return raised.value.what


NONSENSE = "Somewhere sent a response that Earmark can't read"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"<!doctype html><title>Welcome to the hotel</title>",
        b'{"results": [',
        b"\xff\xfe\x00",
        b'"\xff"',
        b"NaN",
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b"callback([]);",
    ],
)
def test_what_is_no_json_is_said_to_be_nonsense(server: LoopbackServer, ask: Ask, body: bytes) -> None:
    server.page("/", body, "application/json")
    assert problem(ask) == NONSENSE


@pytest.mark.parametrize("content_type", ["text/javascript; charset=utf-8", "application/json", "text/html", ""])
def test_json_is_read_whatever_it_is_called(server: LoopbackServer, ask: Ask, content_type: str) -> None:
    server.page("/", b'\xef\xbb\xbf\n[{"one": "\xc3\xa9", "n": 123456789012345678901234567890}]\n', content_type)
    ((read),) = ask()
    assert read["one"] == "é"


def test_it_may_be_compressed(server: LoopbackServer, ask: Ask) -> None:
    server.page("/", gzip.compress(b"[{}]"), "application/json", headers={"Content-Encoding": "gzip"})
    assert ask() == [{}]
    server.page("/broken", b"[{}]", "application/json", headers={"Content-Encoding": "gzip"})
    assert problem(ask, "/broken") == NONSENSE
    server.page("/odd", b"[{}]", "application/json", headers={"Content-Encoding": "zstd-of-mine"})
    assert problem(ask, "/odd") == NONSENSE


def test_megabytes_are_refused_even_compressed(server: LoopbackServer, ask: Ask) -> None:
    large = json.dumps(["x" * 1000] * (LIMIT // 1000)).encode()
    server.page("/", large, "application/json")
    assert problem(ask) == "Somewhere sent more than 1 MB for the podcasts"
    packed = gzip.compress(b'["' + b"x" * 50_000_000 + b'"]')
    server.page("/bomb", packed, "application/json", headers={"Content-Encoding": "gzip"})
    assert problem(ask, "/bomb") == "Somewhere sent more than 1 MB for the podcasts"


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (400, "Somewhere sent an unexpected response (400)"),
        (401, "Somewhere denied access (401)"),
        (403, "Somewhere denied access (403)"),
        (404, "Somewhere wasn't found at its address (404)"),
        (429, "Somewhere received too many requests (429)"),
        (500, "Somewhere has a server problem (500)"),
        (503, "Somewhere has a server problem (503)"),
        (204, "Somewhere sent an unexpected response (204)"),
    ],
)
def test_each_status_has_its_sentence(server: LoopbackServer, ask: Ask, status: int, sentence: str) -> None:
    server.page("/", b"" if status == 204 else b"[]", "application/json", status=status)
    assert problem(ask) == sentence


def test_redirects_are_followed_a_few_times(server: LoopbackServer, ask: Ask) -> None:
    server.page("/", b"", "text/plain", status=301, headers={"Location": "/there"})
    server.page("/there", b'[{"a": 2}]', "application/json")
    assert ask() == [{"a": 2}]
    server.page("/round", b"", "text/plain", status=302, headers={"Location": "/round"})
    assert problem(ask, "/round") == "Redirect loop at Somewhere"
    server.page("/file", b"", "text/plain", status=302, headers={"Location": "file:///etc/passwd"})
    assert problem(ask, "/file") == "Somewhere redirects to something that isn't a URL"


def test_a_signed_request_is_not_sent_elsewhere(server: LoopbackServer, ask: Ask) -> None:
    with LoopbackServer() as stranger:
        there = stranger.page("/", b"[]", "application/json")
        server.page("/", b"", "text/plain", status=307, headers={"Location": there})
        assert problem(ask, headers={"Authorization": "proof"}) == "Somewhere sent an unexpected response (307)"
        assert stranger.seen == []


def test_a_server_that_hangs_or_drips_is_given_up_in_time(server: LoopbackServer, ask: Ask) -> None:
    over = threading.Event()

    def drip(request: Request) -> None:
        request.send_response(200)
        request.send_header("Content-Length", "1000000")
        request.end_headers()
        while not over.wait(0.02):
            request.wfile.write(b" ")

    server.answer("/drips", drip)
    server.answer("/hangs", lambda _request: wait_for(over))
    for path in ("/drips", "/hangs"):
        begun = time.monotonic()
        assert problem(ask, path, seconds=0.3) == "Somewhere didn't respond within 0.3 s"
        assert time.monotonic() - begun < WAIT_S / 2
    over.set()


def wait_for(event: threading.Event) -> None:
    event.wait(WAIT_S)


def test_a_lost_connection_and_a_refused_one_are_told_apart(server: LoopbackServer, ask: Ask, answers: Answers) -> None:
    server.answer("/", lambda _request: server.hang_up())
    assert problem(ask) == "The connection to Somewhere was lost"
    with LoopbackServer() as gone:
        address = gone.url("/")
    attempt = Attempt(WAIT_S, CancelToken())
    with pytest.raises(DirectoryError, match="Somewhere refused the connection"):
        answers.ask("Somewhere", address, {}, attempt)
    with pytest.raises(DirectoryError, match="its address isn't a URL"):
        answers.ask("Somewhere", "ftp://example.com", {}, attempt)


def test_cancelling_ends_a_request_and_the_wait_for_a_turn_at_once(server: LoopbackServer, ask: Ask) -> None:
    over, begun = threading.Event(), threading.Event()

    def hang(_request: Request) -> None:
        begun.set()
        over.wait(WAIT_S)

    server.answer("/", hang)
    limit = RateLimit(1, 15.0)
    cancel = CancelToken()
    ended: list[str] = []
    threads = [
        threading.Thread(target=lambda: ended.append(problem(ask, cancel=cancel, limit=limit))) for _two in range(2)
    ]
    for thread in threads:
        thread.start()
    assert begun.wait(WAIT_S)
    cancel.set()
    for thread in threads:
        thread.join(WAIT_S)
    over.set()
    assert ended == ["Somewhere isn't asked any more"] * 2
    assert problem(ask, cancel=cancel) == "Somewhere isn't asked any more"


def test_a_server_that_wants_a_pause_gets_it(server: LoopbackServer, ask: Ask) -> None:
    for headers, seconds in (({"Retry-After": "40"}, "40"), ({}, "60"), ({"Retry-After": "9" * 30}, "3600")):
        limit = RateLimit(20, 60.0)
        server.page("/", b"", "text/plain", status=429, headers=headers)
        assert problem(ask, limit=limit) == "Somewhere received too many requests (429)"
        with pytest.raises(DirectoryError) as raised:
            ask(limit=limit)
        assert str(raised.value) == f"Somewhere can't be asked that often. Try again in {seconds} seconds."
    assert len(server.seen) == 3


def test_after_the_network_has_ended_nothing_is_asked(server: LoopbackServer) -> None:
    network = NetworkLoop(10.0, 20.0)
    network.close()
    with pytest.raises(DirectoryError, match="isn't asked any more"):
        Answers(network).ask("Somewhere", server.url("/"), {}, Attempt(WAIT_S, CancelToken()))
