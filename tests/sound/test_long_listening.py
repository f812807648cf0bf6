"""Hours, speeds and jumps: the place shown stays the one heard."""

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
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
from tests.bench.long_audio import position_at, write_long_mp3
from tests.loopback import LoopbackServer
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.playback.support import wait_until
from tests.quick import seeded
from tests.sound.places import near_s
from tests.sound.sound_server import RATE, Recording, SoundServer

pytestmark = pytest.mark.sound

SPEEDS = (0.8, 1.0, 1.5, 2.0, 3.0)
SECONDS = 300
READ_S = 0.15
"""Half a window of the FFT on both sides, and what the sink holds back."""


@pytest.fixture
def session(
    request: pytest.FixtureRequest, paths: Paths, server: LoopbackServer, sound: SoundServer, tmp_path: Path
) -> Iterator[tuple[PlaybackService, EpisodeId]]:
    """With a VBR MP3 of so many seconds as the test's parameter says."""
    audio = tmp_path / "long.mp3"
    write_long_mp3(audio, getattr(request, "param", SECONDS))
    url = server.audio("/long.mp3", audio.read_bytes())
    library = Library(paths)
    library.open()
    new = apply_feed(library, library.podcasts.add(URL, "A show"), episode(0, url=url, duration_ms=None)).new
    made = PlaybackService(library, MediaStore(paths), Bus(), Playback(), VlcEngine)
    made.start()
    yield made, new[0]
    made.close()
    library.close()


def sounding(playback: PlaybackService, episode_id: EpisodeId, at_ms: int = 0) -> None:
    playback.play(episode_id, at_ms)
    wait_until(lambda: playback.status.state is PlaybackState.PLAYING, "sound")


def difference(playback: PlaybackService, recording: Recording) -> float:
    """The place heard less the one shown, in seconds; the worst of five readings."""
    shown = []
    for _ in range(5):
        time.sleep(0.2)
        now = time.monotonic()
        shown.append((now, playback.status.at(now).position_ms / 1000))
    time.sleep(READ_S)
    positions = [(position_at(recording, now), position_s) for now, position_s in shown]
    # Where one block of tones ends and the next begins, none can be read.
    if sum(heard is not None for heard, _ in positions) < 2:
        samples, _first = recording.samples()
        loud = [
            round(float(np.abs(samples[at : at + RATE // 10]).max()), 3) for at in range(0, len(samples), RATE // 10)
        ]
        raise AssertionError(
            f"no tone to read at {positions}, speed {playback.status.speed}; loudness by tenths: {loud}"
        )
    return max((heard - position_s for heard, position_s in positions if heard is not None), key=abs)


@pytest.mark.long
@pytest.mark.parametrize("count", [3, 20])
@pytest.mark.timeout(300)
def test_after_random_jumps_at_every_speed_what_is_shown_is_heard(
    count: int, session: tuple[PlaybackService, EpisodeId], sound: SoundServer
) -> None:
    playback, episode_id = session
    chance = seeded()
    sounding(playback, episode_id)
    jumps = []
    for number in range(count):
        position_s, speed = chance.uniform(5, SECONDS - 30), SPEEDS[number % len(SPEEDS)]
        with sound.recording() as recording:
            playback.set_speed(speed)
            playback.seek_to(int(position_s * 1000))
            time.sleep(1.0)
            wait_until(lambda: playback.status.state is PlaybackState.PLAYING, "sound at the new place")
            jumps.append((round(position_s, 2), speed, round(difference(playback, recording), 3)))
    assert not [(place, speed, off) for place, speed, off in jumps if abs(off) > near_s(speed)]


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("session", [3_900], indirect=True)
def test_after_an_hour_what_is_shown_is_heard(session: tuple[PlaybackService, EpisodeId], sound: SoundServer) -> None:
    """An hour of the episode, at three times its speed."""
    playback, episode_id = session
    playback.set_speed(3.0)
    sounding(playback, episode_id)
    offs = []
    while playback.status.position_ms < 3_600_000:
        time.sleep(30)
        assert playback.status.state is PlaybackState.PLAYING
        with sound.recording() as recording:
            offs.append((playback.status.position_ms // 1000, round(difference(playback, recording), 3)))
    assert max(abs(off) for _, off in offs) <= near_s(3.0), offs
