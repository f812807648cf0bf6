"""Networks, servers and disks fail; the listener gets a sentence, and never two files spliced into one."""

import errno
import os
from collections.abc import Callable

import pytest

from player.errors import MediaError
from player.media import EpisodeMedia
from player.media.fetching import range_fetcher as range_fetcher_module
from player.paths import Paths
from tests.loopback import LoopbackServer, Request
from tests.player.media.conftest import Listening, eventually, fetchers, whole
from tests.player.media.sounds import mp3, noise


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(range_fetcher_module, "PAUSES_S", (0.01, 0.02, 0.03))


def failing(media: EpisodeMedia, offset: int = 0) -> MediaError:
    with pytest.raises(MediaError) as raised:
        media.read(offset, 10)
    assert media.error is raised.value
    assert "127.0.0.1" in str(raised.value)
    return raised.value


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (404, "The episode is no longer available on 127.0.0.1 (404)"),
        (410, "The episode is no longer available on 127.0.0.1 (410)"),
        (403, "denied access to the episode (403)"),
        (401, "requires a username and password for the episode (401)"),
        (204, "sent an unexpected response (204)"),
    ],
)
def test_an_error_status_is_told_at_once(listening: Listening, server: LoopbackServer, status: int, words: str) -> None:
    media = listening.open(server.page("/a.mp3", b"", "text/plain", status=status))
    assert words in failing(media).what
    assert len(server.seen) == 1
    assert list(listening.folder.glob("*.json")) == []


def test_a_retry_after_an_error_plays(listening: Listening, server: LoopbackServer) -> None:
    url = server.page("/a.mp3", b"", "text/plain", status=404)
    first = listening.open(url)
    failing(first)
    first.close()
    body = mp3(100)
    server.audio("/a.mp3", body)
    assert whole(listening.open(url)) == body


def test_what_fails_while_nobody_waits_is_tried_again_once_somebody_reads(
    listening: Listening, server: LoopbackServer
) -> None:
    body = noise(300_000)
    url = server.answer("/a.mp3", broken_after(body, 100_000, times=99))
    first = listening.open(url)
    assert first.read(99_999, 1)
    first.close()
    eventually(lambda: not fetchers())
    server.page("/a.mp3", b"", "text/plain", status=404)
    asked = len(server.seen)
    again = listening.open(url)
    eventually(lambda: len(server.seen) > asked and not fetchers())
    assert again.error is None
    server.audio("/a.mp3", body)
    assert whole(again) == body


def test_a_web_page_in_the_place_of_audio_is_not_kept(listening: Listening, server: LoopbackServer) -> None:
    url = server.page("/a.mp3", b"<!doctype html><h1>Sign in</h1>", "audio/mpeg")
    media = listening.open(url)
    assert "a web page instead of audio" in failing(media).what
    media.close()
    body = mp3(100)
    server.audio("/a.mp3", body, "text/html")
    assert whole(listening.open(url)) == body


def test_a_web_page_does_not_throw_away_what_is_kept(listening: Listening, server: LoopbackServer) -> None:
    body = noise(300_000)
    url = server.answer("/a.mp3", broken_after(body, 100_000, times=99))
    media = listening.open(url)
    assert media.read(99_999, 1)
    media.close()
    eventually(lambda: not fetchers())
    server.page("/a.mp3", b"<html>Sign in</html>", "text/html")
    again = listening.open(url)
    assert again.read(50_000, 10) == body[50_000:50_010]
    listening.until(lambda: again.trouble and "a web page instead of audio" in again.trouble.what)
    server.audio("/a.mp3", body)
    assert whole(again) == body


def trouble(listening: Listening, media: EpisodeMedia) -> str:
    """Why no bytes come, though it is tried again and again."""
    listening.until(lambda: media.trouble)
    assert media.trouble is not None
    assert media.error is None
    return str(media.trouble)


