"""The sleep timer as it is heard: it grows softer, ends in silence, and is as loud as before the next time."""

import time

import pytest

from player.events import Bus
from player.library import Library
from player.media import MediaStore
from player.model.episode import Chapter, Chapters
from player.model.playback import PlaybackState, SleepChoice, SleepUntil
from player.paths import Paths
from player.playback.outcomes import Done
from player.playback.service import PlaybackService
from player.playback.vlc.engine import VlcEngine
from player.settings import Playback
from tests.loopback import LoopbackServer
from tests.player.library.helpers import URL, apply_feed, episode
from tests.player.playback.support import wait_until
from tests.sound.pitch import heard, pitch_coded
from tests.sound.sound_server import RATE, Recording, SoundServer

pytestmark = [pytest.mark.sound, pytest.mark.long]


def loudness(recording: Recording, since: float, until: float) -> list[float]:
    """Of each tenth of a second between two moments, once both have been heard."""

    def recorded() -> bool:
        samples, first = recording.samples()
        return first + len(samples) / RATE > until + 0.1

    wait_until(recorded, "the recording")
    found = [one for one in heard(recording, since) if one.at <= until]
    return [max(one.loudness for one in found[at : at + 5]) for at in range(0, len(found) - 4, 5)]


def test_the_fade_is_heard_and_nothing_after_it(
    paths: Paths, library: Library, server: LoopbackServer, sound: SoundServer
) -> None:
    url = server.audio("/episode.wav", pitch_coded("wav"))
    (episode_id,) = apply_feed(library, library.podcasts.add(URL, "A show"), episode(0, url=url)).new
    session = PlaybackService(library, MediaStore(paths), Bus(), Playback(), VlcEngine)
    session.start()
    try:
        with sound.recording() as recording:
            session.play(episode_id, 11_000)
            wait_until(lambda: session.status.state is PlaybackState.PLAYING, "sound")
            started = time.monotonic() + 0.4
            before = loudness(recording, started, started + 0.5)
            session.set_chapters(episode_id, Chapters((Chapter(0, "One"), Chapter(14_000, "Two"))))
            assert isinstance(session.sleep(SleepChoice(SleepUntil.CHAPTER)).result(5), Done)
            fades = time.monotonic()
            wait_until(lambda: session.status.state is PlaybackState.PAUSED, "the pause")
            ended = time.monotonic()
            full = max(before)
            faded = loudness(recording, fades + 0.3, ended)
            thirds = [max(faded[part * len(faded) // 3 :][: len(faded) // 3]) for part in range(3)]
            assert full * 1.05 >= thirds[0] > thirds[1] > thirds[2]
            assert faded[-5] < 0.05 * full, "softer than anybody hears by then"
            assert max(loudness(recording, ended + 0.1, ended + 1.2)) < 0.05 * full, "no last bang"
            assert 13_900 <= session.status.position_ms <= 14_300
            session.resume()
            wait_until(lambda: session.status.state is PlaybackState.PLAYING, "sound")
            again = time.monotonic() + 0.4
            assert max(loudness(recording, again, again + 0.5)) == pytest.approx(full, rel=0.2)
    finally:
        session.close()
    assert library.state.get("volume") is None, "the volume was never touched"
