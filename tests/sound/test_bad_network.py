"""A bad network, heard: sound goes on while bytes are there, falls silent, and goes on at the same second."""

import time
from collections.abc import Iterator
from itertools import cycle, pairwise
from statistics import median

import pytest

from player.events import Bus
from player.library import Library
from player.media import MediaStore
from player.media.fetching import range_fetcher, range_request
from player.model.episode import EpisodeId
from player.model.playback import PlaybackState, PlaybackStatus
from player.paths import Paths
from player.playback.service import PlaybackService
from player.playback.vlc.engine import VlcEngine
from player.settings import Playback
from tests.bad_network import BadFile, Fault, circle, close, reset, short, sign_in, stall, status
from tests.loopback import LoopbackServer, Request
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.playback.support import wait_until
from tests.sound.pitch import HOP_S, Heard, heard, pitch_coded, steady
from tests.sound.sound_server import SoundServer

pytestmark = pytest.mark.sound

NEAR_S = 0.3
SPEED = 2.0
READINGS = 9
"""As many as libvlc's stretching of time wavers through once."""
FAULTS = (close, reset, short(0), stall, status(500), status(503, "1"), sign_in, circle)


class Stage:
    def __init__(self, paths: Paths, library: Library) -> None:
        self.paths, self.library = paths, library
        self.session = PlaybackService(library, MediaStore(paths), Bus(), Playback(), VlcEngine)
        self.session.start()

    def add(self, url: str) -> EpisodeId:
        return apply_feed(self.library, self.library.podcasts.add(URL, "A show"), episode(1, url=url)).new[0]

    def wait_for(self, state: PlaybackState) -> PlaybackStatus:
        wait_until(lambda: self.session.status.state is state, state.value)
        return self.session.status


@pytest.fixture
def stage(sound: SoundServer, paths: Paths, library: Library, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    monkeypatch.setattr(range_fetcher, "PAUSES_S", (0.1, 0.2))
    monkeypatch.setattr(range_request, "READ_S", 0.5)
    made = Stage(paths, library)
    yield made
    made.session.close()


@pytest.mark.long
@pytest.mark.parametrize(("kind", "head"), [("mp3 vbr", 80_000), ("m4a", 120_000)])
def test_after_every_fault_it_sounds_on_at_the_same_second(
    stage: Stage, sound: SoundServer, server: LoopbackServer, kind: str, head: int
) -> None:
    body = pitch_coded(kind)
    file = BadFile(body, [], head)
    trouble = cycle(FAULTS)
    met: list[Fault] = []

    def answer(request: Request) -> None:
        if not file.let_go.is_set():
            met.append(next(trouble))
            file.faults[:] = met[-1:]
        file(request)

    episode_id = stage.add(server.answer("/a", answer))
    with sound.recording() as recording:
        stage.session.set_speed(SPEED)
        stage.session.play(episode_id)
        stage.wait_for(PlaybackState.PLAYING)
        waiting = stage.wait_for(PlaybackState.BUFFERING)
        wait_until(lambda: len(met) > len(FAULTS) + 2)
        file.faults.clear()
        file.let_go.set()
        stage.wait_for(PlaybackState.PLAYING)
        on = time.monotonic()
        wait_until(lambda: time.monotonic() > on + 1.0)
        shown, at = stage.session.status.at(time.monotonic()).position_ms / 1000, time.monotonic()
        everything = heard(recording)
    fell_silent, went_on = around_silence(everything)
    assert went_on == pytest.approx(fell_silent, abs=NEAR_S)
    assert waiting.position_ms / 1000 == pytest.approx(fell_silent, abs=NEAR_S * SPEED)
    audible = median(position_s(one) + SPEED * (at - one.at) for one in steady(everything)[-READINGS:])
    assert audible == pytest.approx(shown, abs=NEAR_S)
    assert not stage.library.episodes.get(episode_id).played


@pytest.mark.parametrize(
    ("kind", "speed"),
    [
        ("m4a", 3.0),
        *(pytest.param(kind, speed, marks=pytest.mark.long) for kind in ("mp3 vbr", "wav") for speed in (1, 3)),
    ],
)
def test_where_the_bytes_run_out_what_is_shown_is_within_half_a_second_of_the_last_sound(
    stage: Stage, sound: SoundServer, server: LoopbackServer, kind: str, speed: float
) -> None:
    body = pitch_coded(kind)
    file = BadFile(body, [], int(len(body) * 0.15))

    def answer(request: Request) -> None:
        if not file.let_go.is_set():
            file.faults[:] = [stall]
        file(request)

    episode_id = stage.add(server.answer("/a", answer))
    with sound.recording() as recording:
        stage.session.set_speed(speed)
        stage.session.play(episode_id)
        stage.wait_for(PlaybackState.PLAYING)
        stage.wait_for(PlaybackState.BUFFERING)
        silent = time.monotonic() + 0.7
        wait_until(lambda: time.monotonic() > silent)
        shown = stage.session.status.at(time.monotonic()).position_ms / 1000
        everything = heard(recording)
    file.let_go.set()
    last = [one for one in steady(everything) if one.at < silent][-READINGS:]
    sounded = median(position_s(one) + speed * sounding_s(everything, one, silent) for one in last)
    assert shown == pytest.approx(sounded, abs=0.5)


def around_silence(everything: list[Heard]) -> tuple[float, float]:
    """Where the longest silence began, and where it ended, in seconds of the episode.

    At twice the speed libvlc's stretching makes single readings waver by 0.08 s: hence the median of several.
    """
    sounds = steady(everything)
    before, after = max(pairwise(sounds), key=lambda pair: pair[1].at - pair[0].at)
    assert after.at - before.at > 0.5, "it never fell silent"
    middle = (before.at + after.at) / 2
    last = [one for one in sounds if one.at < middle][-READINGS:]
    first = [one for one in sounds if one.at > middle][:READINGS]
    began = [position_s(one) + SPEED * sounding_s(everything, one, middle) for one in last]
    ended = [position_s(one) - SPEED * sounding_s(everything, one, middle) for one in first]
    return median(began), median(ended)


def sounding_s(everything: list[Heard], one: Heard, moment: float) -> float:
    """How long it sounds between a reading and a moment, also where the sound stutters in between.

    A window's energy says how much of it sounds: the tone is equally loud all the time.
    """
    start, end = sorted((one.at, moment))
    between = [min(1.0, (other.loudness / one.loudness) ** 2) for other in everything if start < other.at < end]
    return HOP_S * (sum(between) + 0.5)


def position_s(one: Heard) -> float:
    assert one.position_s is not None
    return one.position_s


@pytest.mark.long
def test_twenty_drops_in_one_episode_are_not_heard(stage: Stage, sound: SoundServer, server: LoopbackServer) -> None:
    body = pitch_coded("mp3 vbr")
    file = BadFile(body, [short(len(body) // 40)] * 20)
    episode_id = stage.add(server.answer("/a", file))
    with sound.recording() as recording:
        stage.session.play(episode_id)
        stage.wait_for(PlaybackState.PLAYING)
        wait_until(lambda: not file.faults)
        on = time.monotonic()
        wait_until(lambda: time.monotonic() > on + 0.5)
        sounds = steady(heard(recording))
    first, last = sounds[0], sounds[-1]
    assert first.position_s is not None
    assert last.position_s is not None
    assert last.position_s - first.position_s == pytest.approx(last.at - first.at, abs=NEAR_S)
    assert max(after.at - before.at for before, after in pairwise(sounds)) < 0.2
