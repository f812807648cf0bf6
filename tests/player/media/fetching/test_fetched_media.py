"""An episode is read while it comes, out of order where need be, and from disk the second time."""

import contextlib
import gzip
import threading
from pathlib import Path

import pytest

from player.errors import MediaError
from player.media import MediaStore
from player.paths import Paths
from player.welcome import resource
from tests.loopback import LoopbackServer, Request
from tests.player.media.conftest import Listening, episode, eventually, fetchers, whole
from tests.player.media.sounds import flac_head, mp3, noise


def asked(server: LoopbackServer) -> list[str]:
    return [request.headers.get("Range", "") for request in server.seen]


def test_the_built_in_show_is_read_without_a_network(listening: Listening) -> None:
    media = listening.open("earmark:welcome/1-press-play.opus")
    assert whole(media) == resource("1-press-play.opus")
    assert (media.format, media.size, media.seekable) == ("ogg", len(resource("1-press-play.opus")), True)
    assert media.duration_ms == 42_000
    assert (media.cached, media.complete, media.reached_end, media.error) == (((0.0, 1.0),), True, True, None)
    media.cancel()
    with pytest.raises(MediaError):
        media.read(0, 1)


@pytest.mark.parametrize(
    "url", ["earmark:welcome/none.opus", "ftp://host/a.mp3", "/etc/passwd", "", "http://[bad/a.mp3"]
)
def test_an_address_that_leads_nowhere_is_a_sentence(listening: Listening, url: str) -> None:
    media = listening.open(url)
    with pytest.raises(MediaError, match=r"^[A-Z].*\.$"):
        media.read(0, 10)
    assert media.error is not None
    assert not media.complete


def test_an_episode_is_read_whole_and_then_stands_on_disk(listening: Listening, server: LoopbackServer) -> None:
    body = mp3(2000)
    media = listening.open(server.audio("/a.mp3", body))
    assert media.format == "mp3"
    assert media.size == len(body)
    assert media.seekable
    assert whole(media) == body
    assert media.reached_end
    listening.until(lambda: media.complete)
    assert media.cached == ((0.0, 1.0),)
    assert server.seen[0].headers["Accept-Encoding"] == "identity"
    assert server.seen[0].headers["User-Agent"].startswith("Earmark/")


@pytest.mark.parametrize("encoding", ["gzip", "aws-chunked", "utf-8"])
def test_what_was_compressed_unasked_is_decompressed_and_what_only_says_so_is_left_alone(
    listening: Listening, server: LoopbackServer, encoding: str
) -> None:
    body = mp3(500)
    sent = gzip.compress(body) if encoding == "gzip" else body
    media = listening.open(server.page("/a.mp3", sent, "audio/mpeg", headers={"Content-Encoding": encoding}))
    assert whole(media) == body


def test_the_second_open_needs_no_network(listening: Listening, paths: Paths) -> None:
    body = mp3(500)
    with LoopbackServer() as server:
        url = server.audio("/a.mp3", body)
        first = listening.open(url)
        listening.until(lambda: first.complete)
        first.close()
        eventually(lambda: not fetchers())
    again = MediaStore(paths).open(episode(url), lambda: None)
    try:
        assert again.complete
        assert (again.size, again.seekable, again.format) == (len(body), True, "mp3")
        assert whole(again) == body
        assert not fetchers()
    finally:
        again.close()


def test_a_file_is_fetched_to_its_end_though_nobody_reads(listening: Listening, server: LoopbackServer) -> None:
    media = listening.open(server.audio("/a.mp3", mp3(300)))
    listening.until(lambda: media.complete)
    assert len(server.seen) == 1
    assert not media.reached_end


def test_the_duration_is_known_when_the_frames_are_there_and_remembered(
    listening: Listening, server: LoopbackServer
) -> None:
    url = server.audio("/a.mp3", mp3(1000))
    media = listening.open(url)
    listening.until(lambda: media.duration_ms)
    assert media.duration_ms == 1000 * 1152 * 1000 // 44100
    media.close()
    eventually(lambda: not fetchers())
    assert listening.open(url).duration_ms == 1000 * 1152 * 1000 // 44100


