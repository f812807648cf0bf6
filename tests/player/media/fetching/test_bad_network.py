"""Every way a network can be bad, met in the middle of an episode and at its start: it goes on by itself."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from player.errors import MediaError
from player.media import EpisodeMedia
from player.media.fetching import fetched_media, range_fetcher, range_request
from player.media.fetching.media_errors import Failure, FailureKind, status_failure
from player.media.fetching.range_fetcher import pause_before
from tests.bad_network import (
    BadFile,
    Fault,
    circle,
    close,
    lead_to,
    reset,
    short,
    sign_in,
    stall,
    status,
    trickle,
    unbelievable,
)
from tests.loopback import LoopbackServer, Request
from tests.player.media.conftest import Listening, eventually, fetchers, whole
from tests.player.media.sounds import mp3, noise

BODY = mp3(1500)
HEAD = 200_000


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(range_fetcher, "PAUSES_S", (0.01, 0.02, 0.03))
    monkeypatch.setattr(range_request, "READ_S", 0.3)


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with unbelievable(tmp_path_factory.mktemp("tls")) as url:
        yield url


PASSING: dict[str, tuple[Fault, str]] = {
    "hangs up": (close, "was lost"),
    "reset": (reset, "was lost"),
    "short body": (short(0), "was lost"),
    "stall": (stall, "stopped sending for"),
    "500": (status(500), "has a server problem (500)"),
    "503": (status(503), "has a server problem (503)"),
    "429": (status(429), "received too many requests (429)"),
}
IN_BETWEEN: dict[str, tuple[Fault | None, str]] = {
    "sign in": (sign_in, "a web page instead of audio"),
    "circle": (circle, "Redirect loop"),
    "tls": (None, "127.0.0.1 has an invalid certificate"),
}


class Reader(threading.Thread):
    """Reads an episode as an engine does, while the test looks on."""

    def __init__(self, media: EpisodeMedia) -> None:
        super().__init__(daemon=True)
        self.media = media
        self.received = bytearray()
        self.error: MediaError | None = None
        self.start()

    def run(self) -> None:
        try:
            while data := self.media.read(len(self.received), 16_384):
                self.received += data
        except MediaError as error:
            self.error = error


def fault_of(name: str, tls: str) -> tuple[Fault, str]:
    fault, words = {**PASSING, **IN_BETWEEN}[name]
    return fault or lead_to(tls), words


@pytest.mark.parametrize("name", [*PASSING, *IN_BETWEEN])
def test_in_the_middle_what_is_kept_is_heard_and_then_it_goes_on_by_itself(
    listening: Listening, server: LoopbackServer, tls: str, name: str
) -> None:
    fault, words = fault_of(name, tls)
    open_again = threading.Event()
    file = BadFile(BODY, [], HEAD)

    def until_open(request: Request) -> None:
        if not open_again.is_set():
            file.faults[:] = [fault]
        file(request)

    media = listening.open(server.answer("/a.mp3", until_open))
    reader = Reader(media)
    listening.until(lambda: media.trouble and words in media.trouble.what)
    eventually(lambda: len(server.seen) > 5)
    assert len(reader.received) == HEAD
    assert reader.error is None
    assert media.error is None
    file.faults.clear()
    open_again.set()
    file.let_go.set()
    reader.join(30)
    assert reader.error is None
    assert bytes(reader.received) == BODY
    assert media.trouble is None


@pytest.mark.parametrize("name", PASSING)
def test_at_the_start_it_is_told_at_once_and_begins_by_itself(
    listening: Listening, server: LoopbackServer, name: str
) -> None:
    fault, words = PASSING[name]
    file = BadFile(BODY, [fault] * 4)
    media = listening.open(server.answer("/a.mp3", file))
    reader = Reader(media)
    listening.until(lambda: media.trouble and words in media.trouble.what)
    file.let_go.set()
    reader.join(30)
    assert reader.error is None
    assert bytes(reader.received) == BODY
    assert 5 <= len(server.seen) <= 6, (
        "one for each fault and a good one, which a busy machine may take for a stalled one"
    )


@pytest.mark.parametrize("name", IN_BETWEEN)
def test_at_the_start_what_stands_in_between_is_a_sentence_and_the_next_try_plays(
    listening: Listening, server: LoopbackServer, tls: str, name: str
) -> None:
    fault, words = fault_of(name, tls)
    url = server.answer("/a.mp3", BadFile(BODY, [fault] * 11))
    media = listening.open(url)
    with pytest.raises(MediaError, match=words.replace("(", r"\(")):
        media.read(0, 1)
    media.close()
    eventually(lambda: not fetchers())
    assert list(listening.folder.glob("*.json")) == []
    server.audio("/a.mp3", BODY)
    assert whole(listening.open(url)) == BODY


def test_a_connection_that_drops_twenty_times_is_taken_up_where_it_broke(
    listening: Listening, server: LoopbackServer
) -> None:
    body = noise(1_000_000)
    media = listening.open(server.answer("/a.mp3", BadFile(body, [short(45_000)] * 20)))
    assert whole(media) == body
    assert len(server.seen) == 21
    assert server.seen[1].headers["Range"] == "bytes=45000-"
    assert server.seen[1].headers["If-Range"] == '"1"'


def test_a_server_without_ranges_that_drops_is_read_anew_and_compared(
    listening: Listening, server: LoopbackServer
) -> None:
    drops = [50_000, 150_000, 150_000, 400_000]

    def answer(request: Request) -> None:
        request.send_response(200)
        request.send_header("Content-Type", "audio/mpeg")
        request.send_header("Content-Length", str(len(BODY)))
        request.end_headers()
        request.close_connection = True
        request.wfile.write(BODY[: drops.pop(0)] if drops else BODY)

    media = listening.open(server.answer("/a.mp3", answer))
    assert whole(media) == BODY
    assert 5 <= len(server.seen) <= 6, (
        "one for each fault and a good one, which a busy machine may take for a stalled one"
    )


def test_a_trickle_makes_one_long_pause_of_many_short_ones(
    listening: Listening, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetched_media, "CUSHION", 32 * 1024)
    file = BadFile(BODY, [trickle(60_000)], HEAD)
    media = listening.open(server.answer("/a.mp3", file))
    pieces: list[int] = []
    at = 0
    while at < HEAD + 64 * 1024:
        waits = at >= HEAD and not covered(media, at)
        data = media.read(at, 16_384)
        pieces += [len(data)] if waits else []
        at += len(data)
        if waits:
            assert covered(media, at - len(data) + 32 * 1024 - 1)
    assert len(pieces) <= 4
    file.let_go.set()
    assert whole(media) == BODY


def covered(media: EpisodeMedia, offset: int) -> bool:
    return any(start * len(BODY) <= offset < end * len(BODY) for start, end in media.cached)


def test_a_stall_of_the_main_request_is_left_for_a_new_one(listening: Listening, server: LoopbackServer) -> None:
    file = BadFile(BODY, [stall], HEAD)
    assert whole(listening.open(server.answer("/a.mp3", file))) == BODY
    file.let_go.set()


# -- lengths that are not true -------------------------------------------------------------------------------


def lying(body: bytes, claimed: int, *, ranges: bool) -> Callable[[Request], None]:
    """Says that there are `claimed` bytes."""

    def answer(request: Request) -> None:
        start = int(request.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")[0]) if ranges else 0
        if start >= len(body):
            headers = {"Content-Range": f"bytes */{len(body)}"}
            request.reply(b"", "audio/mpeg", status=416, headers=headers)
            return
        request.send_response(206 if ranges else 200)
        request.send_header("Content-Type", "audio/mpeg")
        if ranges:
            request.send_header("ETag", '"1"')
            request.send_header("Content-Range", f"bytes {start}-{claimed - 1}/{claimed}")
        request.send_header("Content-Length", str(claimed - start))
        request.end_headers()
        request.close_connection = True
        request.wfile.write(body[start:claimed])

    return answer


def test_a_server_that_promised_too_much_is_believed_when_it_says_where_the_end_is(
    listening: Listening, server: LoopbackServer
) -> None:
    media = listening.open(server.answer("/a.mp3", lying(BODY, 2 * len(BODY), ranges=True)))
    assert whole(media) == BODY
    assert media.read(len(BODY), 1) == b""
    assert media.complete
    assert media.size == len(BODY)


@pytest.mark.parametrize("ranges", [True, False])
def test_a_length_a_little_too_large_is_found_out(listening: Listening, server: LoopbackServer, ranges: bool) -> None:
    serve = lying(BODY, len(BODY) + 5_000, ranges=ranges)

    def answer(request: Request) -> None:
        if request.headers.get("Range", "bytes=0-") == f"bytes={len(BODY)}-":
            file = BadFile(BODY + bytes(5_000), [short(0)])
            file(request)
        else:
            serve(request)

    media = listening.open(server.answer("/a.mp3", answer))
    assert whole(media) == BODY
    assert media.complete


def test_a_body_that_always_ends_far_too_soon_is_never_taken_for_the_whole(
    listening: Listening, server: LoopbackServer
) -> None:
    media = listening.open(server.answer("/a.mp3", lying(BODY[: len(BODY) // 2], len(BODY), ranges=False)))
    reader = Reader(media)
    eventually(lambda: len(server.seen) > 10)
    assert len(reader.received) == len(BODY) // 2
    assert not media.complete
    assert media.trouble is not None
    assert "was lost" in media.trouble.what
    assert (reader.error, media.error) == (None, None)


def test_without_a_length_an_end_far_from_what_the_feed_says_is_tried_again(
    listening: Listening, server: LoopbackServer
) -> None:
    ends = [100_000, len(BODY)]

    def answer(request: Request) -> None:
        request.send_response(200)
        request.send_header("Content-Type", "audio/mpeg")
        request.send_header("Connection", "close")
        request.end_headers()
        request.close_connection = True
        request.wfile.write(BODY[: ends.pop(0) if ends else len(BODY) - 10])

    url = server.answer("/a.mp3", answer)
    assert whole(listening.open(url, size=len(BODY))) == BODY
    assert len(server.seen) == 2
    ends[:] = [100_000, 100_000]
    other = server.answer("/b.mp3", answer)
    assert whole(listening.open(other, size=len(BODY))) == BODY[:100_000]


# -- how long it waits ----------------------------------------------------------------------------------------


def test_pauses_grow_and_never_end() -> None:
    failure = Failure(FailureKind.PASSING, "broke")
    assert [pause_before(attempt, failure, has_some=False) for attempt in (0, 1, 2, 3, 1000)] == [
        0.01, 0.02, 0.03, 0.03, 0.03,
    ]  # fmt: skip


def test_what_is_final_is_not_tried_again_and_what_stands_in_between_only_for_a_file_that_came_before() -> None:
    in_between = Failure(FailureKind.IN_BETWEEN, "page")
    assert pause_before(0, Failure(FailureKind.FINAL, "gone"), has_some=True) is None
    assert pause_before(0, in_between, has_some=False) is None
    assert pause_before(0, in_between, has_some=True) == 0.01


def test_retry_after_is_honoured(listening: Listening, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []

    def noted(_attempt: int, failure: Failure, *, has_some: bool) -> float:
        asked.append(failure.pause_s)
        return 0.01

    monkeypatch.setattr(range_fetcher, "pause_before", noted)
    file = BadFile(BODY, [status(503, "120"), status(429, "Sun, 01 Mar 2015 12:00:00 GMT"), status(500)], HEAD)
    assert whole(listening.open(server.answer("/a.mp3", file))) == BODY
    assert [pause for pause in asked if pause] == [120.0]
    assert pause_before(0, Failure(FailureKind.PASSING, "busy", pause_s=120.0), has_some=True) == 120.0


@pytest.mark.parametrize(("text", "seconds"), [("", 0), ("30", 30), ("soon", 0), ("9" * 20, 3600)])
def test_a_server_may_ask_for_a_pause_of_an_hour_at_most(text: str, seconds: float) -> None:
    failure = status_failure(503, {"Retry-After": text}, "https://example.org/1.mp3")
    assert (failure.pause_s, failure.error.pause_s) == (seconds, seconds)


def test_a_reader_that_runs_out_of_bytes_ends_a_long_pause(
    listening: Listening, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(range_fetcher, "PAUSES_S", (30.0,))
    media = listening.open(server.answer("/a.mp3", BadFile(BODY, [], HEAD)))
    listening.until(lambda: media.trouble)
    assert whole(media) == BODY


def test_a_waiting_reader_does_not_hurry_a_pause_that_the_server_asked_for(
    listening: Listening, server: LoopbackServer
) -> None:
    file = BadFile(BODY, [status(503, "60")], HEAD)
    media = listening.open(server.answer("/a.mp3", file))
    listening.until(lambda: media.trouble and "503" in media.trouble.what)
    asked = len(server.seen)
    reader = Reader(media)
    eventually(lambda: len(reader.received) == HEAD)
    reader.join(0.3)
    assert len(server.seen) == asked


def test_closing_ends_a_long_pause(
    listening: Listening, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(range_fetcher, "PAUSES_S", (30.0,))
    media = listening.open(server.answer("/a.mp3", BadFile(BODY, [close])))
    listening.until(lambda: media.trouble)
    media.close()
    eventually(lambda: not fetchers())


def test_the_address_that_redirects_led_to_is_left_when_it_sends_a_page(
    listening: Listening, server: LoopbackServer, tmp_path: Path
) -> None:
    target = [server.answer("/cdn/1", BadFile(BODY, [sign_in] * 9, HEAD))]
    url = server.answer("/a.mp3", lambda request: request.reply(b"", "", status=302, headers={"Location": target[0]}))
    media = listening.open(url)
    reader = Reader(media)
    listening.until(lambda: len(reader.received) == HEAD)
    target[0] = server.audio("/cdn/2", BODY)
    reader.join(30)
    assert bytes(reader.received) == BODY
