"""What comes out of the loudspeaker is as loud as was chosen, whatever the file, and after whatever is done to it."""

import time
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from player.events import Bus
from player.library import Library
from player.library.loudness import MeasuredLoudness
from player.media import MediaStore
from player.model.episode import EpisodeId
from player.model.playback import PlaybackState
from player.paths import Paths
from player.playback.service import PlaybackService
from player.playback.vlc import sound as sound_of_libvlc
from player.playback.vlc.engine import VlcEngine
from player.settings import Audio, Playback
from tests.loopback import LoopbackServer
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.measuring.audio import speech, wav
from tests.player.playback.effects.rendering import loudness
from tests.player.playback.effects.test_processed import scaled
from tests.player.playback.support import wait_until
from tests.sound.sound_server import RATE, Recording, SoundServer

pytestmark = [pytest.mark.sound, pytest.mark.timeout(180)]
LEVEL = -16.0
SOURCE_RATE = 24_000


@contextmanager
def playing(
    library: Library, paths: Paths, server: LoopbackServer, data: bytes, name: str, audio: Audio
) -> "Iterator[tuple[PlaybackService, EpisodeId]]":
    url = server.audio(name, data)
    new = apply_feed(library, library.podcasts.add(URL, "A show"), episode(0, url=url)).new
    made = PlaybackService(library, MediaStore(paths), Bus(), Playback(), VlcEngine, audio=audio)
    made.start()
    try:
        yield made, new[0]
    finally:
        made.close()


def heard(recording: Recording, begin: float, end: float) -> "array[float]":
    """The samples between two moments."""
    samples, first = recording.samples()
    part = samples[max(0, int((begin - first) * RATE)) : int((end - first) * RATE)]
    return array("f", part.astype(np.float32).tobytes())


def listen(seconds: float) -> tuple[float, float]:
    begin = time.monotonic()
    while time.monotonic() < begin + seconds:
        time.sleep(0.05)
    return begin, time.monotonic()


@pytest.mark.parametrize("lufs", [-31.0, -9.0])
def test_speech_is_heard_at_the_chosen_level_through_jumps_pauses_and_speeds(
    lufs: float, library: Library, paths: Paths, server: LoopbackServer, sound: SoundServer, tmp_path: Path
) -> None:
    samples = scaled(speech(60, SOURCE_RATE)[0], lufs, SOURCE_RATE)
    data = wav(tmp_path / "a.wav", samples, SOURCE_RATE, 1).read_bytes()
    with (
        playing(library, paths, server, data, "/a.wav", Audio(level=f"{LEVEL:g}")) as (session, episode_id),
        sound.recording() as recording,
    ):
        library.loudness.put(episode_id, MeasuredLoudness(lufs, -3.0, 60_000, is_whole=True))
        session.play(episode_id)
        wait_until(lambda: session.status.state is PlaybackState.PLAYING, "sound")
        steps: tuple[Callable[[], object], ...] = (
            lambda: None,
            lambda: session.seek_to(40_000),
            lambda: (session.pause().result(5), session.resume().result(5)),
            lambda: (session.seek_to(5_000), session.set_speed(2.0)),
            lambda: session.set_speed(1.0),
            session.reopen,  # as when another output is chosen
        )
        for number, step in enumerate(steps):
            step()
            listen(0.5)
            found = loudness(heard(recording, *listen(8.0)), RATE, 1)
            # libvlc's time stretching makes these made words softer, by 0.8 LU at twice the speed; real ones by 0.2 LU.
            near = 1.5 if session.status.speed == 1.0 else 2.5
            assert found.lufs == pytest.approx(LEVEL, abs=near), number
            assert found.peak_db <= -1.0
        assert session.status.gain_db == pytest.approx(LEVEL - lufs, abs=0.1)


def test_where_ffmpeg_lacks_a_filter_episodes_play_as_they_are(
    library: Library,
    paths: Paths,
    server: LoopbackServer,
    sound: SoundServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sound_of_libvlc, "missing_filters", lambda: ("alimiter",))
    data = wav(tmp_path / "a.wav", scaled(speech(20, SOURCE_RATE)[0], -30.0, SOURCE_RATE), SOURCE_RATE, 1).read_bytes()
    with (
        playing(library, paths, server, data, "/a.wav", Audio(level=f"{LEVEL:g}")) as (session, episode_id),
        sound.recording() as recording,
    ):
        session.play(episode_id)
        wait_until(lambda: session.status.state is PlaybackState.PLAYING, "sound")
        session.measured(episode_id, MeasuredLoudness(-30.0, -3.0, 60_000, is_whole=True), ())
        listen(0.5)
        assert loudness(heard(recording, *listen(6.0)), RATE, 1).lufs == pytest.approx(-30.0, abs=1.5)