def test_the_tail_of_an_ogg_tells_its_duration_long_before_it_is_whole(
    listening: Listening, server: LoopbackServer
) -> None:
    speech = resource("1-press-play.opus")
    body = speech[:40_000] + noise(1_000_000) + speech[40_000:]
    slow = Slow(body, held_from=40_000)
    media = listening.open(server.answer("/a.opus", slow))
    assert media.read(39_999, 1)
    media.read(len(body) - 64 * 1024, 100)
    listening.until(lambda: media.duration_ms == 42_000)
    assert not media.complete
    slow.go.set()


def test_a_header_that_tells_the_duration_is_read_at_once(listening: Listening, server: LoopbackServer) -> None:
    body = flac_head(44_100 * 600) + noise(500_000)
    slow = Slow(body, held_from=100_000)
    media = listening.open(server.answer("/a.flac", slow))
    listening.until(lambda: media.duration_ms == 600_000)
    assert not media.complete
    slow.go.set()


def test_bytes_that_are_no_audio_have_no_format(listening: Listening, server: LoopbackServer) -> None:
    assert listening.open(server.audio("/a.mp3", bytes(100_000))).format == ""
    assert listening.open(server.audio("/b.mp3", noise(400_000))).format == ""


class Slow:
    """Serves ranges; what starts before `held_from` comes only up to it, until `go` is set."""

    def __init__(self, body: bytes, held_from: int) -> None:
        self.body, self.held_from = body, held_from
        self.go = threading.Event()

    def __call__(self, request: Request) -> None:
        span = request.headers["Range"].removeprefix("bytes=")
        first, _, last = span.partition("-")
        start, end = int(first), int(last) + 1 if last else len(self.body)
        request.send_response(206)
        request.send_header("Content-Type", "audio/mpeg")
        request.send_header("ETag", '"slow"')
        request.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(self.body)}")
        request.send_header("Content-Length", str(end - start))
        request.end_headers()
        if start < self.held_from < end:
            request.wfile.write(self.body[start : self.held_from])
            request.wfile.flush()
            self.go.wait(10)
            start = self.held_from
        request.wfile.write(self.body[start:end])


def test_the_tail_is_served_at_once_while_the_head_still_comes(listening: Listening, server: LoopbackServer) -> None:
    body = noise(3_000_000)
    slow = Slow(body, held_from=100_000)
    media = listening.open(server.answer("/a.mp3", slow))
    assert media.read(0, 10) == body[:10]
    assert media.read(len(body) - 128, 128) == body[-128:]
    ends = [media.reached_end]
    assert asked(server) == ["bytes=0-", f"bytes={len(body) - 128}-"]
    assert media.read(99_990, 10) == body[99_990:100_000]
    ends.append(media.reached_end)
    assert ends == [True, False]
    slow.go.set()
    assert whole(media) == body
    assert len(server.seen) == 2


def test_a_far_jump_asks_for_that_place_and_fills_the_gap_afterwards(
    listening: Listening, server: LoopbackServer
) -> None:
    body = noise(3_000_000)
    slow = Slow(body, held_from=100_000)
    media = listening.open(server.answer("/a.mp3", slow))
    assert media.read(99_999, 1) == body[99_999:100_000]
    assert media.read(2_000_000, 10) == body[2_000_000:2_000_010]
    assert asked(server)[:2] == ["bytes=0-", "bytes=2000000-"]
    listening.until(lambda: media.cached and media.cached[-1][1] == 1.0)
    slow.go.set()
    listening.until(lambda: media.complete)
    assert whole(media) == body
    assert asked(server)[2] == "bytes=100000-1999999"
    assert server.seen[2].headers["If-Range"] == '"slow"'


