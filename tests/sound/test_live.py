"""Live streams through libvlc: heard within moments, shown as live, begun anew when they break off."""

import threading
import time
from collections.abc import Iterator

import pytest

from player.events import Bus
from player.library import Library
from player.media import MediaStore
from player.model.episode import EpisodeId
from player.model.playback import PlaybackState, PlaybackStatus
from player.paths import Paths
from player.playback.service import PlaybackService
from player.playback.vlc import live as live_track
from player.playback.vlc.engine import VlcEngine
from player.settings import Playback
from tests.loopback import LoopbackServer, Request
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.playback.support import wait_until
from tests.sound.hls import SEGMENT_S, packaged
from tests.sound.pitch import detuned, heard, pitch_coded, steady, tone
from tests.sound.sound_server import SoundServer

pytestmark = pytest.mark.sound


class Stage:
    def __init__(self, paths: Paths, library: Library) -> None:
        self.library = library
        self.session = PlaybackService(library, MediaStore(paths), Bus(), Playback(), VlcEngine)
        self.session.start()

    def play(self, url: str, media_type: str = "audio/mpeg") -> EpisodeId:
        item = episode(1, url=url, media_type=media_type, duration_ms=None)
        (added,) = apply_feed(self.library, self.library.podcasts.add(URL, "Radio"), item).new
        self.session.play(added)
        return added

    def wait_for(self, state: PlaybackState) -> PlaybackStatus:
        wait_until(lambda: self.session.status.state in (state, PlaybackState.ERROR), state.value, 15)
        assert self.session.status.state is state, self.session.status.error
        return self.session.status


@pytest.fixture
def stage(sound: SoundServer, paths: Paths, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    monkeypatch.setattr(live_track, "PAUSES_S", (0.2,))
    monkeypatch.setattr(live_track, "SILENT_S", 0.8)
    library = Library(paths)
    library.open()
    made = Stage(paths, library)
    yield made
    made.session.close()
    library.close()


class Radio:
    """Sends two seconds of an MP3 at once and the rest a little faster than it sounds, until it goes off the air."""

    def __init__(self, body: bytes = b"") -> None:
        self.body = body or pitch_coded("mp3")
        self.off = threading.Event()
        self.listeners = 0

    def __call__(self, request: Request) -> None:
        self.listeners += 1
        if self.off.is_set():
            request.reply(b"", "text/plain", status=503)
            return
        body = self.body
        request.send_response(200)
        request.send_header("Content-Type", "audio/mpeg")
        request.send_header("icy-name", "Radio")
        request.end_headers()
        request.close_connection = True
        at, count = 0, 16_000
        while not self.off.is_set() and at < len(body):
            request.wfile.write(body[at : at + count])
            request.wfile.flush()
            at, count = at + count, 3_000
            self.off.wait(0.3)


@pytest.mark.long
def test_a_radio_is_heard_live_and_comes_back_by_itself(
    stage: Stage, sound: SoundServer, server: LoopbackServer
) -> None:
    radio = Radio()
    with sound.recording() as recording:
        added = stage.play(server.answer("/radio", radio))
        playing = stage.wait_for(PlaybackState.PLAYING)
        wait_until(lambda: len(steady(heard(recording))) > 10)
        assert (playing.live, playing.duration_ms, playing.cached) == (True, None, ())
        wait_until(lambda: stage.session.status.position_ms > 2_000, "more than the first second to be counted")
        stage.session.seek_by(30_000)
        stage.session.set_speed(2.0)
        before = radio.listeners
        radio.off.set()
        stage.wait_for(PlaybackState.BUFFERING)
        wait_until(lambda: radio.listeners > before + 2)
        radio.off.clear()
        stage.wait_for(PlaybackState.PLAYING)
        assert radio.listeners > before
        back = time.monotonic()
        wait_until(lambda: [one for one in steady(heard(recording)) if one.at > back])
        stage.session.stop()
        stage.wait_for(PlaybackState.STOPPED)
        radio.off.set()
    assert stage.library.progress.position(added) is None
    assert not stage.library.episodes.get(added).played


def test_a_radio_is_in_tune(stage: Stage, sound: SoundServer, server: LoopbackServer) -> None:
    radio = Radio(tone("mp3", 1_000))
    with sound.recording() as recording:
        stage.play(server.answer("/radio", radio))
        stage.wait_for(PlaybackState.PLAYING)
        start = time.monotonic() + 0.5
        wait_until(lambda: time.monotonic() > start + 1.4)
        assert max(map(abs, detuned(recording, 1_000, start, start + 1.3))) < 0.001
        radio.off.set()


def test_a_pause_goes_on_with_what_is_sent_now(stage: Stage, server: LoopbackServer) -> None:
    radio = Radio()
    stage.play(server.answer("/radio", radio))
    stage.wait_for(PlaybackState.PLAYING)
    stage.session.pause()
    stage.wait_for(PlaybackState.PAUSED)
    before = radio.listeners
    stage.session.resume()
    stage.wait_for(PlaybackState.PLAYING)
    wait_until(lambda: radio.listeners > before)
    radio.off.set()


def test_a_radio_that_is_off_the_air_is_a_sentence(stage: Stage, server: LoopbackServer) -> None:
    stage.play(server.page("/live.m3u8", b"", "text/plain", status=404))
    wait_until(lambda: stage.session.status.state is PlaybackState.ERROR)
    assert stage.session.status.error == "The live stream isn't available. It may be off the air."


def test_hls_is_heard_live(stage: Stage, sound: SoundServer, server: LoopbackServer) -> None:
    began = time.monotonic()
    recorded = packaged("aac in ts")

    def playlist(request: Request) -> None:
        first = int((time.monotonic() - began) / SEGMENT_S)
        request.reply(recorded.playlist(over=False, first=first, count=5), "application/vnd.apple.mpegurl")

    recorded.serve(server)
    with sound.recording() as recording:
        stage.play(server.answer("/live", playlist), "application/vnd.apple.mpegurl")
        assert stage.wait_for(PlaybackState.PLAYING).live
        wait_until(lambda: len(steady(heard(recording))) > 10)


def test_a_stream_that_says_it_is_over_is_a_sentence_and_a_recording_from_then_on(
    stage: Stage, server: LoopbackServer
) -> None:
    recorded = packaged("aac in ts")
    recorded.serve(server)
    over = threading.Event()

    def playlist(request: Request) -> None:
        request.reply(recorded.playlist(over=over.is_set(), count=1), "application/x-mpegurl")

    added = stage.play(server.answer("/live.m3u8", playlist))
    stage.wait_for(PlaybackState.PLAYING)
    over.set()
    wait_until(lambda: stage.session.status.state is PlaybackState.ERROR)
    assert stage.session.status.error == "The live stream has ended."
    assert not stage.library.episodes.get(added).played
    stage.session.play(added).result(15)
    playing = stage.wait_for(PlaybackState.PLAYING)
    assert (playing.live, playing.duration_ms) == (False, 2048)
