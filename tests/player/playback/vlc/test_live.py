"""A live stream in the controller: what seemed a file is opened anew, and it has no position to save or jump to."""

import threading
from collections.abc import Iterator

import pytest

from player.events import Bus
from player.feeds.refresh import Refresher
from player.library import Library
from player.media import MediaStore
from player.model.playback import PlaybackState
from player.paths import Paths
from player.playback.service import PlaybackService
from player.playback.silent_engine import SilentEngine
from player.settings import Playback
from tests.loopback import LoopbackServer, Request
from tests.player.feeds.parsing.making import item, rss
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.playback.support import wait_until


@pytest.fixture
def session(paths: Paths, library: Library) -> Iterator[PlaybackService]:
    made = PlaybackService(library, MediaStore(paths), Bus(), Playback(), SilentEngine)
    made.start()
    yield made
    made.close()


def test_a_stream_is_played_live_and_keeps_no_place(
    session: PlaybackService, library: Library, server: LoopbackServer
) -> None:
    gone = threading.Event()

    def radio(request: Request) -> None:
        request.send_response(200)
        request.send_header("Content-Type", "audio/mpeg")
        request.send_header("icy-br", "128")
        request.end_headers()
        request.wfile.flush()
        request.wfile.write(b"\xff\xfb\x90\x00")
        gone.wait(10)

    item = episode(1, url=server.answer("/radio", radio))
    (added,) = apply_feed(library, library.podcasts.add(URL, "Radio"), item).new
    session.play(added)
    wait_until(lambda: session.status.state is PlaybackState.PLAYING)
    gone.set()
    status = session.status
    assert (status.live, status.duration_ms, status.error) == (True, None, None)
    wait_until(lambda: session.status.position_ms > 1_100)
    session.seek_by(600_000)
    session.pause()
    wait_until(lambda: session.status.state is PlaybackState.PAUSED)
    assert session.status.position_ms < 5_000
    assert session.save_now()
    assert library.progress.position(added) is None


def test_a_live_show_is_played_as_a_stream_though_its_server_doesnt_say_that_it_is_one(
    session: PlaybackService, library: Library, server: LoopbackServer
) -> None:
    gone = threading.Event()

    def endless(request: Request) -> None:
        request.send_response(200)
        request.send_header("Content-Type", "audio/mpeg")
        request.end_headers()
        request.wfile.write(b"\xff\xfb\x90\x00")
        request.wfile.flush()
        gone.wait(10)

    stream = server.answer("/live", endless)
    enclosure = f"<enclosure url='{stream}' type='audio/mpeg' length='33'/>"
    tag = f"<podcast:liveItem status='live'><title>Tonight</title><guid>l</guid>{enclosure}</podcast:liveItem>"
    body = rss(item(1), channel=f"<title>A show</title>{tag}")
    podcast = library.podcasts.add(server.page("/feed", body))
    Refresher(library, Bus()).refresh([podcast.id])
    show = library.episodes.find("Tonight")
    session.play(show.id)
    try:
        wait_until(lambda: session.status.state is PlaybackState.PLAYING)
        assert session.status.live
    finally:
        gone.set()
    assert library.progress.position(show.id) is None