def test_cancel_lets_a_waiting_read_go_at_once(listening: Listening, server: LoopbackServer) -> None:
    slow = Slow(noise(1_000_000), held_from=1000)
    media = listening.open(server.answer("/a.mp3", slow))
    assert len(media.read(0, 10)) == 10
    raised: list[BaseException] = []

    def read() -> None:
        try:
            media.read(1000, 10)
        except MediaError as error:
            raised.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    media.cancel()
    reader.join(8)
    assert len(raised) == 1, "in the end the server would have gone on"
    with pytest.raises(MediaError):
        media.read(0, 10)


def test_close_ends_the_threads_though_the_server_says_nothing(listening: Listening, server: LoopbackServer) -> None:
    silent = threading.Event()

    def say_nothing(_: Request) -> None:
        silent.wait(20)

    media = listening.open(server.answer("/a.mp3", say_nothing))
    eventually(lambda: server.seen)
    media.close()
    media.close()
    eventually(lambda: not fetchers())
    silent.set()


def test_nothing_is_left_open_after_many_episodes(listening: Listening, server: LoopbackServer) -> None:
    url = server.audio("/a.mp3", noise(400_000))
    slow = Slow(noise(400_000), held_from=100_000)
    other = server.answer("/b.mp3", slow)

    def cycle() -> None:
        one, two = listening.open(url), listening.open(other)
        one.read(0, 10)
        two.read(399_900, 10)
        one.close()
        two.close()
        eventually(lambda: not fetchers())

    cycle()
    slow.go.set()
    for _ in range(10):
        cycle()
    assert open_files(listening.folder) == 0


def open_files(folder: Path) -> int:
    """How many descriptors of this process stand on files of that folder."""
    found = 0
    for descriptor in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            found += descriptor.readlink().is_relative_to(folder)
    return found


def test_an_episode_can_be_opened_again_while_it_is_being_closed(listening: Listening, server: LoopbackServer) -> None:
    body = noise(2_000_000)
    slow = Slow(body, held_from=500_000)
    url = server.answer("/a.mp3", slow)
    first = listening.open(url)
    assert first.read(499_000, 10)
    first.close()
    again = listening.open(url)
    slow.go.set()
    assert whole(again) == body


def test_what_is_kept_grows_as_bytes_come(listening: Listening, server: LoopbackServer) -> None:
    slow = Slow(noise(1_000_000), held_from=250_000)
    media = listening.open(server.answer("/a.mp3", slow))
    assert media.read(249_999, 1)
    listening.until(lambda: media.cached == ((0.0, 0.25),))
    slow.go.set()
    listening.until(lambda: media.cached == ((0.0, 1.0),))
    listening.until(lambda: listening.notified >= 2)


@pytest.mark.parametrize("with_length", [True, False])
def test_a_server_without_ranges_is_read_from_the_start(
    listening: Listening, server: LoopbackServer, with_length: bool
) -> None:
    body = mp3(3000)
    go = threading.Event()

    def answer(request: Request) -> None:
        request.send_response(200)
        request.send_header("Content-Type", "audio/mpeg")
        if with_length:
            request.send_header("Content-Length", str(len(body)))
        else:
            request.send_header("Connection", "close")
            request.close_connection = True
        request.end_headers()
        request.wfile.write(body[:200_000])
        request.wfile.flush()
        go.wait(10)
        request.wfile.write(body[200_000:])

    url = server.answer("/a.mp3", answer)
    media = listening.open(url)
    assert media.format == "mp3"
    assert (media.size, media.seekable) == (None, False)
    assert media.read(150_000, 10) == body[150_000:150_010]
    go.set()
    assert whole(media) == body
    assert media.reached_end
    listening.until(lambda: media.complete)
    assert (media.size, media.seekable, media.cached) == (len(body), True, ((0.0, 1.0),))
    assert len(server.seen) == 1
    media.close()
    again = listening.open(url)
    assert whole(again) == body
    assert len(server.seen) == 1
