"""Bytes served to a device, over real HTTP on loopback."""

import http.client
import socket
from collections.abc import Iterator

import pytest

from player.net.byte_server import ByteServer, byte_range
from tests.player.playback.support import HeldMedia, wait_until

DATA = bytes(range(256)) * 4_000


@pytest.fixture
def media() -> HeldMedia:
    return HeldMedia(DATA)


@pytest.fixture
def serving(media: HeldMedia) -> Iterator[ByteServer]:
    server = ByteServer("127.0.0.1", media, "audio/mpeg", ".mp3")
    yield server
    server.close()


def ask(server: ByteServer, method: str = "GET", path: str | None = None, **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    connection.request(method, path or server.path, headers={name.title(): value for name, value in headers.items()})
    return connection.getresponse()


def test_all_of_it_is_served(serving: ByteServer) -> None:
    answer = ask(serving)
    assert (answer.status, answer.headers["Content-Type"]) == (200, "audio/mpeg")
    assert answer.headers["Accept-Ranges"] == "bytes"
    assert answer.read() == DATA
    wait_until(lambda: serving.reached_end)
    assert serving.served_to == len(DATA)


@pytest.mark.parametrize(
    ("header", "start", "end"),
    [("bytes=0-9", 0, 10), ("bytes=1000-", 1000, len(DATA)), ("bytes=-5", len(DATA) - 5, len(DATA))],
)
def test_a_range_is_served(serving: ByteServer, header: str, start: int, end: int) -> None:
    answer = ask(serving, range=header)
    assert (answer.status, answer.read()) == (206, DATA[start:end])
    assert answer.headers["Content-Range"] == f"bytes {start}-{end - 1}/{len(DATA)}"


def test_a_range_behind_the_end_is_refused(serving: ByteServer) -> None:
    answer = ask(serving, range=f"bytes={len(DATA)}-")
    assert (answer.status, answer.headers["Content-Range"]) == (416, f"bytes */{len(DATA)}")


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("", None), ("bytes=-", None), ("bytes=5-2", None), ("bytes=0-1,5-6", None), ("seconds=0-1", None),
        ("bytes=0-0", (0, 1)), ("bytes=90-200", (90, 100)), ("bytes=-200", (0, 100)), ("bytes=-0", (100, 100)),
        ("bytes=100-", (100, 100)), ("bytes=١-٢", None),
    ],
)  # fmt: skip
def test_ranges(header: str, expected: tuple[int, int] | None) -> None:
    assert byte_range(header, 100) == expected


def test_a_head_has_no_body(serving: ByteServer) -> None:
    answer = ask(serving, "HEAD")
    assert (answer.status, answer.headers["Content-Length"], answer.read()) == (200, str(len(DATA)), b"")


@pytest.mark.parametrize("path", ["/", "/episode.mp3", "/x/episode.mp3", "/../../etc/passwd"])
def test_nothing_else_is_there(serving: ByteServer, path: str) -> None:
    assert ask(serving, path=path).status == 404
    assert not serving.was_asked


def test_the_address_is_another_for_each_episode(serving: ByteServer, media: HeldMedia) -> None:
    other = ByteServer("127.0.0.1", media, "audio/mpeg", ".mp3")
    assert other.path != serving.path
    assert len(serving.path) > 30
    other.close()


def test_without_a_known_size_it_is_served_to_its_end() -> None:
    server = ByteServer("127.0.0.1", HeldMedia(DATA, size_known=False), "audio/mpeg", ".mp3")
    answer = ask(server, range="bytes=5-")
    assert (answer.status, answer.headers["Accept-Ranges"], answer.read()) == (200, "none", DATA)
    server.close()


def test_bytes_that_are_not_there_yet_are_waited_for() -> None:
    media = HeldMedia(DATA, 1000)
    server = ByteServer("127.0.0.1", media, "audio/mpeg", ".mp3")
    answer = ask(server)
    assert answer.read(1000) == DATA[:1000]
    wait_until(lambda: server.waits)
    media.give()
    assert answer.read() == DATA[1000:]
    server.close()


def test_a_device_that_leaves_is_not_waited_for() -> None:
    media = HeldMedia(DATA, 1000)
    server = ByteServer("127.0.0.1", media, "audio/mpeg", ".mp3")
    first = ask(server)
    first.read(1000)
    wait_until(lambda: server.waits)
    first.close()
    with socket.create_connection(("127.0.0.1", server.port)):  # it asks for something else
        wait_until(lambda: not server.waits)
    assert server.error is None
    server.close()


def test_why_bytes_cannot_be_had_is_known() -> None:
    media = HeldMedia(DATA, 1000)
    server = ByteServer("127.0.0.1", media, "audio/mpeg", ".mp3")
    answer = ask(server)
    media.break_off("The server is gone")
    with pytest.raises(http.client.IncompleteRead):
        answer.read()
    wait_until(lambda: server.error)
    assert not server.reached_end
    server.close()


def test_the_port_is_gone_when_it_is_closed() -> None:
    media = HeldMedia(DATA, 1000)
    server = ByteServer("127.0.0.1", media, "audio/mpeg", ".mp3")
    waiting = ask(server)
    wait_until(lambda: server.waits)
    server.close()
    with pytest.raises(http.client.IncompleteRead):
        waiting.read()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", server.port))
    server.close()


def test_of_too_many_connections_the_oldest_ends() -> None:
    server = ByteServer("127.0.0.1", HeldMedia(DATA), "audio/mpeg", ".mp3")
    waiting = [socket.create_connection(("127.0.0.1", server.port)) for _number in range(12)]
    answer = ask(server, range="bytes=0-9")
    assert answer.read() == DATA[:10]
    assert waiting[0].recv(1) == b""
    for one in waiting:
        one.close()
    server.close()
