"""Fetching, over a real connection."""

import gzip
import random
import socket
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator

import brotli
import pytest

from player import __version__
from player.errors import BadAddress, FeedError, HttpFailure, NotAFeed, TooLarge, Unreachable
from player.feeds.feed_fetch import Connections, Timeouts, fetch
from player.model.feed import FeedState
from player.model.podcast import WELCOME_URL
from player.processes.threads import CancelToken
from tests.loopback import LoopbackServer, Request

QUICK = Timeouts(connect=2, silence=0.3, total=0.8)


def brotli_quickly(body: bytes) -> bytes:
    return bytes(brotli.compress(body, quality=1))


def failure(url: str, **more: object) -> str:
    with pytest.raises(FeedError) as caught:
        fetch(url, **more)  # type: ignore[arg-type]
    sentence = str(caught.value)
    assert sentence.endswith(".")
    assert "\x1b" not in sentence
    return sentence


# -- answers --------------------------------------------------------------------------------------------------


def test_a_body_comes_with_its_type_and_validators(server: LoopbackServer) -> None:
    url = server.page("/feed", b"<rss/>", headers={"ETag": '"x"', "Last-Modified": "Mon, 15 Jan 2024 10:30:00 GMT"})
    fetched = fetch(url)
    assert (fetched.url, fetched.is_new, fetched.body) == (url, True, b"<rss/>")
    assert fetched.content_type == "application/rss+xml"
    assert fetched.state == FeedState('"x"', "Mon, 15 Jan 2024 10:30:00 GMT")
    assert fetched.permanent_url == ""


def test_we_say_who_we_are_and_what_we_read(server: LoopbackServer) -> None:
    fetch(server.page("/feed", b"x"))
    headers = server.seen[0].headers
    assert headers["User-Agent"] == f"Earmark/{__version__}"
    assert "application/rss+xml" in headers["Accept"]
    assert "If-None-Match" not in headers


def test_the_server_may_say_that_nothing_is_new(server: LoopbackServer) -> None:
    def answer(request: Request) -> None:
        if request.headers["If-None-Match"] == '"x"' and request.headers["If-Modified-Since"] == "then":
            request.reply(b"", "text/plain", status=304)
        else:
            request.reply(b"<rss/>", "text/xml")

    url = server.answer("/feed", answer)
    state = FeedState('"x"', "then")
    fetched = fetch(url, state)
    assert (fetched.is_new, fetched.body, fetched.state) == (False, b"", state)
    assert fetch(url).is_new


def test_validators_that_could_not_be_sent_back_are_dropped(server: LoopbackServer) -> None:
    url = server.page("/feed", b"x", headers={"ETag": '"\xe9"', "Last-Modified": "x" * 2000})
    assert fetch(url).state == FeedState()


@pytest.mark.parametrize("encoding", ["gzip", "x-gzip", "deflate", "raw deflate", "br", "identity"])
def test_packed_bodies_are_unpacked(server: LoopbackServer, encoding: str) -> None:
    body = b"<rss>" + b"words " * 100_000
    raw = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    packed = {
        "gzip": gzip.compress(body),
        "x-gzip": gzip.compress(body),
        "deflate": zlib.compress(body),
        "br": brotli.compress(body),
        "raw deflate": raw.compress(body) + raw.flush(),
        "identity": body,
    }[encoding]
    url = server.page("/feed", packed, headers={"Content-Encoding": encoding.removeprefix("raw ")})
    assert fetch(url).body == body


def test_the_built_in_show_needs_no_network() -> None:
    fetched = fetch(WELCOME_URL)
    assert b"Welcome to Earmark" in fetched.body
    assert not fetch(WELCOME_URL, fetched.state).is_new


def test_connections_are_shared(server: LoopbackServer) -> None:
    url = server.page("/feed", b"x")
    with Connections() as connections:
        for _ in range(3):
            connections.fetch(url)
    assert len({request.client_address for request in server.seen}) == 1


def test_an_answer_that_nothing_is_new_leaves_its_connection_to_the_next(server: LoopbackServer) -> None:
    url = server.answer("/feed", lambda request: request.reply(b"", "", status=304))
    with Connections() as connections:
        for _ in range(3):
            assert not connections.fetch(url, FeedState(etag='"1"')).is_new
    assert len({request.client_address for request in server.seen}) == 1


def test_nothing_is_looked_for_on_the_disk_at_each_request(server: LoopbackServer) -> None:
    script = """
import sys
from player.feeds.feed_fetch import Connections

class Finder:
    def find_spec(self, name, *_):
        looked_for.append(name)

with Connections() as connections:
    connections.fetch(sys.argv[1])
    looked_for = []
    sys.meta_path.insert(0, Finder())
    connections.fetch(sys.argv[1])
    print(looked_for)
"""
    printed = subprocess.run(
        [sys.executable, "-c", script, server.page("/feed", b"x")], capture_output=True, text=True, check=True
    )
    assert printed.stdout.strip() == "[]"


