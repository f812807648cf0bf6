"""What happens, as the whole player and real libvlc tell it: each thing once, whatever libvlc reports meanwhile."""

import threading
from collections.abc import Iterator

import pytest

from player.events import (
    Cause,
    EpisodeFinished,
    EpisodeLeft,
    EpisodeStarted,
    Event,
    Paused,
    PlaybackFailed,
    Resumed,
    Seeked,
    SpeedChanged,
)
from player.paths import Paths
from player.player import Player
from player.settings import Feeds, Settings
from tests.loopback import LoopbackServer
from tests.player.library.helpers import URL, apply_feed, episode
from tests.sound.pitch import pitch_coded
from tests.sound.sound_server import SoundServer

pytestmark = pytest.mark.sound

SOON_S = 20.0
DISCRETE = (EpisodeStarted, EpisodeFinished, EpisodeLeft, Paused, Resumed, PlaybackFailed, Seeked, SpeedChanged)


class Ear:
    """Hears the discrete events in a lane."""

    def __init__(self, player: Player) -> None:
        self.heard: list[Event] = []
        self._changed = threading.Condition()
        player.bus.subscribe(object, self._collect, player.bus.lane("the test"))

    def _collect(self, event: object) -> None:
        if isinstance(event, DISCRETE):
            with self._changed:
                self.heard.append(event)
                self._changed.notify_all()

    def wait_for(self, count: int) -> Event:
        """The event of that number, from 1."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.heard) >= count, SOON_S), self.heard
            return self.heard[count - 1]


@pytest.fixture
def player(sound: SoundServer, paths: Paths) -> Iterator[Player]:
    assert sound
    opened = Player(paths, Settings(feeds=Feeds(refresh_on_start=False, refresh_minutes=0)))
    opened.open()
    opened.start()
    yield opened
    opened.close()


def test_a_listening_from_its_start_to_its_end(player: Player, server: LoopbackServer) -> None:
    ear, session = Ear(player), player.session
    urls = [server.audio(f"/{number}.mp3", pitch_coded("mp3 vbr")) for number in range(2)]
    podcast = player.library.podcasts.add(URL)
    one, other = apply_feed(player.library, podcast, *(episode(number, url=url) for number, url in enumerate(urls))).new
    session.play(one)
    assert ear.wait_for(1) == EpisodeStarted(one, 0, Cause.PERSON)
    session.toggle()
    paused = ear.wait_for(2)
    assert isinstance(paused, Paused)
    session.toggle()
    assert ear.wait_for(3) == Resumed(one, paused.position_ms, Cause.PERSON)
    session.seek_to(40_000)
    jump = ear.wait_for(4)
    assert isinstance(jump, Seeked)
    assert (jump.to_ms, jump.cause) == (40_000, Cause.PERSON)
    session.reopen()  # as when another output is chosen
    session.play(other)
    left = ear.wait_for(5)
    assert isinstance(left, EpisodeLeft)
    assert (left.episode_id, left.cause) == (one, Cause.PERSON)
    assert left.position_ms >= 40_000
    assert ear.wait_for(6) == EpisodeStarted(other, 0, Cause.PERSON)
    length_ms = session.status.duration_ms
    assert length_ms
    session.seek_to(length_ms)
    assert isinstance(ear.wait_for(7), Seeked)
    assert ear.wait_for(8) == EpisodeFinished(other, Cause.ENGINE)
    player.close()
    assert len(ear.heard) == 8
