"""The network stalls amid an episode: what is kept sounds at once, what isn't sounds as soon as it comes."""

import threading
import time
from collections.abc import Iterator

import pytest

from player.events import Bus
from player.library import Library
from player.media import MediaStore
from player.model.episode import EpisodeId
from player.model.playback import PlaybackState
from player.paths import Paths
from player.playback.service import PlaybackService
from player.playback.vlc.engine import VlcEngine
from player.settings import Playback
from tests.loopback import LoopbackServer, Request
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.playback.support import wait_until
from tests.sound.pitch import Heard, heard, pitch_coded, steady
from tests.sound.sound_server import Recording, SoundServer

pytestmark = pytest.mark.sound

GIVEN = 100_000
"""Bytes before the stall: 12.5 s of the episode."""


@pytest.fixture
def goes_on() -> Iterator[threading.Event]:
    """The network comes back when this is set."""
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def stalled(server: LoopbackServer, goes_on: threading.Event) -> str:
    """The address of an episode of 60 s whose server stalls after GIVEN bytes; its end can be had."""
    data = pitch_coded("mp3")

    def answer(request: Request) -> None:
        first = int(request.headers.get("Range", "bytes=0-")[6:].partition("-")[0])
        if first > len(data) - 70_000:
            request.reply_ranges(data, "audio/mpeg")
            return
        request.send_response(206)
        request.send_header("Content-Type", "audio/mpeg")
        request.send_header("ETag", '"1"')
        request.send_header("Content-Range", f"bytes {first}-{len(data) - 1}/{len(data)}")
        request.send_header("Content-Length", str(len(data) - first))
        request.end_headers()
        request.wfile.write(data[first:GIVEN])
        goes_on.wait(30)
        request.wfile.write(data[max(first, GIVEN) :])

    return server.answer("/episode.mp3", answer)


@pytest.fixture
def session(paths: Paths, stalled: str, sound: SoundServer) -> Iterator[tuple[PlaybackService, EpisodeId]]:
    library = Library(paths)
    library.open()
    new = apply_feed(library, library.podcasts.add(URL, "A show"), episode(0, url=stalled)).new
    made = PlaybackService(library, MediaStore(paths), Bus(), Playback(), VlcEngine)
    made.start()
    yield made, new[0]
    made.close()
    library.close()


def first_sound(recording: Recording, since: float) -> Heard:
    def found() -> list[Heard]:
        return steady([one for one in heard(recording) if one.at > since])

    wait_until(found, "a sound")
    return found()[0]


def test_a_stall_holds_up_neither_a_jump_back_nor_the_way_on(
    session: tuple[PlaybackService, EpisodeId], goes_on: threading.Event, sound: SoundServer
) -> None:
    playback, episode_id = session
    with sound.recording() as recording:
        playback.set_speed(3.0)
        playback.play(episode_id, 6_000)
        wait_until(lambda: playback.status.state is PlaybackState.BUFFERING, "the stall")
        assert playback.status.position_ms == pytest.approx(12_500, abs=600)

        playback.set_speed(1.0)
        jumped = time.monotonic()
        playback.seek_to(4_000)
        back = first_sound(recording, jumped + 0.05)
        assert back.at - jumped < 1.0
        assert back.position_s is not None
        assert 3.6 < back.position_s < 4.4 + back.at - jumped

        playback.seek_to(40_000)
        wait_until(lambda: playback.status.state is PlaybackState.BUFFERING, "the second wait")
        assert playback.status.position_ms == 40_000
        came = time.monotonic()
        goes_on.set()
        onward = first_sound(recording, came + 0.05)
        assert onward.position_s == pytest.approx(40.0, abs=0.4)
        wait_until(lambda: playback.status.state is PlaybackState.PLAYING)