def test_a_name_and_password_in_the_address_are_sent(server: LoopbackServer) -> None:
    url = server.page("/feed", b"x").replace("://", "://ada:secret@")
    fetch(url)
    assert server.seen[0].headers["Authorization"] == "Basic YWRhOnNlY3JldA=="


# -- redirects ------------------------------------------------------------------------------------------------


def redirect(server: LoopbackServer, path: str, target: str, status: int) -> str:
    return server.page(path, b"", "text/plain", status=status, headers={"Location": target})


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_followed_and_only_permanent_ones_are_noted(server: LoopbackServer, status: int) -> None:
    there = server.page("/new", b"x")
    fetched = fetch(redirect(server, "/old", "/new", status))
    assert fetched.url == there
    assert fetched.permanent_url == (there if status in (301, 308) else "")


def test_an_address_has_moved_as_far_as_every_hop_is_permanent(server: LoopbackServer) -> None:
    server.page("/d", b"x")
    a = redirect(server, "/a", "/b", 301)
    b = redirect(server, "/b", "/c", 308)
    redirect(server, "/c", "/d", 302)
    assert fetch(a).permanent_url == server.url("/c")
    assert fetch(b).permanent_url == server.url("/c")
    assert fetch(server.url("/c")).permanent_url == ""


def test_redirects_without_end_are_given_up(server: LoopbackServer) -> None:
    sentence = failure(redirect(server, "/a", "/a", 302))
    assert "Redirect loop at " in sentence
    assert len(server.seen) == 11


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "ftp://example.com/", "javascript:x", "http://[", WELCOME_URL]
)
def test_a_redirect_never_leads_off_the_web(server: LoopbackServer, target: str) -> None:
    assert "redirects to something that isn't a URL" in failure(redirect(server, "/a", target, 302))


# -- refusals -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "requires a username and password"), (402, "requires payment"), (403, "denied access to"),
        (404, "Not found (404): "),
        (410, "removed for good (410): "), (429, "received too many requests (429)"),
        (418, "sent an unexpected response (418)"),
        (500, "has a server problem (500)"), (503, "has a server problem (503)"), (304, "unexpected response (304)"),
    ],
)  # fmt: skip
def test_each_refusal_has_a_sentence_of_its_own(server: LoopbackServer, status: int, words: str) -> None:
    url = server.page("/feed", b"", "text/plain", status=status)
    with pytest.raises(HttpFailure) as caught:
        fetch(url)
    assert caught.value.status == status
    assert words in str(caught.value)
    assert "127.0.0.1" in str(caught.value)


def test_a_sentence_never_shows_a_password(server: LoopbackServer) -> None:
    sentence = failure(server.url("/nothing").replace("://", "://ada:secret@"))
    assert "secret" not in sentence


@pytest.mark.parametrize("url", ["", "nonsense", "ftp://example.com/", "file:///etc/passwd", "http://", "earmark:x"])
def test_what_is_no_web_address_is_refused(url: str) -> None:
    with pytest.raises(BadAddress):
        fetch(url)


def test_a_sound_file_is_no_feed(server: LoopbackServer) -> None:
    with pytest.raises(NotAFeed, match="is a file of type audio/mpeg, not a podcast feed"):
        fetch(server.page("/a.mp3", b"ID3", "audio/mpeg"))


# -- sizes ----------------------------------------------------------------------------------------------------


def test_a_body_that_says_it_is_too_large_is_not_taken(server: LoopbackServer) -> None:
    with pytest.raises(TooLarge, match="is larger than 1 MB"):
        fetch(server.page("/feed", b"x" * 2_000_000), limit=1 << 20)


def test_a_body_that_turns_out_too_large_is_given_up(server: LoopbackServer) -> None:
    def answer(request: Request) -> None:
        request.send_response(200)
        request.send_header("Connection", "close")
        request.end_headers()
        request.wfile.write(b"x" * 3_000_000)
        request.close_connection = True

    with pytest.raises(TooLarge):
        fetch(server.answer("/feed", answer), limit=1 << 20)


@pytest.mark.parametrize(
    ("encoding", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress), ("br", brotli_quickly)]
)
def test_a_packed_bomb_is_given_up_at_the_limit(
    server: LoopbackServer, encoding: str, pack: Callable[[bytes], bytes]
) -> None:
    bomb = pack(b"\0" * 100_000_000)
    start = time.process_time()
    with pytest.raises(TooLarge):
        fetch(server.page("/feed", bomb, headers={"Content-Encoding": encoding}), limit=1 << 20)
    assert time.process_time() - start < 1