def test_nobody_there_is_told_at_once(listening: Listening) -> None:
    with LoopbackServer() as server:
        url = server.url("/a.mp3")
    assert "127.0.0.1 refused the connection" in trouble(listening, listening.open(url))


def test_the_one_of_a_chain_that_is_not_there_is_named(listening: Listening, server: LoopbackServer) -> None:
    with LoopbackServer() as gone:
        target = gone.url("/a.mp3").replace("127.0.0.1", "localhost")
    url = server.page("/track/a.mp3", b"", "text/plain", status=302, headers={"Location": target})
    assert "localhost refused the connection" in trouble(listening, listening.open(url))


def test_a_name_nobody_knows_is_told(listening: Listening, monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    media = listening.open("http://podcast.invalid/a.mp3")
    assert trouble(listening, media) == "Can't find podcast.invalid. Check your connection."


def test_no_encryption_where_there_should_be_some_is_told(listening: Listening, server: LoopbackServer) -> None:
    url = server.audio("/a.mp3", mp3(10)).replace("http://", "https://")
    assert "Couldn't establish a secure connection to 127.0.0.1" in failing(listening.open(url)).what


def test_redirects_in_a_circle_are_told(listening: Listening, server: LoopbackServer) -> None:
    url = server.url("/a.mp3")
    server.page("/a.mp3", b"", "text/plain", status=302, headers={"Location": url})
    assert "Redirect loop" in failing(listening.open(url)).what


def received_until_error(media: EpisodeMedia) -> tuple[bytes, str]:
    """What is read before an error, and what that says."""
    received = bytearray()
    try:
        while data := media.read(len(received), 50_000):
            received += data
    except MediaError as error:
        return bytes(received), error.what
    return bytes(received), ""


def broken_after(body: bytes, count: int, times: int, *, etag: str = '"1"') -> Callable[[Request], None]:
    """Serves ranges, and breaks off after `count` bytes of each of the first answers."""
    left = [times]

    def answer(request: Request) -> None:
        start = int(request.headers["Range"].removeprefix("bytes=").partition("-")[0])
        request.send_response(206)
        request.send_header("Content-Type", "audio/mpeg")
        if etag:
            request.send_header("ETag", etag)
        request.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        request.send_header("Content-Length", str(len(body) - start))
        request.end_headers()
        request.close_connection = True
        left[0] -= 1
        request.wfile.write(body[start : start + count] if left[0] >= 0 else body[start:])

    return answer


def test_a_file_that_changed_before_anything_was_heard_is_fetched_anew(
    listening: Listening, server: LoopbackServer
) -> None:
    old, new = noise(300_000, 1), noise(310_000, 2)
    url = server.answer("/a.mp3", broken_after(old, 100_000, times=99, etag='"old"'))
    first = listening.open(url, position_ms=5_000)
    assert first.read(99_999, 1)
    first.close()
    eventually(lambda: not fetchers())
    server.answer("/a.mp3", lambda request: request.reply_ranges(new, "audio/mpeg", etag='"new"'))
    again = listening.open(url, position_ms=5_000)
    listening.until(lambda: again.complete)
    assert whole(again) == new
    assert listening.sentences == ["“One” has changed on its server. Your position in it may be slightly off now."]


@pytest.mark.parametrize(("etag", "length"), [('"new"', 300_000), ('"old"', 300_001), ("", 300_000)])
def test_a_file_that_changes_while_it_is_heard_is_never_spliced(
    listening: Listening, server: LoopbackServer, etag: str, length: int
) -> None:
    old, new = noise(300_000, 1), noise(length, 2)
    old_etag = '"old"' if etag else ""
    url = server.answer("/a.mp3", broken_after(old, 100_000, times=1, etag=old_etag))
    changed = broken_after(new, length, times=99, etag=etag)
    served = server.answers["/a.mp3"]
    server.answer("/a.mp3", lambda request: (served if len(server.seen) == 1 else changed)(request))
    media = listening.open(url)
    received, why = received_until_error(media)
    assert received == old[:100_000]
    assert "has changed on its server" in why
    media.close()
    assert whole(listening.open(url)) == new


def test_an_unconditional_server_that_starts_over_is_compared_with_what_is_kept(
    listening: Listening, server: LoopbackServer
) -> None:
    old, new = noise(300_000, 1), noise(300_000, 2)
    turn = [0]

    def answer(request: Request) -> None:
        turn[0] += 1
        body = {1: old, 2: old}.get(turn[0], new)
        request.send_response(200)
        request.send_header("Content-Type", "audio/mpeg")
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.close_connection = True
        request.wfile.write(body[: {1: 100_000, 2: 150_000}.get(turn[0], len(body))])

    media = listening.open(server.answer("/a.mp3", answer))
    received, why = received_until_error(media)
    assert received == old[:150_000]
    assert "has changed on its server" in why


def test_an_expired_address_is_resolved_afresh(listening: Listening, server: LoopbackServer) -> None:
    body = noise(300_000)
    target = [server.answer("/cdn/1", broken_after(body, 100_000, times=1))]
    url = server.answer(
        "/track/a.mp3",
        lambda request: request.reply(b"", "text/plain", status=302, headers={"Location": target[0]}),
    )
    media = listening.open(url)
    assert media.read(0, 1)
    eventually(lambda: len(server.seen) >= 3 or media.complete)
    assert [request.path for request in server.seen][:3] == ["/track/a.mp3", "/cdn/1", "/cdn/1"]
    media.close()

    server.answer("/cdn/1", broken_after(body, 100_000, times=1))
    other = url.replace("a.mp3", "b.mp3")
    server.answers["/track/b.mp3"] = server.answers["/track/a.mp3"]
    expiring = server.answers["/cdn/1"]

    def once(request: Request) -> None:
        server.page("/cdn/1", b"", "text/plain", status=403)
        target[0] = server.audio("/cdn/2", body)
        expiring(request)

    server.answer("/cdn/1", once)
    assert whole(listening.open(other)) == body
    assert [request.path for request in server.seen][-3:] == ["/cdn/1", "/track/b.mp3", "/cdn/2"]


def test_a_full_disk_is_a_sentence(
    listening: Listening, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("player.media.cache.os.pwrite", full)
    media = listening.open(server.audio("/a.mp3", noise(100_000)))
    with pytest.raises(MediaError, match="no space left on the disk"):
        media.read(0, 10)
    assert media.error is not None


def test_a_full_disk_costs_other_kept_episodes_first(
    listening: Listening, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = listening.open(server.audio("/old.mp3", noise(100_000)))
    listening.until(lambda: old.complete)
    old.close()
    eventually(lambda: not fetchers())
    write = os.pwrite

    def full_while_old_is_there(fd: int, data: memoryview, offset: int) -> int:
        if len(list(listening.folder.glob("*.bytes"))) > 1:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(fd, data, offset)

    monkeypatch.setattr("player.media.cache.os.pwrite", full_while_old_is_there)
    body = noise(100_000, 2)
    assert whole(listening.open(server.audio("/new.mp3", body))) == body


def test_a_cache_folder_that_cannot_be_made_is_a_sentence(listening: Listening, paths: Paths) -> None:
    paths.cache.parent.mkdir(parents=True)
    paths.cache.write_bytes(b"a file stands where the folder should be")
    media = listening.open("http://127.0.0.1:9/a.mp3")
    with pytest.raises(MediaError, match="can't be saved in the cache folder"):
        media.read(0, 10)


def test_leftovers_of_a_crash_are_swept_up(listening: Listening, server: LoopbackServer) -> None:
    listening.folder.mkdir(parents=True)
    orphan = listening.folder / "0123.abcd.bytes"
    orphan.write_bytes(b"lost")
    media = listening.open(server.audio("/a.mp3", mp3(50)))
    listening.until(lambda: media.complete)
    eventually(lambda: not orphan.exists())
    assert whole(media) == mp3(50)
