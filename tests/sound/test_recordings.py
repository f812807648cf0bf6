"""Recordings in HLS through libvlc: they have a length and a position, jumps and an end, like any file."""

import time
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from player.events import Bus
from player.library import Library
from player.media import MediaStore
from player.model.episode import EpisodeId
from player.model.playback import PlaybackState, PlaybackStatus
from player.paths import Paths
from player.playback.service import PlaybackService
from player.playback.vlc.engine import VlcEngine
from player.settings import Playback
from tests.loopback import LoopbackServer
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.playback.support import wait_until
from tests.sound.hls import packaged
from tests.sound.pitch import Heard, heard, steady
from tests.sound.sound_server import Recording, SoundServer

pytestmark = pytest.mark.sound

NEAR_S = 0.3
TYPE = "application/x-mpegURL"


class Stage:
    def __init__(self, paths: Paths) -> None:
        self.library = Library(paths)
        self.library.open()
        self.store = MediaStore(paths)
        self.session = PlaybackService(self.library, self.store, Bus(), Playback(), VlcEngine)
        self.session.start()

    def added(self, *urls: str, media_type: str = TYPE) -> list[EpisodeId]:
        podcast = self.library.podcasts.add(URL, "Recordings")
        items = (episode(number, url=url, media_type=media_type) for number, url in enumerate(urls, start=1))
        new = apply_feed(self.library, podcast, *items).new
        return sorted(new, key=lambda one: self.library.episodes.get(one).url)

    def wait_for(self, state: PlaybackState) -> PlaybackStatus:
        wait_until(lambda: self.session.status.state in (state, PlaybackState.ERROR), state.value, 15)
        assert self.session.status.state is state, self.session.status.error
        return self.session.status

    def close(self) -> None:
        self.session.close()
        self.store.close()
        self.library.close()


@pytest.fixture
def stages(sound: SoundServer, paths: Paths) -> Iterator[Callable[[], Stage]]:
    """Opens Earmark; what was open before is closed."""
    opened: list[Stage] = []

    def new() -> Stage:
        while opened:
            opened.pop().close()
        opened.append(Stage(paths))
        return opened[-1]

    yield new
    for one in opened:
        one.close()


@pytest.fixture
def stage(stages: Callable[[], Stage]) -> Stage:
    return stages()


def sounds_at(recording: Recording, since: float) -> float:
    """Where in the recording the first steady sound after that moment is, in seconds."""

    def after() -> list[Heard]:
        return [one for one in steady(heard(recording, since)) if one.at > since]

    wait_until(lambda: len(after()) > 8, "a sound", 15)
    found = after()[0].position_s
    assert found is not None
    return found


@pytest.mark.parametrize("kind", ["aac in ts", "aac in fragments", "mp3 in ts"])
def test_it_begins_at_the_second_that_was_asked_for(
    stage: Stage, sound: SoundServer, server: LoopbackServer, kind: str
) -> None:
    (wanted,) = stage.added(packaged(kind).serve(server))
    with sound.recording() as recording:
        since = time.monotonic()
        stage.session.play(wanted, 41_000)
        status = stage.wait_for(PlaybackState.PLAYING)
        assert abs(sounds_at(recording, since) - 41) < NEAR_S
    assert not status.live
    assert status.duration_ms is not None
    assert abs(status.duration_ms - 60_045) < 10
    asked = [request.path for request in server.seen if request.path.startswith("/20.")]
    assert asked == [request.path for request in server.seen if request.path[1:2].isdigit()][:1]


def test_it_jumps_both_ways_and_plays_at_other_speeds(stage: Stage, sound: SoundServer, server: LoopbackServer) -> None:
    (wanted,) = stage.added(packaged("aac in ts").serve(server))
    with sound.recording() as recording:

        def jumped(to_ms: int, since: float) -> bool:
            places = (one.position_s for one in steady(heard(recording, since)))
            return any(place is not None and -NEAR_S < place - to_ms / 1000 < 1.5 for place in places)

        stage.session.play(wanted)
        stage.wait_for(PlaybackState.PLAYING)
        for target_ms in (50_000, 12_500):
            since = time.monotonic()
            stage.session.seek_to(target_ms)
            wait_until(partial(jumped, target_ms, since), "the sound of the jump", 15)
            places = [one.position_s for one in steady(heard(recording, since)) if one.position_s is not None]
            there = [place for place in places if abs(place - target_ms / 1000) < 3]
            assert abs(there[0] - target_ms / 1000) < NEAR_S
        stage.session.set_speed(2.0)
        since = time.monotonic()
        wait_until(lambda: len(steady(heard(recording, since + 1))) > 60, "a good second at double speed", 15)
        sounds = steady(heard(recording, since + 1))
        assert sounds[-1].position_s is not None
        assert sounds[0].position_s is not None
        rate = (sounds[-1].position_s - sounds[0].position_s) / (sounds[-1].at - sounds[0].at)
        assert abs(rate - 2) < 0.15


@pytest.mark.long
def test_it_resumes_where_it_was_left(stages: Callable[[], Stage], sound: SoundServer, server: LoopbackServer) -> None:
    first = stages()
    (wanted,) = first.added(packaged("aac in ts").serve(server))
    with sound.recording() as recording:
        first.session.play(wanted, 30_000)
        first.wait_for(PlaybackState.PLAYING)
        wait_until(lambda: first.session.status.position_ms > 31_000, "a second to be heard", 15)
        first.session.pause()
        left_ms = first.wait_for(PlaybackState.PAUSED).position_ms
        second = stages()
        since = time.monotonic()
        second.session.play(wanted)
        second.wait_for(PlaybackState.PLAYING)
        assert abs(sounds_at(recording, since) - left_ms / 1000) < NEAR_S


def test_at_its_end_it_is_played_and_the_next_in_the_queue_follows(
    stage: Stage, sound: SoundServer, server: LoopbackServer
) -> None:
    recorded = packaged("aac in ts")
    url, other = recorded.serve(server), recorded.serve(server, "/other.m3u8")
    first, second = stage.added(url, other)
    stage.library.queue.add_last([second])
    with sound.recording() as recording:
        stage.session.play(first, 58_500)
        stage.wait_for(PlaybackState.PLAYING)
        since = time.monotonic()

        def next_plays() -> bool:
            status = stage.session.status
            return status.episode is not None and status.episode.id == second and status.position_ms > 300

        wait_until(next_plays, "the next one", 15)
        last = max(one.position_s for one in heard(recording, since) if one.position_s and 50 < one.position_s < 61)
    assert last > 59.5
    assert stage.library.episodes.get(first).played
    assert stage.session.status.error is None


def test_a_download_of_it_is_one_file(stages: Callable[[], Stage], sound: SoundServer, server: LoopbackServer) -> None:
    """Also what was heard of it is cached: once all of it was, nothing more is asked of the server."""
    first = stages()
    (wanted,) = first.added(packaged("aac in ts").serve(server))
    first.session.play(wanted, 20_000)
    first.wait_for(PlaybackState.PLAYING)
    item = first.library.episodes.get(wanted)
    wait_until(lambda: first.store.is_here(item), "all of it to be cached", 15)
    second = stages()
    server.answers.clear()
    with sound.recording() as recording:
        since = time.monotonic()
        second.session.play(wanted, 45_000)
        status = second.wait_for(PlaybackState.PLAYING)
        assert abs(sounds_at(recording, since) - 45) < NEAR_S
    assert status.duration_ms
    assert abs(status.duration_ms - 60_075) < 10
