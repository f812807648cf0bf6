"""A live stream is known by its type or by what its server says, and is nothing to keep."""

import threading

import pytest

from player.errors import MediaError, NoFile
from player.media.fetching.broadcast import is_stream, stream_address
from tests.loopback import LoopbackServer, Request
from tests.player.media.conftest import Listening, eventually, fetchers, whole
from tests.player.media.sounds import mp3

HLS = b"#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n1.ts\n"
HERE = "http://radio.example/listen"


@pytest.mark.parametrize(
    ("url", "media_type", "live"),
    [
        ("https://a/live.m3u8", "", True),
        ("https://a/LIVE.M3U8?token=1", "audio/mpeg", True),
        ("https://a/live", "application/vnd.apple.mpegurl", True),
        ("https://a/live", "Application/vnd.Apple.mpegURL; charset=utf-8", True),
        ("https://a/a.mp3", "audio/mpeg", False),
        ("https://a/a.mp3?next=b.m3u8", "audio/mpeg", False),
        ("https://a/list.m3u", "audio/x-mpegurl", False),
    ],
)
def test_a_feed_may_say_so(url: str, media_type: str, live: bool) -> None:
    assert is_stream(url, media_type) is live


@pytest.mark.parametrize(
    ("content_type", "headers", "endless", "head", "address"),
    [
        ("audio/mpeg", ("icy-name", "icy-br"), True, b"\xff\xfb", HERE),
        ("audio/mpeg", ("Icy-MetaInt",), False, b"\xff\xfb", ""),
        ("audio/mpeg", (), True, b"\xff\xfb", ""),
        ("application/x-mpegurl", (), False, HLS, HERE),
        ("text/plain", (), False, b"\xef\xbb\xbf" + HLS, HERE),
        ("audio/x-mpegurl", (), False, b"#EXTM3U\n#EXTINF:-1,Radio\nhttp://a/b\n", "http://a/b"),
        ("audio/x-mpegurl", (), False, b"\r\nhttp://a/b\r\n", "http://a/b"),
        ("audio/x-mpegurl", (), False, b"#EXTM3U\n128.mp3\n", "http://radio.example/128.mp3"),
        ("audio/x-mpegurl", (), False, b"#EXTM3U\nfile:///etc/passwd\n", ""),
        ("audio/x-scpls", (), False, b"[playlist]\nNumberOfEntries=1\nFile1=http://a/b\n", "http://a/b"),
        ("audio/x-scpls", (), False, b"[playlist]\n", ""),
        ("audio/mpeg", (), False, b"http://a/b", ""),
        ("audio/mpeg", (), False, b"", ""),
    ],
)
def test_a_server_may_say_so(
    content_type: str, headers: tuple[str, ...], endless: bool, head: bytes, address: str
) -> None:
    assert stream_address(HERE, content_type, headers, endless=endless, head=head) == address


def test_what_turns_out_to_be_a_stream_is_opened_as_one_the_next_time(
    listening: Listening, server: LoopbackServer
) -> None:
    gone = threading.Event()

    def radio(request: Request) -> None:
        request.send_response(200)
        request.send_header("Content-Type", "audio/mpeg")
        request.send_header("icy-name", "Radio")
        request.end_headers()
        request.wfile.write(mp3(100))
        request.wfile.flush()
        gone.wait(10)

    url = server.answer("/radio", radio)
    media = listening.open(url)
    with pytest.raises(NoFile):
        media.read(0, 1)
    assert media.stream == url
    media.close()
    again = listening.open(url)
    assert again.stream == url
    assert len(server.seen) == 1
    with pytest.raises(MediaError):
        again.read(0, 1)
    gone.set()
    eventually(lambda: not fetchers())
    assert list(listening.folder.glob("*.json")) == []


def test_a_file_without_a_length_is_no_stream(listening: Listening, server: LoopbackServer) -> None:
    def answer(request: Request) -> None:
        request.send_response(200)
        request.send_header("Content-Type", "audio/mpeg")
        request.end_headers()
        request.close_connection = True
        request.wfile.write(mp3(100))

    media = listening.open(server.answer("/a.mp3", answer))
    assert whole(media) == mp3(100)
    assert media.stream == ""