@pytest.mark.parametrize(
    ("encoding", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress), ("br", brotli_quickly)]
)
def test_a_packed_body_that_was_cut_is_not_a_shorter_feed(
    server: LoopbackServer, encoding: str, pack: Callable[[bytes], bytes]
) -> None:
    packed = pack(b"<rss>" + random.randbytes(20_000).hex().encode() + b"</rss>")
    url = server.page("/feed", packed[: len(packed) * 6 // 10], headers={"Content-Encoding": encoding})
    assert "127.0.0.1 sent only part of the feed. Try again later." in failure(url)


def test_a_feed_that_is_whole_may_lack_the_last_bytes_of_its_packing(server: LoopbackServer) -> None:
    packed = gzip.compress(b"<rss>A show</rss>\n")[:-8]
    assert fetch(server.page("/feed", packed, headers={"Content-Encoding": "gzip"})).body == b"<rss>A show</rss>\n"


@pytest.mark.parametrize("encoding", ["gzip, gzip", "zstd"])
def test_other_packings_are_refused(server: LoopbackServer, encoding: str) -> None:
    sentence = failure(server.page("/feed", b"x", headers={"Content-Encoding": encoding}))
    assert f"compressed the feed in a way that Earmark doesn't support ({encoding})" in sentence


def test_a_broken_packing_is_a_sentence(server: LoopbackServer) -> None:
    url = server.page("/feed", b"no gzip", headers={"Content-Encoding": "gzip"})
    assert "sent corrupt data for the feed" in failure(url)


# -- silence, and no server at all ----------------------------------------------------------------------------


@pytest.fixture
def hold() -> Iterator[threading.Event]:
    """Answers that wait for it go on when the test is over."""
    event = threading.Event()
    yield event
    event.set()


def test_a_server_that_says_nothing_is_given_up(server: LoopbackServer, hold: threading.Event) -> None:
    url = server.answer("/feed", lambda _: (hold.wait(10), None)[1])
    assert "stopped sending for 0.3 s" in failure(url, timeouts=QUICK)


def test_a_server_that_stops_in_the_middle_is_given_up(server: LoopbackServer, hold: threading.Event) -> None:
    def answer(request: Request) -> None:
        request.send_response(200)
        request.send_header("Content-Length", "1000")
        request.end_headers()
        request.wfile.write(b"some")
        hold.wait(10)

    assert "stopped sending" in failure(server.answer("/feed", answer), timeouts=QUICK)


@pytest.mark.parametrize("part", ["headers", "body"])
def test_a_server_that_drips_is_given_up(server: LoopbackServer, hold: threading.Event, part: str) -> None:
    def answer(request: Request) -> None:
        if part == "body":
            request.send_response(200)
            request.send_header("Content-Length", "1000000")
            request.end_headers()
        else:
            request.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        while not hold.wait(0.02):
            request.wfile.write(b"x")

    start = time.monotonic()
    assert "is too slow: the feed didn't arrive within 0.8 s" in failure(server.answer("/feed", answer), timeouts=QUICK)
    assert time.monotonic() - start < 20


def test_a_fetch_can_be_let_go_of(server: LoopbackServer, hold: threading.Event) -> None:
    asked = threading.Event()

    def answer(_: Request) -> None:
        asked.set()
        hold.wait(40)

    def let_go() -> None:
        asked.wait(10)
        abort.set()

    abort = CancelToken()
    url = server.answer("/feed", answer)
    threading.Thread(target=let_go, daemon=True).start()
    start = time.monotonic()
    assert "was cancelled" in failure(url, abort=abort)
    assert time.monotonic() - start < 20
    assert "was cancelled" in failure(url, abort=abort)


def test_a_connection_that_breaks_off_is_a_sentence(server: LoopbackServer) -> None:
    def answer(request: Request) -> None:
        request.send_response(200)
        request.send_header("Content-Length", "1000")
        request.end_headers()
        request.wfile.write(b"some")
        request.close_connection = True

    assert "The connection to 127.0.0.1 was lost" in failure(server.answer("/feed", answer))


def test_no_server_at_a_port_is_a_sentence() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/feed"
    assert failure(url) == "127.0.0.1 refused the connection. Check the URL, or try again later."


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            socket.EAI_NONAME,
            "Can't find a.test. Check the URL and your connection.",
        ),
        (socket.EAI_AGAIN, "No network: can't look up a.test. Check your connection."),
    ],
)
def test_a_name_that_cannot_be_looked_up_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, error: int, sentence: str
) -> None:
    def nobody(*_: object, **__: object) -> None:
        raise socket.gaierror(error, "in the system's words")

    monkeypatch.delenv("https_proxy")
    monkeypatch.setattr(socket, "getaddrinfo", nobody)
    assert failure("https://a.test/x") == sentence


def test_a_name_that_no_name_can_be_is_a_sentence() -> None:
    failure("http://" + "a" * 300 + "/")
    failure("http://a..b/")
    failure("http://\u00ad\u0600.example/")


def test_a_server_that_speaks_no_tls_is_a_sentence(server: LoopbackServer) -> None:
    with pytest.raises(Unreachable, match=r"Couldn't establish a secure connection to 127\.0\.0\.1"):
        fetch(server.url("/feed").replace("http://", "https://"))


def test_what_is_no_http_is_a_sentence(server: LoopbackServer) -> None:
    def answer(request: Request) -> None:
        request.wfile.write(b"SSH-2.0-OpenSSH\r\n\r\n")
        request.close_connection = True

    assert "can't be used" in failure(server.answer("/feed", answer))
